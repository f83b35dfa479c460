"""A bound on linear ordering for large matrices: subgradients on the 3-cycle multipliers.

With one number w_ijk for the two inequalities of i < j < k, positive for the upper side,

    L(w) = sum over i < j of max(0, d_ij - what the w of its triples take) + sum of max(w, 0)

bounds sum d_ij x_ij for every w. The volume algorithm lowers it: steps along the violation of an
average of the x that attain L, from the best w so far.
"""

from __future__ import annotations

import time

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.linear_order import Gains
from kcut.order_certificate import Leaf, sum_of_sizes

Floats = NDArray[np.float64]

DENOMINATOR = 1 << 10
_ROUNDS = 50
_AVERAGE = 0.1


def ascend(
    gains: Gains, value: int, *, deadline: float | None = None, rounds: int = 60
) -> tuple[int, Leaf]:
    """Return multipliers of a good bound, as a leaf.

    Parameters
    ----------
    gains : Gains
    value : int
        Of the best order known.
    deadline : float, optional
        In `time.perf_counter`.
    rounds : int, optional
        Of `_ROUNDS` steps each.

    Returns
    -------
    denominator : int
    leaf : Leaf

    Notes
    -----
    O(n^3) a step: about 4 ms for 150 jobs.
    """
    n = gains.num_jobs
    net = (gains.weight - gains.weight.T).astype(np.float64)
    target = float(value - int(gains.weight.T[np.triu_indices(n, 1)].sum()))
    best_w = np.zeros(n * (n - 1) * (n - 2) // 6)
    mean_x = (net > 0).astype(np.float64)
    state = np.array([np.inf, 1.0, 0.0])
    for _ in range(rounds):
        if deadline is not None and time.perf_counter() > deadline:
            break
        _steps(net, target, best_w, mean_x, state, _ROUNDS)
        if state[0] - target < 0.5 or state[1] < 1e-4:
            break
    most = 2**60 // max(1, sum_of_sizes(gains))
    denominator = next(d for d in (DENOMINATOR, 32, 4, 1) if d == 1 or d <= most)
    used = np.flatnonzero(np.rint(np.abs(best_w) * denominator) > 0)
    i, j, k = _triples(n, used).T
    up = (best_w[used] > 0)[:, np.newaxis]
    cycles = np.where(up, np.stack([i, j, k], axis=1), np.stack([i, k, j], axis=1))
    multipliers = np.rint(np.abs(best_w[used]) * denominator).astype(np.int64)
    return denominator, Leaf((), cycles.reshape(-1, 3), multipliers)


@njit(cache=True)
def _steps(net, target, best_w, mean_x, state, num):  # type: ignore[no-untyped-def]
    """Take some steps; `state` holds the best L, the step's factor, and steps without success."""
    n = len(net)
    reduced = np.empty((n, n))
    trial = np.empty(len(best_w))
    for _ in range(num):
        if state[0] == np.inf:
            trial[:] = best_w
        else:
            norm = _direction(mean_x, best_w, trial, 0.0)
            if norm < 1e-9:
                state[1] = 0.0
                return
            step = state[1] * max(state[0] - target, 1e-9) / norm
            _direction(mean_x, best_w, trial, step)
        level = _reduce(net, trial, reduced)
        for i in range(n):
            for j in range(i + 1, n):
                one = 1.0 if reduced[i, j] > 0 else 0.0
                mean_x[i, j] += _AVERAGE * (one - mean_x[i, j])
        if level < state[0]:
            if state[0] - level > 1e-4 * (state[0] - target):
                state[2] = 0.0
                state[1] = min(2.0, 1.1 * state[1])
            state[0] = level
            best_w[:] = trial
        else:
            state[2] += 1.0
            if state[2] >= 20.0:
                state[2] = 0.0
                state[1] *= 0.75


@njit(cache=True)
def _direction(x, w, out, step):  # type: ignore[no-untyped-def]
    """Write w after a step, and return the square of the direction."""
    n = len(x)
    norm = 0.0
    at = 0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                total = x[i, j] + x[j, k] - x[i, k]
                old = w[at]
                new = old
                if old > 0.0 or (old == 0.0 and total > 1.0):
                    way = total - 1.0
                    new = max(0.0, old + step * way)
                    norm += way * way
                elif old < 0.0 or total < 0.0:
                    new = min(0.0, old + step * total)
                    norm += total * total
                out[at] = new
                at += 1
    return norm


@njit(cache=True)
def _reduce(net, w, reduced):  # type: ignore[no-untyped-def]
    """Write what is left of the pairs' gains, and return L."""
    n = len(net)
    reduced[:] = net
    total = 0.0
    at = 0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                value = w[at]
                if value != 0.0:
                    reduced[i, j] -= value
                    reduced[j, k] -= value
                    reduced[i, k] += value
                    if value > 0.0:
                        total += value
                at += 1
    for i in range(n):
        for j in range(i + 1, n):
            if reduced[i, j] > 0.0:
                total += reduced[i, j]
    return total


@njit(cache=True)
def _triples(n, wanted):  # type: ignore[no-untyped-def]
    """Return the triples of some places, which ascend."""
    found = np.empty((len(wanted), 3), np.int64)
    at, num = 0, 0
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                if num < len(wanted) and wanted[num] == at:
                    found[num, 0], found[num, 1], found[num, 2] = i, j, k
                    num += 1
                at += 1
    return found
