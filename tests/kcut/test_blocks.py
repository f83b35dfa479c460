"""Algorithm 1: four ways to cut an order, one result; and the orders themselves."""

import itertools

import numpy as np
import pytest

from kcut import CompressionInstance, cut_value, infeasibility
from kcut.blocks import VARIANTS, cut_order
from kcut.orders import SAMPLERS
from kcut.prefix import Workspace
from tests.contract.instances import middling, tiny


def best_cut_by_enumeration(instance, order):
    """Return the best value over all ways to cut the order into K blocks."""
    n, best = instance.num_jobs, 0
    for cuts in itertools.combinations_with_replacement(range(n + 1), instance.levels - 1):
        levels = np.empty(n, np.int64)
        levels[order] = [sum(position < cut for cut in cuts) for position in range(n)]
        best = max(best, cut_value(instance, levels))
    return best


@pytest.mark.parametrize("seed", range(120))
def test_every_dp_is_optimal_for_its_order(seed):
    """The cut is feasible, worth what is said, and the best of all cuts of that order."""
    instance = tiny(seed)
    order = SAMPLERS["uniform-ready"](instance, np.random.default_rng(seed))
    best = best_cut_by_enumeration(instance, order)
    for dp in VARIANTS:
        blocks = cut_order(instance, order, dp)
        assert infeasibility(instance, blocks.levels) is None
        assert cut_value(instance, blocks.levels) == blocks.value == best


@pytest.mark.parametrize("seed", range(100))
def test_all_variants_give_the_same_splits(seed):
    """Not the value alone: f, g and levels agree, with the smallest split among ties."""
    instance = middling(seed).with_levels(2 + seed % 7)
    rng = np.random.default_rng(seed)
    order = SAMPLERS["bfs"](instance, rng)
    naive = cut_order(instance, order, "naive")
    for dp in VARIANTS:
        blocks = cut_order(instance, order, dp)
        assert np.array_equal(blocks.splits, naive.splits)
        assert np.array_equal(blocks.levels, naive.levels)
        assert blocks.evaluations <= naive.evaluations


@pytest.mark.parametrize("seed", range(20))
def test_splits_are_monotone(seed):
    """g(i-1, k) <= g(i, k) and g(i, k-1) <= g(i, k): what the fast variants rely on."""
    instance = middling(seed).with_levels(6)
    order = SAMPLERS["uniform-ready"](instance, np.random.default_rng(seed))
    g = cut_order(instance, order, "naive").splits
    assert (np.diff(g[2:, 1:], axis=1) >= 0).all()
    assert (np.diff(g[1:, 1:], axis=0) >= 0).all()


def test_evaluations_grow_as_the_complexity_says():
    """On one order of 400 jobs the variants rank as O(K n^2), O(n^2), O(K n log n)."""
    rng = np.random.default_rng(1)
    n, K = 400, 8
    upper, lower = np.triu_indices(n, 1)
    kept = rng.random(len(upper)) < 0.1
    weight = rng.integers(1, 100, kept.sum())
    instance = CompressionInstance.from_edges(n, upper[kept], lower[kept], weight, levels=K)
    order = np.arange(n, dtype=np.int32)
    count = {dp: cut_order(instance, order, dp).evaluations for dp in VARIANTS}
    assert count["naive"] == (K - 1) * n * (n + 1) // 2
    assert count["knuth-yao"] < n * (n + K)
    assert count["divide-conquer"] < 2 * K * n * np.log2(n)
    assert count["window"] == count["divide-conquer"]
    assert count["as-printed"] < count["naive"]


def test_a_workspace_can_be_reused():
    """What an earlier order left in the workspace changes nothing."""
    instance = middling(3)
    rng = np.random.default_rng(0)
    workspace = Workspace.of(instance)
    workspace.prefix[1:, 1:] = -99
    for _ in range(5):
        order = SAMPLERS["bfs"](instance, rng)
        assert (
            cut_order(instance, order, workspace=workspace).value
            == cut_order(instance, order).value
        )


@pytest.mark.parametrize("sampler", SAMPLERS)
@pytest.mark.parametrize("seed", range(20))
def test_orders_are_topological_and_reproducible(sampler, seed):
    """A drawn order lists all jobs, agrees with every edge, and repeats with its seed."""
    instance = middling(seed)
    draw = SAMPLERS[sampler]
    order = draw(instance, np.random.default_rng(seed))
    rank = np.empty(instance.num_jobs, int)
    rank[order] = np.arange(instance.num_jobs)
    assert sorted(order.tolist()) == list(range(instance.num_jobs))
    assert (rank[instance.upper] < rank[instance.lower]).all()
    assert np.array_equal(order, draw(instance, np.random.default_rng(seed)))


FIFO = ([0, 0, 0, 1, 1, 1, 2, 4], [1, 2, 3, 2, 4, 5, 5, 5])


def test_fifo_orders_are_fewer_than_topological_ones():
    """On the counter-example `bfs` reaches 4 orders, `uniform-ready` all of them."""
    instance = CompressionInstance.from_edges(6, *FIFO, [1] * 8, levels=2)
    rng = np.random.default_rng(0)
    seen = {
        name: {tuple(draw(instance, rng).tolist()) for _ in range(600)}
        for name, draw in SAMPLERS.items()
    }
    edges = list(zip(*FIFO, strict=True))
    every = {
        order
        for order in itertools.permutations(range(6))
        if all(order.index(u) < order.index(v) for u, v in edges)
    }
    assert len(seen["bfs"]) == 4
    assert seen["uniform-ready"] == every


def test_batches_are_shuffled_uniformly():
    """Three jobs freed together come in all six orders, about equally often."""
    instance = CompressionInstance.from_edges(4, [0, 0, 0], [1, 2, 3], [1, 1, 1], levels=2)
    rng = np.random.default_rng(5)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(1200):
        order = tuple(SAMPLERS["bfs"](instance, rng).tolist())
        counts[order] = counts.get(order, 0) + 1
    assert len(counts) == 6
    assert all(140 < count < 260 for count in counts.values())


@pytest.mark.parametrize("seed", range(20))
def test_wide_and_narrow_prefix_sums_agree(seed):
    """Weights beyond 2^31 in sum take int64, and give the same splits as the narrow type does."""
    instance = middling(seed).with_levels(4)
    factor = 2**40
    large = CompressionInstance.from_edges(
        instance.num_jobs, instance.upper, instance.lower, instance.weight * factor, levels=4
    )
    assert Workspace.of(instance).prefix.dtype == np.int32
    assert Workspace.of(large).prefix.dtype == np.int64
    order = SAMPLERS["bfs"](instance, np.random.default_rng(seed))
    for dp in VARIANTS:
        narrow, wide = cut_order(instance, order, dp), cut_order(large, order, dp)
        assert wide.value == factor * narrow.value
        assert np.array_equal(wide.splits, narrow.splits)
