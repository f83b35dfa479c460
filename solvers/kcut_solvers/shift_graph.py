"""CASSINI's affinity graph: jobs and contended links, traversed to shifts for all jobs."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kcut.circle_search import least_excess, link_excess
from kcut.time_shift_bounds import LINK_WORK, LinkOptimum
from kcut.time_shifts import CAPACITY, MeetingPoint, Shifts, TimeShiftsInstance
from kcut_solvers.shift_moves import LinkClass, descend, set_up

_PASSES = 50


@dataclass(frozen=True, slots=True, eq=False)
class Traversal:
    """Shifts for all jobs, and what became of the links.

    Attributes
    ----------
    shifts : ndarray of int64, shape (num_jobs,)
    loops : int
        Links, those that are alike as one, that were reached with more than one job placed: each
        closes a loop of the affinity graph.
    missed : list of int
        Indices of those among the instance's points that have more in excess than by themselves.
    """

    shifts: Shifts
    loops: int
    missed: list[int]


def traverse(
    instance: TimeShiftsInstance, links: list[LinkClass], found: list[LinkOptimum]
) -> Traversal:
    """Place all jobs, link by link.

    Parameters
    ----------
    instance : TimeShiftsInstance
    links : list of LinkClass
    found : list of LinkOptimum
        The best shifts of each contended link by itself; where the search ran out of its budget
        they are improved by moving single jobs.

    Returns
    -------
    Traversal

    Notes
    -----
    The next link is the most loaded one that touches a placed job, in a new component the most
    loaded of all. A link with one placed job is turned as a whole until that job fits: nothing is
    lost. A link with several closes a loop: they stay where they are, and the others are placed as
    well as possible beside them. In a forest every link therefore keeps its own optimum.
    """
    optima = [_improved(instance, link, found[link.index]) for link in links]
    shifts = np.zeros(instance.num_jobs, np.int64)
    placed = np.zeros(instance.num_jobs, np.bool_)
    waiting = sorted(range(len(links)), key=lambda i: (-_load(instance, links[i].point), i))
    loops, missed = 0, []
    while waiting:
        touching = (i for i in waiting if placed[links[i].point.jobs].any())
        i = next(touching, waiting[0])
        waiting.remove(i)
        point = links[i].point
        num_placed = int(placed[point.jobs].sum())
        if num_placed <= 1:
            _turn_whole(instance, point, optima[i], placed, shifts)
        else:
            loops += 1
            _place_rest(instance, point, placed, shifts)
            if _excess(instance, point, shifts) > optima[i].excess:
                missed.append(links[i].index)
        placed[point.jobs] = True
    return Traversal(shifts, loops, sorted(missed))


def _load(instance: TimeShiftsInstance, point: MeetingPoint) -> float:
    circle = instance.circle
    share = circle.length[point.jobs] / circle.period[point.jobs]
    return float((share * point.demand).sum())


def _turn_whole(
    instance: TimeShiftsInstance,
    point: MeetingPoint,
    optimum: LinkOptimum,
    placed: NDArray[np.bool_],
    shifts: Shifts,
) -> None:
    anchor = np.flatnonzero(placed[point.jobs])
    by = int((shifts[point.jobs] - optimum.shifts)[anchor[0]]) if len(anchor) else 0
    shifts[point.jobs] = (optimum.shifts + by) % instance.circle.period[point.jobs]


def _place_rest(
    instance: TimeShiftsInstance, point: MeetingPoint, placed: NDArray[np.bool_], shifts: Shifts
) -> None:
    # Placed jobs first: they are fixed.
    order = np.argsort(~placed[point.jobs], kind="stable")
    jobs, demand = point.jobs[order], point.demand[order]
    fixed = int(placed[jobs].sum())
    if fixed == len(jobs):
        return
    circle = instance.circle
    found = least_excess(
        circle.period[jobs],
        circle.begin[jobs] + shifts[jobs],
        circle.length[jobs],
        demand,
        point.turn,
        CAPACITY,
        below=int(demand.sum()) * point.turn + 1,
        work=max(LINK_WORK, point.turn * (len(jobs) + 1)),
        fixed=fixed,
    )
    shifts[jobs[fixed:]] = found.shifts[fixed:]


def _excess(instance: TimeShiftsInstance, point: MeetingPoint, shifts: Shifts) -> int:
    circle, jobs = instance.circle, point.jobs
    begin = circle.begin[jobs] + shifts[jobs]
    rows = (circle.period[jobs], begin, circle.length[jobs], point.demand)
    return link_excess(*rows, point.turn, CAPACITY)


def _improved(instance: TimeShiftsInstance, link: LinkClass, known: LinkOptimum) -> LinkOptimum:
    if known.excess == known.bound:
        return known
    jobs = link.point.jobs
    shifts = np.zeros(instance.num_jobs, np.int64)
    shifts[jobs] = known.shifts
    dial = set_up(instance, shifts, [link])
    descend(dial, jobs.tolist(), _PASSES)
    own = dial.shifts[jobs]
    return replace(known, shifts=own, excess=_excess(instance, link.point, dial.shifts))
