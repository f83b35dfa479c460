"""Graph primitives against networkx."""

import networkx as nx
import numpy as np
import pytest

from kcut import graph


def random_edges(seed, acyclic):
    """Return vertex count and distinct edges of a random graph, acyclic or not."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 12))
    edges = [
        (u, v)
        for u in range(n)
        for v in range(n)
        if u != v and rng.random() < 0.25 and (not acyclic or u < v)
    ]
    hidden = rng.permutation(n)
    return n, np.array([(hidden[u], hidden[v]) for u, v in edges], np.int32).reshape(-1, 2)


@pytest.mark.parametrize("seed", range(60))
def test_grouping_finds_every_edge_once(seed):
    """Every edge stands in the group of its vertex, groups ascend in the other endpoint."""
    n, edges = random_edges(seed, False)
    out = graph.group_edges(n, edges[:, 0].copy(), edges[:, 1].copy())
    assert sorted(out.edge.tolist()) == list(range(len(edges)))
    for v in range(n):
        own = out.edge[out.start[v] : out.start[v + 1]]
        assert (edges[own, 0] == v).all()
        far = out.other[out.start[v] : out.start[v + 1]].tolist()
        assert far == sorted(edges[own, 1].tolist())


@pytest.mark.parametrize("seed", range(60))
def test_cycles_are_found_and_real(seed):
    """A cycle is reported exactly where networkx finds one, and each of its edges exists."""
    n, edges = random_edges(seed, False)
    out = graph.group_edges(n, edges[:, 0].copy(), edges[:, 1].copy())
    cycle = graph.find_cycle(out)
    known = nx.DiGraph(edges.tolist())
    assert (cycle is None) == nx.is_directed_acyclic_graph(known)
    if cycle is not None:
        assert all(known.has_edge(u, v) for u, v in zip(cycle, cycle[1:] + cycle[:1], strict=True))


@pytest.mark.parametrize("seed", range(60))
def test_smallest_ready_order_is_the_lexicographic_topological_sort(seed):
    """The order equals networkx's lexicographical topological sort."""
    n, edges = random_edges(seed, True)
    known = nx.DiGraph(edges.tolist())
    known.add_nodes_from(range(n))
    out = graph.group_edges(n, edges[:, 0].copy(), edges[:, 1].copy())
    order = graph.smallest_ready_order(out)
    assert order.tolist() == list(nx.lexicographical_topological_sort(known))
    depth = graph.longest_path_depth(out)
    assert depth.max() == nx.dag_longest_path_length(known)
    assert all(depth[v] > depth[u] for u, v in edges.tolist())


def test_duplicate_edges_are_found_across_group_borders():
    """Equal neighbours in different groups are no duplicate; equal edges are."""
    u, v = np.array([0, 1, 2, 2], np.int32), np.array([3, 3, 3, 0], np.int32)
    assert graph.find_duplicate(graph.group_edges(4, u, v)) is None
    u, v = np.array([2, 0, 2], np.int32), np.array([3, 3, 3], np.int32)
    assert graph.find_duplicate(graph.group_edges(4, u, v)) == 2
