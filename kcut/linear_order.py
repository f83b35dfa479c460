"""Linear ordering: gains of pairs, what an order is worth, and bounds on it, in exact integers.

    maximise  sum over i before j of g_ij

A certificate proves a bound: multipliers y >= 0 on directed 3-cycles, of whose three arcs an order
keeps at most two, so that

    bound(y) = 2 sum y_C + sum over pairs {i, j} of max(g_ij - Y_ij, g_ji - Y_ji)

with Y_ij the sum of y_C over the cycles C through the arc i -> j. Where that leaves a gap, the
certificate branches on who comes first in a pair: each leaf has multipliers of its own, the pairs
decided above it count the decided side alone, and the bound is the largest over the leaves.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.errors import InputError
from kcut.weights import exact_sum

MAX_SUM = 2**60
"""Largest sum of the absolute values of integer gains."""

MAX_JOBS = 5_000
"""Largest matrix that is read."""

FLOAT_BITS = 30
"""Gains that are no integers are rounded to multiples of a power of two, all below 2^30 of them."""

Order = NDArray[np.int64]
"""Job indices, highest priority first, shape (num_jobs,)."""


@dataclass(frozen=True, eq=False)
class Gains:
    """A matrix of gains in exact integers.

    Attributes
    ----------
    weight : ndarray of int64, shape (n, n)
        What it gains that i comes before j, in units of ``1 / scale``; 0 on the diagonal.
    scale : float
        A power of two; 1 for integer gains.
    exact : bool
        Whether no gain was rounded.
    """

    weight: NDArray[np.int64]
    scale: float
    exact: bool

    @classmethod
    def from_matrix(cls, matrix: Sequence[Sequence[float]] | NDArray[Any]) -> Gains:
        """Check a matrix and make its gains integers.

        Parameters
        ----------
        matrix : array of int or float, shape (n, n)
            Gains may be negative. The diagonal is not looked at, but must be numbers.

        Raises
        ------
        InputError
            If it is empty, not square, larger than `MAX_JOBS`, or holds something that is no finite
            number; names ``gains[i][j]``. Also if the absolute values sum to more than 2^60.
        """
        rows: list[list[Any]]
        rows = matrix.tolist() if isinstance(matrix, np.ndarray) else [list(r) for r in matrix]
        size = len(rows)
        if not 1 <= size <= MAX_JOBS:
            raise InputError(f"must have 1 to {MAX_JOBS:,} rows", "gains", size)
        whole = True
        for i, row in enumerate(rows):
            if len(row) != size:
                message = f"must have {size} numbers, as there are rows"
                raise InputError(message, f"gains[{i}]", len(row))
            kinds = set(map(type, row))
            whole = whole and kinds == {int}
            if kinds == {int}:
                continue
            for j, gain in enumerate(row):
                finite = type(gain) is int or (type(gain) is float and math.isfinite(gain))
                if not finite:
                    raise InputError("must be a finite number", f"gains[{i}][{j}]", gain)
        for i in range(size):
            rows[i][i] = 0
        if whole:
            return cls._of_integers(rows)
        for i, row in enumerate(rows):
            for j, gain in enumerate(row):
                if isinstance(gain, int) and not -(2**53) <= gain <= 2**53:
                    message = "an integer beyond 2^53 among gains that are floats"
                    raise InputError(message, f"gains[{i}][{j}]", gain)
        return cls._of_floats(rows)

    @classmethod
    def _of_integers(cls, rows: list[list[int]]) -> Gains:
        total = sum(abs(gain) for row in rows for gain in row)
        if total > MAX_SUM:
            raise InputError("the absolute values sum to more than 2^60", "gains", total)
        return cls(_frozen(np.array(rows, np.int64)), 1.0, True)

    @classmethod
    def _of_floats(cls, rows: list[list[float]]) -> Gains:
        gains = np.array(rows, np.float64)
        largest = float(np.abs(gains).max(initial=0.0))
        if largest == 0.0:
            return cls(_frozen(np.zeros(gains.shape, np.int64)), 1.0, True)
        exponent = max(-1000, min(1000, FLOAT_BITS - math.frexp(largest)[1]))
        scaled = np.rint(np.ldexp(gains, exponent)).astype(np.int64)
        exact = bool(np.array_equal(np.ldexp(scaled.astype(np.float64), -exponent), gains))
        return cls(_frozen(scaled), math.ldexp(1.0, exponent), exact)

    @property
    def num_jobs(self) -> int:
        """Number of rows."""
        return len(self.weight)

    @cached_property
    def sha256(self) -> str:
        """Digest of the integers and the scale."""
        digest = hashlib.sha256(f"kcut/priority/1/{self.num_jobs}/{self.scale!r}".encode())
        digest.update(self.weight.astype("<i8").tobytes())
        return digest.hexdigest()

    @cached_property
    def most(self) -> int:
        """The bound without multipliers: the larger gain of every pair."""
        pairs = np.triu_indices(self.num_jobs, 1)
        return exact_sum(np.maximum(self.weight, self.weight.T)[pairs])

    def value(self, order: NDArray[np.integer[Any]]) -> int:
        """Return the sum of the gains i before j. O(n^2)."""
        placed = self.weight[np.ix_(order, order)]
        return exact_sum(placed[np.triu_indices(self.num_jobs, 1)])

    def shown(self, value: int) -> int | float:
        """Return a value in the unit of the gains as given."""
        return value if self.scale == 1.0 else value / self.scale

    def as_given(self) -> list[list[int]] | list[list[float]]:
        """Return the matrix in the unit of the gains as given, the diagonal 0."""
        if self.scale == 1.0:
            whole: list[list[int]] = self.weight.tolist()
            return whole
        floats: list[list[float]] = (self.weight / self.scale).tolist()
        return floats


def infeasibility(num_jobs: int, order: NDArray[np.integer[Any]]) -> str | None:
    """Say what makes an order infeasible, or return None."""
    if order.shape != (num_jobs,):
        return f"an order of shape {order.shape} for {num_jobs} jobs"
    if not np.issubdtype(order.dtype, np.integer):
        return f"the order is {order.dtype}, not integers"
    outside = np.flatnonzero((order < 0) | (order >= num_jobs))
    if len(outside):
        return f"the order names job {int(order[outside[0]])}, outside 0..{num_jobs - 1}"
    counts = np.bincount(order, minlength=num_jobs)
    if (counts > 1).any():
        return f"the order names job {int(np.argmax(counts > 1))} more than once"
    return None


def _frozen(array: NDArray[np.int64]) -> NDArray[np.int64]:
    array.flags.writeable = False
    return array
