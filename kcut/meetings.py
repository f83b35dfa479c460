"""Groups of jobs that meet, and the search for the shifts of a whole group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcut.circle_search import Group, Least, least_group_excess
from kcut.fluid_setup import contending_groups
from kcut.time_shifts import CAPACITY, MeetingPoint, TimeShiftsInstance

_LARGEST = 2**62


@dataclass(frozen=True, slots=True, eq=False)
class Meeting:
    """A group of jobs that meet, directly or through others.

    Attributes
    ----------
    jobs : ndarray of int64
        In the order in which a search places them.
    points : list of int
        Indices of their contended links, those that are alike as one.
    count : list of int
        For how many links each stands.
    """

    jobs: NDArray[np.int64]
    points: list[int]
    count: list[int]


def meetings(instance: TimeShiftsInstance) -> list[Meeting]:
    """Return the groups of jobs that meet, by their smallest job."""
    of_job = {}
    first: dict[bytes, int] = {}
    count: dict[bytes, int] = {}
    for i, point in enumerate(instance.points):
        same = likeness(point)
        first.setdefault(same, i)
        count[same] = count.get(same, 0) + 1
    groups = contending_groups(instance.num_jobs, instance.cluster.num_links, instance.sent)
    for g, jobs in enumerate(groups):
        of_job.update(dict.fromkeys(jobs.tolist(), g))
    links: list[list[bytes]] = [[] for _ in groups]
    for same, i in first.items():
        links[of_job[int(instance.points[i].jobs[0])]].append(same)
    return [
        Meeting(
            _placed(instance, jobs, [first[same] for same in own]),
            [first[same] for same in own],
            [count[same] for same in own],
        )
        for jobs, own in zip(groups, links, strict=True)
        if own
    ]


def group_excess(instance: TimeShiftsInstance, meeting: Meeting, per_link: Sequence[int]) -> int:
    """Return the weighted sum of excesses or of bounds over the links of a group."""
    return sum(weight_of(instance, meeting, k) * per_link[i] for k, i in enumerate(meeting.points))


def search_group(
    instance: TimeShiftsInstance,
    meeting: Meeting,
    bounds: Sequence[int],
    below: int,
    work: int,
) -> Least:
    """Search for shifts of a group that leave less than some excess, given bounds of the links.

    Returns
    -------
    Least
        Shifts in the order of the group's jobs. Not proven, without a search, where the numbers
        could leave int64.
    """
    jobs, circle, points = meeting.jobs, instance.circle, instance.points
    if instance.most * instance.num_jobs >= _LARGEST:
        return Least(below, np.zeros(len(jobs), np.int64), False, 0)
    uses: list[list[tuple[int, int]]] = [[] for _ in jobs]
    position = {int(job): k for k, job in enumerate(jobs)}
    for k, i in enumerate(meeting.points):
        for job, demand in zip(points[i].jobs.tolist(), points[i].demand.tolist(), strict=True):
            uses[position[job]].append((k, demand))
    flat = [use for own in uses for use in own]
    group = Group(
        circle.period[jobs],
        circle.begin[jobs],
        circle.length[jobs],
        np.cumsum([0, *map(len, uses)]).astype(np.int64),
        np.array([k for k, _ in flat], np.int64),
        np.array([demand for _, demand in flat], np.int64),
        np.array([points[i].turn for i in meeting.points], np.int64),
        np.array([weight_of(instance, meeting, k) for k in range(len(meeting.points))], np.int64),
        np.array([bounds[i] for i in meeting.points], np.int64),
    )
    return least_group_excess(group, CAPACITY, below=below, work=work)


def likeness(point: MeetingPoint) -> bytes:
    """Return what links have in common that the same jobs load alike."""
    return point.jobs.tobytes() + point.demand.tobytes()


def weight_of(instance: TimeShiftsInstance, meeting: Meeting, k: int) -> int:
    """Return what a unit of excess on the k-th link of a group counts."""
    return instance.turn // instance.points[meeting.points[k]].turn * meeting.count[k]


def _placed(
    instance: TimeShiftsInstance, jobs: NDArray[np.int64], points: list[int]
) -> NDArray[np.int64]:
    """Return jobs in an order in which many meet those before them, the most sending first."""
    circle = instance.circle
    load = dict.fromkeys(jobs.tolist(), 0.0)
    for i in points:
        point = instance.points[i]
        share = circle.length[point.jobs] / circle.period[point.jobs] * point.demand
        for job, part in zip(point.jobs.tolist(), share.tolist(), strict=True):
            load[job] += part
    met = dict.fromkeys(load, 0)
    order: list[int] = []
    while met:
        job = max(met, key=lambda j: (met[j], load[j], -j))
        del met[job]
        order.append(job)
        for i in points:
            if job in instance.points[i].jobs:
                for other in instance.points[i].jobs.tolist():
                    if other in met:
                        met[other] += 1
    return np.array(order, np.int64)
