"""A start for the ascent: longest-path layers merged, then single jobs moved while that gains.

With all other levels kept, job v may be anywhere from lo, the highest level below it, to hi, the
lowest level above it. At lo it loses the edges to the jobs there, at hi those from the jobs there,
and strictly between nothing: three sums tell the best level.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from kcut.blocks import cut_layers
from kcut.compression import CompressionInstance, Levels
from kcut.graph import Index, Start
from kcut.push_relabel import Amount

_MAX_LAYERS = 128  # enough for a good start, and cutting them costs next to nothing


def merged_layers(instance: CompressionInstance) -> Levels:
    """Return levels that cut the longest-path layers best, bundled where there are very many.

    Parameters
    ----------
    instance : CompressionInstance

    Returns
    -------
    ndarray of int64, shape (num_jobs,)
        Feasible. O(num_jobs + num_edges).
    """
    num_layers = int(instance.depth.max()) + 1
    if num_layers <= _MAX_LAYERS:
        return cut_layers(instance, instance.depth, num_layers).levels
    layer = instance.depth.astype(np.int64) * _MAX_LAYERS // num_layers
    return cut_layers(instance, layer.astype(np.int32), _MAX_LAYERS).levels


@njit(cache=True)
def move_jobs(start: Start, lower: Index, weight: Amount, levels: Levels, top: int) -> None:
    """Move every job to its best level, once from high to low priority and once back.

    Parameters
    ----------
    start, lower, weight : ndarray
        Edges grouped by their upper job; jobs are numbered in a topological order.
    levels : ndarray of int64, shape (num_jobs,)
        Feasible; updated in place, stays feasible and loses no value.
    top : int
        K - 1.

    Notes
    -----
    Two passes over the edges: O(num_jobs + num_edges). On the way down, each job tells those below
    it of its level: all above them are done. On the way up these have not moved since.
    """
    n = len(levels)
    high, at_high = np.full(n, top, np.int64), np.zeros(n, np.int64)
    for turn in range(2 * n):
        downward = turn < n
        v = turn if downward else 2 * n - 1 - turn
        first, end = start[v], start[v + 1]
        low = np.int64(0)
        for a in range(first, end):
            low = max(low, levels[lower[a]])
        if high[v] - low >= 2:
            levels[v] = min(max(levels[v], low + 1), high[v] - 1)
        elif high[v] - low == 1:
            at_low = np.int64(0)
            for a in range(first, end):
                at_low += weight[a] if levels[lower[a]] == low else np.int64(0)
            if at_low != at_high[v]:
                levels[v] = low if at_low < at_high[v] else high[v]
        if downward:
            for a in range(first, end):
                u = lower[a]
                kept = at_high[u] if levels[v] >= high[u] else np.int64(0)
                at_high[u] = kept + (weight[a] if levels[v] <= high[u] else np.int64(0))
                high[u] = min(high[u], levels[v])
