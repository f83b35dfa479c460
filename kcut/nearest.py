"""Among all optimal levels, those nearest to given ones.

Levels L are optimal exactly if they agree with one optimal cover b: with d = L(u) - L(v),

    b < w:  d >= 1      b = w:  d >= 0      b > w:  d = 0      b > 0:  d <= 1
    excess(v) > 0:  L(v) = K-1              excess(v) < 0:  L(v) = 0

These are bounds on differences, and the sum of |L(v) - P(v)| is convex, so lifting best sets until
none gains and then lowering best sets until none gains ends in a minimum. A best set is a largest
closure: jobs that come nearer to P by moving count 1, the others -1, and a bound that is tight
makes one job follow another.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut import push_relabel
from kcut.certificate import Cover, excess_of
from kcut.compression import CompressionInstance, Levels
from kcut.graph import Index
from kcut.push_relabel import Network

_UNBOUNDED = 2**40  # more than all jobs count


def nearest_optimum(
    instance: CompressionInstance, levels: Levels, cover: Cover, wanted: Levels
) -> Levels:
    """Return optimal levels with the least sum of distances to wanted ones.

    Parameters
    ----------
    instance : CompressionInstance
    levels : ndarray of int64, shape (num_jobs,)
        Optimal.
    cover : ndarray of int64, shape (num_edges,)
        What proves them; it proves the result as well.
    wanted : ndarray of int, shape (num_jobs,)
        Levels to come near to; -1 for a job that may be anywhere.

    Returns
    -------
    ndarray of int64, shape (num_jobs,)

    Notes
    -----
    At most 2 K maximum flows, on two arcs for each tight bound.

    References
    ----------
    Murota & Shioura, Exact bounds for steepest descent algorithms of L-convex function
    minimization, Operations Research Letters 42(5), 2014, doi:10.1016/j.orl.2014.06.005.
    Picard, Maximal closure of a graph and applications to combinatorial problems, Management
    Science 22(11), 1976, doi:10.1287/mnsc.22.11.1268.
    """
    excess = excess_of(instance.upper, instance.lower, cover, instance.num_jobs)
    least = (cover < instance.weight).astype(np.int64)
    most = np.where(cover > instance.weight, 0, np.where(cover > 0, 1, instance.levels))
    moved = levels.copy()
    for sign, end in ((1, instance.levels - 1), (-1, 0)):
        while True:
            stuck = (moved == end) | (excess != 0)
            nearer = np.where(sign * (wanted - moved) > 0, 1, -1)
            worth = np.where(wanted < 0, 0, nearer)
            chosen = _best_closure(instance, moved, least, most, worth, stuck, sign)
            if not chosen.any():
                break
            moved[chosen] += sign
    return moved


def _best_closure(
    instance: CompressionInstance,
    levels: Levels,
    least: NDArray[np.int64],
    most: NDArray[np.int64],
    worth: NDArray[np.int64],
    stuck: NDArray[np.bool_],
    sign: int,
) -> NDArray[np.bool_]:
    """Return the smallest set of jobs that is worth most to move, empty if none is worth it."""
    span = levels[instance.upper] - levels[instance.lower]
    network = _implications(
        instance.upper, instance.lower, span == least, span == most, instance.num_jobs, sign
    )
    left = np.where(stuck, -_UNBOUNDED, worth)
    cut = np.zeros(instance.num_jobs, np.bool_)
    push_relabel.drain(network, left, cut)
    return _reachable(network, left > 0)


@njit(cache=True)
def _implications(
    upper: Index,
    lower: Index,
    at_least: NDArray[np.bool_],
    at_most: NDArray[np.bool_],
    num_jobs: int,
    sign: int,
) -> Network:
    """Build unbounded arcs x -> y where y has to move with x, and empty ones back."""
    start = np.zeros(num_jobs + 1, np.int64)
    for e in range(len(upper)):
        if at_least[e] or at_most[e]:
            start[upper[e] + 1] += 1
            start[lower[e] + 1] += 1
    for x in range(num_jobs):
        start[x + 1] += start[x]
    place = start[:-1].copy()
    size = start[num_jobs]
    head, reverse = np.empty(size, np.int32), np.empty(size, np.int32)
    residual = np.zeros(size, np.int64)
    for e in range(len(upper)):
        if at_least[e] or at_most[e]:
            u, v = upper[e], lower[e]
            down, up = place[u], place[v]
            place[u] += 1
            place[v] += 1
            head[down], head[up] = v, u
            reverse[down], reverse[up] = up, down
            # Rising, the upper job may leave the lower one behind unless the span is at its most.
            if at_most[e] if sign > 0 else at_least[e]:
                residual[down] = _UNBOUNDED
            if at_least[e] if sign > 0 else at_most[e]:
                residual[up] = _UNBOUNDED
    return Network(start, head, reverse, residual)


@njit(cache=True)
def _reachable(network: Network, origin: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the vertices that residual arcs lead to from the origins, these included."""
    start, head, _, residual = network
    reached = origin.copy()
    stack = list(np.flatnonzero(origin))
    while len(stack) > 0:
        x = stack.pop()
        for a in range(start[x], start[x + 1]):
            if residual[a] > 0 and not reached[head[a]]:
                reached[head[a]] = True
                stack.append(np.int64(head[a]))
    return reached
