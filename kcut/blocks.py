"""Crux's Algorithm 1: cut one topological order into at most K consecutive blocks, optimally.

Positions 1..n of the order; f(i, k) is the best value of cutting the first i jobs into at most k
blocks, C(j, i) the weight of the edges from the first j jobs to those at positions j+1..i:

    f(i, 1) = 0,   f(i, k) = max over 0 <= j < i of f(j, k-1) + C(j, i),   g(i, k) = the smallest
    maximising j,   C(j, i) = P[i, j] - P[j, j],   P[i, j] = weight of the edges that leave the
    first j jobs and enter the first i.

C satisfies the quadrangle inequality, hence g(i-1, k) <= g(i, k) and g(i, k-1) <= g(i, k).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.compression import CompressionInstance, Levels
from kcut.orders import Order
from kcut.prefix import Table, Workspace, fill
from kcut.window import window_splits

Splits = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """An order cut into blocks.

    Attributes
    ----------
    levels : ndarray of int64, shape (num_jobs,)
        K-1 for the first block, one less for each further block.
    value : int
        f(n, K), in units of ``1 / scale``.
    splits : ndarray of int32, shape (K + 1, num_jobs + 1)
        g(i, k) at ``splits[k, i]``.
    evaluations : int
        How many f(j, k-1) + C(j, i) were computed.
    """

    levels: Levels
    value: int
    splits: Splits
    evaluations: int


@njit(cache=True, nogil=True, inline="always")
def _best_split(h: Table, row: Table, first: int, last: int) -> tuple[np.int64, int]:
    """Maximise f(j, k-1) + C(j, i) = (h[j] = f(j, k-1) - P[j, j]) + P[i, j]; smallest j wins."""
    best, at = h[first] + row[first], first
    for j in range(first + 1, last + 1):
        value = h[j] + row[j]
        if value > best:
            best, at = value, j
    return best, at


@njit(cache=True, nogil=True)
def _naive(h: Table, P: Table, f: Table, g: Splits, above: Splits) -> int:
    """Try every split: O(n^2) evaluations for one k."""
    n = len(h) - 1
    evaluations = 0
    for i in range(1, n + 1):
        f[i], g[i] = _best_split(h, P[i], 0, i - 1)
        evaluations += i
    return evaluations


@njit(cache=True, nogil=True)
def _as_printed(h: Table, P: Table, f: Table, g: Splits, above: Splits) -> int:
    """Search upwards from g(i-1, k), the one bound the paper prints: O(n^2) for one k."""
    n = len(h) - 1
    evaluations = 0
    for i in range(1, n + 1):
        f[i], g[i] = _best_split(h, P[i], g[i - 1], i - 1)
        evaluations += i - g[i - 1]
    return evaluations


@njit(cache=True, nogil=True)
def _knuth_yao(h: Table, P: Table, f: Table, g: Splits, above: Splits) -> int:
    """Search between g(i, k-1) and g(i+1, k): O(n^2) for all k together."""
    n = len(h) - 1
    evaluations = 0
    last = n - 1
    for i in range(n, 0, -1):
        first, last = above[i], min(last, i - 1)
        f[i], g[i] = _best_split(h, P[i], first, last)
        evaluations += last - first + 1
        last = g[i]
    return evaluations


@njit(cache=True, nogil=True)
def _divide_conquer(h: Table, P: Table, f: Table, g: Splits, above: Splits) -> int:
    """Halve the range of i; both halves search on their side of g(middle, k): O(n log n)."""
    n = len(h) - 1
    evaluations = 0
    stack = [(1, n, 0, n - 1)]
    while len(stack) > 0:
        low, high, first, last = stack.pop()
        i = (low + high) // 2
        end = min(last, i - 1)
        f[i], g[i] = _best_split(h, P[i], first, end)
        evaluations += end - first + 1
        if low < i:
            stack.append((low, i - 1, first, g[i]))
        if i < high:
            stack.append((i + 1, high, g[i], last))
    return evaluations


DP: dict[str, Any] = {
    "knuth-yao": _knuth_yao,
    "as-printed": _as_printed,
    "naive": _naive,
    "divide-conquer": _divide_conquer,
}
"""Ways to fill one row k of f and g from P. All give the same f and g."""

VARIANTS = (*DP, "window")
"""All ways to cut an order; `kcut.window` needs no P."""


def cut_order(
    instance: CompressionInstance,
    order: Order,
    dp: str = "knuth-yao",
    workspace: Workspace | None = None,
) -> Blocks:
    """Cut a topological order into at most K blocks so that the cut weight is largest.

    Parameters
    ----------
    instance : CompressionInstance
    order : ndarray of int32, shape (num_jobs,)
        A topological order, highest priority first.
    dp : {'knuth-yao', 'as-printed', 'naive', 'divide-conquer', 'window'}
        How to search for the splits; the result is the same.
    workspace : Workspace, optional
        Of this instance, to be reused from one order to the next; not used by 'window'.

    Returns
    -------
    Blocks
        Best for this order; among equals, every split as early as possible.

    Notes
    -----
    O(n^2 + num_edges) to fill P, 4 n^2 or 8 n^2 bytes (see `kcut.prefix`); then naive and
    as-printed O(K n^2), knuth-yao O(n^2) for all k together, divide-conquer O(K n log n). See
    `kcut.window` for the one without P.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, Algorithm 1, doi:10.1145/3651890.3672239.
    Yao, Efficient dynamic programming using quadrangle inequalities, STOC 1980,
    doi:10.1145/800141.804691.
    """
    n, K = instance.num_jobs, instance.useful_levels
    if dp == "window":
        value, splits, evaluations = window_splits(instance, order, K)
    else:
        use = Workspace.of(instance) if workspace is None else workspace
        fill(use, order)
        value, splits, evaluations = _cut(use.prefix, K, dp)
    levels = np.empty(n, np.int64)
    levels[order] = _levels_of_blocks(splits) + (instance.levels - K)
    return Blocks(levels, value, splits, evaluations)


def layer_bytes(num_layers: int) -> int:
    """Return the bytes that the matrix of `cut_layers` takes."""
    return 8 * (num_layers + 1) ** 2


def cut_layers(
    instance: CompressionInstance, layer: NDArray[np.integer[Any]], num_layers: int
) -> Blocks:
    """Cut a sequence of layers into at most K blocks so that the cut weight is largest.

    Parameters
    ----------
    instance : CompressionInstance
    layer : ndarray of int, shape (num_jobs,)
        0..num_layers-1, never smaller at the lower end of an edge than at its upper end.
    num_layers : int

    Returns
    -------
    Blocks
        Jobs of one layer get one level. ``splits`` are those of the layers.

    Notes
    -----
    The same DP on the matrix of weights between layers: O(num_layers^2 + num_edges) time and
    8 num_layers^2 bytes.
    """
    P = np.zeros((num_layers + 1, num_layers + 1), np.int64)
    _add_weights(layer, instance.upper, instance.lower, instance.weight, P)
    np.cumsum(P, axis=0, out=P)
    np.cumsum(P, axis=1, out=P)
    K = min(instance.levels, num_layers)
    value, splits, evaluations = _cut(P, K, "knuth-yao")
    levels = _levels_of_blocks(splits)[layer] + (instance.levels - K)
    return Blocks(levels, value, splits, evaluations)


@njit(cache=True)
def _add_weights(
    layer: NDArray[np.integer[Any]], upper: Order, lower: Order, weight: Table, P: Table
) -> None:
    for e in range(len(weight)):
        u, v = layer[upper[e]], layer[lower[e]]
        if u < v:
            P[v + 1, u + 1] += weight[e]


def _cut(P: Table, K: int, dp: str) -> tuple[int, Splits, int]:
    """Run the DP on P; return f(n, K), g and the number of evaluations."""
    n = len(P) - 1
    within = P.diagonal().astype(np.int64)
    f = np.zeros(n + 1, np.int64)
    g = np.zeros((K + 1, n + 1), np.int32)
    evaluations = 0
    for k in range(2, K + 1):
        h = f - within
        f = np.zeros(n + 1, np.int64)
        evaluations += DP[dp](h, P, f, g[k], g[k - 1])
    return int(f[n]), g, evaluations


def _levels_of_blocks(splits: Splits) -> Levels:
    """Return the level of each position, K - 1 for the first block, from the best splits."""
    K, n = splits.shape[0] - 1, splits.shape[1] - 1
    level_at = np.empty(n, np.int64)
    end = n
    for k in range(K, 0, -1):
        begin = int(splits[k, end]) if k > 1 else 0
        level_at[begin:end] = K - k
        end = begin
    return level_at
