"""Algorithm 1 without the prefix matrix: C(j, i) kept while a window moves over the edge lists.

The same f, g and C as `kcut.blocks`. Halving the range of i asks for C(j, i) at pairs (j, i) that
lie close to each other, so one value of C is moved along: with x = j + 1 the job that passes the
split, and in(x) and out(x) the weights of its edges,

    C(j, i + 1) = C(j, i) + weight of the edges into i + 1 from positions <= j
    C(j + 1, i) = C(j, i) - in(x) + weight of the edges from x to positions <= i

Edge lists are sorted by the position of the far end and summed up, so a move is a binary search.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.compression import CompressionInstance
from kcut.orders import Order

Table = NDArray[np.int64]
Splits = NDArray[np.int32]


def window_splits(instance: CompressionInstance, order: Order, K: int) -> tuple[int, Splits, int]:
    """Run the DP of Algorithm 1 in O(num_jobs + num_edges) memory.

    Parameters
    ----------
    instance : CompressionInstance
    order : ndarray of int32, shape (num_jobs,)
        A topological order, highest priority first.
    K : int
        Number of blocks.

    Returns
    -------
    value : int
        f(n, K), in units of ``1 / scale``.
    splits : ndarray of int32, shape (K + 1, num_jobs + 1)
        g(i, k) at ``splits[k, i]``; the smallest among ties.
    evaluations : int
        How many f(j, k-1) + C(j, i) were computed.

    Notes
    -----
    O(num_edges + K n log n log d) time, d the largest degree; about 40 bytes an edge.
    """
    n = instance.num_jobs
    position = np.empty(n, np.int32)
    position[order] = np.arange(1, n + 1, dtype=np.int32)
    upper, lower = position[instance.upper], position[instance.lower]
    entering = _summed_lists(n, lower, upper, instance.weight)
    leaving = _summed_lists(n, upper, lower, instance.weight)
    f = np.zeros(n + 1, np.int64)
    g = np.zeros((K + 1, n + 1), np.int32)
    evaluations = 0
    for k in range(2, K + 1):
        f, done = _fill_row(f, g[k], entering, leaving)
        evaluations += done
    return int(f[n]), g, evaluations


Lists = tuple[Table, Order, Table]
"""Start of each position's list, far ends in ascending order, running sums of the weights."""


@njit(cache=True, nogil=True)
def _summed_lists(n: int, near: Order, far: Order, weight: Table) -> Lists:
    """Group edges by one end, sort each group by the other, and sum it up.

    Entry a of the list of position p holds the weight of its edges up to and including a.
    """
    by_far = np.zeros(n + 2, np.int64)
    start = np.zeros(n + 2, np.int64)
    for e in range(len(near)):
        by_far[far[e] + 1] += 1
        start[near[e] + 1] += 1
    for p in range(n + 1):
        by_far[p + 1] += by_far[p]
        start[p + 1] += start[p]
    sequence = np.empty(len(near), np.int64)
    for e in range(len(near)):
        sequence[by_far[far[e]]] = e
        by_far[far[e]] += 1
    ends = np.empty(len(near), np.int32)
    sums = np.empty(len(near), np.int64)
    place = start.copy()
    for i in range(len(sequence)):
        e = sequence[i]
        a = place[near[e]]
        place[near[e]] = a + 1
        ends[a] = far[e]
        sums[a] = weight[e] + (sums[a - 1] if a > start[near[e]] else np.int64(0))
    return start, ends, sums


@njit(cache=True, nogil=True)
def _weight_up_to(start: Table, ends: Order, sums: Table, p: int, last: int) -> np.int64:
    """Return the weight of the edges in the list of p whose far end is at most `last`."""
    low, high = start[p], start[p + 1]
    while low < high:  # for the first far end beyond `last`
        middle = (low + high) // 2
        if ends[middle] <= last:
            low = middle + 1
        else:
            high = middle
    return np.int64(sums[low - 1] if low > start[p] else 0)


@njit(cache=True, nogil=True)
def _fill_row(f: Table, g: Splits, entering: Lists, leaving: Lists) -> tuple[Table, int]:
    """Fill row k of f and g from row k - 1 by halving the range of i."""
    in_start, in_ends, in_sums = entering
    out_start, out_ends, out_sums = leaving
    n = len(f) - 1
    result = np.zeros(n + 1, np.int64)
    evaluations = 0
    at_j, at_i, C = 0, 0, np.int64(0)
    stack = [(1, n, 0, n - 1)]
    while len(stack) > 0:
        low, high, first, last = stack.pop()
        i = (low + high) // 2
        # Bring the window to (first, i): the split never passes the end on the way.
        while at_j > first:
            C += _weight_up_to(in_start, in_ends, in_sums, at_j, n)
            C -= _weight_up_to(out_start, out_ends, out_sums, at_j, at_i)
            at_j -= 1
        while at_i < i:
            at_i += 1
            C += _weight_up_to(in_start, in_ends, in_sums, at_i, at_j)
        while at_i > i:
            C -= _weight_up_to(in_start, in_ends, in_sums, at_i, at_j)
            at_i -= 1
        best, best_j = np.int64(-1), 0
        for j in range(first, min(last, i - 1) + 1):
            while at_j < j:
                at_j += 1
                C -= _weight_up_to(in_start, in_ends, in_sums, at_j, n)
                C += _weight_up_to(out_start, out_ends, out_sums, at_j, at_i)
            evaluations += 1
            if f[j] + C > best:
                best, best_j = f[j] + C, j
        result[i], g[i] = best, best_j
        if i < high:
            stack.append((i + 1, high, best_j, last))
        if low < i:
            stack.append((low, i - 1, first, best_j))
    return result, evaluations
