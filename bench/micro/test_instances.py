"""Building and judging instances, beside sorting their edges once."""

import numpy as np
import pytest

from bench.micro.conftest import fresh
from kcut import cut_value, verify
from kcut_solvers.certify import cover_from_levels

GROUP = "instance, n=2,000, m=100k"


@pytest.mark.benchmark(group=GROUP)
def test_sort_edges(benchmark, largest):
    """Time numpy's lexsort of the edge list: the yardstick."""
    benchmark(np.lexsort, (largest.lower, largest.upper))


@pytest.mark.benchmark(group=GROUP)
def test_build(benchmark, largest):
    """Time construction with every check: ranges, duplicates, cycles, sums."""
    assert benchmark(fresh, largest).num_edges == largest.num_edges


@pytest.mark.benchmark(group=GROUP)
def test_value(benchmark, largest):
    """Time the exact value of an assignment."""
    benchmark(cut_value, largest, largest.depth.astype(np.int64))


@pytest.mark.benchmark(group=GROUP)
def test_verify(benchmark, largest):
    """Time checking feasibility, value and cover."""
    levels = np.zeros(largest.num_jobs, np.int64)
    assert benchmark(verify, largest, levels, largest.weight).value == 0


@pytest.mark.benchmark(group=GROUP)
def test_certify(benchmark, largest):
    """Time making a cover for given optimal levels, by one maximum flow."""
    from kcut.ascent import ascend

    *_, last = ascend(largest, largest.levels)
    cover = benchmark(cover_from_levels, largest, last.levels)
    assert verify(largest, last.levels, cover).optimal
