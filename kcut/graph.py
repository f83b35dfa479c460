"""Directed graphs as arrays: adjacency, cycles, topological orders, longest paths (Numba)."""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Index = NDArray[np.int32]
Start = NDArray[np.int64]


class Adjacency(NamedTuple):
    """Edges grouped by one endpoint.

    Attributes
    ----------
    start : ndarray of int64, shape (num_jobs + 1,)
        Vertex v owns ``edge[start[v]:start[v + 1]]``.
    edge : ndarray of int64, shape (num_edges,)
        Edge indices, grouped by that endpoint, then by the other one, ascending.
    other : ndarray of int32, shape (num_edges,)
        The endpoint at the far side of ``edge``.
    """

    start: Start
    edge: NDArray[np.int64]
    other: Index


@njit(cache=True)
def counting_sort(num_keys: int, key: Index, items: Start) -> tuple[Start, Start]:
    """Sort `items` stably by ``key[item]`` < num_keys; return the starts of the groups as well."""
    start = np.zeros(num_keys + 1, np.int64)
    for e in items:
        start[key[e] + 1] += 1
    for v in range(num_keys):
        start[v + 1] += start[v]
    place = start[:-1].copy()
    result = np.empty_like(items)
    for e in items:
        result[place[key[e]]] = e
        place[key[e]] += 1
    return start, result


def group_edges(num_jobs: int, by: Index, other: Index) -> Adjacency:
    """Group edges by one endpoint, each group ascending in the other.

    Parameters
    ----------
    num_jobs : int
    by, other : ndarray of int32, shape (num_edges,)
        The endpoint to group by and the endpoint at the far side.

    Returns
    -------
    Adjacency

    Notes
    -----
    Two counting sorts: O(num_jobs + num_edges) time and memory.
    """
    _, by_other = counting_sort(num_jobs, other, np.arange(len(by), dtype=np.int64))
    start, edge = counting_sort(num_jobs, by, by_other)
    return Adjacency(start, edge, other[edge])


def find_duplicate(out: Adjacency) -> int | None:
    """Return an edge that repeats an earlier one of the same endpoints, or None. O(num_edges)."""
    same = out.other[1:] == out.other[:-1]
    boundaries = out.start[1:-1]
    inside = (boundaries > 0) & (boundaries < len(out.other))
    same[boundaries[inside] - 1] = False
    repeats = np.flatnonzero(same)
    return int(out.edge[repeats[0] + 1]) if len(repeats) else None


@njit(cache=True)
def _smallest_ready(start: Start, other: Index, num_in: Index) -> Index:
    num_jobs = len(num_in)
    waiting = num_in.copy()
    ready = [np.int32(v) for v in range(num_jobs) if waiting[v] == 0]
    heapq.heapify(ready)
    order = np.empty(num_jobs, np.int32)
    count = 0
    while len(ready) > 0:
        u = heapq.heappop(ready)
        order[count] = u
        count += 1
        for a in range(start[u], start[u + 1]):
            v = other[a]
            waiting[v] -= 1
            if waiting[v] == 0:
                heapq.heappush(ready, v)
    return order[:count]


def smallest_ready_order(out: Adjacency) -> Index:
    """Return the topological order that always takes the smallest ready vertex.

    Parameters
    ----------
    out : Adjacency
        Edges grouped by their upper endpoint.

    Returns
    -------
    ndarray of int32, shape (num_jobs,)
        Vertices, sources first. Shorter than num_jobs exactly if the graph has a cycle.

    Notes
    -----
    Kahn's algorithm with a heap: O(num_edges + num_jobs log num_jobs).
    """
    return _smallest_ready(out.start, out.other, num_predecessors(out))


def num_predecessors(out: Adjacency) -> Index:
    """Return the number of edges into each vertex, int32, shape (num_jobs,)."""
    return np.bincount(out.other, minlength=len(out.start) - 1).astype(np.int32)


@njit(cache=True)
def _layer(start: Start, other: Index, waiting: Index) -> tuple[Index, Index]:
    """Take vertices whose predecessors are taken; return depths, and how many each waits for."""
    num_jobs = len(waiting)
    depth = np.zeros(num_jobs, np.int32)
    queue = np.empty(num_jobs, np.int32)
    filled = 0
    for v in range(num_jobs):
        if waiting[v] == 0:
            queue[filled] = v
            filled += 1
    taken = 0
    while taken < filled:
        u = queue[taken]
        taken += 1
        for a in range(start[u], start[u + 1]):
            v = other[a]
            waiting[v] -= 1
            if waiting[v] == 0:
                depth[v] = depth[u] + 1  # the queue is sorted by depth
                queue[filled] = v
                filled += 1
    return depth, waiting


def longest_path_depth(out: Adjacency) -> Index | None:
    """Return, for each vertex, the number of edges of the longest path that ends there.

    Parameters
    ----------
    out : Adjacency
        Edges grouped by their upper endpoint.

    Returns
    -------
    ndarray of int32, shape (num_jobs,), or None
        None exactly if the graph has a cycle.

    Notes
    -----
    Kahn's algorithm with a FIFO queue: O(num_jobs + num_edges).
    """
    depth, waiting = _layer(out.start, out.other, num_predecessors(out))
    return None if waiting.any() else depth


def find_cycle(out: Adjacency) -> list[int] | None:
    """Return the vertices of a cycle in the direction of its edges, or None. O(num_edges)."""
    _, waiting = _layer(out.start, out.other, num_predecessors(out))
    if not waiting.any():
        return None
    # Every vertex Kahn's algorithm leaves behind has a predecessor left behind: walk upwards.
    left = waiting > 0
    sources = np.repeat(np.arange(len(waiting)), np.diff(out.start))
    inside = left[sources] & left[out.other]
    predecessor = dict(zip(out.other[inside].tolist(), sources[inside].tolist(), strict=True))
    v = int(np.flatnonzero(left)[0])
    seen: dict[int, int] = {}
    walk: list[int] = []
    while v not in seen:
        seen[v] = len(walk)
        walk.append(v)
        v = predecessor[v]
    cycle = walk[seen[v] :][::-1]
    first = cycle.index(min(cycle))
    return cycle[first:] + cycle[:first]
