"""Priority compression: the instance, the value of an assignment of levels, its feasibility.

A DAG with weights w_e >= 0 and K levels; L: jobs -> {0..K-1}, larger = higher priority.

    maximise   sum of w_e over edges u -> v with L(u) > L(v)
    subject to L(u) >= L(v) on every edge u -> v
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import ArrayLike, NDArray

from kcut import checks, graph
from kcut.errors import InputError
from kcut.weights import exact_sum, sum_rounded

Levels = NDArray[np.int64]

MAX_JOBS = 10_000_000
MAX_LEVELS = 1_000_000


@dataclass(frozen=True, eq=False)
class CompressionInstance:
    """A contention DAG and a number of priority levels; valid once it exists.

    Build one with `from_edges`, which checks everything.

    Attributes
    ----------
    name : str
    num_jobs : int
    levels : int
        K, the number of priority levels.
    upper, lower : ndarray of int32, shape (num_edges,)
        Edge e says that job ``upper[e]`` outranks job ``lower[e]``. 0-based.
    weight : ndarray of int64, shape (num_edges,)
        Edge weights in units of ``1 / scale``.
    depth : ndarray of int32, shape (num_jobs,)
        Number of edges of the longest path that ends in each job.
    scale : float
        A power of two; 1 for integer weights.
    original : ndarray of float64, shape (num_edges,), or None
        The weights as given, where scaling had to round them.
    labels : tuple of str, or None
        Names of the jobs.
    given_order : ndarray of int32, shape (num_jobs,), or None
        All jobs, highest priority first, agreeing with the edges.
    """

    name: str
    num_jobs: int
    levels: int
    upper: NDArray[np.int32]
    lower: NDArray[np.int32]
    weight: NDArray[np.int64]
    depth: NDArray[np.int32]
    scale: float = 1.0
    original: NDArray[np.float64] | None = None
    labels: tuple[str, ...] | None = None
    given_order: NDArray[np.int32] | None = None
    _out: graph.Adjacency | None = field(default=None, repr=False)

    @classmethod
    def from_edges(
        cls,
        num_jobs: int,
        upper: ArrayLike,
        lower: ArrayLike,
        weight: ArrayLike,
        *,
        levels: int,
        name: str = "unnamed",
        labels: tuple[str, ...] | None = None,
        order: ArrayLike | None = None,
    ) -> CompressionInstance:
        """Check the parts of an instance and build it.

        Parameters
        ----------
        num_jobs : int
            1 to `MAX_JOBS`.
        upper, lower : array_like of int, shape (num_edges,)
            Endpoints, 0-based; ``upper`` has the higher priority.
        weight : array_like of int or float, shape (num_edges,)
            Finite, non-negative, with a sum of at most 2^62. Floats are scaled to integers.
        levels : int
            K, 1 to `MAX_LEVELS`.
        name : str, optional
        labels : tuple of str, optional
            One distinct name for each job.
        order : array_like of int, shape (num_jobs,), optional
            All jobs, highest priority first.

        Returns
        -------
        CompressionInstance

        Raises
        ------
        InputError
            Names the field and the value: counts out of range, endpoints out of range,
            self-loops, duplicate edges, a cycle (named), NaN, infinite, negative or too large
            weights, an order that is no permutation or contradicts an edge.

        Notes
        -----
        O(num_jobs + num_edges) time and memory.
        """
        checks.check_count("num_jobs", num_jobs, MAX_JOBS)
        checks.check_count("levels", levels, MAX_LEVELS)
        upper32 = checks.check_endpoints(upper, num_jobs, 0)
        lower32 = checks.check_endpoints(lower, num_jobs, 1)
        integer, scale, original = checks.check_weights(np.asarray(weight))
        if not len(upper32) == len(lower32) == len(integer):
            sizes = (len(upper32), len(lower32), len(integer))
            raise InputError("upper, lower and weight differ in length", "edges", sizes)
        loops = np.flatnonzero(upper32 == lower32)
        if len(loops):
            raise InputError("a self-loop", f"edges[{loops[0]}]", int(upper32[loops[0]]))
        out = graph.group_edges(num_jobs, upper32, lower32)
        repeat = graph.find_duplicate(out)
        if repeat is not None:
            pair = [int(upper32[repeat]), int(lower32[repeat])]
            raise InputError("a duplicate edge", f"edges[{repeat}]", pair)
        depth = graph.longest_path_depth(out)
        if depth is None:
            cycle = graph.find_cycle(out)
            assert cycle is not None
            shown = [*cycle, cycle[0]] if len(cycle) <= 12 else [*cycle[:12], "..."]
            raise InputError("edges form a cycle", "edges", " -> ".join(map(str, shown)))
        for array in (upper32, lower32, integer, depth):
            array.flags.writeable = False
        return cls(
            name=name,
            num_jobs=num_jobs,
            levels=levels,
            upper=upper32,
            lower=lower32,
            weight=integer,
            scale=scale,
            original=original,
            labels=checks.check_labels(labels, num_jobs),
            given_order=checks.check_order(order, num_jobs, upper32, lower32),
            depth=depth,
            _out=out,
        )

    @property
    def num_edges(self) -> int:
        """Number of edges."""
        return len(self.weight)

    @property
    def is_integer(self) -> bool:
        """Whether values are integers in the original unit."""
        return self.scale == 1.0 and self.original is None

    @cached_property
    def total_weight(self) -> int:
        """Sum of all weights, exact, in units of ``1 / scale``."""
        return exact_sum(self.weight)

    @cached_property
    def out_edges(self) -> graph.Adjacency:
        """Edges grouped by their upper job."""
        if self._out is not None:
            return self._out
        return graph.group_edges(self.num_jobs, self.upper, self.lower)

    @cached_property
    def in_edges(self) -> graph.Adjacency:
        """Edges grouped by their lower job."""
        return graph.group_edges(self.num_jobs, self.lower, self.upper)

    @cached_property
    def order(self) -> NDArray[np.int32]:
        """All jobs, highest priority first: as given, else always the smallest ready index."""
        if self.given_order is not None:
            return self.given_order
        return graph.smallest_ready_order(self.out_edges)

    @cached_property
    def useful_levels(self) -> int:
        """K, or the number of jobs on a longest path where that is less: more changes nothing."""
        return min(self.levels, int(self.depth.max()) + 1)

    @cached_property
    def sha256(self) -> str:
        """Digest of the DAG, its weights and its order (not of name, labels and levels)."""
        digest = hashlib.sha256(b"kcut/compression/1")
        digest.update(np.array([self.num_jobs, self.num_edges], "<i8").tobytes())
        for array, dtype in ((self.upper, "<i4"), (self.lower, "<i4"), (self.weight, "<i8")):
            digest.update(array.astype(dtype, copy=False).tobytes())
        digest.update(np.array([self.scale], "<f8").tobytes())
        for optional, dtype in ((self.original, "<f8"), (self.given_order, "<i4")):
            digest.update(b"-" if optional is None else optional.astype(dtype).tobytes())
        return digest.hexdigest()

    def with_levels(self, levels: int) -> CompressionInstance:
        """Return the same DAG with another number of levels."""
        checks.check_count("levels", levels, MAX_LEVELS)
        return replace(self, levels=levels, _out=self.out_edges)


def cut_value(instance: CompressionInstance, levels: NDArray[np.integer[Any]]) -> int:
    """Return the weight of the edges whose upper job has the strictly higher level.

    Parameters
    ----------
    instance : CompressionInstance
    levels : ndarray of int, shape (num_jobs,)
        Feasible or not: an edge that runs upward counts nothing.

    Returns
    -------
    int
        Exact, in units of ``1 / instance.scale``. O(num_edges).
    """
    given = levels.astype(np.int64)
    return int(_value_and_violation(instance.upper, instance.lower, instance.weight, given)[0])


@njit(cache=True)
def _value_and_violation(
    upper: NDArray[np.int32], lower: NDArray[np.int32], weight: NDArray[np.int64], levels: Levels
) -> tuple[np.int64, int]:
    """Return the cut value, which MAX_TOTAL keeps from wrapping, and an edge that runs upward.

    The first one, or -1 if there is none.
    """
    value, upward = np.int64(0), -1
    for e in range(len(weight)):
        above, below = levels[upper[e]], levels[lower[e]]
        value += weight[e] if above > below else np.int64(0)
        if above < below and upward < 0:
            upward = e
    return value, upward


def max_k_cut_value(instance: CompressionInstance, levels: NDArray[np.integer[Any]]) -> int:
    """Return the weight of the edges whose ends differ in level, whichever way they run.

    That is the value in ordinary Max K-Cut, the relaxation of compression without its order;
    otherwise as `cut_value`.
    """
    return exact_sum(instance.weight[levels[instance.upper] != levels[instance.lower]])


def original_weight(instance: CompressionInstance, edges: NDArray[np.bool_]) -> int | float:
    """Return the weight of some edges in the unit of the weights as given.

    Parameters
    ----------
    instance : CompressionInstance
    edges : ndarray of bool, shape (num_edges,)

    Returns
    -------
    int or float
        An exact int where the weights were integers, else the exact sum rounded once to the
        nearest float. O(num_edges).
    """
    if instance.is_integer:
        return exact_sum(instance.weight[edges])
    if instance.original is None:
        return exact_sum(instance.weight[edges]) / instance.scale
    return sum_rounded(instance.original[edges].tolist(), 0)


def infeasibility(instance: CompressionInstance, levels: NDArray[np.integer[Any]]) -> str | None:
    """Say what makes an assignment of levels infeasible, or return None.

    Parameters
    ----------
    instance : CompressionInstance
    levels : ndarray of int
        The assignment, one level for each job.

    Returns
    -------
    str or None
        The first violation: wrong shape or type, a level outside 0..K-1, or an edge that runs
        from a lower to a higher level. O(num_jobs + num_edges).
    """
    return value_or_violation(instance, levels)[0]


def value_or_violation(
    instance: CompressionInstance, levels: NDArray[np.integer[Any]]
) -> tuple[str | None, int | None]:
    """Return what `infeasibility` says, and `cut_value` if it says nothing, in one pass."""
    problem = out_of_range(instance, levels)
    if problem is not None:
        return problem, None
    value, upward = _value_and_violation(
        instance.upper, instance.lower, instance.weight, levels.astype(np.int64)
    )
    if upward >= 0:
        u, v = int(instance.upper[upward]), int(instance.lower[upward])
        levels_of = f"({levels[u]} < {levels[v]})"
        return f"job {u} outranks job {v} but has the lower level {levels_of}", None
    return None, int(value)


def out_of_range(instance: CompressionInstance, levels: NDArray[np.integer[Any]]) -> str | None:
    """Say why an array is no assignment of the levels 0..K-1 to all jobs, or return None."""
    if levels.shape != (instance.num_jobs,):
        return f"{levels.shape} levels for {instance.num_jobs} jobs"
    if not np.issubdtype(levels.dtype, np.integer):
        return f"levels are {levels.dtype}, not integers"
    outside = np.flatnonzero((levels < 0) | (levels >= instance.levels))
    if len(outside):
        job = int(outside[0])
        return f"job {job} has level {int(levels[job])}, outside 0..{instance.levels - 1}"
    return None
