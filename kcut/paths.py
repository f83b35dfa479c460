"""Path selection: a cluster with an objective, in exact integers.

Every flow takes one of its candidate paths. While paths are chosen, what a job is worth is held
fixed: its stated intensity, else W_j over the t_j it has alone with each flow split evenly over its
candidates; likewise its period alone and its rank, by falling intensity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster
from kcut.contention import rank
from kcut.errors import InputError
from kcut.intensity import even_split_traffic, intensities, period_alone
from kcut.own_paths import best_own_times
from kcut.weights import exact_sum, scale_to_integers

Choice = NDArray[np.int64]
"""Candidate index of each flow, shape (num_flows,)."""

MINIMISED = ("contention", "max-load", "residual")
MAXIMISED = ("predicted-utilisation", "simulated")
OBJECTIVES = (*MINIMISED, *MAXIMISED)
"""What a choice of paths may be judged by; see `kcut.path_objectives`."""

SHARE_SCALE = float(2**40)
"""Utilisations are integers in units of ``1 / SHARE_SCALE``."""

FLOAT_BITS = 40
"""Intensities that are no integers are rounded up so that sums over pairs stay below 2^40."""

_TIME_BITS = 52


@dataclass(frozen=True, eq=False)
class PathsInstance:
    """A cluster, the objective its paths are chosen for, and a limit on stacking own flows.

    Attributes
    ----------
    cluster : Cluster
    objective : str
        One of `OBJECTIVES`.
    stretch : float
        No job's bottleneck time t_j may exceed this many times the best it can have alone, see
        `kcut.own_paths`; 0 for no such limit.
    """

    cluster: Cluster
    objective: str = "contention"
    stretch: float = 0.0

    def __post_init__(self) -> None:
        if self.objective not in OBJECTIVES:
            message = f"must be one of {', '.join(OBJECTIVES)}"
            raise InputError(message, "objective", self.objective)
        if self.stretch != 0 and not 1 <= self.stretch < math.inf:
            raise InputError("must be 0 or at least 1", "stretch", self.stretch)

    @property
    def name(self) -> str:
        """The cluster's name."""
        return self.cluster.name

    @property
    def levels(self) -> int:
        """K of the cluster."""
        return self.cluster.levels

    @property
    def num_jobs(self) -> int:
        """Number of jobs."""
        return self.cluster.num_jobs

    @property
    def num_flows(self) -> int:
        """Number of flows."""
        return self.cluster.num_flows

    @property
    def sha256(self) -> str:
        """Digest of the cluster."""
        return self.cluster.sha256

    @property
    def maximise(self) -> bool:
        """Whether a larger value of the objective is better."""
        return self.objective in MAXIMISED

    def with_objective(self, objective: str) -> PathsInstance:
        """Return the same cluster with another objective."""
        return replace(self, objective=objective)

    def with_levels(self, levels: int) -> PathsInstance:
        """Return the same problem with another number of levels."""
        return replace(self, cluster=self.cluster.with_levels(levels))

    @cached_property
    def active(self) -> NDArray[np.bool_]:
        """Which flows send anything, shape (num_flows,); the paths of the others are idle."""
        return self.cluster.flow_bytes > 0

    @cached_property
    def intensity(self) -> NDArray[np.float64]:
        """I_j held fixed while paths are chosen; infinite for a job that sends nothing."""
        return intensities(self.cluster, split=True)

    @cached_property
    def ranking(self) -> list[int]:
        """The jobs by falling intensity, the smaller index first where two are equal."""
        return rank(self.intensity)

    @cached_property
    def period(self) -> NDArray[np.float64]:
        """Iteration time of each job alone with evenly split flows, in seconds."""
        return period_alone(self.cluster, even_split_traffic(self.cluster))

    @cached_property
    def _weights(self) -> tuple[NDArray[np.int64], float]:
        finite = np.where(np.isfinite(self.intensity), self.intensity, 0.0)
        # Each job is the upper one of fewer than 2^bits pairs: sums over pairs stay below 2^53.
        bits = max(0, self.num_jobs - 1).bit_length()
        scaled, scale, exact = scale_to_integers(np.ldexp(finite, bits))
        common = int(np.bitwise_or.reduce(scaled))
        spare = min(bits, (common & -common).bit_length() - 1) if common else bits
        scaled, scale = scaled >> spare, math.ldexp(scale, bits - spare)
        if exact and scale == 1.0:
            return scaled, scale
        coarser = max(0, (exact_sum(scaled) << bits).bit_length() - FLOAT_BITS)
        return -(-scaled >> coarser), math.ldexp(scale, -coarser)

    @property
    def weight(self) -> NDArray[np.int64]:
        """Intensities as integers, in units of ``1 / scale``; sums over pairs are below 2^53."""
        return self._weights[0]

    @property
    def scale(self) -> float:
        """Power of two of the integer intensities; 1 where intensities are integers."""
        return self._weights[1]

    def pair_weight(self, i: int, j: int) -> int:
        """Return what it costs that two jobs meet: the larger of their weights."""
        return int(max(self.weight[i], self.weight[j]))

    @cached_property
    def link_flow(self) -> NDArray[np.int64]:
        """The flow of each entry of ``routes.link``."""
        routes = self.cluster.routes
        flow = np.repeat(np.arange(self.num_flows), routes.num_candidates)
        return np.repeat(flow, np.diff(routes.start))

    @cached_property
    def seconds(self) -> NDArray[np.float64]:
        """M_f / B_e of each entry of ``routes.link``."""
        link = self.cluster.routes.link
        return self.cluster.flow_bytes[self.link_flow] / self.cluster.bandwidth[link]

    @cached_property
    def _loads(self) -> tuple[NDArray[np.int64], float]:
        job = self.cluster.flow_job[self.link_flow]
        return _fixed_point(self.seconds / self.period[job], self._most_at_once)

    @cached_property
    def _times(self) -> tuple[NDArray[np.int64], float]:
        return _fixed_point(self.seconds, self._most_at_once)

    @property
    def _most_at_once(self) -> int:
        """Most flows on a link."""
        return self.num_flows + 1

    @property
    def load(self) -> NDArray[np.int64]:
        """M_f / (B_e period_j) of each entry of ``routes.link``, in units of 1 / load_scale."""
        return self._loads[0]

    @property
    def load_scale(self) -> float:
        """A power of two."""
        return self._loads[1]

    @property
    def time(self) -> NDArray[np.int64]:
        """M_f / B_e of each entry of ``routes.link``, in units of 1 / time_scale seconds."""
        return self._times[0]

    @property
    def time_scale(self) -> float:
        """A power of two."""
        return self._times[1]

    @cached_property
    def time_limit(self) -> NDArray[np.int64] | None:
        """Largest t_j of each job in units of 1 / time_scale; None without a stretch."""
        if self.stretch == 0:
            return None
        best = best_own_times(self.cluster, self.time).best
        return np.array([math.floor(self.stretch * float(own)) for own in best], np.int64)

    def infeasibility(self, choice: NDArray[np.integer[Any]]) -> str | None:
        """Say what makes a choice of paths infeasible, or return None."""
        if choice.shape != (self.num_flows,):
            return f"{choice.shape} path indices for {self.num_flows} flows"
        if not np.issubdtype(choice.dtype, np.integer):
            return f"path indices are {choice.dtype}, not integers"
        most = self.cluster.routes.num_candidates
        outside = np.flatnonzero((choice < 0) | (choice >= most))
        if len(outside):
            f = int(outside[0])
            return f"flow {f} has path {int(choice[f])}, outside 0..{int(most[f]) - 1}"
        if self.time_limit is None:
            return None
        own = own_times(self, choice.astype(np.int64))
        over = np.flatnonzero(own > self.time_limit)
        if len(over):
            j = int(over[0])
            took, may = own[j] / self.time_scale, self.time_limit[j] / self.time_scale
            return f"job {j} takes {took:.6g} s on its bottleneck, more than {may:.6g} s"
        return None


def chosen_entries(instance: PathsInstance, choice: Choice) -> NDArray[np.int64]:
    """Return the indices into ``routes.link`` of the chosen paths, flow by flow."""
    routes = instance.cluster.routes
    candidate = routes.first[:-1] + choice
    begin = routes.start[candidate]
    length = routes.start[candidate + 1] - begin
    ends = np.cumsum(length)
    total = int(ends[-1]) if len(ends) else 0
    within = np.arange(total) - np.repeat(ends - length, length)
    entries: NDArray[np.int64] = np.repeat(begin, length) + within
    return entries


def own_times(instance: PathsInstance, choice: Choice) -> NDArray[np.int64]:
    """Return t_j of each job under a choice, in units of ``1 / time_scale`` seconds."""
    cluster = instance.cluster
    entry = chosen_entries(instance, choice)
    job = cluster.flow_job[instance.link_flow[entry]].astype(np.int64)
    code = job * cluster.num_links + cluster.routes.link[entry]
    pair, inverse = np.unique(code, return_inverse=True)
    total = np.zeros(len(pair), np.int64)
    np.add.at(total, inverse, instance.time[entry])
    longest = np.zeros(cluster.num_jobs, np.int64)
    np.maximum.at(longest, pair // max(1, cluster.num_links), total)
    return longest


def _fixed_point(numbers: NDArray[np.float64], terms: int) -> tuple[NDArray[np.int64], float]:
    """Round to multiples of a power of two so that sums of `terms` of them stay below 2^53."""
    largest = float(numbers.max(initial=0.0))
    if largest == 0.0:
        return np.zeros(len(numbers), np.int64), 1.0
    exponent = _TIME_BITS - math.frexp(largest)[1] - terms.bit_length()
    exponent = max(-1000, min(1000, exponent))
    return np.rint(np.ldexp(numbers, exponent)).astype(np.int64), math.ldexp(1.0, exponent)
