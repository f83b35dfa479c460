"""Placing jobs on the hosts of a cluster: packed, fragmented or spread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kcut_instances.host_map import HostMap

GPUS_PER_HOST = 8

Hosts = NDArray[np.int64]

PLACEMENTS = ("packed", "fragmented", "spread")


def place_jobs(
    rng: np.random.Generator, hosts: HostMap, wanted: Sequence[int], placement: str
) -> tuple[list[int], list[Hosts]]:
    """Place jobs one after another on an empty cluster, shrinking those that no longer fit.

    Parameters
    ----------
    rng : numpy.random.Generator
        Used by ``fragmented`` alone.
    hosts : HostMap
        Sorted by pod and group; each host has 8 GPUs.
    wanted : sequence of int
        GPUs of each job: below 8, or a multiple of 8. No more jobs than GPUs.
    placement : {'packed', 'fragmented', 'spread'}
        packed takes the first free hosts of the map; spread deals free hosts round robin over the
        switch groups; fragmented takes random free hosts of one random pod that has enough of
        them, or of the whole map where none has.

    Returns
    -------
    gpus : list of int
        As wanted, or the largest smaller wanted size that could be placed while leaving a GPU for
        each later job (1 where there is no such size).
    placed : list of ndarray of int64
        Indices of each job's hosts.

    Notes
    -----
    A job of 8 GPUs or more takes whole hosts; a smaller one shares the first host in use that has
    room, else opens a free one. O(num_jobs * num_hosts).
    """
    free = np.full(hosts.num_hosts, GPUS_PER_HOST)
    sizes = sorted({1, *wanted}, reverse=True)
    visit = _visiting_order(hosts, placement)
    gpus: list[int] = []
    placed: list[Hosts] = []
    for later, most in zip(range(len(wanted) - 1, -1, -1), wanted, strict=True):
        spare = int(free.sum()) - later
        for size in sizes:
            if size > min(most, spare):
                continue
            order = visit if placement != "fragmented" else _shuffled(rng, hosts, free, size)
            chosen = _choose(free, order, size)
            if chosen is not None:
                break
        assert chosen is not None
        free[chosen] -= min(size, GPUS_PER_HOST)
        gpus.append(size)
        placed.append(chosen)
    return gpus, placed


def _visiting_order(hosts: HostMap, placement: str) -> Hosts:
    everyone = np.arange(hosts.num_hosts)
    if placement != "spread":
        return everyone
    within = everyone - np.searchsorted(hosts.group, hosts.group)
    round_robin: Hosts = np.lexsort((hosts.group, within))
    return round_robin


def _shuffled(
    rng: np.random.Generator, hosts: HostMap, free: NDArray[np.int64], size: int
) -> Hosts:
    """Return the hosts of a random pod with room for the job, or all hosts, in random order."""
    order = rng.permutation(hosts.num_hosts)
    for pod in rng.permutation(int(hosts.pod.max()) + 1):
        inside: Hosts = order[hosts.pod[order] == pod]
        if _choose(free, inside, size) is not None:
            return inside
    return order


def _choose(free: NDArray[np.int64], order: Hosts, size: int) -> Hosts | None:
    """Take the hosts for a job in visiting order; None if it does not fit."""
    whole = order[free[order] == GPUS_PER_HOST]
    if size >= GPUS_PER_HOST:
        count = size // GPUS_PER_HOST
        return whole[:count] if len(whole) >= count else None
    shared = order[(free[order] >= size) & (free[order] < GPUS_PER_HOST)]
    fitting = shared if len(shared) else whole
    return fitting[:1] if len(fitting) else None
