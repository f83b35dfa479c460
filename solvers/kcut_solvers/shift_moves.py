"""Moving one job round its circle: what each shift of it would cost, all others held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.time_shift_bounds import likeness
from kcut.time_shifts import CAPACITY, MeetingPoint, Shifts, TimeShiftsInstance


@dataclass(frozen=True, slots=True, eq=False)
class LinkClass:
    """Contended links that the same jobs load alike: one of them, and for how many it stands."""

    point: MeetingPoint
    index: int
    count: int


def classes(instance: TimeShiftsInstance) -> list[LinkClass]:
    """Return the contended links, those that are alike as one."""
    first: dict[bytes, int] = {}
    count: dict[bytes, int] = {}
    for i, point in enumerate(instance.points):
        same = likeness(point)
        first.setdefault(same, i)
        count[same] = count.get(same, 0) + 1
    return [LinkClass(instance.points[i], i, count[same]) for same, i in first.items()]


@dataclass(slots=True, eq=False)
class Dial:
    """The demand on every link under the current shifts.

    Attributes
    ----------
    instance : TimeShiftsInstance
    shifts : ndarray of int64, shape (num_jobs,)
        Change them by `turn_to` alone.
    rows : list of ndarray of int64
        The demand in each step of the circle of each link class.
    on : dict
        For each job its (row, demand, weight), a weight being what a unit of excess there counts.
    """

    instance: TimeShiftsInstance
    shifts: Shifts
    rows: list[NDArray[np.int64]]
    on: dict[int, list[tuple[int, int, float]]]

    def costs(self, job: int) -> NDArray[np.float64]:
        """Return what each shift of a job adds to the excess, shape (P_j,)."""
        circle = self.instance.circle
        period, begin = int(circle.period[job]), int(circle.begin[job])
        length = int(circle.length[job])
        total = np.zeros(period)
        for i, demand, weight in self.on.get(job, []):
            self._put(job, i, -demand)
            total += weight * _costs(self.rows[i], period, begin, length, demand, CAPACITY)
            self._put(job, i, demand)
        return total

    def turn_to(self, job: int, shift: int) -> None:
        """Give a job another shift."""
        for i, demand, _ in self.on.get(job, []):
            self._put(job, i, -demand)
        self.shifts[job] = shift
        for i, demand, _ in self.on.get(job, []):
            self._put(job, i, demand)

    def _put(self, job: int, row: int, demand: int) -> None:
        circle = self.instance.circle
        begin = int(circle.begin[job] + self.shifts[job])
        _put(self.rows[row], int(circle.period[job]), begin, int(circle.length[job]), demand)


def set_up(instance: TimeShiftsInstance, shifts: Shifts, links: Sequence[LinkClass]) -> Dial:
    """Return the dial of some links at given shifts."""
    on: dict[int, list[tuple[int, int, float]]] = {}
    rows = []
    for i, link in enumerate(links):
        rows.append(np.zeros(link.point.turn, np.int64))
        weight = float(instance.turn // link.point.turn * link.count)
        for job, demand in zip(link.point.jobs.tolist(), link.point.demand.tolist(), strict=True):
            on.setdefault(job, []).append((i, demand, weight))
    dial = Dial(instance, shifts.astype(np.int64), rows, on)
    for job, places in on.items():
        for i, demand, _ in places:
            dial._put(job, i, demand)
    return dial


def descend(dial: Dial, jobs: Sequence[int], passes: int) -> None:
    """Let each job in turn take its cheapest shift, the present one where that is as cheap.

    Ends where a pass moves nobody. A move costs the circles of the job's links and P_j D_j.
    """
    for _ in range(passes):
        moved = False
        for job in jobs:
            costs = dial.costs(job)
            best = int(costs.argmin())
            if costs[best] < costs[dial.shifts[job]]:
                dial.turn_to(job, best)
                moved = True
        if not moved:
            return


@njit(cache=True)
def _put(row, period, begin, length, demand):  # type: ignore[no-untyped-def]
    turn = len(row)
    for start in range(begin % period, begin % period + turn, period):
        for a in range(start, start + length):
            row[a % turn] += demand


@njit(cache=True)
def _costs(row, period, begin, length, demand, capacity):  # type: ignore[no-untyped-def]
    """Sum the excess that each step of a turn would add, then over the steps that are sent in."""
    added = np.zeros(period)
    for a in range(len(row)):
        now = max(0, row[a] - capacity)
        added[a % period] += max(0, row[a] + demand - capacity) - now
    costs = np.zeros(period)
    for shift in range(period):
        for k in range(length):
            costs[shift] += added[(shift + begin + k) % period]
    return costs
