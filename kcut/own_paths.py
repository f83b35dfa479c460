"""The best bottleneck time a job can have alone: how evenly its own flows can be spread.

That is a scheduling problem of its own (flows on parallel links), so the best is the best of a
stated method: flows by falling bytes, each on the candidate whose slowest link ends first, then
single-flow moves until none helps. Where it equals the lower bound, the largest time of one flow on
its best candidate or of the flows that cannot avoid a link, no choice is better.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster

Units = NDArray[np.int64]


class OwnTimes(NamedTuple):
    """The best bottleneck time of each job alone.

    Attributes
    ----------
    best, least : ndarray of int64, shape (num_jobs,)
        What the method reaches, and a lower bound; units of the given times.
    choice : ndarray of int64, shape (num_flows,)
        Candidates that reach `best`.
    """

    best: Units
    least: Units
    choice: Units


def best_own_times(cluster: Cluster, time: Units) -> OwnTimes:
    """Spread the flows of every job by themselves.

    Parameters
    ----------
    cluster : Cluster
    time : ndarray of int64
        Time of a flow on a link, for each entry of ``cluster.routes.link``.

    Returns
    -------
    OwnTimes

    Notes
    -----
    A pass over a job's flows costs the total length of their candidates; passes end when none
    moves, after at most 50.
    """
    best, least = np.zeros((2, cluster.num_jobs), np.int64)
    choice = np.zeros(cluster.num_flows, np.int64)
    ends = np.searchsorted(cluster.flow_job, np.arange(cluster.num_jobs + 1))
    for j in range(cluster.num_jobs):
        flows = range(int(ends[j]), int(ends[j + 1]))
        options = {f: _options(cluster, time, f) for f in flows}
        best[j] = _spread(options, choice)
        least[j] = _lower_bound(options)
    return OwnTimes(best, least, choice)


def _options(cluster: Cluster, time: Units, flow: int) -> list[list[tuple[int, int]]]:
    routes = cluster.routes
    spans = range(int(routes.first[flow]), int(routes.first[flow + 1]))
    return [
        [(int(routes.link[k]), int(time[k])) for k in range(routes.start[c], routes.start[c + 1])]
        for c in spans
    ]


def _spread(options: dict[int, list[list[tuple[int, int]]]], choice: Units) -> int:
    used: dict[int, int] = {}

    def put(flow: int, sign: int) -> None:
        for link, units in options[flow][int(choice[flow])]:
            used[link] = used.get(link, 0) + sign * units

    def take_best(flow: int) -> bool:
        loads = [max(used.get(e, 0) + t for e, t in path) for path in options[flow]]
        better = min(range(len(loads)), key=lambda c: (loads[c], c))
        moved = loads[better] < loads[int(choice[flow])]
        choice[flow] = better if moved else choice[flow]
        return moved

    order = sorted(options, key=lambda f: (-max(t for _, t in options[f][0]), f))
    for flow in order:
        take_best(flow)
        put(flow, 1)
    for _ in range(50):
        moved = False
        for flow in order:
            put(flow, -1)
            moved |= take_best(flow)
            put(flow, 1)
        if not moved:
            break
    return max(used.values(), default=0)


def _lower_bound(options: dict[int, list[list[tuple[int, int]]]]) -> int:
    alone = [min(max(t for _, t in path) for path in paths) for paths in options.values()]
    forced: dict[int, int] = {}
    for paths in options.values():
        always = set.intersection(*({e for e, _ in path} for path in paths))
        for link, units in paths[0]:
            if link in always:
                forced[link] = forced.get(link, 0) + units
    return max([0, *alone, *forced.values()])
