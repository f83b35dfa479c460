"""The optimum by our engine and by other libraries, in one run: CPU seconds, values compared.

    python -m bench.micro.compare_libraries [--large]

Each method takes the same instances, `random-dag` with K = 8, up to the size it reaches in about a
minute. python-igraph is no dependency (GPL): its row appears where it is installed.
"""

import sys
import time

import numpy as np

from bench.micro.conftest import fresh, random_dag
from bench.micro.test_exact import run
from kcut import cut_value
from kcut.ascent import ascend

SIZES = [(200, 2_000), (1_000, 9_900), (2_000, 100_000)]
LARGE = (100_000, 1_000_000)


def solver(name, **params):
    """Return a method that runs one of the solvers."""
    return lambda instance: cut_value(instance, run(name, params, instance).solution)


def chain(engine):
    """Return a method that makes K-1 minimum cuts from zero with a flow engine."""

    def value(instance):
        *_, last = ascend(instance, instance.levels, drain=engine)
        return cut_value(instance, last.levels)

    return value


def _with_terminals(network, excess):
    """Return arcs (tail, head, capacity) with a source and a sink, and how many are inner arcs."""
    n = len(excess)
    tails = np.repeat(np.arange(n), np.diff(network.start))
    inner = np.flatnonzero(network.residual > 0)
    above, below = np.flatnonzero(excess > 0), np.flatnonzero(excess < 0)
    most = int(excess[above].sum())
    tail = np.concatenate((tails[inner], np.full(len(above), n), below))
    head = np.concatenate((network.head[inner], above, np.full(len(below), n + 1)))
    capacity = np.concatenate((network.residual[inner], excess[above], -excess[below]))
    return tail, head, np.minimum(capacity, most), inner


def _apply(network, excess, inner, tail, head, flow):
    """Move a flow: residuals of the inner arcs, then what left the source and reached the sink."""
    n, count = len(excess), len(inner)
    network.residual[inner] -= flow[:count]
    network.residual[network.reverse[inner]] += flow[:count]
    rest = slice(count, None)
    outer, amount = head[rest] != n + 1, flow[rest]
    excess[head[rest][outer]] -= amount[outer]
    excess[tail[rest][~outer]] += amount[~outer]


def igraph_drain(network, excess, cut):
    """Drain with python-igraph's push-relabel."""
    import igraph

    n = len(excess)
    tail, head, capacity, inner = _with_terminals(network, excess)
    graph = igraph.Graph(n + 2, np.stack((tail, head), axis=1), directed=True)
    found = graph.maxflow(n, n + 1, capacity.astype(float).tolist())
    _apply(network, excess, inner, tail, head, np.rint(found.flow).astype(np.int64))
    cut[:] = False
    cut[[v for v in found.partition[0] if v < n]] = True
    return len(tail)


def networkx_drain(network, excess, cut):
    """Drain with networkx' push-relabel."""
    import networkx as nx

    n = len(excess)
    if not ((excess > 0).any() and (excess < 0).any()):
        cut[:] = not (excess < 0).any()
        return 0
    tail, head, capacity, inner = _with_terminals(network, excess)
    graph = nx.DiGraph()
    graph.add_nodes_from(range(n + 2))
    arcs = list(zip(tail.tolist(), head.tolist(), strict=True))
    graph.add_edges_from(
        (u, v, {"capacity": c}) for (u, v), c in zip(arcs, capacity.tolist(), strict=True)
    )
    left = nx.algorithms.flow.preflow_push(graph, n, n + 1)
    flow = np.array([max(0, left[u][v]["flow"]) for u, v in arcs], np.int64)
    _apply(network, excess, inner, tail, head, flow)
    open_arcs = nx.DiGraph(
        (u, v) for u, v, arc in left.edges(data=True) if arc["flow"] < arc["capacity"]
    )
    open_arcs.add_node(n)
    reached = nx.descendants(open_arcs, n)
    cut[:] = [v in reached for v in range(n)]
    return len(arcs)


def networkx_simplex(instance):
    """Solve the dual min-cost flow with networkx' network simplex."""
    import networkx as nx

    graph = nx.MultiDiGraph()
    for u, v, w in zip(
        instance.upper.tolist(), instance.lower.tolist(), instance.weight.tolist(), strict=True
    ):
        graph.add_edge(u, v, capacity=w, weight=-1)
        graph.add_edge(u, v, weight=0)
    for v in range(instance.num_jobs):
        graph.add_edge("source", v, weight=instance.levels - 1)
        graph.add_edge(v, "source", weight=0)
    cost, _ = nx.network_simplex(graph)
    return instance.total_weight + cost


METHODS = {
    "min-cuts": (solver("min-cuts"), 10**9),
    "min-cuts from zero": (solver("min-cuts", start="zero"), 10**9),
    "min-cuts from zero, OR-tools max flow": (
        solver("min-cuts", start="zero", flow="or-tools"),
        10**9,
    ),
    "min-cuts from zero, igraph max flow": (chain(igraph_drain), 10**6),
    "min-cuts from zero, networkx preflow-push": (chain(networkx_drain), 10**4),
    "OR-tools min-cost flow": (solver("min-cost-flow"), 2 * 10**5),
    "networkx network simplex": (networkx_simplex, 10**4),
    "HiGHS, LP": (solver("lp-highs"), 10**4),
    "HiGHS, MILP": (solver("milp-highs"), 10**4),
    "CBC, MILP": (solver("milp-cbc"), 10**4),
    "CP-SAT": (solver("cp-sat"), 10**4),
    "crux, 10 orders": (solver("crux"), 2 * 10**5),
    "crux, 10 orders, window": (solver("crux", dp="window"), 10**6),
}


def main():
    """Print a Markdown table: a row for each method, a column for each size."""
    sizes = [*SIZES, LARGE] if "--large" in sys.argv[1:] else SIZES
    instances = [random_dag(*size) for size in sizes]
    optima = [METHODS["min-cuts"][0](instance) for instance in instances]
    print("| method |" + "".join(f" {n:,} jobs, {m:,} edges |" for n, m in sizes))
    print("|---|" + "---:|" * len(sizes))
    for name, (method, most_edges) in METHODS.items():
        cells = []
        for instance, optimum in zip(instances, optima, strict=True):
            cell = "-"
            if instance.num_edges <= most_edges:
                cell = measure(method, instance, optimum, exact=not name.startswith("crux"))
            cells.append(cell)
        print(f"| {name} |" + "".join(f" {cell} |" for cell in cells), flush=True)


def measure(method, instance, optimum, *, exact):
    """Return the least CPU seconds, or the library that is missing."""
    try:
        method(random_dag(30, 60))
    except ImportError as error:
        return f"no {error.name}"
    times = []
    while not times or (len(times) < 3 and sum(times) < 2):
        given = fresh(instance)
        started = time.process_time_ns() + _children_ns()
        value = method(given)
        times.append((time.process_time_ns() + _children_ns() - started) / 1e9)
    assert not exact or value == optimum, (value, optimum)
    return f"{min(times):.3g}"


def _children_ns():
    """Return the CPU time of ended child processes: CBC runs in one."""
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return int(1e9 * (used.ru_utime + used.ru_stime))


if __name__ == "__main__":
    main()
