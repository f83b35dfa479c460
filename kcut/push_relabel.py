"""Maximum flow from excess to deficit by push-relabel, on a residual network kept in place (Numba).

A vertex x may hold an excess (> 0) or a deficit (< 0). Draining moves as much excess as possible
along residual arcs into deficits. Labels d(x) are lower bounds of the distance to a deficit; the
active vertex with the highest label pushes along arcs that descend by one, or is relabelled. An
empty label is a gap: nothing above it reaches a deficit any more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Index = NDArray[np.int32]
Start = NDArray[np.int64]
Amount = NDArray[np.int64]

_KEY_BITS = 40


class Network(NamedTuple):
    """Residual arcs, grouped by tail.

    Attributes
    ----------
    start : ndarray of int64, shape (num_vertices + 1,)
        Vertex x owns the arcs ``start[x]:start[x + 1]``.
    head : ndarray of int32, shape (num_arcs,)
    reverse : ndarray of int32, shape (num_arcs,)
        The arc of the same edge in the other direction.
    residual : ndarray of int64, shape (num_arcs,)
        How much more can be pushed along the arc.
    """

    start: NDArray[np.int64]
    head: NDArray[np.int32]
    reverse: NDArray[np.int32]
    residual: NDArray[np.int64]


# The helpers take plain arrays: Numba counts references to the fields of a tuple at every use.
#   label[x], current[x]: the label of x, and the arc to try next
#   first[l], after[x], before[x]: all vertices with label l < n, doubly linked
#   first_active[l], next_active[x]: those of them with excess, singly linked


@njit(cache=True)
def _exact_labels(
    start: Start, head: Index, reverse: Index, residual: Amount, excess: Amount, label: Index
) -> Index:
    """Set every label to the distance to a deficit, n where there is none; return who has one."""
    n = len(label)
    queue = np.empty(n, np.int32)
    filled = 0
    for x in range(n):
        label[x] = n
        if excess[x] < 0:
            label[x] = 0
            queue[filled] = x
            filled += 1
    taken = 0
    while taken < filled:
        y = queue[taken]
        taken += 1
        for a in range(start[y], start[y + 1]):
            x = head[a]
            if label[x] == n and residual[reverse[a]] > 0:
                label[x] = label[y] + 1
                queue[filled] = x
                filled += 1
    return queue[:filled]


@njit(cache=True)
def _enter(x: int, label: Index, first: Index, after: Index, before: Index) -> None:
    """Put x in front of the vertices with its label."""
    y = first[label[x]]
    after[x] = y
    before[x] = -1
    first[label[x]] = x
    if y >= 0:
        before[y] = x


@njit(cache=True)
def _leave(x: int, label: Index, first: Index, after: Index, before: Index) -> None:
    """Take x out of the vertices with its label."""
    y, z = after[x], before[x]
    if z >= 0:
        after[z] = y
    else:
        first[label[x]] = y
    if y >= 0:
        before[y] = z


@njit(cache=True)
def _close_gap(gap: int, label: Index, first: Index, after: Index) -> None:
    """Give label n to all vertices above an empty label. Labels in use are contiguous."""
    n = len(label)
    above = gap + 1
    while above < n and first[above] >= 0:
        y = first[above]
        while y >= 0:
            label[y] = n
            y = after[y]
        first[above] = -1
        above += 1


@njit(cache=True)
def _lowest_neighbour(
    x: int, start: Start, head: Index, residual: Amount, label: Index
) -> tuple[np.int64, np.int64]:
    """Return the lowest label at the end of a residual arc out of x (n if none), and the arc."""
    infinite = np.int64(len(label)) << _KEY_BITS
    lowest = infinite  # label and arc in one number, so that the loop needs no branch
    for a in range(start[x], start[x + 1]):
        key = (np.int64(label[head[a]]) << _KEY_BITS) | a
        lowest = min(lowest, key if residual[a] > 0 else infinite)
    return lowest >> _KEY_BITS, lowest & ((np.int64(1) << _KEY_BITS) - 1)


@njit(cache=True)
def _restart(
    start: Start,
    head: Index,
    reverse: Index,
    residual: Amount,
    excess: Amount,
    label: Index,
    current: Start,
    first: Index,
    after: Index,
    before: Index,
    first_active: Index,
    next_active: Index,
) -> int:
    """Make all labels exact and all lists anew; return the highest active label, -1 for none."""
    first[:] = -1
    first_active[:] = -1
    current[:] = start[:-1]
    highest = -1
    for x in _exact_labels(start, head, reverse, residual, excess, label):
        _enter(x, label, first, after, before)
        if excess[x] > 0:
            next_active[x] = first_active[label[x]]
            first_active[label[x]] = x
            highest = max(highest, label[x])
    return highest


@njit(cache=True)
def drain(network: Network, excess: Amount, cut: NDArray[np.bool_]) -> int:
    """Move as much excess as possible into deficits; leave a minimum cut behind.

    Parameters
    ----------
    network : Network
        ``residual`` is updated in place.
    excess : ndarray of int64, shape (num_vertices,)
        Updated in place. What cannot reach a deficit stays somewhere inside the cut.
    cut : ndarray of bool, shape (num_vertices,)
        Overwritten: True for a set of vertices that holds all remaining excess and no deficit,
        and that no residual arc leaves.

    Returns
    -------
    int
        Arcs scanned for pushes and relabellings: the work, whatever the machine.

    Notes
    -----
    Highest-label push-relabel with exact initial labels, gaps, and global relabelling after a
    number of scanned arcs proportional to the size of the network: O(n^2 sqrt(m)) time, O(n)
    memory beyond the network.

    References
    ----------
    Goldberg & Tarjan, A new approach to the maximum-flow problem, Journal of the ACM 35(4), 1988,
    doi:10.1145/48014.61051. Cherkassky & Goldberg, On implementing the push-relabel method for
    the maximum flow problem, Algorithmica 19, 1997, doi:10.1007/PL00009180.
    """
    start, head, reverse, residual = network
    n = len(excess)
    label, current = np.empty(n, np.int32), np.empty(n, np.int64)
    first, after, before = np.empty(n + 1, np.int32), np.empty(n, np.int32), np.empty(n, np.int32)
    first_active, next_active = np.empty(n + 1, np.int32), np.empty(n, np.int32)
    patience = 8 * len(head) + n
    scanned, since_exact = 0, 0
    # fmt: off
    highest = _restart(start, head, reverse, residual, excess, label, current,
                       first, after, before, first_active, next_active)
    while highest >= 0:
        if since_exact > patience:
            scanned += since_exact
            since_exact = 0
            highest = _restart(start, head, reverse, residual, excess, label, current,
                               first, after, before, first_active, next_active)
            continue
    # fmt: on
        x = first_active[highest]
        if x < 0:
            highest -= 1
            continue
        first_active[highest] = next_active[x]
        while label[x] < n:
            below = label[x] - 1
            a = current[x]
            while a < start[x + 1]:
                y = head[a]
                if residual[a] > 0 and label[y] == below:
                    pushed = min(residual[a], excess[x])
                    residual[a] -= pushed
                    residual[reverse[a]] += pushed
                    excess[x] -= pushed
                    if excess[y] <= 0 and excess[y] + pushed > 0:
                        next_active[y] = first_active[below]
                        first_active[below] = y
                        highest = max(highest, below)
                    excess[y] += pushed
                    if excess[x] == 0:
                        break
                a += 1
            since_exact += a - current[x]
            current[x] = a
            if excess[x] == 0:
                break
            lowest, current[x] = _lowest_neighbour(x, start, head, residual, label)
            since_exact += start[x + 1] - start[x]
            old = label[x]
            _leave(x, label, first, after, before)
            if first[old] < 0 or lowest + 1 >= n:
                label[x] = n
                if first[old] < 0:
                    _close_gap(old, label, first, after)
            else:
                label[x] = lowest + 1
                _enter(x, label, first, after, before)
    for x in range(n):
        cut[x] = label[x] == n
    return scanned + since_exact
