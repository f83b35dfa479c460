"""min-cuts: the min-cost flow's value on every family from every start, and counted work."""

import numpy as np
import pytest

from kcut import Limits, cut_value, repair, verify
from kcut.ascent import _State, ascend, improve
from kcut.contention import compression_of
from kcut.params import complete
from kcut.push_relabel import drain
from kcut.registry import families, get_family, get_solver
from kcut.start import merged_layers

NUM_SEEDS = 500
NUM_CLUSTER_SEEDS = 20  # these compute routes, which takes far longer than the cuts
FEW_SEEDS = {"lingjun-like": 2, "testbed": 5, "fig13": 5, "fifo-counterexample": 5}

SMALL = {
    "layered": {"num_jobs": 14, "num_layers": 5},
    "lingjun-cliques": {"num_jobs": 8},
    "link-cliques": {"num_jobs": 14, "num_links": 6},
    "random-dag": {"num_jobs": 14, "num_edges": 30},
    "single-link": {"num_jobs": 10},
    "windows": {"chains": 2},
    "clos-jobs": {"num_jobs": 6},
    "clos-paths": {"num_jobs": 6},
    "lingjun-like": {"num_jobs": 8},
}


def solve(name, instance):
    """Run a compression solver with its defaults."""
    entry = get_solver(name, ("compression",))
    rng = np.random.default_rng(0)
    return entry.solve(instance, limits=Limits(), rng=rng, **complete(entry.params, {}))


def starts(instance, seed):
    """Yield each way to the optimum, by the last step it makes."""
    n, K = instance.num_jobs, instance.levels
    some = np.random.default_rng(seed).integers(0, K, n)
    yield "zero", ascend(instance, K, covers=False)
    yield "layers", improve(instance, merged_layers(instance))
    yield "layers, polished", improve(instance, merged_layers(instance), polish=True)
    yield "top", improve(instance, np.full(n, K - 1))
    yield "anything", improve(instance, repair(instance, some), polish=seed % 2 == 0)


NAMES = [f.name for f in families() if f.problem != "priority" and "dummy" not in f.name]


@pytest.mark.parametrize("name", NAMES)
def test_every_start_reaches_the_value_of_the_min_cost_flow(name):
    """500 random instances of the family: every start ends proven, with the flow's optimum."""
    family = get_family(name)
    params = complete(family.params, SMALL.get(name, {}))
    num_seeds = NUM_SEEDS if family.problem == "compression" else NUM_CLUSTER_SEEDS
    for seed in range(FEW_SEEDS.get(name, num_seeds)):
        instance = compression_of(family.generate(params, 2 + seed % 4, seed))
        flow = solve("min-cost-flow", instance)
        best = cut_value(instance, flow.solution)
        for label, steps in starts(instance, seed):
            *_, last = steps
            checked = verify(instance, last.levels, last.cover)
            assert checked.optimal, (seed, label)
            assert checked.value == best, (seed, label)


def test_the_answer_repeats():
    """Levels and cover are the same at every run, to the last entry."""
    instance = sparse()
    first, second = solve("min-cuts", instance), solve("min-cuts", instance)
    assert np.array_equal(first.solution, second.solution)
    assert np.array_equal(first.certificate, second.certificate)
    assert first.detail == second.detail


def sparse():
    """Return 2,000 jobs with 20,000 edges and 8 levels."""
    params = {"num_jobs": 2_000, "num_edges": 20_000, "weights": "intensity", "max_weight": 1000}
    return get_family("random-dag").generate(params, 8, 1)


def counting():
    """Return a flow engine, and a list of (arcs of the network, arcs scanned) for each call."""
    counts = []

    def engine(network, excess, cut):
        scanned = drain(network, excess, cut)
        counts.append((len(network.head), scanned))
        return scanned

    return engine, counts


def test_a_good_start_saves_cuts_and_work():
    """Polished layers take at most 5 cuts and a million arcs; seven cuts from zero take more.

    The counts are those of the algorithm, the same on every machine.
    """
    instance = sparse()
    engine, near = counting()
    *_, last = improve(instance, merged_layers(instance), polish=True, drain=engine)
    assert last.num_cuts == len(near) <= 5
    from_zero, far = counting()
    *_, last_from_zero = ascend(instance, 8, drain=from_zero)
    assert last_from_zero.num_cuts <= 7
    assert sum(arcs + scanned for arcs, scanned in near) < 150_000
    assert sum(arcs + scanned for arcs, scanned in far) < 1_500_000


def test_finished_edges_have_no_arcs():
    """A network holds two arcs for each edge that spans at most one level, and no others."""
    instance = sparse()
    levels = merged_layers(instance)
    engine, counts = counting()
    *_, last = improve(instance, levels, drain=engine)
    spans = levels[instance.upper] - levels[instance.lower]
    assert counts[0][0] == 2 * int((spans <= 1).sum())
    spans = last.levels[instance.upper] - last.levels[instance.lower]
    assert counts[-1][0] == 2 * int((spans <= 1).sum())


def test_an_arrival_costs_few_cuts_and_little_work():
    """A job that comes back to an optimum: at most four cuts, and few arcs are scanned."""
    instance = sparse()
    levels = solve("min-cuts", instance).solution
    levels[7] = -1
    engine, counts = counting()
    *_, last = improve(instance, repair(instance, levels), drain=engine)
    assert verify(instance, last.levels, last.cover).optimal
    assert len(counts) <= 4
    assert sum(scanned for _, scanned in counts) < 3 * instance.num_edges


@pytest.mark.parametrize("polish", [False, True])
def test_memory_stays_under_64_bytes_an_edge(polish):
    """All arrays at their largest, from levels at which every edge has its arcs."""
    instance = sparse()
    state = _State(instance, np.zeros(instance.num_jobs, np.int64), drain, polish=polish)
    state._network(1)
    assert state.network is not None
    arrays = [state.lower, state.weight, state.cover, state.near, *state.network]
    assert len(state.network.head) == 2 * instance.num_edges or polish
    per_job = 64 * instance.num_jobs  # starts of groups; they do not grow with the edges
    assert sum(array.nbytes for array in arrays) <= 56 * instance.num_edges + per_job
