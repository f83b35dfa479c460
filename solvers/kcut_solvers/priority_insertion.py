"""Insertion moves for linear ordering: the best place of each job, until none is better."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.linear_order import Order

Weights = NDArray[np.int64]


def insertion_order(weight: Weights, order: Order, passes: int = 1_000) -> Order:
    """Return an order that no insertion of a single job improves.

    Parameters
    ----------
    weight : ndarray of int64, shape (n, n)
    order : ndarray of int64, shape (n,)
        To begin with; not changed.
    passes : int, optional
        Most passes over the jobs.

    Notes
    -----
    A pass is O(n^2): moving a job along the order changes the value by one pair a step.
    """
    improved = order.copy()
    _descend(np.ascontiguousarray(weight - weight.T), improved, passes)
    return improved


@njit(cache=True)
def _descend(net, order, passes):  # type: ignore[no-untyped-def]
    """Insert jobs at their best places until a pass improves nothing; return the gain.

    ``net[i, j]`` is what it gains that i comes before j rather than after.
    """
    total = np.int64(0)
    for _ in range(passes):
        gained = np.int64(0)
        for job in range(len(order)):
            gained += _insert_best(net, order, job)
        total += gained
        if gained == 0:
            break
    return total


@njit(cache=True)
def _insert_best(net, order, job):  # type: ignore[no-untyped-def]
    """Move a job to where it gains most; return the gain."""
    n = len(order)
    at = 0
    while order[at] != job:
        at += 1
    best, to, change = np.int64(0), at, np.int64(0)
    for place in range(at - 1, -1, -1):
        change += net[job, order[place]]
        if change > best:
            best, to = change, place
    change = np.int64(0)
    for place in range(at + 1, n):
        change += net[order[place], job]
        if change > best:
            best, to = change, place
    _move(order, at, to)
    return best


@njit(cache=True)
def _move(order, at, to):  # type: ignore[no-untyped-def]
    job = order[at]
    step = 1 if to > at else -1
    place = at
    while place != to:
        order[place] = order[place + step]
        place += step
    order[to] = job


@njit(cache=True)
def search(net, order, rounds, strength, seed):  # type: ignore[no-untyped-def]
    """Search on: kick, descend, keep what is no worse; return the gain.

    A kick moves `strength` random jobs to random places. `order` becomes the best found.
    """
    np.random.seed(seed)  # noqa: NPY002 (Numba's own generator)
    n = len(order)
    total = _descend(net, order, 1_000)
    current = order.copy()
    value = best = np.int64(0)
    for _ in range(rounds):
        trial = current.copy()
        change = np.int64(0)
        for _ in range(strength):
            at, to = np.random.randint(n), np.random.randint(n)  # noqa: NPY002
            job = trial[at]
            step = 1 if to > at else -1
            place = at
            while place != to:
                place += step
                pair = net[trial[place], job]
                change += pair if step > 0 else -pair
            _move(trial, at, to)
        change += _descend(net, trial, 1_000)
        if change >= 0:
            current, value = trial, value + change
            if value > best:
                best = value
                order[:] = current
    return total + best
