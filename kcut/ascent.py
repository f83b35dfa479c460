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
from kcut.graph import Index, Start, counting_sort
from kcut.push_relabel import Amount, Network
from kcut.start import move_jobs

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
        finished = num_levels > 1 and not state.step_above(num_levels)
        last = finished or num_levels == max_levels
        yield state.show(num_levels, with_cover=covers or last, finished=finished)
        if last:
            return


def improve(
    instance: CompressionInstance,
    levels: Levels,
    *,
    polish: bool = False,
    drain: Drain = push_relabel.drain,
) -> Iterator[Step]:
    """Yield better and better levels from any feasible ones to an optimal assignment.

    Parameters
    ----------
    instance : CompressionInstance
    levels : ndarray of int64, shape (num_jobs,)
        Feasible levels to start from: a heuristic's, or those before a job arrived.
    polish : bool
        Whether to move single jobs first while that gains, see `kcut.start.move_jobs`.
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
    state = _State(instance, levels, drain, polish=polish)
    num_levels = instance.levels
    while state.step_up(num_levels):
        yield state.show(num_levels)
    while state.step_down(num_levels):
        yield state.show(num_levels)
    yield state.show(num_levels, with_cover=True)


class _State:
    """Levels, cover and excess, with jobs renumbered by falling level.

    Edges are grouped by their upper job. Jobs that may move excess to each other then lie close
    together in memory, which is worth about a quarter of the time on large instances.
    """

    def __init__(
        self, instance: CompressionInstance, levels: Levels, drain: Drain, *, polish: bool = False
    ) -> None:
        self.instance = instance
        self.order = by_falling_level(levels, instance.depth)
        out = instance.out_edges
        self.levels = levels[self.order]
        self.start, self.lower, self.weight = _regroup(
            self.order, out.start, out.other, out.edge, instance.weight
        )
        if polish:
            move_jobs(self.start, self.lower, self.weight, self.levels, instance.levels - 1)
        self.cover, self.excess = _tied_cover(self.start, self.lower, self.weight, self.levels)
        self.drain = drain
        self.num_cuts = 0
        self.network: Network | None = None  # while there is one, its residuals are the cover
        self.near = np.zeros(0, np.int32)
        self.sign = 1

    def step_up(self, num_levels: int) -> bool:
        """Drain misplaced excess; lift the cut around what is left; say if there was any."""
        top = self.levels == num_levels - 1
        return (self.excess[~top] > 0).any() and self._step(top, 1)

    def step_down(self, num_levels: int) -> bool:
        """Fill misplaced deficits; lower the cut around what is left; say if there was any."""
        bottom = self.levels == 0
        return (self.excess[~bottom] < 0).any() and self._step(bottom, -1)

    def step_above(self, num_levels: int) -> bool:
        """Go from optimal for K - 1 levels, with its proof, to optimal for K, with its proof.

        All excess is on the top level before. What cannot reach a deficit is inside the cut and
        came from a top job inside it: no residual arc leaves the cut. So it goes back there in
        the same network, and when the cut is lifted it is on the new top level.
        """
        nowhere = np.zeros(len(self.levels), np.bool_)
        cut = self._push(nowhere, 1)
        self.num_cuts += 1
        if not (self.excess > 0).any():
            return False
        outside = np.where(cut, 0, self.excess)
        self.excess -= outside
        self._push(cut & (self.levels == num_levels - 2), 1)
        self.excess += outside
        self._move(cut, 1)
        return True

    def _step(self, sink: NDArray[np.bool_], sign: int) -> bool:
        cut = self._push(sink, sign)
        self.num_cuts += 1
        left = bool((sign * self.excess[~sink] > 0).any())
        if left:
            self._move(cut, sign)
        return left

    def _push(self, sink: NDArray[np.bool_], sign: int) -> NDArray[np.bool_]:
        """Move excess (deficits if sign < 0) towards sinks; return a minimum cut."""
        network = self._network(sign)
        excess = sign * self.excess
        excess[sink] -= _BEYOND
        cut = np.zeros(len(excess), np.bool_)
        self.drain(network, excess, cut)
        excess[sink] += _BEYOND
        self.excess = sign * excess
        return cut

    def _network(self, sign: int) -> Network:
        """Return the residual network of the levels; arcs are reversed where sign < 0."""
        if self.network is None:
            self.network, self.near = _residual_network(
                self.start, self.lower, self.weight, self.cover, self.levels, sign
            )
        elif sign != self.sign:
            residual = self.network.residual
            residual[:] = residual[self.network.reverse]
        self.sign = sign
        return self.network

    def _read_cover(self) -> None:
        if self.network is not None:
            _read_cover(
                self.start,
                self.network,
                self.near,
                self.lower,
                self.weight,
                self.levels,
                self.cover,
                self.sign,
            )

    def _move(self, cut: NDArray[np.bool_], sign: int) -> None:
        """Lift or lower a cut; its edges change class, so the network is out of date."""
        self._read_cover()
        self.network = None
        self.levels[cut] += sign

    def show(self, num_levels: int, *, with_cover: bool = False, finished: bool = False) -> Step:
        """Return the state as a step, in the numbering of the instance."""
        levels = np.empty_like(self.levels)
        levels[self.order] = self.levels
        cover = None
        if with_cover:
            self._read_cover()
            out = self.instance.out_edges
            cover = _in_order_of_edges(self.order, out.start, out.edge, self.start, self.cover)
        return Step(num_levels, levels, cover, self.num_cuts, finished)


def by_falling_level(levels: Levels, depth: Index) -> Index:
    """Return all jobs by falling level, then by depth, then by index: a topological order.

    Parameters
    ----------
    levels : ndarray of int64, shape (num_jobs,)
        Feasible.
    depth : ndarray of int32, shape (num_jobs,)

    Returns
    -------
    ndarray of int32, shape (num_jobs,)
    """
    every = np.arange(len(levels), dtype=np.int64)
    _, by_depth = counting_sort(int(depth.max()) + 1, depth, every)
    below = (levels.max() - levels).astype(np.int32)
    _, by_level = counting_sort(int(below.max()) + 1, below, by_depth)
    return by_level.astype(np.int32)


@njit(cache=True)
def _regroup(
    order: Index, out_start: Start, out_other: Index, out_edge: NDArray[np.int64], given: Amount
) -> tuple[Start, Index, Amount]:
    """Renumber jobs by their place in `order`; return the edges grouped by upper job."""
    n, m = len(order), len(given)
    place = np.empty(n, np.int32)
    for p in range(n):
        place[order[p]] = p
    start = np.zeros(n + 1, np.int64)
    lower, weight = np.empty(m, np.int32), np.empty(m, np.int64)
    i = 0
    for p in range(n):
        for a in range(out_start[order[p]], out_start[order[p] + 1]):
            lower[i], weight[i] = place[out_other[a]], given[out_edge[a]]
            i += 1
        start[p + 1] = i
    return start, lower, weight


@njit(cache=True)
def _tied_cover(
    start: Start, lower: Index, weight: Amount, levels: Levels
) -> tuple[Cover, NDArray[np.int64]]:
    """Return the cover that is w where d = 0 and 0 elsewhere, and its excess."""
    cover = np.zeros(len(weight), np.int64)
    excess = np.zeros(len(levels), np.int64)
    for p in range(len(levels)):
        for i in range(start[p], start[p + 1]):
            q = lower[i]
            tied = weight[i] if levels[p] == levels[q] else np.int64(0)
            cover[i] = tied
            excess[p] += tied
            excess[q] -= tied
    return cover, excess


@njit(cache=True)
def _residual_network(
    start: Start, lower: Index, weight: Amount, cover: Cover, levels: Levels, sign: int
) -> tuple[Network, Index]:
    """Build both residual arcs of every edge with d <= 1; the others are fixed at b = 0.

    Returns the network, arcs reversed where sign < 0, and its edges by upper job. Of the arcs of a
    job, those along its near edges come first, in their order.
    """
    n = len(levels)
    net_start = np.zeros(n + 1, np.int64)
    num_down = np.zeros(n, np.int32)
    near = np.empty(len(weight) + 1, np.int32)
    count = np.int64(0)
    for p in range(n):
        before = count
        for i in range(start[p], start[p + 1]):
            is_near = np.int64(levels[p] - levels[lower[i]] <= 1)
            near[count] = i
            count += is_near
            net_start[lower[i] + 1] += is_near
        num_down[p] = count - before
        net_start[p + 1] += num_down[p]
    for p in range(n):
        net_start[p + 1] += net_start[p]
    place = net_start[:-1] + num_down
    head = np.empty(2 * count, np.int32)
    reverse = np.empty(2 * count, np.int32)
    residual = np.empty(2 * count, np.int64)
    k = 0
    for p in range(n):
        for down in range(net_start[p], net_start[p] + num_down[p]):
            i = near[k]
            k += 1
            q = lower[i]
            up = place[q]
            place[q] = up + 1
            head[down], head[up] = q, p
            reverse[down], reverse[up] = up, down
            level = levels[p] == levels[q]
            less = cover[i] - (weight[i] if level else np.int64(0))
            more = (_UNBOUNDED if level else weight[i]) - cover[i]
            residual[down], residual[up] = (less, more) if sign > 0 else (more, less)
    return Network(net_start, head, reverse, residual), near[:count].copy()


@njit(cache=True)
def _read_cover(
    start: Start,
    network: Network,
    near: Index,
    lower: Index,
    weight: Amount,
    levels: Levels,
    cover: Cover,
    sign: int,
) -> None:
    """Read b back from how much less it may be: b - w where d = 0, b where d = 1."""
    net_start, _, reverse, residual = network
    k = 0
    for p in range(len(levels)):
        down = net_start[p]
        while k < len(near) and near[k] < start[p + 1]:
            i = near[k]
            less = residual[down if sign > 0 else reverse[down]]
            cover[i] = less + (weight[i] if levels[p] == levels[lower[i]] else np.int64(0))
            k += 1
            down += 1


@njit(cache=True)
def _in_order_of_edges(
    order: Index, out_start: Start, out_edge: NDArray[np.int64], start: Start, cover: Cover
) -> Cover:
    result = np.empty_like(cover)
    for p in range(len(order)):
        first = out_start[order[p]]
        for i in range(start[p], start[p + 1]):
            result[out_edge[first + i - start[p]]] = cover[i]
    return result
