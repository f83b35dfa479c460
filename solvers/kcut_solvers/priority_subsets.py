"""The best linear order of a few jobs by dynamic programming over their subsets."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.linear_order import Order


def best_order(weight: NDArray[np.int64]) -> Order:
    """Return an order of the largest value.

    Parameters
    ----------
    weight : ndarray of int64, shape (n, n)
        n at most about 20: the table has 2^n entries.

    Notes
    -----
    best(S) = max over j in S of best(S - j) + the gains of S - j before j. O(2^n n^2).
    """
    last = _fill(np.ascontiguousarray(weight))
    left = len(last) - 1
    order = []
    while left:
        job = int(last[left])
        order.append(job)
        left &= ~(1 << job)
    return np.array(order[::-1], np.int64)


@njit(cache=True)
def _fill(weight):  # type: ignore[no-untyped-def]
    """Return the last job of the best order of each set of jobs."""
    n = len(weight)
    best = np.zeros(1 << n, np.int64)
    last = np.zeros(1 << n, np.int8)
    for members in range(1, 1 << n):
        first = True
        for job in range(n):
            if not members >> job & 1:
                continue
            before = members & ~(1 << job)
            value = best[before]
            for i in range(n):
                if before >> i & 1:
                    value += weight[i, job]
            if first or value > best[members]:
                best[members], last[members] = value, job
                first = False
    return last
