"""The contention DAG of a cluster: who meets whom on a link, and what ordering them is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster, PathChoice
from kcut.compression import CompressionInstance
from kcut.errors import InputError
from kcut.intensity import Traffic, intensities, traffic
from kcut.pair_gains import ordered_gains
from kcut.weights import SCALED_TOTAL

Pairs = NDArray[np.int64]


def sharing_pairs(num_jobs: int, sent: Traffic) -> Pairs:
    """Return the pairs of jobs that have a link in common.

    Parameters
    ----------
    num_jobs : int
    sent : Traffic

    Returns
    -------
    ndarray of int64, shape (num_pairs, 2)
        Pairs i < j, sorted. O(sum over the links of the square of their jobs).
    """
    by_link = np.argsort(sent.link, kind="stable")
    starts = np.flatnonzero(np.diff(sent.link[by_link], prepend=-1))
    codes = [np.zeros(0, np.int64)]
    for jobs in np.split(sent.job[by_link], starts[1:]):
        i, j = np.triu_indices(len(jobs), 1)
        codes.append(jobs[i] * num_jobs + jobs[j])
    pairs = np.unique(np.concatenate(codes))
    return np.stack([pairs // num_jobs, pairs % num_jobs], axis=1)


def rank(values: NDArray[np.float64]) -> list[int]:
    """Return the jobs by falling value, the smaller index first where two are equal."""
    return [int(job) for job in np.argsort(-values, kind="stable")]


def weight_unit(weights: NDArray[np.float64]) -> float:
    """Return the unit the weights of a contention DAG are stated in.

    Intensities reach 1e15 flop/s and more, and a sum of weights may not pass 2^62. The unit is the
    smallest power of 1000, from 1 up, in which the weights sum to less than 2^53.
    """
    total = math.fsum(weights)
    unit = 1.0
    while SCALED_TOTAL <= total / unit < math.inf:
        unit *= 1000.0
    return unit


def contention_dag(
    cluster: Cluster,
    paths: PathChoice | None = None,
    order: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    *,
    weights: str | None = None,
) -> CompressionInstance:
    """Return the contention DAG: an edge for each pair of jobs that share a link.

    Parameters
    ----------
    cluster : Cluster
    paths : optional
        See `Cluster.path_choice`.
    order : sequence of int, shape (num_jobs,), optional
        Job indices, highest priority first; by default by falling intensity, the smaller index
        first where two are equal, and last those that send nothing (their intensity is infinite,
        but no level is worth anything to them, and mappings like Sincronia's would spend some).
    weights : {'intensity', 'replay'}, optional
        What an edge weighs: the intensity of its upper job; or the busy GPUs that are lost when the
        pair shares a level instead of being ordered, by pair replay (0 where sharing is no worse).
        By default as the cluster says.

    Returns
    -------
    CompressionInstance
        With the cluster's K, the names of its jobs as labels and `order` as its order. Weights are
        in units of `weight_unit`, 1 unless they are large; the name tells the unit then. They are
        integers where all intensities are and the unit is 1.

    Raises
    ------
    InputError
        If `order` is no permutation of the jobs, or the weights have no such name.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, section 4.3, doi:10.1145/3651890.3672239.
    """
    weights = cluster.weights if weights is None else weights
    if weights not in WEIGHTS:
        raise InputError(f"must be one of {', '.join(WEIGHTS)}", "weights", weights)
    intensity = intensities(cluster, paths)
    sends = np.where(np.isinf(intensity), -np.inf, intensity)
    ranking = rank(sends) if order is None else [int(job) for job in order]
    if sorted(ranking) != list(range(cluster.num_jobs)):
        raise InputError(f"must list all {cluster.num_jobs} jobs once", "order", ranking)
    position = np.empty(cluster.num_jobs, np.int64)
    position[ranking] = np.arange(cluster.num_jobs)
    pairs = sharing_pairs(cluster.num_jobs, traffic(cluster, paths))
    swap = position[pairs[:, 0]] > position[pairs[:, 1]]
    pairs[swap] = pairs[swap, ::-1]
    weight = WEIGHTS[weights](cluster, pairs, intensity, paths)
    unit = weight_unit(weight)
    scaled: NDArray[Any] = weight / unit
    if unit == 1.0 and np.array_equal(scaled, np.rint(scaled)):
        scaled = scaled.astype(np.int64)
    suffix = "" if unit == 1.0 else f" (weights in {unit:.0e})"
    return CompressionInstance.from_edges(
        cluster.num_jobs,
        pairs[:, 0],
        pairs[:, 1],
        scaled,
        levels=cluster.levels,
        name=f"{cluster.name}/contention{suffix}",
        labels=tuple(job.name for job in cluster.jobs),
        order=ranking,
    )


def compression_of(instance: CompressionInstance | Cluster) -> CompressionInstance:
    """Return the compression instance that an instance states.

    Parameters
    ----------
    instance : CompressionInstance or Cluster

    Returns
    -------
    CompressionInstance
        Itself, or a cluster's contention DAG under the cluster's name: paths by ECMP hashing with
        seed 0, jobs ranked by intensity, edges weighed as the cluster says.

    Raises
    ------
    InputError
        If it states none: a matrix of gains.
    """
    if isinstance(instance, CompressionInstance):
        return instance
    if not isinstance(instance, Cluster):
        raise InputError("holds no graph and no cluster", "format", type(instance).__name__)
    return replace(contention_dag(instance), name=instance.name)


def weighed_as(cluster: Cluster, sha256: str) -> Cluster:
    """Return a cluster with the weights that give its contention DAG a digest; else as it is."""
    for weights in WEIGHTS:
        other = cluster.with_weights(weights)
        if compression_of(other).sha256 == sha256:
            return other
    return cluster


def _intensity_of_upper(
    cluster: Cluster, pairs: Pairs, intensity: NDArray[np.float64], paths: PathChoice | None
) -> NDArray[np.float64]:
    return intensity[pairs[:, 0]]


def _lost_when_tied(
    cluster: Cluster, pairs: Pairs, intensity: NDArray[np.float64], paths: PathChoice | None
) -> NDArray[np.float64]:
    first, _ = ordered_gains(cluster, pairs, paths)
    return np.maximum(first, 0.0)


WEIGHTS = {"intensity": _intensity_of_upper, "replay": _lost_when_tied}
"""What an edge weighs: a function of the cluster, the pairs (upper, lower), I and the paths."""
