"""Certification by complementary slackness, in both directions."""

import numpy as np
import pytest

from kcut import CompressionInstance, Limits, bound, cut_value, infeasibility
from kcut_solvers.certify import cover_from_levels, levels_from_cover
from tests.contract.instances import (
    edge_cases,
    feasible_assignments,
    optimum,
    random_dag,
    run,
    tiny,
    tiny_optimum,
)


@pytest.mark.parametrize("seed", range(0, 120, 2))
def test_a_cover_exists_exactly_for_optimal_levels(seed):
    """Of all feasible assignments, the optimal ones get a proof and the others get None."""
    instance = tiny(seed)
    every = feasible_assignments(instance)
    for levels in every[:: max(1, len(every) // 60)]:
        value = cut_value(instance, levels)
        cover = cover_from_levels(instance, levels)
        assert (cover is not None) == (value == tiny_optimum(seed))
        if cover is not None:
            assert bound(instance, cover) == value


@pytest.mark.parametrize("seed", range(100))
def test_levels_from_an_optimal_cover_are_optimal(seed):
    """A cover made from optimal levels leads back to levels of the same value."""
    instance = tiny(seed)
    every = feasible_assignments(instance)
    best = next(x for x in every if cut_value(instance, x) == tiny_optimum(seed))
    cover = cover_from_levels(instance, best)
    levels = levels_from_cover(instance, cover)
    assert infeasibility(instance, levels) is None
    assert cut_value(instance, levels) == tiny_optimum(seed)
    assert (levels <= best).all(), "they are the least ones"


def test_a_poor_cover_allows_no_levels():
    """A cover whose bound is above the optimum is met by no levels."""
    instance = CompressionInstance.from_edges(3, [0, 1], [1, 2], [5, 3], levels=2)
    assert levels_from_cover(instance, np.array([0, 0])) is None
    assert levels_from_cover(instance, np.array([5, 0])) is None
    assert levels_from_cover(instance, np.array([3, 3])).tolist() == [1, 0, 0]


@pytest.mark.parametrize("case", sorted(edge_cases()))
def test_edge_cases_are_certified(case):
    """Every optimal assignment at the borders of the input is proven, also near 2^62."""
    instance, best = edge_cases()[case]
    small = instance.with_levels(instance.useful_levels)
    top = instance.levels - instance.useful_levels
    levels = next(x for x in feasible_assignments(small) if cut_value(small, x) == best)
    for shift in (0, top):
        cover = cover_from_levels(instance, levels + shift)
        assert bound(instance, cover) == best
    assert optimum(small) == best


@pytest.mark.parametrize("seed", range(20))
def test_huge_random_weights(seed):
    """Weights that sum to nearly 2^62 neither wrap nor lose a unit."""
    rng = np.random.default_rng(seed)
    instance = random_dag(rng, 6, 10, 3, lambda m: rng.integers(2**57, 2**58, m), name="huge")
    every = feasible_assignments(instance)
    values = [cut_value(instance, x) for x in every]
    best = every[values.index(max(values))]
    assert bound(instance, cover_from_levels(instance, best)) == max(values)
    worse = next(x for x, v in zip(every, values, strict=True) if v < max(values))
    assert cover_from_levels(instance, worse) is None


def test_one_unit_is_enough_to_refuse():
    """Levels that miss the optimum by one unit in 2^61 are not certified."""
    instance = CompressionInstance.from_edges(3, [0, 1], [1, 2], [2**61, 2**61 - 1], levels=2)
    assert cover_from_levels(instance, np.array([1, 0, 0])) is not None
    assert cover_from_levels(instance, np.array([1, 1, 0])) is None


def test_certifies_what_min_cost_flow_finds_at_size():
    """At n = 400 with 8,000 edges the cover made from the levels meets the flow's own."""
    rng = np.random.default_rng(3)
    instance = random_dag(rng, 400, 8000, 8, lambda m: rng.integers(1, 1000, m), name="dense")
    answer = run("min-cost-flow", instance, limits=Limits())
    cover = cover_from_levels(instance, answer.solution)
    assert bound(instance, cover) == bound(instance, answer.certificate)
