"""From jobs on shared links to a contention DAG: intensities, pairs that meet, edges by rank."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcut import CompressionInstance, InputError, Param

Indices = NDArray[np.int64]

MAX_EDGES = 50_000_000
"""Most edges a family generates; building an instance of that size takes about 4 GB."""

MAX_INTENSITY = 10**9
"""Largest intensity or edge weight a family draws, so that sums stay below 2^62."""

MAX_INTENSITY_PARAM = Param(
    1000, "intensities are drawn from 1 to this", minimum=1, maximum=MAX_INTENSITY
)

WEIGHT_PARAMS = {
    "weights": Param(
        "intensity",
        "of an edge: the intensity of its upper job, or uniform for each edge",
        choices=("intensity", "uniform"),
    ),
    "max_weight": Param(1000, "weights are 1 to this", minimum=1, maximum=MAX_INTENSITY),
}


def rank_by_intensity(intensity: Indices) -> Indices:
    """Return the jobs by falling intensity, the smaller index first among equals.

    Parameters
    ----------
    intensity : ndarray of int64, shape (num_jobs,)

    Returns
    -------
    ndarray of int64, shape (num_jobs,)
        Job indices, highest priority first.
    """
    return np.argsort(-intensity, kind="stable")


def intensity_dag(
    intensity: Indices, first: Indices, second: Indices, *, name: str, levels: int
) -> CompressionInstance:
    """Orient the pairs that contend as Crux does and weigh them by the upper job's intensity.

    Parameters
    ----------
    intensity : ndarray of int64, shape (num_jobs,)
    first, second : ndarray of int64, shape (num_edges,)
        Pairs of jobs, each pair once and in either direction.
    name : str
    levels : int

    Returns
    -------
    CompressionInstance
        Edges sorted by upper, then lower job; the order is that of `rank_by_intensity`.
    """
    order = rank_by_intensity(intensity)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    swap = rank[first] > rank[second]
    upper, lower = np.where(swap, second, first), np.where(swap, first, second)
    return build(order, upper, lower, intensity[upper], name=name, levels=levels)


def ranked_dag(
    rng: np.random.Generator,
    upper_rank: Indices,
    lower_rank: Indices,
    *,
    num_jobs: int,
    weights: str,
    max_weight: int,
    name: str,
    levels: int,
) -> CompressionInstance:
    """Turn edges between ranks into edges between jobs in random order, and draw the weights.

    Parameters
    ----------
    rng : numpy.random.Generator
    upper_rank, lower_rank : ndarray of int64, shape (num_edges,)
        Each edge once, the upper rank smaller than the lower.
    num_jobs : int
    weights : {'intensity', 'uniform'}
        Integers from 1 to `max_weight`: drawn for each job, falling along the ranks, and an edge
        has that of its upper job; or drawn for each edge.
    max_weight : int
    name : str
    levels : int

    Returns
    -------
    CompressionInstance
        Edges sorted by upper, then lower job; the order is that of the ranks.
    """
    order = rng.permutation(num_jobs)
    if weights == "intensity":
        falling = np.sort(rng.integers(1, max_weight + 1, num_jobs))[::-1]
        weight = falling[upper_rank]
    else:
        weight = rng.integers(1, max_weight + 1, len(upper_rank))
    return build(order, order[upper_rank], order[lower_rank], weight, name=name, levels=levels)


def build(
    order: Indices, upper: Indices, lower: Indices, weight: Indices, *, name: str, levels: int
) -> CompressionInstance:
    """Build an instance with its edges sorted by upper, then lower job."""
    num_jobs = len(order)
    by_ends = np.argsort(upper * num_jobs + lower, kind="stable")
    return CompressionInstance.from_edges(
        num_jobs,
        upper[by_ends],
        lower[by_ends],
        weight[by_ends],
        levels=levels,
        name=name,
        order=order,
    )


def pairs_that_meet(job: Indices, place: Indices, num_jobs: int) -> tuple[Indices, Indices]:
    """List every pair of jobs that share at least one place, once.

    Parameters
    ----------
    job, place : ndarray of int64, shape (num_memberships,)
        Job ``job[i]`` is at ``place[i]``; each membership once.
    num_jobs : int

    Returns
    -------
    first, second : ndarray of int64, shape (num_pairs,)
        ``first < second``, sorted.

    Raises
    ------
    InputError
        If the places together hold more than `MAX_EDGES` pairs; names ``num_jobs``.

    Notes
    -----
    O(p log p) for p pairs counted once for each place.
    """
    by_place = np.lexsort((job, place))
    job, place = job[by_place], place[by_place]
    starts = np.flatnonzero(np.r_[True, place[1:] != place[:-1]]) if len(place) else place
    group_start = np.repeat(starts, np.diff(np.r_[starts, len(place)]))
    # Membership i meets the ones before it in its group.
    num_before = np.arange(len(place)) - group_start
    total = int(num_before.sum())
    if total > MAX_EDGES:
        message = f"the jobs meet in {total:,} pairs, more than {MAX_EDGES:,}"
        raise InputError(message, "num_jobs", num_jobs)
    second = np.repeat(np.arange(len(place)), num_before)
    offset = np.arange(total) - np.repeat(np.cumsum(num_before) - num_before, num_before)
    first = group_start[second] + offset
    key = distinct(job[first] * num_jobs + job[second])
    return key // num_jobs, key % num_jobs


def distinct(numbers: Indices) -> Indices:
    """Return the distinct numbers, ascending; several times as fast as `numpy.unique` here."""
    ascending = np.sort(numbers)
    keep = np.ones(len(ascending), np.bool_)
    keep[1:] = ascending[1:] != ascending[:-1]
    return ascending[keep]


def check_num_edges(num_edges: int, param: str, value: object) -> None:
    """Refuse a parameter that asks for more than `MAX_EDGES` edges."""
    if num_edges > MAX_EDGES:
        message = f"asks for {num_edges:,} edges, more than {MAX_EDGES:,}"
        raise InputError(message, param, value)
