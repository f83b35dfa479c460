"""Steepest ascent: the optimum for 1, 2, 3, ... levels, each by one minimum cut, each with a cover.

State: levels L and a cover b that satisfy complementary slackness for K = k levels, so that
value(L) = bound(b), and with d = L(u) - L(v) on the edge u -> v of weight w,

    d = 0: b >= w        d = 1: 0 <= b <= w        d >= 2: b = 0
    excess(v) = out_v - in_v is >= 0 where L(v) = k - 1, <= 0 where L(v) = 0, else 0.

For K = k + 1 the excess at the top level must go: drain it along residual arcs (less b on u -> v
moves excess down, more b moves it up) into the deficits at level 0. What is left sits inside a
minimum cut S; L + 1_S and the drained cover satisfy the conditions for k + 1. The start is L = 0,
b = w. The set S is the one whose lift raises the cut value most.
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
_BEYOND = 2**62  # more than any excess

Drain = Callable[[Network, NDArray[np.int64], NDArray[np.bool_]], int]
"""A maximum-flow engine with the contract of `kcut.push_relabel.drain`."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """The state of the ascent after some cuts.

    Attributes
    ----------
    num_levels : int
        k: the levels are optimal for K = k.
    levels : ndarray of int64, shape (num_jobs,)
        0..k-1.
    cover : ndarray of int64, shape (num_edges,), or None
        Proves it: ``bound`` for K = k equals the value. None unless asked for.
    finished : bool
        Whether more levels than k bring nothing more; the cover then proves that too.
    """

    num_levels: int
    levels: Levels
    cover: Cover | None
    finished: bool


def ascend(
    instance: CompressionInstance,
    max_levels: int,
    *,
    covers: bool = True,
    drain: Drain = push_relabel.drain,
) -> Iterator[Step]:
    """Yield an optimal assignment for K = 1, 2, ... levels.

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
    One maximum flow a step, on the edges with d <= 1 alone, warm-started from the flow of the
    step before. About 60 bytes an edge beyond the instance.

    References
    ----------
    Murota & Shioura, Exact bounds for steepest descent algorithms of L-convex function
    minimization, Operations Research Letters 42(5), 2014, doi:10.1016/j.orl.2014.06.005.
    Ahuja, Hochbaum & Orlin, Solving the convex cost integer dual network flow problem,
    Management Science 49(7), 2003, doi:10.1287/mnsc.49.7.950.16384.
    """
    grouped = instance.out_edges
    upper, lower = instance.upper[grouped.edge], grouped.other
    weight = instance.weight[grouped.edge]
    cover = weight.copy()
    levels = np.zeros(instance.num_jobs, np.int64)
    excess = _excess(upper, lower, cover, instance.num_jobs)
    cut = np.zeros(instance.num_jobs, np.bool_)
    num_levels = 1
    finished = not (excess > 0).any()
    while True:
        wanted = covers or finished or num_levels == max_levels
        shown = _in_instance_order(cover, grouped.edge) if wanted else None
        yield Step(num_levels, levels.copy(), shown, finished)
        if finished or num_levels == max_levels:
            return
        num_levels += 1
        last = num_levels == max_levels
        network, edge_of_arc = _residual_network(upper, lower, weight, cover, levels)
        drain(network, excess, cut)
        finished = not (excess > 0).any()
        if covers or finished or last:
            _settle(network, excess, levels, num_levels - 2, drain)
        _read_cover(network, edge_of_arc, upper, lower, weight, levels, cover)
        levels[cut] += 1


def _settle(
    network: Network, excess: NDArray[np.int64], levels: Levels, top: int, drain: Drain
) -> None:
    """Return the excess left below the top level to the top, where it may stay.

    Engines may leave it anywhere inside the cut. As it came from the top level, it can go back.
    """
    if not (excess[levels < top] > 0).any():
        return
    at_top = levels == top
    excess[at_top] -= _BEYOND
    drain(network, excess, np.empty(len(excess), np.bool_))
    excess[at_top] += _BEYOND


def _in_instance_order(cover: Cover, edge: NDArray[np.int64]) -> Cover:
    result = np.empty_like(cover)
    result[edge] = cover
    return result


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
    """Build both residual arcs of every edge with d <= 1; the others are fixed at b = 0."""
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
    edge_of_arc = np.empty((count, 2), np.int32)
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
        edge_of_arc[i, 0], edge_of_arc[i, 1] = e, down
    return Network(start, head, reverse, residual), edge_of_arc


@njit(cache=True)
def _read_cover(
    network: Network,
    edge_of_arc: NDArray[np.int32],
    upper: NDArray[np.int32],
    lower: NDArray[np.int32],
    weight: NDArray[np.int64],
    levels: Levels,
    cover: Cover,
) -> None:
    """Read b back from the residual of the downward arcs: b - w where d = 0, b where d = 1."""
    for i in range(len(edge_of_arc)):
        e, down = edge_of_arc[i]
        level = levels[upper[e]] == levels[lower[e]]
        cover[e] = network.residual[down] + (weight[e] if level else np.int64(0))
