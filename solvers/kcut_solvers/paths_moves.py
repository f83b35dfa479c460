"""Single-flow moves with incremental evaluation, compiled: contention and link loads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.paths import Choice, PathsInstance
from kcut_solvers.paths_common import Slots, pack_slots

Index = NDArray[np.int64]


class Board(NamedTuple):
    """Where everything lies: the state single-flow moves work on.

    Attributes
    ----------
    job, link : Index
        Of each slot, a (job, link) that could occur.
    first, start, slot : Index
        Paths as lists of slots, see `Slots`.
    time, load : Index
        Of each entry of `slot`: seconds and load of the flow on the link, in integers.
    weight : Index
        Of each job.
    limit : Index
        Largest time of each job on a link.
    room : Index, shape (num_links + 1,)
        Link e lists the slots in use as ``member[room[e]:room[e] + size[e]]``.
    member, size, place, used, own : Index
        `place` of a slot in its list, `used` by how many flows, `own` time of its job there.
    link_load : Index, shape (num_links,)
    meets : ndarray of int32, shape (num_jobs, num_jobs)
        Number of links two jobs share.
    """

    job: Index
    link: Index
    first: Index
    start: Index
    slot: Index
    time: Index
    load: Index
    weight: Index
    limit: Index
    room: Index
    member: Index
    size: Index
    place: Index
    used: Index
    own: Index
    link_load: Index
    meets: NDArray[np.int32]


def set_up(instance: PathsInstance, choice: Choice, slots: Slots | None = None) -> Board:
    """Build the board of a choice. O(total length of the candidates)."""
    slots = slots or pack_slots(instance)
    num_links = instance.cluster.num_links
    room = np.concatenate([[0], np.cumsum(np.bincount(slots.link, minlength=num_links))])
    num_slots, n = len(slots.job), instance.num_jobs
    limit = instance.time_limit
    board = Board(
        job=slots.job,
        link=slots.link,
        first=slots.first,
        start=slots.start,
        slot=slots.slot,
        time=instance.time[slots.entry],
        load=instance.load[slots.entry],
        weight=instance.weight,
        limit=np.full(n, 2**62) if limit is None else limit,
        room=room.astype(np.int64),
        member=np.zeros(num_slots, np.int64),
        size=np.zeros(num_links, np.int64),
        place=np.zeros(num_slots, np.int64),
        used=np.zeros(num_slots, np.int64),
        own=np.zeros(num_slots, np.int64),
        link_load=np.zeros(num_links, np.int64),
        meets=np.zeros((n, n), np.int32),
    )
    _fill(
        board,
        slots.fixed_slot,
        instance.time[slots.fixed_entry],
        instance.load[slots.fixed_entry],
        choice,
    )
    return board


@njit(cache=True)
def _fill(board, fixed_slot, fixed_time, fixed_load, choice):  # type: ignore[no-untyped-def]
    for i in range(len(fixed_slot)):
        enter(board, fixed_slot[i], fixed_time[i], fixed_load[i])
    for f in range(len(choice)):
        put(board, board.first[f] + choice[f])


@njit(cache=True)
def enter(b, s, time, load):  # type: ignore[no-untyped-def]
    """Put a flow on a slot; return what contention rises by."""
    e, j, rise = b.link[s], b.job[s], 0
    b.own[s] += time
    b.link_load[e] += load
    b.used[s] += 1
    if b.used[s] == 1:
        base = b.room[e]
        for k in range(base, base + b.size[e]):
            i = b.job[b.member[k]]
            b.meets[i, j] += 1
            b.meets[j, i] += 1
            if b.meets[i, j] == 1:
                rise += max(b.weight[i], b.weight[j])
        b.member[base + b.size[e]] = s
        b.place[s] = b.size[e]
        b.size[e] += 1
    return rise


@njit(cache=True)
def leave(b, s, time, load):  # type: ignore[no-untyped-def]
    """Take a flow off a slot; return what contention rises by, not above 0."""
    e, j, rise = b.link[s], b.job[s], 0
    b.own[s] -= time
    b.link_load[e] -= load
    b.used[s] -= 1
    if b.used[s] == 0:
        base = b.room[e]
        b.size[e] -= 1
        last = b.member[base + b.size[e]]
        b.member[base + b.place[s]] = last
        b.place[last] = b.place[s]
        for k in range(base, base + b.size[e]):
            i = b.job[b.member[k]]
            b.meets[i, j] -= 1
            b.meets[j, i] -= 1
            if b.meets[i, j] == 0:
                rise -= max(b.weight[i], b.weight[j])
    return rise


@njit(cache=True)
def put(b, c):  # type: ignore[no-untyped-def]
    """Put a flow on a candidate; return what contention rises by."""
    rise = 0
    for k in range(b.start[c], b.start[c + 1]):
        rise += enter(b, b.slot[k], b.time[k], b.load[k])
    return rise


@njit(cache=True)
def take(b, c):  # type: ignore[no-untyped-def]
    """Take a flow off a candidate; return what contention rises by, not above 0."""
    rise = 0
    for k in range(b.start[c], b.start[c + 1]):
        rise += leave(b, b.slot[k], b.time[k], b.load[k])
    return rise


@njit(cache=True)
def fits(b, c):  # type: ignore[no-untyped-def]
    """Whether a flow on a candidate keeps its job within its time limit."""
    for k in range(b.start[c], b.start[c + 1]):
        s = b.slot[k]
        if b.own[s] + b.time[k] > b.limit[b.job[s]]:
            return False
    return True


@njit(cache=True)
def peak_of(b, c):  # type: ignore[no-untyped-def]
    """Return the largest link load on a candidate with a flow added."""
    peak = 0
    for k in range(b.start[c], b.start[c + 1]):
        peak = max(peak, b.link_load[b.link[b.slot[k]]] + b.load[k])
    return peak


@njit(cache=True)
def move(b, choice, f, c):  # type: ignore[no-untyped-def]
    """Move a flow to another of its candidates; return what contention rises by."""
    rise = take(b, b.first[f] + choice[f]) + put(b, b.first[f] + c)
    choice[f] = c
    return rise


@njit(cache=True)
def descend(b, choice, order, by_load):  # type: ignore[no-untyped-def]
    """Let each flow in turn take its best candidate, ties to where it is; return the rise.

    The best is the one of least contention, or of the least peak load on the path.
    """
    total = 0
    for f in order:
        here = b.first[f] + choice[f]
        fell = take(b, here)
        best = here
        least = peak_of(b, here) if by_load else -fell
        for c in range(b.first[f], b.first[f + 1]):
            if c == here or not fits(b, c):
                continue
            if by_load:
                cost = peak_of(b, c)
            else:
                cost = put(b, c)
                take(b, c)
            if cost < least:
                best, least = c, cost
        total += fell + put(b, best)
        choice[f] = best - b.first[f]
    return total


@njit(cache=True)
def anneal(b, choice, movable, steps, hot, cold, rng):  # type: ignore[no-untyped-def]
    """Anneal contention by random moves; return the lowest rise seen, and its choice.

    One move in two sends a single flow to another candidate, one in four all flows of its job from
    one candidate index to another, one in four gives the flow the candidate of another flow, which
    takes its own in exchange. The temperature falls from `hot` to `cold` geometrically, in units of
    contention.
    """
    rise, lowest = 0, 0
    best = choice.copy()
    first_of, last_of = _spans(b, movable, len(choice))
    moved, old = np.empty(len(choice), np.int64), np.empty(len(choice), np.int64)
    cooling = (cold / hot) ** (1.0 / steps)
    temperature = hot
    for _ in range(steps):
        temperature *= cooling
        at = rng.integers(0, len(movable))
        f = movable[at]
        most = b.first[f + 1] - b.first[f]
        c = (choice[f] + 1 + rng.integers(0, most - 1)) % most
        kind = rng.integers(0, 4)
        n = 0
        if kind <= 1:
            moved[0], n = f, 1
        elif kind == 2:
            for g in movable[first_of[at] : last_of[at]]:
                if c < b.first[g + 1] - b.first[g] and choice[g] != c:
                    moved[n] = g
                    n += 1
        else:
            g = movable[rng.integers(0, len(movable))]
            c = choice[g]
            if c == choice[f] or c >= most or choice[f] >= b.first[g + 1] - b.first[g]:
                continue
            moved[0], moved[1], n = f, g, 2
        change = 0
        for m in range(n):
            g = moved[m]
            old[m] = choice[g]
            change += take(b, b.first[g] + old[m])
        mine, fine = choice[f], True
        for m in range(n):
            g = moved[m]
            to = mine if kind == 3 and m == 1 else c
            fine = fine and fits(b, b.first[g] + to)
            change += put(b, b.first[g] + to)
            choice[g] = to
        if fine and (change <= 0 or rng.random() < np.exp(-change / temperature)):
            rise += change
            if rise < lowest:
                lowest = rise
                best[:] = choice
            continue
        for m in range(n):
            g = moved[m]
            take(b, b.first[g] + choice[g])
            choice[g] = old[m]
        for m in range(n):
            put(b, b.first[moved[m]] + old[m])
    return lowest, best


@njit(cache=True)
def _spans(b, movable, num_flows):  # type: ignore[no-untyped-def]
    """Return for each movable flow where those of its job begin and end in `movable`."""
    n = len(movable)
    begin, end = np.zeros(n, np.int64), np.full(n, n)
    job = np.empty(n, np.int64)
    for i in range(n):
        job[i] = b.job[b.slot[b.start[b.first[movable[i]]]]]
    for i in range(1, n):
        begin[i] = begin[i - 1] if job[i] == job[i - 1] else i
    for i in range(n - 2, -1, -1):
        end[i] = end[i + 1] if job[i] == job[i + 1] else i + 1
    return begin, end
