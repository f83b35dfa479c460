"""Complementary slackness, both ways: a cover that proves levels optimal, levels a cover allows.

Levels L and a cover b prove each other optimal exactly if, with d = L(u) - L(v) on an edge u -> v,

    d = 0:   b_e >= w_e          0 < L(v) < K-1:   out_v == in_v
    d = 1:   0 <= b_e <= w_e     L(v) = K-1:       out_v >= in_v   (0 < K-1)
    d >= 2:  b_e = 0             L(v) = 0:         out_v <= in_v

For given L that is a feasible flow with lower bounds, for given b a system of difference
constraints.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut import CompressionInstance, SolverError
from kcut.weights import exact_sum

Cover = NDArray[np.int64]
Levels = NDArray[np.int64]


def cover_from_levels(instance: CompressionInstance, levels: Levels) -> Cover | None:
    """Return a cover that proves feasible levels optimal, or None if they are not optimal.

    Parameters
    ----------
    instance : CompressionInstance
    levels : ndarray of int64, shape (num_jobs,)
        Feasible; see `kcut.infeasibility`.

    Returns
    -------
    ndarray of int64, shape (num_edges,), or None
        Its `kcut.bound` equals the value of the levels. None is a proof too: no such cover
        exists, so other levels cut more.

    Raises
    ------
    SolverError
        If the flow solver fails, or an entry would not fit 64 bits.

    Notes
    -----
    One maximum flow over the edges that span at most one level. Writing b = (w on d = 0) + x
    turns the lower bounds into supplies, of which there are at most total_weight <= 2^62; no
    arc needs to carry more than all of them, which is the finite stand-in for "unbounded".
    A hub closes the circulation: it feeds the highest level and drains the lowest.

    References
    ----------
    Ahuja, Magnanti & Orlin, Network Flows, Prentice Hall 1993, section 6.7.
    """
    if instance.levels == 1:
        return instance.weight  # paths cost nothing
    upper, lower, weight = instance.upper, instance.lower, instance.weight
    drop = levels[upper] - levels[lower]
    tied = drop == 0
    # What the lower bounds alone send out of each job beyond what they send in.
    leaving = np.zeros(instance.num_jobs, np.int64)
    np.add.at(leaving, upper[tied], weight[tied])
    np.subtract.at(leaving, lower[tied], weight[tied])
    cover = np.where(tied, weight, 0)
    supply = exact_sum(-leaving[leaving < 0])
    if supply == 0:
        return cover
    used = np.flatnonzero(tied | ((drop == 1) & (weight > 0)))
    capacity = np.where(tied[used], supply, np.minimum(weight[used], supply))
    flow = _feasible_flow(instance, levels, (used, capacity), leaving)
    if flow is None:
        return None
    if np.any(flow > np.iinfo(np.int64).max - cover[used]):
        raise SolverError("a cover of these levels does not fit 64 bits")
    cover[used] += flow
    return cover


def _feasible_flow(
    instance: CompressionInstance,
    levels: Levels,
    arcs: tuple[NDArray[np.int64], NDArray[np.int64]],
    leaving: NDArray[np.int64],
) -> NDArray[np.int64] | None:
    """Return a flow on some edges, with capacities, that balances `leaving`, or None."""
    from ortools.graph.python import max_flow

    used, capacity = arcs
    supply = exact_sum(-leaving[leaving < 0])
    hub, source, sink = range(instance.num_jobs, instance.num_jobs + 3)
    highest = np.flatnonzero(levels == instance.levels - 1)
    lowest = np.flatnonzero(levels == 0)
    short, over = np.flatnonzero(leaving < 0), np.flatnonzero(leaving > 0)
    tails: list[Any] = [
        instance.upper[used],
        _same(hub, highest),
        lowest,
        _same(source, short),
        over,
    ]
    heads: list[Any] = [instance.lower[used], highest, _same(hub, lowest), short, _same(sink, over)]
    capacities: list[Any] = [
        capacity,
        _same(supply, highest),
        _same(supply, lowest),
        -leaving[short],
        leaving[over],
    ]
    network = max_flow.SimpleMaxFlow()
    added = network.add_arcs_with_capacity(
        np.concatenate(tails).astype(np.int32),
        np.concatenate(heads).astype(np.int32),
        np.concatenate(capacities).astype(np.int64),
    )
    status = network.solve(source, sink)
    if status != network.OPTIMAL:
        raise SolverError(f"OR-tools max flow ended with {status.name}")
    if network.optimal_flow() < supply:
        return None
    flows: NDArray[np.int64] = network.flows(added[: len(used)])
    return flows


def _same(value: int, along: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.full(len(along), value, np.int64)


def levels_from_cover(instance: CompressionInstance, cover: Cover) -> Levels | None:
    """Return the least levels that a cover proves optimal, or None if it proves none.

    Parameters
    ----------
    instance : CompressionInstance
    cover : ndarray of int64, shape (num_edges,)
        Not negative; its sum over any job's edges below 2^63.

    Returns
    -------
    ndarray of int64, shape (num_jobs,), or None

    Notes
    -----
    Bellman-Ford from below with a queue. A job is raised at most K-1 times, so
    O(K (num_jobs + num_edges)).
    """
    excess = np.zeros(instance.num_jobs, np.int64)
    np.add.at(excess, instance.upper, cover)
    np.subtract.at(excess, instance.lower, cover)
    out, entering = instance.out_edges, instance.in_edges
    open_edge = cover < instance.weight
    # The least admissible L(u) - L(v), and the largest (num_levels stands for any).
    least = open_edge.astype(np.int64)
    largest = np.where(cover > instance.weight, 0, np.where(cover > 0, 1, instance.levels))
    levels = np.where(excess > 0, instance.levels - 1, 0).astype(np.int64)
    _raise_levels(
        levels,
        instance.levels - 1,
        (out.start, out.other, largest[out.edge]),
        (entering.start, entering.other, least[entering.edge]),
    )
    if levels.max() >= instance.levels or (instance.levels > 1 and levels[excess < 0].any()):
        return None
    return levels


@njit(cache=True)
def _raise_levels(levels, top, downward, upward):  # type: ignore[no-untyped-def]
    """Raise levels until L(u) >= L(v) + least and L(v) >= L(u) - largest hold on every edge.

    Stops as soon as a level would have to exceed `top`, and leaves it there.
    """
    num_jobs = len(levels)
    down_start, down_other, largest = downward
    up_start, up_other, least = upward
    queue = np.arange(num_jobs)
    queued = np.ones(num_jobs, np.bool_)
    head, waiting = 0, num_jobs
    while waiting > 0:
        job = queue[head]
        head = (head + 1) % num_jobs
        waiting -= 1
        queued[job] = False
        for side in range(2):
            start, other, step = (
                (down_start, down_other, largest) if side == 0 else (up_start, up_other, least)
            )
            sign = -1 if side == 0 else 1
            for a in range(start[job], start[job + 1]):
                needed = levels[job] + sign * step[a]
                neighbour = other[a]
                if needed <= levels[neighbour]:
                    continue
                levels[neighbour] = needed
                if needed > top:
                    return
                if not queued[neighbour]:
                    queue[(head + waiting) % num_jobs] = neighbour
                    waiting += 1
                    queued[neighbour] = True
