"""One topological order: drawing it, and cutting it by each variant of the DP."""

import numpy as np
import pytest

from bench.micro import straightforward
from bench.micro.conftest import random_dag
from kcut import cut_value
from kcut.blocks import VARIANTS, cut_order
from kcut.orders import SAMPLERS


@pytest.mark.benchmark(group="one order, n=2,000, m=100k: draw it")
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_draw(benchmark, largest, rng, sampler):
    """Time one draw."""
    order = benchmark(SAMPLERS[sampler], largest, rng)
    assert len(order) == largest.num_jobs


@pytest.mark.benchmark(group="one order, n=2,000, m=100k: cut it")
@pytest.mark.parametrize("dp", VARIANTS)
def test_cut(benchmark, largest, rng, dp):
    """Time one cut, prefix sums included; all variants give the same value."""
    order = SAMPLERS["bfs"](largest, rng)
    blocks = benchmark(cut_order, largest, order, dp)
    assert blocks.value == cut_order(largest, order).value


@pytest.mark.benchmark(group="one order, n=2,000, m=100k: cut it")
def test_cut_straightforwardly(benchmark, largest, rng):
    """Time the plain Knuth-Yao program."""
    order = SAMPLERS["bfs"](largest, rng)

    def cut():
        return straightforward.knuth_yao(
            straightforward.prefix_sums(largest, order), largest.levels
        )

    assert benchmark(cut) == cut_order(largest, order).value


@pytest.mark.benchmark(group="one order, n=100,000, m=1M")
def test_cut_by_window(benchmark, rng):
    """Time the variant without a prefix matrix where the matrix would take 80 GB."""
    instance = random_dag(100_000, 1_000_000)
    order = SAMPLERS["bfs"](instance, rng)
    blocks = benchmark.pedantic(cut_order, (instance, order, "window"), rounds=2, warmup_rounds=1)
    assert blocks.value == cut_value(instance, blocks.levels)


@pytest.mark.benchmark(group="one order, n=100,000, m=1M")
def test_sort_edges(benchmark):
    """Time numpy's lexsort of the edge list: the yardstick."""
    instance = random_dag(100_000, 1_000_000)
    benchmark(np.lexsort, (instance.lower, instance.upper))
