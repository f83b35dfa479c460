"""Sincronia's order: bottleneck, select, scale, iterate."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import Answer, Limits, solver
from kcut.intensity import traffic
from kcut.priority import PriorityInstance
from kcut_solvers.priority_common import feasible_answer, needs_cluster


@solver("priority", "bssi", exact=False, reference="agarwal2018sincronia")
def bssi(instance: PriorityInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Place jobs from last to first: on the busiest link, the one least worth its time.

    Parameters
    ----------
    instance : PriorityInstance
        Without a cluster there is no traffic: skipped.
    limits : Limits
        Unused.
    rng : numpy.random.Generator
        Unused.

    Notes
    -----
    Links are the ports, what a job sends over one in an iteration, in seconds, is its demand d, and
    all weights are 1 at first. Of the jobs that are not placed: the link with the largest total
    demand; on it, the job with the least weight over demand becomes the last; the weights of the
    others there fall by their demand times that ratio. Ties go to the largest index, of links and
    of jobs. O(num_jobs (num_jobs + entries)).

    References
    ----------
    Agarwal et al., Sincronia: Near-Optimal Network Design for Coflows, SIGCOMM 2018,
    doi:10.1145/3230543.3230569.
    """
    if instance.cluster is None:
        return needs_cluster()
    cluster = instance.cluster
    sent = traffic(cluster)
    demand = sent.bytes / cluster.bandwidth[sent.link]
    weight = np.ones(cluster.num_jobs)
    placed = np.zeros(cluster.num_jobs, np.bool_)
    order: list[int] = []
    for _ in range(cluster.num_jobs):
        waiting = ~placed[sent.job]
        total = np.bincount(sent.link[waiting], demand[waiting], cluster.num_links)
        if waiting.any():
            link = int(np.flatnonzero(_is_most(total))[-1])
            on_link = np.flatnonzero(waiting & (sent.link == link))
            ratio = weight[sent.job[on_link]] / demand[on_link]
            chosen = on_link[np.flatnonzero(_is_most(-ratio))[-1]]
            last = int(sent.job[chosen])
            weight[sent.job[on_link]] -= demand[on_link] * (weight[last] / demand[chosen])
        else:
            last = int(np.flatnonzero(~placed)[-1])
        placed[last] = True
        order.append(last)
    return feasible_answer(order[::-1])


def _is_most(numbers: NDArray[Any]) -> NDArray[np.bool_]:
    """Return which numbers are the largest, but for rounding."""
    most: NDArray[np.bool_] = numbers >= numbers.max() - 1e-12 * np.abs(numbers).max()
    return most
