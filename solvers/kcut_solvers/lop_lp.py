"""The linear program of linear ordering, its 3-cycle inequalities added as they are violated.

    maximise  sum over i < j of d_ij x_ij,   d_ij = g_ij - g_ji,   x_ij = 1: i before j
    s.t.      0 <= x_ij + x_jk - x_ik <= 1   for i < j < k,   0 <= x <= 1

The upper side is the cycle i -> j -> k -> i, the lower side i -> k -> j -> i: of the three arcs of
either an order keeps at most two. Their duals, rounded to fractions of a small denominator, are a
leaf of a certificate of `kcut.order_certificate`.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.errors import InputError
from kcut.linear_order import Gains
from kcut.order_certificate import Decisions, Leaf, leaf_bound, sum_of_sizes
from kcut_solvers import highs

Floats = NDArray[np.float64]
Index = NDArray[np.int64]

DENOMINATORS = (1, 2, 3, 4, 6, 8, 12, 24, 60, 1 << 10, 1 << 16)
"""Tried for the multipliers, the best bound counts."""

_VIOLATION = 1e-4
_INTEGRAL = 1e-6
_CUTS_PER_JOB = 12
_USES_PER_PAIR = 2
_IDLE = 8
_SLACK = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Relaxed:
    """A solution of the linear program.

    Attributes
    ----------
    x : ndarray of float64, shape (n, n)
        x_ij + x_ji = 1.
    complete : bool
        No 3-cycle inequality is violated.
    integral : bool
        All x are 0 or 1, so that with `complete` they are an order.
    """

    x: Floats
    complete: bool
    integral: bool


class CycleProgram:
    """The linear program in HiGHS; rows once found stay, decisions come and go.

    Parameters
    ----------
    gains : Gains
    """

    def __init__(self, gains: Gains) -> None:
        self.gains = gains
        n = gains.num_jobs
        self.num_jobs = n
        self.upper = np.triu_indices(n, 1)
        net = (gains.weight - gains.weight.T)[self.upper].astype(np.float64)
        # A power of two keeps integers exact.
        self._unit = math.ldexp(1.0, max(0, math.frexp(float(np.abs(net).max(initial=1.0)))[1]))
        self.column = np.zeros((n, n), np.int64)
        self.column[self.upper] = np.arange(len(net))
        self.column += self.column.T
        self._solver: Any = highs.load().Highs()
        for option, value in (
            ("output_flag", False),
            ("threads", 1),
            ("presolve", "off"),
            ("dual_feasibility_tolerance", 1e-9),
            ("primal_feasibility_tolerance", 1e-9),
        ):
            self._solver.setOptionValue(option, value)
        empty = np.zeros(0, np.int32)
        zeros = np.zeros(len(net))
        self._solver.addCols(
            len(net), -net / self._unit, zeros, zeros + 1, 0, empty, empty, np.zeros(0)
        )
        self.triples = np.zeros((0, 3), np.int64)
        self._idle = np.zeros(0, np.int64)
        self._dual = np.zeros(0)  # of the last solution, one for each triple
        self.decisions: Decisions = ()
        self.num_solves = 0

    def decide(self, decisions: Decisions) -> None:
        """Fix the order of some pairs, and free those fixed before."""
        for i, j in self.decisions:
            self._solver.changeColBounds(int(self.column[i, j]), 0.0, 1.0)
        for i, j in decisions:
            first = 1.0 if i < j else 0.0
            self._solver.changeColBounds(int(self.column[i, j]), first, first)
        self.decisions = decisions

    def solve(self, deadline: float | None = None, enough: int | None = None) -> Relaxed | None:
        """Solve, and add rows until none is violated or the time is over.

        Parameters
        ----------
        deadline : float, optional
            In `time.perf_counter`; checked between rounds.
        enough : int, optional
            Stop as soon as the objective is below this + 1: the bound says all there is to say.

        Returns
        -------
        Relaxed or None
            None if HiGHS fails.
        """
        constant = float(self.gains.weight.T[self.upper].sum())
        while True:
            left = None if deadline is None else deadline - time.perf_counter()
            if left is not None and left <= 0:
                return None
            if left is not None:
                # HiGHS counts the time of all its runs.
                self._solver.setOptionValue("time_limit", self._solver.getRunTime() + left)
            self._solver.run()
            self.num_solves += 1
            if str(self._solver.modelStatusToString(self._solver.getModelStatus())) != "Optimal":
                return None
            solution = self._solver.getSolution()
            x = self._matrix(np.array(solution.col_value))
            self._dual = np.array(solution.row_dual)
            least = constant - self._unit * float(self._solver.getObjectiveValue())
            found = _separate(x, _VIOLATION, _USES_PER_PAIR, _CUTS_PER_JOB * self.num_jobs)
            integral = bool(np.abs(x - np.rint(x)).max(initial=0.0) < _INTEGRAL)
            if len(found) == 0 or (enough is not None and least < enough + 1 - 1e-6):
                return Relaxed(x, len(found) == 0, integral)
            self._purge(np.array(solution.row_value))
            self.add(found)

    def leaf(self) -> tuple[int, Leaf]:
        """Return the denominator and the multipliers of the last solution that bound best."""
        fit = [d for d in DENOMINATORS if d == 1 or d <= self._largest_denominator()]
        tried = [(*self.leaf_over(denominator), denominator) for denominator in fit]
        leaf, _, denominator = min(tried, key=lambda one: one[1])
        return denominator, leaf

    def leaf_over(self, denominator: int) -> tuple[Leaf, int]:
        """Return the multipliers of the last solution over a denominator, and their bound."""
        dual = -self._dual * self._unit
        i, j, k = self.triples.T
        cycles = np.where((dual > 0)[:, np.newaxis], self.triples, np.stack([i, k, j], axis=1))
        multipliers = np.rint(np.abs(dual) * denominator).astype(np.int64)
        leaf = Leaf(self.decisions, cycles.reshape(-1, 3), multipliers)
        try:
            return leaf, leaf_bound(self.gains, denominator, leaf)
        except InputError:
            leaf = Leaf(self.decisions, cycles[:0].reshape(-1, 3), multipliers[:0])
            return leaf, leaf_bound(self.gains, denominator, leaf)

    def common_denominator(self) -> int:
        """Return a denominator for many leaves: 840, or less where sums would not fit."""
        most = self._largest_denominator()
        return next(d for d in (840, 120, 12, 4, 2, 1) if d == 1 or d <= most)

    def _largest_denominator(self) -> int:
        return 2**60 // max(1, sum_of_sizes(self.gains))

    def forget(self) -> None:
        """Take all multipliers for 0: there is no solution to the last program."""
        self._dual = np.zeros(len(self.triples))

    def _matrix(self, value: Floats) -> Floats:
        x = np.zeros((self.num_jobs, self.num_jobs))
        x[self.upper] = value
        x.T[self.upper] = 1.0 - value
        return x

    def add(self, triples: Index) -> None:
        """Add rows, for i < j < k each."""
        i, j, k = triples.T
        columns = np.stack([self.column[i, j], self.column[j, k], self.column[i, k]], axis=1)
        num = len(triples)
        self._solver.addRows(
            num,
            np.zeros(num),
            np.ones(num),
            3 * num,
            np.arange(0, 3 * num, 3).astype(np.int32),
            columns.ravel().astype(np.int32),
            np.tile([1.0, 1.0, -1.0], num),
        )
        self.triples = np.concatenate([self.triples, triples])
        self._idle = np.concatenate([self._idle, np.zeros(num, np.int64)])

    def _purge(self, row_value: Floats) -> None:
        """Drop rows that have not been tight for some rounds."""
        loose = np.minimum(row_value, 1.0 - row_value) > _SLACK
        self._idle = np.where(loose, self._idle + 1, 0)
        out = np.flatnonzero(self._idle >= _IDLE)
        if 4 * len(out) > len(self.triples):
            self._solver.deleteRows(len(out), out.astype(np.int32))
            keep = np.ones(len(self.triples), np.bool_)
            keep[out] = False
            self.triples, self._idle = self.triples[keep], self._idle[keep]


@njit(cache=True)
def _separate(x, least, uses, most):  # type: ignore[no-untyped-def]
    """Return violated triples i < j < k, the worst first; each pair in a few of them at most."""
    n = len(x)
    count = 0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                total = x[i, j] + x[j, k] - x[i, k]
                if total > 1.0 + least or total < -least:
                    count += 1
    triples = np.empty((count, 3), np.int64)
    excess = np.empty(count)
    at = 0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                total = x[i, j] + x[j, k] - x[i, k]
                if total > 1.0 + least or total < -least:
                    triples[at, 0], triples[at, 1], triples[at, 2] = i, j, k
                    excess[at] = max(total - 1.0, -total)
                    at += 1
    used = np.zeros((n, n), np.int64)
    chosen = np.empty((min(count, most), 3), np.int64)
    num = 0
    for t in np.argsort(-excess, kind="mergesort"):
        if num == len(chosen):
            break
        i, j, k = triples[t]
        if used[i, j] < uses and used[j, k] < uses and used[i, k] < uses:
            used[i, j] += 1
            used[j, k] += 1
            used[i, k] += 1
            chosen[num] = triples[t]
            num += 1
    return chosen[:num].copy()


def violated(x: Floats) -> Index:
    """Return all triples i < j < k whose inequalities a solution violates."""
    found: Index = _separate(x, _VIOLATION, 2**30, 2**30)
    return found
