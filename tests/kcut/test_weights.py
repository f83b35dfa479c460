"""Number discipline: exact sums, scaling, outward rounding."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kcut.weights import SCALED_TOTAL, as_float_terms, exact_sum, scale_to_integers, sum_rounded

integers = st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30)
floats = st.lists(st.floats(0, 2.0**60, allow_subnormal=True), min_size=1, max_size=30)


@given(integers)
@settings(deadline=None)
def test_exact_sum_never_wraps(numbers):
    """The sum equals Python's, also where an int64 sum would wrap."""
    assert exact_sum(np.array(numbers, np.int64)) == sum(numbers)


@given(floats)
@settings(deadline=None)
def test_scaled_weights_cover_the_original_ones(weights):
    """Scaled weights sum below 2^53, are never below the original, and less than one unit above."""
    scaled, scale, exact = scale_to_integers(np.array(weights))
    assert sum(scaled.tolist()) < SCALED_TOTAL
    assert Fraction(scale).numerator == 1 or Fraction(scale).denominator == 1
    for w, s in zip(weights, scaled.tolist(), strict=True):
        error = s - Fraction(w) * Fraction(scale)
        assert 0 <= error < 1
        assert not exact or error == 0


def test_scaling_takes_the_smallest_exact_scale():
    """Halves are scaled by two, whole floats by one."""
    scaled, scale, exact = scale_to_integers(np.array([0.5, 3.0]))
    assert (scaled.tolist(), scale, exact) == ([1, 6], 2.0, True)
    scaled, scale, exact = scale_to_integers(np.array([4.0, 8.0]))
    assert (scaled.tolist(), scale, exact) == ([4, 8], 1.0, True)


def test_a_tiny_weight_beside_a_huge_one_does_not_vanish():
    """A positive weight stays positive, so that cutting it is still worth something."""
    scaled, _, exact = scale_to_integers(np.array([1e-300, 1e15]))
    assert scaled[0] == 1
    assert not exact


@given(st.lists(st.floats(-1e15, 1e15), max_size=20))
@settings(deadline=None)
def test_sum_rounded_encloses_the_exact_sum(terms):
    """Down is at most, up is at least the exact sum, and they are neighbours or equal."""
    exact = sum(map(Fraction, terms), Fraction(0))
    down, up = sum_rounded(terms, -1), sum_rounded(terms, 1)
    assert Fraction(down) <= exact <= Fraction(up)
    assert up <= np.nextafter(down, np.inf)


@given(st.fractions(min_value=0, max_value=10**18))
def test_float_terms_sum_to_the_rational(number):
    """Three floats give a rational to far below the precision of one."""
    error = abs(sum(map(Fraction, as_float_terms(number))) - number)
    assert error <= number / 2**150
