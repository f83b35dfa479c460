"""What shifts leave in excess at least: link by link, with a certificate that is checked by search.

No shifts leave less on a link than the best shifts for that link alone. A certificate states for
each contended link a bound; checking it is an exhaustive search for shifts of that link that leave
less, which the volume of the demand often makes needless.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcut.circle_search import Least, least_excess, volume_bound
from kcut.errors import InputError
from kcut.time_shifts import CAPACITY, MeetingPoint, TimeShiftsInstance, weighted

LINK_WORK = 20_000_000
"""Steps of circles that the search on a link may look at: a fraction of a second."""

TOTAL_WORK = 300_000_000
"""The same for all links of an instance together."""


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


def link_optima(instance: TimeShiftsInstance) -> list[LinkOptimum]:
    """Return the best shifts of each contended link by itself, in the order of `points`.

    Links that the same jobs load alike are searched once. Where the budget ends, the bound is that
    of the volume.
    """
    known: dict[bytes, LinkOptimum] = {}
    left = TOTAL_WORK
    optima = []
    for point in instance.points:
        same = likeness(point)
        if same not in known:
            # So much at least that every job is placed once.
            work = max(min(LINK_WORK, left), point.turn * (len(point.jobs) + 1))
            found = _search(instance, point, _ceiling(point), work)
            left -= found.work
            bound = found.excess if found.proven else _volume(instance, point)
            known[same] = LinkOptimum(found.shifts, found.excess, bound)
        optima.append(known[same])
    return optima


def certificate_of(optima: list[LinkOptimum]) -> NDArray[np.int64]:
    """Return the certificate: the bound of each contended link."""
    return np.array([optimum.bound for optimum in optima], np.int64)


def proven_bound(instance: TimeShiftsInstance, certificate: NDArray[np.int64]) -> int:
    """Check a certificate and return the bound on the total excess that it proves.

    Parameters
    ----------
    instance : TimeShiftsInstance
    certificate : ndarray of int64, shape (num_contended_links,)
        For each link, in the order of `points`, what its own jobs leave in excess at least.

    Returns
    -------
    int

    Raises
    ------
    InputError
        If it has the wrong length, or shifts of a link leave less than it says, or the search for
        such shifts does not end within its budget.
    """
    if certificate.shape != (len(instance.points),):
        message = f"must give a bound for each of {len(instance.points)} contended links"
        raise InputError(message, "certificate", certificate.shape)
    known: dict[tuple[bytes, int], None] = {}
    left = TOTAL_WORK
    for i, (point, bound) in enumerate(zip(instance.points, certificate.tolist(), strict=True)):
        if bound <= _volume(instance, point) or (likeness(point), bound) in known:
            continue
        found = _search(instance, point, bound, min(LINK_WORK, left))
        left -= found.work
        if found.excess < bound:
            message = f"shifts of this link leave {found.excess}"
            raise InputError(message, f"certificate[{i}]", bound)
        if not found.proven:
            raise InputError("cannot be checked by so long a search", f"certificate[{i}]", bound)
        known[likeness(point), bound] = None
    return weighted(instance, certificate.tolist())


def likeness(point: MeetingPoint) -> bytes:
    """Return what links have in common that the same jobs load alike."""
    return point.jobs.tobytes() + point.demand.tobytes()


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
