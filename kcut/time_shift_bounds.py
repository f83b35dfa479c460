"""What shifts leave in excess at least, with a certificate that is checked by search.

No shifts leave less on a link than the best shifts for that link alone. A certificate states a
bound for each contended link and, where loops of the affinity graph make more of it, for each group
of jobs that meet. Checking a bound is an exhaustive search for shifts of that link or group that
leave less, which the volume of the demand or the bounds of the links often make needless.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcut.circle_search import Least, least_excess, volume_bound
from kcut.errors import InputError
from kcut.meetings import group_excess, likeness, meetings, search_group
from kcut.time_shifts import CAPACITY, MeetingPoint, TimeShiftsInstance

LINK_WORK = 20_000_000
"""Steps of circles that the search on a link may look at: a fraction of a second."""

TOTAL_WORK = 300_000_000
"""The same for all links of an instance together, and for all groups of jobs."""


@dataclass(frozen=True, slots=True, eq=False)
class LinkOptimum:
    """The best shifts found for a link by itself.

    Attributes
    ----------
    shifts : ndarray of int64, shape (num_jobs_on_link,)
    excess : int
        What they leave.
    bound : int
        What any shifts leave at least; the excess where the search was exhaustive.
    """

    shifts: NDArray[np.int64]
    excess: int
    bound: int


def link_optima(instance: TimeShiftsInstance, work: int = TOTAL_WORK) -> list[LinkOptimum]:
    """Return the best shifts of each contended link by itself, in the order of `points`.

    Links that the same jobs load alike are searched once. Where the budget ends, the bound is that
    of the volume. `work` is the budget of all links together, in steps of circles.
    """
    known: dict[bytes, LinkOptimum] = {}
    left = work
    optima = []
    for point in instance.points:
        same = likeness(point)
        if same not in known:
            # So much at least that every job is placed once.
            own = max(min(LINK_WORK, left), point.turn * (len(point.jobs) + 1))
            found = _search(instance, point, _ceiling(point), own)
            left -= found.work
            bound = found.excess if found.proven else _volume(instance, point)
            known[same] = LinkOptimum(found.shifts, found.excess, bound)
        optima.append(known[same])
    return optima


def certificate_of(
    optima: list[LinkOptimum], groups: Sequence[int] | None = None
) -> NDArray[np.int64]:
    """Return the certificate: the bound of each contended link, then of each group if given."""
    links = [optimum.bound for optimum in optima]
    return np.array([*links, *([] if groups is None else groups)], np.int64)


def proven_bound(instance: TimeShiftsInstance, certificate: NDArray[np.int64]) -> int:
    """Check a certificate and return the bound on the total excess that it proves.

    Parameters
    ----------
    instance : TimeShiftsInstance
    certificate : ndarray of int64
        For each contended link, in the order of `points`, what its own jobs leave in excess at
        least; then, all or none, for each of `meetings` what its links do together, over N steps.

    Returns
    -------
    int

    Raises
    ------
    InputError
        If it has the wrong length, or shifts leave less than it says, or the search for such
        shifts does not end within its budget.
    """
    groups, num_links = meetings(instance), len(instance.points)
    if certificate.shape not in {(num_links,), (num_links + len(groups),)}:
        message = f"must give a bound for each of {num_links} contended links"
        raise InputError(message, "certificate", certificate.shape)
    links = certificate[:num_links].tolist()
    left = TOTAL_WORK
    known: set[tuple[bytes, int]] = set()
    for i, (point, bound) in enumerate(zip(instance.points, links, strict=True)):
        if bound <= _volume(instance, point) or (likeness(point), bound) in known:
            continue
        found = _search(instance, point, bound, min(LINK_WORK, left))
        left -= found.work
        _check(found, bound, i)
        known.add((likeness(point), bound))
    total = 0
    stated = certificate[num_links:].tolist() or [0] * len(groups)
    left = TOTAL_WORK
    for g, (meeting, bound) in enumerate(zip(groups, stated, strict=True)):
        implied = group_excess(instance, meeting, links)
        if bound > implied:
            found = search_group(instance, meeting, links, bound, left)
            left -= found.work
            _check(found, bound, num_links + g)
        total += max(bound, implied)
    return total


def _check(found: Least, bound: int, index: int) -> None:
    if found.excess < bound:
        message = f"some shifts leave {found.excess}"
        raise InputError(message, f"certificate[{index}]", bound)
    if not found.proven:
        raise InputError("cannot be checked by so long a search", f"certificate[{index}]", bound)


def _ceiling(point: MeetingPoint) -> int:
    return int(point.demand.sum()) * point.turn + 1


def _volume(instance: TimeShiftsInstance, point: MeetingPoint) -> int:
    circle = instance.circle
    period, length = circle.period[point.jobs], circle.length[point.jobs]
    return volume_bound(period, length, point.demand, point.turn, CAPACITY)


def _search(instance: TimeShiftsInstance, point: MeetingPoint, below: int, work: int) -> Least:
    circle, jobs = instance.circle, point.jobs
    return least_excess(
        circle.period[jobs],
        circle.begin[jobs],
        circle.length[jobs],
        point.demand,
        point.turn,
        CAPACITY,
        below=below,
        work=work,
    )
