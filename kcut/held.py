"""Simulating shifted jobs that are held to their periods: each waits before it computes.

A wait of h_j is simulated as part of the computation: c'_j = h_j + c_j with the transfer opening
after h_j + s_j c_j, which changes nothing for anybody else; what was waited is then taken out.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster, Job
from kcut.simulate import Simulation, simulate
from kcut.time_shifts import TimeShiftsInstance
from kcut.timeline import Timeline


def simulate_shifts(
    instance: TimeShiftsInstance, shifts: NDArray[np.integer[Any]], **options: Any
) -> Simulation:
    """Simulate time shifts, all jobs on one level, those that are held waiting in each iteration.

    Parameters
    ----------
    instance : TimeShiftsInstance
    shifts : ndarray of int, shape (num_jobs,)
        In steps.
    **options
        Those of `kcut.simulate.simulate`: horizon_s, jitter, seed, timeline, max_events, ... Jitter
        also varies the waits.

    Returns
    -------
    Simulation
        Of the cluster itself: waiting is no computing. A job begins its first wait so that it
        begins to compute at its shift, or a period later.
    """
    hold_s = instance.circle.hold_s
    if not hold_s.any():
        return simulate(instance.cluster, shifts_s=instance.seconds(shifts).tolist(), **options)
    period_s = instance.circle.period * instance.circle.step_s
    begins = np.mod(instance.seconds(shifts) - hold_s, np.where(hold_s > 0, period_s, np.inf))
    found = simulate(_held(instance.cluster, hold_s), shifts_s=begins.tolist(), **options)
    compute_s, gpus = instance.cluster.compute_s, instance.cluster.gpus
    share = np.divide(compute_s, compute_s + hold_s, out=np.ones(len(gpus)), where=hold_s > 0)
    busy_s = found.busy_s * share
    utilisation = float((gpus * (busy_s / found.window_s)).sum() / gpus.sum())
    line = None if found.timeline is None else _without_waits(found.timeline, hold_s)
    return replace(found, busy_s=busy_s, utilisation=utilisation, timeline=line)


def _held(cluster: Cluster, hold_s: NDArray[np.float64]) -> Cluster:
    jobs = tuple(_waiting(job, wait) for job, wait in zip(cluster.jobs, hold_s, strict=True))
    return replace(cluster, jobs=jobs)


def _waiting(job: Job, wait: float) -> Job:
    if wait == 0:
        return job
    compute_s = float(wait) + job.compute_s
    opens = float(wait) + job.transfer_start * job.compute_s
    return replace(job, compute_s=compute_s, transfer_start=min(1.0, opens / compute_s))


def _without_waits(line: Timeline, hold_s: NDArray[np.float64]) -> Timeline:
    trimmed = []
    for intervals, wait in zip(line.compute, hold_s.tolist(), strict=True):
        begins = np.minimum(intervals[:, 0] + wait, intervals[:, 1])
        trimmed.append(np.stack([begins, intervals[:, 1]], axis=1)[begins < intervals[:, 1]])
    return replace(line, compute=tuple(trimmed))
