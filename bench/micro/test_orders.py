"""One topological order: drawing it, and cutting it by each variant of the DP."""

import pytest

from bench.micro import straightforward
from kcut.blocks import DP, cut_order
from kcut.orders import SAMPLERS


@pytest.mark.benchmark(group="one order, n=2,000, m=100k: draw it")
@pytest.mark.parametrize("sampler", SAMPLERS)
def test_draw(benchmark, largest, rng, sampler):
    """Time one draw."""
    order = benchmark(SAMPLERS[sampler], largest, rng)
    assert len(order) == largest.num_jobs


@pytest.mark.benchmark(group="one order, n=2,000, m=100k: cut it")
@pytest.mark.parametrize("dp", DP)
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
