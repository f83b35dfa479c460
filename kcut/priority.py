"""Priority order: in which order jobs are served, a cluster or a matrix with an objective.

A solution lists the jobs, highest priority first. On a cluster every job gets a level of its own,
paths are drawn by ECMP hashing with seed 0, and the order is judged by the fluid model:

    utilisation   sum of G_j times the busy share of job j, over sum G_j; maximised
    slowdown      the largest iteration time over that of the job alone; minimised
    gains         linear ordering of the gains of pairs, see `kcut.linear_order`; maximised
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster
from kcut.contention import rank, sharing_pairs
from kcut.errors import InputError
from kcut.intensity import intensities, traffic
from kcut.linear_order import Gains, infeasibility
from kcut.pair_gains import ordered_gains
from kcut.paths import SHARE_SCALE

OBJECTIVES = ("utilisation", "slowdown", "gains")
"""What an order may be judged by; see `kcut.priority_objectives`."""

AUTO = "auto"
"""Utilisation on a cluster, gains on a matrix."""

SLOWDOWN_SCALE = float(2**32)
"""Slowdowns are integers in units of ``1 / SLOWDOWN_SCALE``."""


@dataclass(frozen=True, eq=False)
class PriorityInstance:
    """A cluster, or a matrix of gains, and the objective its order is chosen for.

    Attributes
    ----------
    cluster : Cluster or None
    objective : str
        One of `OBJECTIVES`, or `AUTO` for the main one.
    matrix : Gains or None
        Where there is no cluster.
    title : str
        Name of the matrix.
    """

    cluster: Cluster | None = None
    objective: str = AUTO
    matrix: Gains | None = None
    title: str = "unnamed"

    def __post_init__(self) -> None:
        if (self.cluster is None) == (self.matrix is None):
            raise InputError("needs either a cluster or a matrix", "instance", self.title)
        if self.objective == AUTO:
            main = "gains" if self.cluster is None else "utilisation"
            object.__setattr__(self, "objective", main)
        if self.objective not in OBJECTIVES:
            message = f"must be one of {', '.join((AUTO, *OBJECTIVES))}"
            raise InputError(message, "objective", self.objective)
        if self.cluster is None and self.objective != "gains":
            raise InputError("a matrix has gains alone", "objective", self.objective)

    @property
    def name(self) -> str:
        """The name of the cluster or of the matrix."""
        return self.title if self.cluster is None else self.cluster.name

    @property
    def levels(self) -> int:
        """K of the cluster, which an order does not look at; 1 for a matrix."""
        return 1 if self.cluster is None else self.cluster.levels

    @property
    def num_jobs(self) -> int:
        """Number of jobs."""
        if self.cluster is not None:
            return self.cluster.num_jobs
        assert self.matrix is not None
        return self.matrix.num_jobs

    @property
    def sha256(self) -> str:
        """Digest of the cluster or of the matrix."""
        if self.cluster is not None:
            return self.cluster.sha256
        assert self.matrix is not None
        return self.matrix.sha256

    @property
    def maximise(self) -> bool:
        """Whether a larger value of the objective is better."""
        return self.objective != "slowdown"

    @property
    def scale(self) -> float:
        """What to divide an integer value of the objective by."""
        if self.objective == "gains":
            return self.gains.scale
        return SHARE_SCALE if self.objective == "utilisation" else SLOWDOWN_SCALE

    def with_objective(self, objective: str) -> PriorityInstance:
        """Return the same jobs with another objective."""
        return replace(self, objective=objective)

    def with_levels(self, levels: int) -> PriorityInstance:
        """Return the same problem with another number of levels; a matrix has none."""
        if self.cluster is None:
            return self
        return replace(self, cluster=self.cluster.with_levels(levels))

    @cached_property
    def gains(self) -> Gains:
        """The matrix of gains: as given, or of the cluster by pair replay."""
        if self.matrix is not None:
            return self.matrix
        assert self.cluster is not None
        return gains_of(self.cluster)

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """The pairs i < j whose order matters, shape (num_pairs, 2)."""
        if self.cluster is not None:
            return sharing_pairs(self.num_jobs, traffic(self.cluster))
        weight = self.gains.weight
        i, j = np.nonzero(np.triu(weight != weight.T, 1))
        return np.stack([i, j], axis=1).astype(np.int64)

    @cached_property
    def intensity(self) -> NDArray[np.float64]:
        """I_j on the paths by ECMP hashing; of a matrix, what it gains that j comes first."""
        if self.cluster is not None:
            return intensities(self.cluster)
        weight = self.gains.weight
        net: NDArray[np.float64] = (weight.sum(axis=1) - weight.sum(axis=0)).astype(np.float64)
        return net

    @cached_property
    def ranking(self) -> list[int]:
        """The jobs by falling intensity, the smaller index first where two are equal."""
        return rank(self.intensity)

    def infeasibility(self, order: NDArray[np.integer[Any]]) -> str | None:
        """Say what makes an order infeasible, or return None."""
        return infeasibility(self.num_jobs, order)


def levels_of(order: NDArray[np.integer[Any]]) -> NDArray[np.int64]:
    """Return a level for each job, all different: num_jobs - 1 for the first of the order."""
    levels = np.empty(len(order), np.int64)
    levels[order] = np.arange(len(order) - 1, -1, -1)
    return levels


@functools.lru_cache(maxsize=4)
def gains_of(cluster: Cluster) -> Gains:
    """Return the matrix of gains of a cluster, paths by ECMP hashing with seed 0; remembered.

    Parameters
    ----------
    cluster : Cluster

    Returns
    -------
    Gains
        g_ij: busy GPUs of i and j with i first, less those with both on one level; may be negative.
        0 where they share no link. About 0.1 ms a pair.
    """
    pairs = sharing_pairs(cluster.num_jobs, traffic(cluster))
    first, second = ordered_gains(cluster, pairs)
    matrix = np.zeros((cluster.num_jobs, cluster.num_jobs))
    matrix[pairs[:, 0], pairs[:, 1]] = first
    matrix[pairs[:, 1], pairs[:, 0]] = second
    return Gains.from_matrix(matrix)
