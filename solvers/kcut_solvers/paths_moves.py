"""Single-flow moves with incremental evaluation, compiled: contention and link loads."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.paths import Choice, PathsInstance
from kcut_solvers.paths_common import Slots, pack_slots

Index = NDArray[np.int64]

_SEEN = 2**40
"""Added to a count of links, so that it is not 0: more links than there can be."""


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
def change_of(b, here, there, touched, links):  # type: ignore[no-untyped-def]
    """Return what contention rises by if a flow goes from one candidate to another; move nothing.

    `touched` and `links` are scratch, shape (num_jobs,): `links` is zero before and afterwards.
    """
    n, j = 0, b.job[b.slot[b.start[here]]]
    for k in range(b.start[here], b.start[here + 1]):
        if b.used[b.slot[k]] == 1:
            n = _count(b, b.link[b.slot[k]], -1, touched, links, n)
    for k in range(b.start[there], b.start[there + 1]):
        s = b.slot[k]
        # A link that the flow is on already, and alone of its job, is taken off above.
        if b.used[s] == 0 or (b.used[s] == 1 and crosses(b, here, s)):
            n = _count(b, b.link[s], 1, touched, links, n)
    rise = 0
    for t in range(n):
        i = touched[t]
        more = links[i] - _SEEN
        links[i] = 0
        if i == j or more == 0:
            continue
        if b.meets[i, j] == 0:
            rise += max(b.weight[i], b.weight[j])
        elif b.meets[i, j] + more == 0:
            rise -= max(b.weight[i], b.weight[j])
    return rise


@njit(cache=True)
def _count(b, e, sign, touched, links, n):  # type: ignore[no-untyped-def]
    for m in range(b.room[e], b.room[e] + b.size[e]):
        i = b.job[b.member[m]]
        if links[i] == 0:
            links[i] = _SEEN
            touched[n] = i
            n += 1
        links[i] += sign
    return n


@njit(cache=True)
def crosses(b, c, s):  # type: ignore[no-untyped-def]
    """Whether a candidate has a slot."""
    mine = b.slot[b.start[c] : b.start[c + 1]]
    return np.any(mine == s)


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
