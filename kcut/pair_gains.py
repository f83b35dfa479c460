"""What ordering two jobs gains: the GPU work of a pair, ordered, less that on one level.

A pair is replayed on the link they share on which they are busiest together, each job no faster on
it than its own bottleneck elsewhere lets it. Jobs that share no link gain nothing.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.cluster import Cluster, PathChoice
from kcut.intensity import Traffic, bottleneck, traffic
from kcut.replay import FIRST, SECOND, TIED, Replays, Senders, replay

Floats = NDArray[np.float64]
Pairs = NDArray[np.int64]


def ordered_gains(
    cluster: Cluster, pairs: Pairs, paths: PathChoice | None = None
) -> tuple[Floats, Floats]:
    """Return what it gains over one level that the first, or the second, of each pair comes first.

    Parameters
    ----------
    cluster : Cluster
    pairs : ndarray of int64, shape (num_pairs, 2)
        Jobs that share a link.
    paths : optional
        See `Cluster.path_choice`.

    Returns
    -------
    tuple of ndarray of float64, shape (num_pairs,)
        In busy GPUs; 0 where the difference is below the noise of the replay.
    """
    found = replay_pairs(cluster, pairs, paths)
    gpus = cluster.gpus[pairs]
    work = (found.busy * gpus[:, np.newaxis, :]).sum(axis=2)
    noise = found.noise * gpus.sum(axis=1)
    gained = [work[:, order] - work[:, TIED] for order in (FIRST, SECOND)]
    first, second = (np.where(np.abs(g) <= noise, 0.0, g) for g in gained)
    return first, second


def replay_pairs(cluster: Cluster, pairs: Pairs, paths: PathChoice | None = None) -> Replays:
    """Replay pairs of jobs in both orders and on one level, in their steady cycles."""
    sent = traffic(cluster, paths)
    alone = bottleneck(cluster, sent).seconds
    seconds = sent.bytes / cluster.bandwidth[sent.link]
    flows = _flows_on(cluster, sent, paths)
    start = np.searchsorted(sent.job, np.arange(cluster.num_jobs + 1)).astype(np.int64)
    entry = _meeting(start, sent.link, seconds, pairs)
    share = np.array([job.transfer_start for job in cluster.jobs], np.float64)
    sides = [
        Senders(
            cluster.compute_s[pairs[:, s]],
            share[pairs[:, s]],
            seconds[entry[:, s]],
            seconds[entry[:, s]] / alone[pairs[:, s]],
            flows[entry[:, s]],
        )
        for s in range(2)
    ]
    return replay(*sides)


def _flows_on(cluster: Cluster, sent: Traffic, paths: PathChoice | None) -> Floats:
    """Return how many flows of the job cross the link, for each entry of the traffic."""
    start, link = cluster.routes.chosen(cluster.path_choice(paths))
    flow = np.repeat(np.arange(cluster.num_flows), np.diff(start))
    sends = cluster.flow_bytes[flow] > 0
    code = cluster.flow_job[flow].astype(np.int64) * cluster.num_links + link
    _, counts = np.unique(code[sends], return_counts=True)
    flows: Floats = counts.astype(np.float64)
    return flows


@njit(cache=True)
def _meeting(start, link, seconds, pairs):  # type: ignore[no-untyped-def]
    """Return the entries of the shared link that takes both jobs of a pair longest."""
    found = np.zeros((len(pairs), 2), np.int64)
    for r in range(len(pairs)):
        a, b = start[pairs[r, 0]], start[pairs[r, 1]]
        most = -1.0
        while a < start[pairs[r, 0] + 1] and b < start[pairs[r, 1] + 1]:
            if link[a] < link[b]:
                a += 1
            elif link[b] < link[a]:
                b += 1
            else:
                if seconds[a] + seconds[b] > most:
                    most = seconds[a] + seconds[b]
                    found[r, 0], found[r, 1] = a, b
                a += 1
                b += 1
    return found
