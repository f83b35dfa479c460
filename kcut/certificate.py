"""Certificates: a cover bounds every cut from above, so value == bound proves a cut optimal.

For any b >= 0 on the edges, with out_v and in_v its sums over the edges leaving and entering v,

    bound(b) = sum_e max(0, w_e - b_e) + (K - 1) * sum_v max(0, out_v - in_v)

is at least the value of every feasible assignment of levels: an edge counts at most
w_e = max(0, w_e - b_e) + min(w_e, b_e), and the second part costs at most
b_e * (L(u) - L(v)), which sums to sum_v L(v) * (out_v - in_v) with 0 <= L(v) <= K - 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.compression import CompressionInstance, value_or_violation
from kcut.errors import InputError
from kcut.weights import as_float_terms, exact_sum, sum_rounded

Cover = NDArray[np.int64]

ROUNDING_GAP = 1e-9
"""Largest relative gap in the weights as given that counts as the rounding of their scaling."""


def bound(instance: CompressionInstance, cover: NDArray[np.integer[Any]]) -> int:
    """Return the upper bound that a cover proves, exactly.

    Parameters
    ----------
    instance : CompressionInstance
    cover : ndarray of int64, shape (num_edges,)
        b_e >= 0 in units of ``1 / instance.scale``.

    Returns
    -------
    int
        In units of ``1 / instance.scale``; at least `cut_value` of every feasible assignment.

    Raises
    ------
    InputError
        If the cover has the wrong shape or type, or a negative entry.

    Notes
    -----
    O(num_jobs + num_edges), in integers throughout.
    """
    _check_cover(instance, cover)
    uncovered = _uncovered(instance.weight, cover.astype(np.int64, copy=False))
    return int(uncovered) + (instance.levels - 1) * _created(instance, cover)


def original_bound(instance: CompressionInstance, cover: NDArray[np.integer[Any]]) -> int | float:
    """Return the bound in the unit of the weights as given; floats are rounded upward.

    Raises and costs as `bound` does.
    """
    if instance.is_integer:
        return bound(instance, cover)
    scale = Fraction(instance.scale)
    if instance.original is None:
        return sum_rounded(as_float_terms(bound(instance, cover) / scale), 1)
    _check_cover(instance, cover)
    # w - b / scale, exactly, as the sum of two floats (Knuth's TwoSum).
    weight, taken = instance.original, -(cover / instance.scale)
    rest = weight + taken
    back = rest - weight
    error = (weight - (rest - back)) + (taken - back)
    open_edges = (rest > 0) | ((rest == 0) & (error > 0))
    created = (instance.levels - 1) * Fraction(_created(instance, cover)) / scale
    terms = [*rest[open_edges].tolist(), *error[open_edges].tolist(), *as_float_terms(created)]
    return sum_rounded(terms, 1)


def cover_as_given(instance: CompressionInstance, cover: Cover) -> list[int] | list[float]:
    """Return a cover in the unit of the weights as given: ints where those were integers.

    Floats are exact: a cover that is worth anything stays below 2^53.
    """
    if instance.is_integer:
        integers: list[int] = cover.tolist()
        return integers
    floats: list[float] = (cover / instance.scale).tolist()
    return floats


def cover_in_units(
    instance: CompressionInstance, given: NDArray[np.integer[Any]] | NDArray[np.float64]
) -> Cover:
    """Return a cover, given in the unit of the weights, in units of ``1 / instance.scale``.

    Rounded up to integers: any cover bounds every cut, so the rounded one does.

    Raises
    ------
    InputError
        If an entry is not finite, negative or too large.
    """
    if np.issubdtype(given.dtype, np.integer) and instance.scale == 1.0:
        return given.astype(np.int64)
    units = np.ceil(given * instance.scale)
    bad = np.flatnonzero(~((units >= 0) & (units < 2.0**63)))
    if len(bad):
        message = "must be finite, not negative and below 2^63 in units of 1 / scale"
        raise InputError(message, f"cover[{bad[0]}]", given[bad[0]].item())
    return units.astype(np.int64)


def meets(value: int, upper: int, shown: float, shown_upper: float) -> bool:
    """Whether a bound proves a value optimal, in exact integers and in the weights as given.

    Parameters
    ----------
    value, upper : int
        Cut value and bound of a cover, in units of ``1 / scale``.
    shown, shown_upper : int or float
        The same two in the unit of the weights as given.

    Returns
    -------
    bool
        Scaling rounds float weights that 2^53 or the smallest float cannot hold. Where it leaves
        a gap above `ROUNDING_GAP`, the optimum of the rounded weights is none of the given ones.
    """
    return value == upper and shown_upper - shown <= ROUNDING_GAP * shown_upper


def _created(instance: CompressionInstance, cover: NDArray[np.integer[Any]]) -> int:
    """Sum over the jobs of what leaves them beyond what enters: the paths the cover starts."""
    if int(cover.max(initial=0)) * len(cover) < 2**62 or exact_sum(cover) < 2**62:
        exact = cover.astype(np.int64, copy=False)
        excess = excess_of(instance.upper, instance.lower, exact, instance.num_jobs)
        return exact_sum(excess[excess > 0])
    total = [0] * instance.num_jobs
    for u, v, b in zip(
        instance.upper.tolist(), instance.lower.tolist(), cover.tolist(), strict=True
    ):
        total[u] += b
        total[v] -= b
    return sum(e for e in total if e > 0)


@njit(cache=True)
def _uncovered(weight: NDArray[np.int64], cover: Cover) -> np.int64:
    total = np.int64(0)  # at most the sum of the weights, which fits
    for e in range(len(weight)):
        total += max(np.int64(0), weight[e] - cover[e])
    return total


@njit(cache=True)
def excess_of(
    upper: NDArray[np.int32], lower: NDArray[np.int32], cover: Cover, num_jobs: int
) -> NDArray[np.int64]:
    """Return out_v - in_v of a cover for every job. Sums must fit 64 bits. O(num_edges)."""
    excess = np.zeros(num_jobs, np.int64)
    for e in range(len(cover)):
        excess[upper[e]] += cover[e]
        excess[lower[e]] -= cover[e]
    return excess


def _check_cover(instance: CompressionInstance, cover: NDArray[np.integer[Any]]) -> None:
    if cover.shape != (instance.num_edges,):
        raise InputError(f"must cover {instance.num_edges} edges", "cover", cover.shape)
    if not np.issubdtype(cover.dtype, np.integer):
        raise InputError("must be integers", "cover", str(cover.dtype))
    if cover.max(initial=0) > np.iinfo(np.int64).max:
        e = int(cover.argmax())
        raise InputError("must fit 64 bits with a sign", f"cover[{e}]", int(cover[e]))
    if cover.min(initial=0) < 0:
        e = int(np.flatnonzero(cover < 0)[0])
        raise InputError("must not be negative", f"cover[{e}]", int(cover[e]))


@dataclass(frozen=True, slots=True)
class Verification:
    """What checking an assignment, and a cover if there is one, established.

    Attributes
    ----------
    infeasible : str or None
        Why the assignment is infeasible; None if it is feasible.
    value : int or None
        Exact cut value in units of ``1 / scale``; None if infeasible.
    bound : int or None
        What the cover proves; None without a cover.
    """

    infeasible: str | None
    value: int | None
    bound: int | None

    @property
    def optimal(self) -> bool:
        """Whether the assignment is proven optimal: feasible, and value == bound."""
        return self.value is not None and self.value == self.bound


def verify(
    instance: CompressionInstance,
    levels: NDArray[np.integer[Any]],
    cover: NDArray[np.integer[Any]] | None = None,
) -> Verification:
    """Check an assignment of levels and the cover that is to prove it, trusting neither.

    Parameters
    ----------
    instance : CompressionInstance
    levels : ndarray of int, shape (num_jobs,)
    cover : ndarray of int64, shape (num_edges,), optional

    Returns
    -------
    Verification

    Raises
    ------
    InputError
        If the cover is malformed.

    Notes
    -----
    O(num_jobs + num_edges); no solver is involved.

    Examples
    --------
    >>> import numpy as np
    >>> from kcut import CompressionInstance, verify
    >>> pair = CompressionInstance.from_edges(2, [0], [1], [5], levels=2)
    >>> verify(pair, np.array([1, 0]), np.array([0])).optimal
    True
    """
    problem, value = value_or_violation(instance, levels)
    return Verification(problem, value, None if cover is None else bound(instance, cover))
