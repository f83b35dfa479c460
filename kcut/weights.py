"""Number discipline: sums that cannot wrap, and float weights as exact integers.

Max-flow needs integers. Integer weights stay integers from end to end. Float weights are scaled
once, by a power of two, so that their sum stays below 2^53; what the solvers find for the scaled
weights is then judged in the original ones, with every rounding done outward.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_TOTAL = 2**62
"""Largest sum of weights an instance may have, so that int64 sums never wrap."""

SCALED_TOTAL = 2**53
"""Scaled float weights sum to less than this, so float64 sums of them are exact too."""

_LOW_BITS = 32

_LARGEST_EXPONENT = 1023


def exact_sum(numbers: NDArray[np.integer[Any]]) -> int:
    """Sum int64 numbers as a Python integer, without wrapping.

    Parameters
    ----------
    numbers : ndarray of int64, shape (n,)
        Any numbers; n below 2^31.

    Returns
    -------
    int
        The exact sum, however large.

    Notes
    -----
    High and low halves are summed apart: each sum of 32-bit halves fits 64 bits. O(n).
    """
    high = int(np.sum(numbers >> _LOW_BITS, dtype=np.int64))
    low = int(np.sum(numbers & (2**_LOW_BITS - 1), dtype=np.int64))
    return (high << _LOW_BITS) + low


def scale_to_integers(weights: NDArray[np.float64]) -> tuple[NDArray[np.int64], float, bool]:
    """Scale non-negative float weights to integers by one power of two.

    Parameters
    ----------
    weights : ndarray of float64, shape (m,)
        Finite and non-negative.

    Returns
    -------
    scaled : ndarray of int64, shape (m,)
        ``ceil(weights * scale)``, summing to less than 2^53: rounding up keeps a cover of a
        scaled weight a cover of the original one.
    scale : float
        The power of two.
    exact : bool
        Whether ``scaled / scale`` equals `weights` everywhere. The smallest scale >= 1 that is
        exact is taken where there is one.

    Notes
    -----
    O(m) time per power of two tried, at most about 60 of them.
    """
    total = math.fsum(weights)
    if total == 0.0:
        return np.zeros(len(weights), dtype=np.int64), 1.0, True
    # The largest power of two that keeps the sum, rounding included, below 2^53, and is a float.
    exponent = min(53 - math.frexp(total + 0.0)[1], _LARGEST_EXPONENT)
    while math.ldexp(total, exponent) + len(weights) >= SCALED_TOTAL:
        exponent -= 1
    finest = np.ldexp(weights, exponent)
    # What the scaling itself underflows to 0 is still more than nothing.
    scaled = np.maximum(np.ceil(finest), weights > 0).astype(np.int64)
    if not np.array_equal(np.ldexp(scaled.astype(np.float64), -exponent), weights):
        return scaled, math.ldexp(1.0, exponent), False
    common = int(np.bitwise_or.reduce(scaled))
    spare = (common & -common).bit_length() - 1
    spare = max(0, min(spare, exponent))
    return scaled >> spare, math.ldexp(1.0, exponent - spare), True


def sum_rounded(terms: Iterable[float], direction: int) -> float:
    """Sum floats exactly and round once: down (-1), to nearest (0) or up (+1).

    Parameters
    ----------
    terms : iterable of float
        Finite floats.
    direction : {-1, 0, 1}
        Where to round when the exact sum is no float.

    Returns
    -------
    float
        The exact sum, rounded as asked.
    """
    numbers = list(terms)
    nearest = math.fsum(numbers)
    error = math.fsum([*numbers, -nearest])
    if direction > 0 and error > 0:
        return math.nextafter(nearest, math.inf)
    if direction < 0 and error < 0:
        return math.nextafter(nearest, -math.inf)
    return nearest


def as_float_terms(number: Fraction) -> list[float]:
    """Split a rational into floats that sum to it (to about 2^-160 of its size)."""
    terms = []
    for _ in range(3):
        term = float(number)
        terms.append(term)
        number -= Fraction(term)
        if number == 0:
            break
    return terms
