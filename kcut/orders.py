"""Random topological orders of a contention DAG, the way Crux draws them and the general way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.compression import CompressionInstance
from kcut.graph import num_predecessors

Order = NDArray[np.int32]


@njit(cache=True)
def _fifo(
    start: NDArray[np.int64], other: Order, waiting: Order, key: Order, by_key: Order
) -> Order:
    num_jobs = len(key)
    queue = np.empty(num_jobs, np.int32)
    filled = 0
    for v in by_key:
        if waiting[v] == 0:
            queue[filled] = v
            filled += 1
    for taken in range(num_jobs):
        u = queue[taken]
        first = filled
        for a in range(start[u], start[u + 1]):
            v = other[a]
            waiting[v] -= 1
            if waiting[v] == 0:
                queue[filled] = v
                filled += 1
        if filled - first > 1:
            batch = np.sort(key[queue[first:filled]])
            queue[first:filled] = by_key[batch]
    return queue


def bfs_order(instance: CompressionInstance, rng: np.random.Generator) -> Order:
    """Draw an order as Crux does: Kahn's algorithm with a FIFO queue and shuffled batches.

    Sources, and each batch of jobs freed by the same job, enter the queue in random order.

    Parameters
    ----------
    instance : CompressionInstance
    rng : numpy.random.Generator

    Returns
    -------
    ndarray of int32, shape (num_jobs,)
        All jobs, highest priority first.

    Notes
    -----
    O(num_edges + num_jobs log num_jobs). Not every topological order can come out: jobs of equal
    depth stay close together.

    References
    ----------
    Cao et al., Crux, SIGCOMM 2024, section 4.3, doi:10.1145/3651890.3672239.
    """
    out = instance.out_edges
    by_key = rng.permutation(instance.num_jobs).astype(np.int32)
    key = np.empty_like(by_key)
    key[by_key] = np.arange(instance.num_jobs, dtype=np.int32)
    return _fifo(out.start, out.other, num_predecessors(out), key, by_key)


@njit(cache=True)
def _any_ready(
    start: NDArray[np.int64], other: Order, waiting: Order, dice: NDArray[np.float64]
) -> Order:
    num_jobs = len(dice)
    ready = np.empty(num_jobs, np.int32)
    num_ready = 0
    for v in range(num_jobs):
        if waiting[v] == 0:
            ready[num_ready] = v
            num_ready += 1
    order = np.empty(num_jobs, np.int32)
    for i in range(num_jobs):
        chosen = int(dice[i] * num_ready)
        u = ready[chosen]
        num_ready -= 1
        ready[chosen] = ready[num_ready]
        order[i] = u
        for a in range(start[u], start[u + 1]):
            v = other[a]
            waiting[v] -= 1
            if waiting[v] == 0:
                ready[num_ready] = v
                num_ready += 1
    return order


def uniform_ready_order(instance: CompressionInstance, rng: np.random.Generator) -> Order:
    """Draw an order that takes any ready job next, each with the same probability.

    Parameters and result are those of `bfs_order`; every topological order can come out, though
    not all with the same probability. O(num_jobs + num_edges).
    """
    out = instance.out_edges
    dice = rng.random(instance.num_jobs)
    return _any_ready(out.start, out.other, num_predecessors(out), dice)


SAMPLERS: dict[str, Any] = {"bfs": bfs_order, "uniform-ready": uniform_ready_order}
"""Samplers by name."""
