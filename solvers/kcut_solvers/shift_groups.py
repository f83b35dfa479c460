"""Improving shifts group by group, by exhaustive search where its budget allows, with bounds."""

from __future__ import annotations

from kcut.meetings import group_excess, meetings, search_group
from kcut.time_shift_bounds import TOTAL_WORK, LinkOptimum
from kcut.time_shifts import Shifts, TimeShiftsInstance, excesses


def search_groups(
    instance: TimeShiftsInstance,
    optima: list[LinkOptimum],
    shifts: Shifts,
    work: int = TOTAL_WORK,
) -> tuple[Shifts, list[int]]:
    """Search every group of jobs that meet for better shifts.

    Parameters
    ----------
    instance : TimeShiftsInstance
    optima : list of LinkOptimum
        Of the contended links.
    shifts : ndarray of int64, shape (num_jobs,)
        The best known.
    work : int, optional
        Budget of all groups together, in steps of circles.

    Returns
    -------
    shifts : ndarray of int64, shape (num_jobs,)
        No worse.
    bounds : list of int
        What each group leaves in excess at least, for a certificate: what it leaves now, where the
        search was exhaustive.
    """
    best, bounds, left = shifts.copy(), [], work
    least, now = [optimum.bound for optimum in optima], excesses(instance, shifts)
    for meeting in meetings(instance):
        bound = group_excess(instance, meeting, least)
        reached = group_excess(instance, meeting, now)
        if reached > bound and left > 0:
            found = search_group(instance, meeting, least, reached, left)
            left -= found.work
            if found.excess < reached:
                best[meeting.jobs] = found.shifts
            if found.proven:
                bound = found.excess
        bounds.append(bound)
    return best, bounds
