"""What shifts leave in excess, and the least that any shifts can, by exhaustive search.

The search places the jobs of one link, or of several, one after the other. A job need only be tried
in gcd(P_j, L) places, L the least common multiple of the periods placed before it, since turning
all circles by L moves none of those. What is placed never gets less in excess, and what is still to
come fills the free capacity of a link at best:

    excess of a link >= excess so far + max(0, volume to come - free capacity).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Steps = NDArray[np.int64]


class Group(NamedTuple):
    """Jobs and the links they meet on, jobs in the order in which they are placed.

    Attributes
    ----------
    period, begin, length : ndarray of int64, shape (num_jobs,)
        In steps; a job sends from `begin` on.
    first : ndarray of int64, shape (num_jobs + 1,)
        Where the uses of each job begin.
    link, demand : ndarray of int64, shape (num_uses,)
        Which link, and what the job takes of it while it sends.
    turn, weight, bound : ndarray of int64, shape (num_links,)
        Steps of each circle, what a unit of excess counts there, and the least excess there.
    """

    period: Steps
    begin: Steps
    length: Steps
    first: Steps
    link: Steps
    demand: Steps
    turn: Steps
    weight: Steps
    bound: Steps


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
    one = np.ones(1, np.int64)
    group = Group(
        period[order],
        begin[order],
        length[order],
        np.arange(len(order) + 1),
        np.zeros(len(order), np.int64),
        demand[order],
        turn * one,
        one,
        floor * one,
    )
    found = least_group_excess(group, capacity, below=below, work=work, fixed=fixed)
    shifts = np.zeros(len(period), np.int64)
    shifts[order] = found.shifts
    return found._replace(shifts=shifts)


def least_group_excess(
    group: Group, capacity: int, *, below: int, work: int, fixed: int = 0
) -> Least:
    """Search for the shifts of a group of jobs that leave least in excess, weighted.

    Parameters
    ----------
    group : Group
    capacity : int
    below : int
        Only what is below this counts.
    work : int
        Budget, in steps of circles.
    fixed : int, optional
        So many jobs, the first, stay where they are.

    Returns
    -------
    Least
        Shifts in the order of the group's jobs; the first stands still.

    Notes
    -----
    A placement costs the circles of the job's links. What it ends with at least is summed link by
    link, no link counting less than its own bound.
    """
    floor = int((group.weight * group.bound).sum())
    found, shifts, used = _search(*group, capacity, floor, below, work, max(1, fixed))
    return Least(int(found), shifts, used <= work or found <= floor, int(used))


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
    turn, at = len(total), begin % period
    for start in range(at, turn, period):
        end = start + length
        for a in range(start, min(end, turn)):
            total[a] += demand
        for a in range(end - turn):
            total[a] += demand


@njit(cache=True)
def _gcd(a, b):  # type: ignore[no-untyped-def]
    while b:
        a, b = b, a % b
    return a


@njit(cache=True)
def _least(row, to_come, capacity):  # type: ignore[no-untyped-def]
    """Return what a link ends with at least."""
    over, free = 0, 0
    for asked in row:
        rest = capacity - asked
        over -= min(0, rest)
        free += max(0, rest)
    return over + max(0, to_come - free)


@njit(cache=True)
def _places(period, fixed):  # type: ignore[no-untyped-def]
    """Return in how many places each job need be tried."""
    places = np.ones(len(period), np.int64)
    common = 1
    for i in range(len(period)):
        shared = _gcd(period[i], common)
        if i >= fixed:
            places[i] = shared
        common = common // shared * period[i]
    return places


@njit(cache=True)
def _to_come(period, length, first, link, demand, turn):  # type: ignore[no-untyped-def]
    """Return the volume on each link of each job and all after it."""
    to_come = np.zeros((len(period) + 1, len(turn)), np.int64)
    for i in range(len(period) - 1, -1, -1):
        to_come[i] = to_come[i + 1]
        for k in range(first[i], first[i + 1]):
            to_come[i, link[k]] += length[i] * demand[k] * (turn[link[k]] // period[i])
    return to_come


@njit(cache=True)
def _search(  # type: ignore[no-untyped-def]
    period, begin, length, first, link, demand, turn, weight, bound, capacity, floor, below, work,
    fixed,
):  # fmt: skip
    """Depth first, the first place of each job first; `used` exceeds `work` where it is cut off."""
    num_jobs = len(period)
    places = _places(period, fixed)
    to_come = _to_come(period, length, first, link, demand, turn)
    starts = np.zeros(len(turn) + 1, np.int64)
    starts[1:] = np.cumsum(turn)
    total = np.zeros(starts[-1], np.int64)
    least = np.zeros((num_jobs + 1, len(turn)), np.int64)
    least[0] = bound
    place = np.full(num_jobs, -1, np.int64)
    best, kept, used, depth = below, np.zeros(num_jobs, np.int64), 0, 0
    while depth >= 0 and best > floor and used <= work:
        old, new = place[depth], place[depth] + 1
        least[depth + 1] = least[depth]
        for k in range(first[depth], first[depth + 1]):
            e = link[k]
            row = total[starts[e] : starts[e + 1]]
            if old >= 0:
                _add(row, period[depth], begin[depth] + old, length[depth], -demand[k])
            if new < places[depth]:
                _add(row, period[depth], begin[depth] + new, length[depth], demand[k])
                ends_with = _least(row, to_come[depth + 1, e], capacity)
                least[depth + 1, e] = max(bound[e], ends_with)
            used += turn[e]
        if new == places[depth]:
            place[depth] = -1
            depth -= 1
            continue
        place[depth] = new
        reached = (weight * least[depth + 1]).sum()
        if reached < best and depth == num_jobs - 1:
            best = reached
            kept[:] = place
        elif reached < best:
            depth += 1
    return best, kept, used
