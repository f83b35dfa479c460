"""Walks over choices of paths, compiled: simulated annealing and tabu search on contention."""

from __future__ import annotations

import numpy as np
from numba import njit

from kcut_solvers.paths_moves import change_of, fits, put, take

NEVER = 2**62
"""More than any contention."""


@njit(cache=True)
def anneal(b, choice, movable, steps, hot, cold, rng):  # type: ignore[no-untyped-def]
    """Anneal contention by random moves; return the lowest rise seen, and its choice.

    One move in two sends a single flow to another candidate; the others are those of `_propose`.
    The temperature falls from `hot` to `cold` geometrically, in units of contention.
    """
    rise, lowest = 0, 0
    best = choice.copy()
    begin, end = _spans(b, movable)
    moved, new, old = np.empty((3, len(choice)), np.int64)
    touched, links = np.empty(len(b.weight), np.int64), np.zeros(len(b.weight), np.int64)
    cooling = (cold / hot) ** (1.0 / steps)
    temperature = hot
    for _ in range(steps):
        temperature *= cooling
        at = rng.integers(0, len(movable))
        f = movable[at]
        most = b.first[f + 1] - b.first[f]
        c = (choice[f] + 1 + rng.integers(0, most - 1)) % most
        if rng.integers(0, 2) == 0:
            change = change_of(b, b.first[f] + choice[f], b.first[f] + c, touched, links)
            if change <= 0 or rng.random() < np.exp(-change / temperature):
                rise, lowest = _settle(b, choice, f, c, change, rise, lowest, best)
            continue
        n = _propose(b, choice, movable, begin, end, at, c, rng, moved, new)
        change, fine = _replace(b, choice, n, moved, new, old)
        if fine and (change <= 0 or rng.random() < np.exp(-change / temperature)):
            rise += change
            if rise < lowest:
                lowest = rise
                best[:] = choice
        else:
            _replace(b, choice, n, moved, old, new)
    return lowest, best


@njit(cache=True)
def _propose(b, choice, movable, begin, end, at, c, rng, moved, new):  # type: ignore[no-untyped-def]
    """Write down moves of several flows and return how many: of the flow at `at`, to candidate c.

    Of four, two send all flows of its job there, one sends the flows of a job that is there back in
    exchange, and one exchanges the candidates of two flows.
    """
    f, kind = movable[at], rng.integers(0, 4)
    other = rng.integers(0, len(movable))
    if kind == 3:
        g = movable[other]
        c = choice[g]
        taken = c >= b.first[f + 1] - b.first[f] or choice[f] >= b.first[g + 1] - b.first[g]
        if taken or c == choice[f]:
            return 0
        moved[0], moved[1] = f, g
        new[0], new[1] = c, choice[f]
        return 2
    n = _send(b, choice, movable[begin[at] : end[at]], c, 0, moved, new)
    if kind == 2 and choice[movable[other]] == c and begin[other] != begin[at]:
        n = _send(b, choice, movable[begin[other] : end[other]], choice[f], n, moved, new)
    return n


@njit(cache=True)
def _send(b, choice, flows, c, n, moved, new):  # type: ignore[no-untyped-def]
    for g in flows:
        if c < b.first[g + 1] - b.first[g] and choice[g] != c:
            moved[n], new[n] = g, c
            n += 1
    return n


@njit(cache=True)
def _replace(b, choice, n, moved, new, old):  # type: ignore[no-untyped-def]
    """Make moves; return what contention rises by, and whether all jobs may. `old` is written."""
    change, fine = 0, True
    for m in range(n):
        old[m] = choice[moved[m]]
        change += take(b, b.first[moved[m]] + old[m])
    for m in range(n):
        candidate = b.first[moved[m]] + new[m]
        fine = fine and fits(b, candidate)
        change += put(b, candidate)
        choice[moved[m]] = new[m]
    return change, fine


@njit(cache=True)
def _settle(b, choice, f, c, change, rise, lowest, best):  # type: ignore[no-untyped-def]
    """Move a flow if its job may; return the rise, and the lowest with the best choice kept."""
    here = b.first[f] + choice[f]
    take(b, here)
    if not fits(b, b.first[f] + c):
        put(b, here)
        return rise, lowest
    put(b, b.first[f] + c)
    choice[f] = c
    rise += change
    if rise < lowest:
        lowest = rise
        best[:] = choice
    return rise, lowest


@njit(cache=True)
def search_tabu(b, choice, movable, steps, share, rng):  # type: ignore[no-untyped-def]
    """Take the best move of a flow that meets somebody, again and again, never straight back.

    A flow may not return to a candidate for 0 to 9 steps and `share` times the number of flows
    that meet somebody, unless that gives the lowest contention yet. Returns the lowest rise seen,
    and its choice. A step costs the candidates of these flows.
    """
    rise, lowest = 0, 0
    best = choice.copy()
    touched, links = np.empty(len(b.weight), np.int64), np.zeros(len(b.weight), np.int64)
    until = np.zeros(len(b.start), np.int64)
    for step in range(steps):
        least, ties, meeting, f, c = NEVER, 0, 0, -1, -1
        for g in movable:
            here = b.first[g] + choice[g]
            if not _meets_somebody(b, here):
                continue
            meeting += 1
            for there in range(b.first[g], b.first[g + 1]):
                if there == here:
                    continue
                change = change_of(b, here, there, touched, links)
                if change > least or (until[there] > step and rise + change >= lowest):
                    continue
                ties = ties + 1 if change == least else 1
                if ties == 1 or rng.integers(0, ties) == 0:
                    least, f, c = change, g, there - b.first[g]
        if f < 0:
            if meeting == 0:
                break
            continue
        until[b.first[f] + choice[f]] = step + rng.integers(0, 10) + int(share * meeting)
        rise, lowest = _settle(b, choice, f, c, least, rise, lowest, best)
        # Where its job may not, it is not tried again at once.
        until[b.first[f] + c] = max(until[b.first[f] + c], step + 1 + (choice[f] != c) * 10)
    return lowest, best


@njit(cache=True)
def _meets_somebody(b, c):  # type: ignore[no-untyped-def]
    most = 0
    for k in range(b.start[c], b.start[c + 1]):
        most = max(most, b.size[b.link[b.slot[k]]])
    return most > 1


@njit(cache=True)
def _spans(b, movable):  # type: ignore[no-untyped-def]
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
