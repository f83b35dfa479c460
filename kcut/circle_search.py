"""One link: what shifts leave in excess, and the least that any shifts can, by exhaustive search.

The search places jobs one after the other. A job need only be tried in gcd(P_j, L) places, L the
least common multiple of the periods placed before it, since turning the circle by L moves none of
those. What is placed never gets less in excess, and what is still to come fills the free capacity
at best:

    excess >= excess so far + max(0, volume to come - free capacity).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Steps = NDArray[np.int64]

FINISHED, OUT_OF_WORK = 0, 1


class Least(NamedTuple):
    """The result of a search.

    Attributes
    ----------
    excess : int
        The least found; the limit that was given where nothing is below it.
    shifts : ndarray of int64, shape (num_jobs,)
        Which leave it; of no meaning where nothing is below the limit.
    proven : bool
        Whether the search was exhaustive.
    work : int
        Steps of circles looked at.
    """

    excess: int
    shifts: Steps
    proven: bool
    work: int


def link_excess(
    period: Steps, begin: Steps, length: Steps, demand: Steps, turn: int, capacity: int
) -> int:
    """Return the demand beyond capacity over a turn of a link's circle.

    Parameters
    ----------
    period, begin, length, demand : ndarray of int64, shape (num_jobs,)
        Of the jobs on the link; `begin` includes the shift.
    turn : int
        A multiple of all periods.
    capacity : int
    """
    return int(_excess(period, begin, length, demand, turn, capacity))


def volume_bound(period: Steps, length: Steps, demand: Steps, turn: int, capacity: int) -> int:
    """Return what all demand of a turn exceeds all capacity by: no shifts leave less."""
    volume = int((length * demand * (turn // period)).sum())
    return max(0, volume - turn * capacity)


def least_excess(
    period: Steps,
    begin: Steps,
    length: Steps,
    demand: Steps,
    turn: int,
    capacity: int,
    *,
    below: int,
    work: int,
    fixed: int = 0,
) -> Least:
    """Search for the shifts of one link that leave least in excess.

    Parameters
    ----------
    period, begin, length, demand : ndarray of int64, shape (num_jobs,)
    turn, capacity : int
    below : int
        Only what is below this counts.
    work : int
        Budget, in steps of circles.
    fixed : int, optional
        So many jobs, the first, stay where they are.

    Returns
    -------
    Least
        With nothing fixed, the first job in order of falling volume has shift 0.
    """
    volume = length * demand * (turn // period)
    volume[:fixed] = np.iinfo(np.int64).max
    order = np.argsort(-volume, kind="stable")
    floor = volume_bound(period, length, demand, turn, capacity)
    rows = (period[order], begin[order], length[order], demand[order])
    found, shifts, used = _search(*rows, turn, capacity, floor, below, work, fixed)
    result = np.zeros(len(period), np.int64)
    result[order] = shifts
    return Least(int(found), result, used <= work or found <= floor, int(used))


@njit(cache=True)
def _excess(period, begin, length, demand, turn, capacity):  # type: ignore[no-untyped-def]
    total = np.zeros(turn, np.int64)
    for i in range(len(period)):
        _add(total, period[i], begin[i], length[i], demand[i])
    excess = 0
    for a in range(turn):
        excess += max(0, total[a] - capacity)
    return excess


@njit(cache=True)
def _add(total, period, begin, length, demand):  # type: ignore[no-untyped-def]
    turn = len(total)
    for start in range(begin % period, begin % period + turn, period):
        for a in range(start, start + length):
            total[a % turn] += demand


@njit(cache=True)
def _gcd(a, b):  # type: ignore[no-untyped-def]
    while b:
        a, b = b, a % b
    return a


@njit(cache=True)
def _search(  # type: ignore[no-untyped-def]
    period, begin, length, demand, turn, capacity, floor, below, work, fixed
):
    """Depth first, the first place of each job first; `used` exceeds `work` where it is cut off."""
    num_jobs = len(period)
    places = np.ones(num_jobs, np.int64)
    to_come = np.zeros(num_jobs + 1, np.int64)
    common = 1
    for i in range(num_jobs):
        places[i] = 1 if i < max(1, fixed) else _gcd(period[i], common)
        common = common // _gcd(common, period[i]) * period[i]
    for i in range(num_jobs - 1, -1, -1):
        to_come[i] = to_come[i + 1] + length[i] * demand[i] * (turn // period[i])
    total = np.zeros((num_jobs + 1, turn), np.int64)
    place = np.full(num_jobs, -1, np.int64)
    best, kept, used, depth = below, np.zeros(num_jobs, np.int64), 0, 0
    while depth >= 0 and best > floor and used <= work:
        place[depth] += 1
        if place[depth] >= places[depth]:
            place[depth] = -1
            depth -= 1
            continue
        used += turn
        row = total[depth + 1]
        row[:] = total[depth]
        _add(row, period[depth], begin[depth] + place[depth], length[depth], demand[depth])
        over, free = 0, 0
        for a in range(turn):
            rest = capacity - row[a]
            if rest < 0:
                over -= rest
            else:
                free += rest
        if over + max(0, to_come[depth + 1] - free) >= best:
            continue
        if depth == num_jobs - 1:
            best = over
            kept[:] = place
        else:
            depth += 1
    return best, kept, used
