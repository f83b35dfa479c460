"""Steepest ascent by minimum cuts: from no levels upward, or from any levels to the optimum.

State: feasible levels L and a cover b that agree on every edge u -> v of weight w, with
d = L(u) - L(v):

    d = 0: b >= w        d = 1: 0 <= b <= w        d >= 2: b = 0                          (1)

They prove each other optimal for K levels once excess(v) = out_v - in_v of the cover also agrees:

    excess(v) >= 0 where L(v) = K-1,   excess(v) <= 0 where L(v) = 0,   else excess(v) = 0   (2)

A step up drains excess from below the top along residual arcs (less b on u -> v moves excess
down, more b moves it up) into deficits and into the top level. What is left sits inside a minimum
cut S, the set whose lift raises the cut value most; L + 1_S keeps (1). A step down does the same
to deficits above level 0, with every sign turned round. Steps up until no excess is misplaced,
then steps down until no deficit is, end in (2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut import push_relabel
from kcut.certificate import Cover
from kcut.compression import CompressionInstance, Levels
from kcut.push_relabel import Network

_UNBOUNDED = np.int64(2**63 - 1)
_BEYOND = 2**62  # at least any excess

Drain = Callable[[Network, NDArray[np.int64], NDArray[np.bool_]], int]
"""A maximum-flow engine with the contract of `kcut.push_relabel.drain`."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """Levels on the way, and what proves them.

    Attributes
    ----------
    num_levels : int
        K: the levels are for K levels.
    levels : ndarray of int64, shape (num_jobs,)
        0..K-1.
    cover : ndarray of int64, shape (num_edges,), or None
        Where there is one, its ``bound`` for K equals the value of the levels.
    num_cuts : int
        Minimum cuts computed so far.
    finished : bool
        Whether more levels than K bring nothing more; the cover then proves that too.
    """

    num_levels: int
    levels: Levels
    cover: Cover | None
    num_cuts: int
    finished: bool


def ascend(
    instance: CompressionInstance,
    max_levels: int,
    *,
    covers: bool = True,
    drain: Drain = push_relabel.drain,
) -> Iterator[Step]:
    """Yield an optimal assignment for K = 1, 2, ... levels, from L = 0 by one step up for each.

    Parameters
    ----------
    instance : CompressionInstance
        Its own number of levels is not looked at.
    max_levels : int
        Where to stop; the ascent stops earlier when more levels bring nothing.
    covers : bool
        Whether every step is to carry its cover. Without, the last one alone does.
    drain : callable
        The maximum-flow engine.

    Yields
    ------
    Step
        For K = 1, 2, ...; the last one has ``finished`` or K = max_levels.

    Notes
    -----
    One maximum flow for each K, on the edges with d <= 1 alone, warm-started from the one before;
    a cover costs one more, an easy one: excess that came from the top goes back there. About
    60 bytes an edge beyond the instance.

    References
    ----------
    Murota & Shioura, Exact bounds for steepest descent algorithms of L-convex function
    minimization, Operations Research Letters 42(5), 2014, doi:10.1016/j.orl.2014.06.005.
    Ahuja, Hochbaum & Orlin, Solving the convex cost integer dual network flow problem,
    Management Science 49(7), 2003, doi:10.1287/mnsc.49.7.950.16384.
    """
    state = _State(instance, np.zeros(instance.num_jobs, np.int64), drain)
    for num_levels in range(1, max_levels + 1):
        finished = num_levels > 1 and not state.step_up(num_levels)
        last = finished or num_levels == max_levels
        if covers or last:
            while state.step_up(num_levels):
                pass
        yield state.show(num_levels, with_cover=covers or last, finished=finished)
        if last:
            return


def improve(
    instance: CompressionInstance, levels: Levels, *, drain: Drain = push_relabel.drain
) -> Iterator[Step]:
    """Yield better and better levels from any feasible ones to an optimal assignment.

    Parameters
    ----------
    instance : CompressionInstance
    levels : ndarray of int64, shape (num_jobs,)
        Feasible levels to start from: a heuristic's, or those before a job arrived.
    drain : callable
        The maximum-flow engine.

    Yields
    ------
    Step
        After each cut; the last one is optimal and carries its cover, the others have none.

    Notes
    -----
    The number of cuts is that of the largest rise and the largest fall of any job, and two more
    that find nothing to do. Each is one maximum flow on the edges with d <= 1.
    """
    state = _State(instance, levels.astype(np.int64), drain)
    num_levels = instance.levels
    while state.step_up(num_levels):
        yield state.show(num_levels)
    while state.step_down(num_levels):
        yield state.show(num_levels)
    yield state.show(num_levels, with_cover=True)


class _State:
    """Levels, cover and excess, with edges in the order of their upper job."""

    def __init__(self, instance: CompressionInstance, levels: Levels, drain: Drain) -> None:
        grouped = instance.out_edges
        self.edge = grouped.edge
        self.upper, self.lower = instance.upper[grouped.edge], grouped.other
        self.weight = instance.weight[grouped.edge]
        self.levels = levels
        self.cover = np.where(levels[self.upper] == levels[self.lower], self.weight, 0)
        self.excess = _excess(self.upper, self.lower, self.cover, len(levels))
        self.drain = drain
        self.num_cuts = 0

    def step_up(self, num_levels: int) -> bool:
        """Drain misplaced excess; lift the cut around what is left; say if there was any."""
        top = self.levels == num_levels - 1
        if not (self.excess[~top] > 0).any():
            return False
        return self._step(num_levels, top, 1)

    def step_down(self, num_levels: int) -> bool:
        """Fill misplaced deficits; lower the cut around what is left; say if there was any."""
        bottom = self.levels == 0
        if not (self.excess[~bottom] < 0).any():
            return False
        return self._step(num_levels, bottom, -1)

    def _step(self, num_levels: int, sink: NDArray[np.bool_], sign: int) -> bool:
        network, down_arcs = _residual_network(
            self.upper, self.lower, self.weight, self.cover, self.levels
        )
        residual = network.residual
        if sign < 0:
            network = network._replace(residual=residual[network.reverse])
        excess = sign * self.excess
        excess[sink] -= _BEYOND
        cut = np.zeros(len(excess), np.bool_)
        self.drain(network, excess, cut)
        self.num_cuts += 1
        excess[sink] += _BEYOND
        if sign < 0:
            residual = network.residual[network.reverse]
        _read_cover(
            residual, down_arcs, self.upper, self.lower, self.weight, self.levels, self.cover
        )
        self.excess = sign * excess
        left = (excess[~sink] > 0).any()
        if left:
            self.levels[cut] += sign
        return bool(left)

    def show(self, num_levels: int, *, with_cover: bool = False, finished: bool = False) -> Step:
        """Return the state as a step, the cover in the order of the instance."""
        cover = None
        if with_cover:
            cover = np.empty_like(self.cover)
            cover[self.edge] = self.cover
        return Step(num_levels, self.levels.copy(), cover, self.num_cuts, finished)


@njit(cache=True)
def _excess(
    upper: NDArray[np.int32], lower: NDArray[np.int32], cover: Cover, num_jobs: int
) -> NDArray[np.int64]:
    excess = np.zeros(num_jobs, np.int64)
    for e in range(len(cover)):
        excess[upper[e]] += cover[e]
        excess[lower[e]] -= cover[e]
    return excess


@njit(cache=True)
def _residual_network(
    upper: NDArray[np.int32],
    lower: NDArray[np.int32],
    weight: NDArray[np.int64],
    cover: Cover,
    levels: Levels,
) -> tuple[Network, NDArray[np.int32]]:
    """Build both residual arcs of every edge with d <= 1; the others are fixed at b = 0.

    Returns the network, and for each of its edges the pair (edge, arc from upper to lower).
    """
    n = len(levels)
    start = np.zeros(n + 1, np.int64)
    near = np.empty(len(weight) + 1, np.int32)
    count = np.int64(0)
    for e in range(len(weight)):
        u, v = upper[e], lower[e]
        is_near = np.int64(levels[u] - levels[v] <= 1)
        near[count] = e
        count += is_near
        start[u + 1] += is_near
        start[v + 1] += is_near
    for x in range(n):
        start[x + 1] += start[x]
    place = start[:-1].copy()
    head = np.empty(2 * count, np.int32)
    reverse = np.empty(2 * count, np.int32)
    residual = np.empty(2 * count, np.int64)
    down_arcs = np.empty((count, 2), np.int32)
    for i in range(count):
        e = near[i]
        u, v = upper[e], lower[e]
        down, up = place[u], place[v]
        place[u] = down + 1
        place[v] = up + 1
        head[down], head[up] = v, u
        reverse[down], reverse[up] = up, down
        level = levels[u] == levels[v]
        residual[down] = cover[e] - (weight[e] if level else np.int64(0))
        residual[up] = (_UNBOUNDED if level else weight[e]) - cover[e]
        down_arcs[i, 0], down_arcs[i, 1] = e, down
    return Network(start, head, reverse, residual), down_arcs


@njit(cache=True)
def _read_cover(
    residual: NDArray[np.int64],
    down_arcs: NDArray[np.int32],
    upper: NDArray[np.int32],
    lower: NDArray[np.int32],
    weight: NDArray[np.int64],
    levels: Levels,
    cover: Cover,
) -> None:
    """Read b back from the residual of the downward arcs: b - w where d = 0, b where d = 1."""
    for i in range(len(down_arcs)):
        e, down = down_arcs[i]
        level = levels[upper[e]] == levels[lower[e]]
        cover[e] = residual[down] + (weight[e] if level else np.int64(0))
