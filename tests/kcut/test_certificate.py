"""Covers: any one bounds every cut, the bound is exact, and floats are rounded outward."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcut import CompressionInstance, InputError, bound, cut_value, verify
from kcut.certificate import original_bound
from tests.contract.instances import feasible_assignments, tiny


def bound_by_the_formula(weights, upper, lower, num_jobs, levels, cover):
    """Return the bound as THEORY writes it, in rationals."""
    excess = [Fraction(0)] * num_jobs
    for u, v, b in zip(upper, lower, cover, strict=True):
        excess[u] += b
        excess[v] -= b
    uncovered = sum(max(Fraction(0), w - b) for w, b in zip(weights, cover, strict=True))
    return uncovered + (levels - 1) * sum(e for e in excess if e > 0)


@pytest.mark.parametrize("seed", range(150))
def test_any_cover_bounds_every_cut(seed):
    """Random covers, however bad, are never below the best of all feasible assignments."""
    instance = tiny(seed)
    rng = np.random.default_rng(seed)
    cover = rng.integers(0, int(instance.weight.max(initial=1)) + 2, instance.num_edges)
    best = max(cut_value(instance, levels) for levels in feasible_assignments(instance))
    upper = bound(instance, cover)
    assert upper >= best
    weights = [Fraction(int(w)) for w in instance.weight]
    ends = (instance.upper.tolist(), instance.lower.tolist())
    known = bound_by_the_formula(
        weights, *ends, instance.num_jobs, instance.levels, [int(b) for b in cover]
    )
    assert upper == known


@given(st.data())
@settings(deadline=None, max_examples=60)
def test_float_bounds_are_rounded_up_and_tight(data):
    """In the original floats the bound is at least the exact one and less than an ulp above."""
    m = data.draw(st.integers(1, 6))
    weights = data.draw(st.lists(st.floats(0, 1e6), min_size=m, max_size=m))
    instance = CompressionInstance.from_edges(
        m + 1, list(range(m)), list(range(1, m + 1)), np.array(weights), levels=3
    )
    top = int(instance.weight.max()) + 1
    cover = np.array(data.draw(st.lists(st.integers(0, top), min_size=m, max_size=m)), np.int64)
    scale = Fraction(instance.scale)
    exact = bound_by_the_formula(
        [Fraction(w) for w in weights],
        instance.upper.tolist(),
        instance.lower.tolist(),
        m + 1,
        3,
        [int(b) / scale for b in cover],
    )
    shown = original_bound(instance, cover)
    assert Fraction(shown) >= exact
    assert Fraction(float(np.nextafter(shown, 0.0))) <= exact


def test_covers_beyond_int64_sums_stay_exact():
    """Entries near 2^63 do not wrap: the bound is a Python integer."""
    instance = CompressionInstance.from_edges(3, [0, 0], [1, 2], [1, 1], levels=3)
    huge = 2**63 - 1
    assert bound(instance, np.array([huge, huge])) == 4 * huge


@pytest.mark.parametrize(
    ("cover", "message"),
    [
        ([1], "must cover 2 edges"),
        ([1, -1], "cover[1]"),
        ([1.0, 2.0], "must be integers"),
    ],
)
def test_malformed_covers_are_refused(cover, message):
    """A wrong length, a negative entry and floats are named."""
    instance = CompressionInstance.from_edges(3, [0, 0], [1, 2], [1, 1], levels=3)
    with pytest.raises(InputError) as caught:
        bound(instance, np.array(cover))
    assert message in str(caught.value)


def test_optimal_needs_a_feasible_assignment_and_equality():
    """Neither a loose cover nor an infeasible assignment passes as optimal."""
    instance = CompressionInstance.from_edges(2, [0], [1], [5], levels=2)
    assert verify(instance, np.array([1, 0]), np.array([0])).optimal
    assert not verify(instance, np.array([1, 1]), np.array([0])).optimal
    assert not verify(instance, np.array([0, 1]), np.array([5])).optimal
    assert not verify(instance, np.array([1, 0])).optimal
