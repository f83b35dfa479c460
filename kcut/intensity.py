"""Traffic on links and what it is worth: M_{j,e}, t_j, the intensity I_j, loads, exposure.

    t_j = max over e of M_{j,e} / B_e        I_j = W_j / t_j

where M_{j,e} is what job j sends over link e in an iteration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster, PathChoice

Seconds = NDArray[np.float64]


class Traffic(NamedTuple):
    """M_{j,e} where it is positive, sorted by job, then by link.

    Attributes
    ----------
    job, link : ndarray of int64, shape (num_entries,)
    bytes : ndarray of float64, shape (num_entries,)
        M_{j,e} per iteration.
    """

    job: NDArray[np.int64]
    link: NDArray[np.int64]
    bytes: NDArray[np.float64]


def traffic(cluster: Cluster, paths: PathChoice | None = None) -> Traffic:
    """Return what each job sends over each link, under a choice of paths.

    Parameters
    ----------
    cluster : Cluster
    paths : optional
        See `Cluster.path_choice`.

    Returns
    -------
    Traffic
        O(total length of the paths, times its logarithm).
    """
    start, link = cluster.routes.chosen(cluster.path_choice(paths))
    return _collect(cluster, np.diff(start), link, cluster.flow_bytes)


def even_split_traffic(cluster: Cluster) -> Traffic:
    """Return M_{j,e} with each flow split evenly over all its candidate paths."""
    routes = cluster.routes
    num_candidates = routes.num_candidates
    share = np.repeat(cluster.flow_bytes / num_candidates, num_candidates)
    flow = np.repeat(np.arange(cluster.num_flows), num_candidates)
    return _collect(cluster, np.diff(routes.start), routes.link, share, flow)


def _collect(
    cluster: Cluster,
    length: NDArray[np.int64],
    link: NDArray[np.int32],
    path_bytes: NDArray[np.float64],
    flow: NDArray[np.int64] | None = None,
) -> Traffic:
    """Sum the bytes of paths (of the flows `flow`, all in order by default) by job and link."""
    flow = np.arange(cluster.num_flows) if flow is None else flow
    sent = np.repeat(path_bytes, length)
    job = np.repeat(cluster.flow_job[flow], length).astype(np.int64)
    used = sent > 0
    pair, inverse = np.unique(job[used] * cluster.num_links + link[used], return_inverse=True)
    total = np.zeros(len(pair))
    np.add.at(total, inverse, sent[used])
    return Traffic(pair // cluster.num_links, pair % cluster.num_links, total)


class Bottleneck(NamedTuple):
    """The slowest link of each job.

    Attributes
    ----------
    seconds : ndarray of float64, shape (num_jobs,)
        t_j; 0 for a job without traffic.
    link : ndarray of int64, shape (num_jobs,)
        The smallest link index that attains t_j; -1 for a job without traffic.
    """

    seconds: Seconds
    link: NDArray[np.int64]


def bottleneck(cluster: Cluster, sent: Traffic) -> Bottleneck:
    """Return t_j and the link that attains it, for each job."""
    seconds = np.zeros(cluster.num_jobs)
    link = np.full(cluster.num_jobs, -1, np.int64)
    time = sent.bytes / cluster.bandwidth[sent.link]
    np.maximum.at(seconds, sent.job, time)
    slowest = np.flatnonzero(time == seconds[sent.job])[::-1]
    link[sent.job[slowest]] = sent.link[slowest]
    return Bottleneck(seconds, link)


def intensities(
    cluster: Cluster, paths: PathChoice | None = None, *, split: bool = False
) -> NDArray[np.float64]:
    """Return the intensity of each job: as stated, else I_j = W_j / t_j.

    Parameters
    ----------
    cluster : Cluster
    paths : optional
        See `Cluster.path_choice`.
    split : bool, optional
        Take t_j with each flow split evenly over its candidates instead: the intensity before
        paths are chosen.

    Returns
    -------
    ndarray of float64, shape (num_jobs,)
        In flop per second of bottleneck communication. A job without traffic blocks nobody: its
        intensity is infinite, unless it is stated.
    """
    sent = even_split_traffic(cluster) if split else traffic(cluster, paths)
    seconds = bottleneck(cluster, sent).seconds
    derived = np.full(cluster.num_jobs, np.inf)
    np.divide(cluster.work, seconds, out=derived, where=seconds > 0)
    stated = [job.intensity for job in cluster.jobs]
    return np.array(
        [own if own is not None else value for own, value in zip(stated, derived, strict=True)]
    )


def period_alone(cluster: Cluster, sent: Traffic) -> Seconds:
    """Return the iteration time of each job alone: the later end of compute and transfer.

    max(c_j, s_j c_j + t_j) with s_j the share after which the transfer starts, shape (num_jobs,).
    """
    share = np.array([job.transfer_start for job in cluster.jobs])
    last = share * cluster.compute_s + bottleneck(cluster, sent).seconds
    return np.maximum(cluster.compute_s, last)


def utilisation_alone(cluster: Cluster, paths: PathChoice | None = None) -> float:
    """Return the utilisation if no job met another: sum G_j c_j / T_j over sum G_j, T_j alone."""
    period = period_alone(cluster, traffic(cluster, paths))
    return float((cluster.gpus * (cluster.compute_s / period)).sum() / cluster.gpus.sum())


def link_loads(cluster: Cluster, paths: PathChoice | None = None) -> NDArray[np.float64]:
    """Return the load of each link if every job ran as fast as alone.

    Returns
    -------
    ndarray of float64, shape (num_links,)
        sum over j of M_{j,e} / (B_e period_j); above 1 the link cannot carry it.
    """
    sent = traffic(cluster, paths)
    rate = sent.bytes / period_alone(cluster, sent)[sent.job]
    return np.bincount(sent.link, weights=rate, minlength=cluster.num_links) / cluster.bandwidth


@dataclass(frozen=True, slots=True)
class Exposure:
    """Shares of jobs and of their GPUs whose traffic can share a link with another job.

    Attributes
    ----------
    jobs, gpus : float
        On any link, 0 to 1.
    network_jobs, network_gpus : float
        On a link between hosts.
    pcie_jobs, pcie_gpus : float
        On a link inside a host. A job can be exposed on both.
    """

    jobs: float
    gpus: float
    network_jobs: float
    network_gpus: float
    pcie_jobs: float
    pcie_gpus: float


def exposure(cluster: Cluster, paths: PathChoice | None = None) -> Exposure:
    """Return how much of the cluster is exposed to contention.

    Parameters
    ----------
    cluster : Cluster
    paths : optional
        Count the links of these paths; by default, every link of every candidate: where a hash
        could put the traffic.

    Returns
    -------
    Exposure
        It counts who could meet, as a trace's placement tells; it measures no slowdown.
    """
    sent = even_split_traffic(cluster) if paths is None else traffic(cluster, paths)
    shared = np.bincount(sent.link, minlength=cluster.num_links) > 1
    pcie = np.array([link.kind == "pcie" for link in cluster.links], bool)
    shares: list[float] = []
    for where in (shared, shared & ~pcie, shared & pcie):
        exposed = np.zeros(cluster.num_jobs, bool)
        exposed[sent.job[where[sent.link]]] = True
        shares.append(float(exposed.mean()))
        shares.append(float(cluster.gpus[exposed].sum() / cluster.gpus.sum()))
    return Exposure(*shares)
