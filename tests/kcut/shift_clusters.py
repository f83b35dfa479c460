"""Small clusters for the tests of time shifts."""

from __future__ import annotations

import numpy as np

from kcut.cluster import Cluster, Flow, Job, Link
from kcut.time_shifts import TimeShiftsInstance


def chain(
    jobs: list[tuple[float, float, list[int]]], num_links: int, *, start: float = 1.0
) -> Cluster:
    """Build unit links n0 to n1, n1 to n2, ..., and jobs of (compute_s, bytes, links they use).

    A job sends one flow over each of its links.
    """
    links = [Link(f"e{i}", f"n{i}", f"n{i + 1}", 1.0) for i in range(num_links)]
    made = [
        Job(
            f"j{j}",
            1 + j,
            compute_s,
            1.0,
            tuple(Flow(f"n{i}", f"n{i + 1}", sent) for i in used),
            start,
        )
        for j, (compute_s, sent, used) in enumerate(jobs)
    ]
    return Cluster.build(links, made, levels=2, name="chain")


def tiny(seed: int) -> TimeShiftsInstance:
    """Draw up to four jobs of periods 2, 3, 4, 6 or 12 steps on up to three links."""
    rng = np.random.default_rng([7, seed])
    num_links = int(rng.integers(1, 4))
    jobs = []
    for _ in range(int(rng.integers(1, 5))):
        period = int(rng.choice([2, 3, 4, 6, 12] if num_links == 1 else [2, 3, 4, 6]))
        sent = int(rng.integers(1, period + 1))
        used = rng.choice(num_links, int(rng.integers(1, num_links + 1)), replace=False)
        jobs.append((float(period - sent), float(sent), sorted(used.tolist())))
    return TimeShiftsInstance(chain(jobs, num_links), step_s=1.0)


def tree(seed: int, *, num_links: int = 4) -> TimeShiftsInstance:
    """Draw jobs whose affinity graph is a tree, and for which shifts without conflict exist.

    Every link carries two jobs of one period that send for at most half of it; link i joins job
    i + 1 to an earlier job.
    """
    rng = np.random.default_rng([8, seed])
    used: list[list[int]] = [[] for _ in range(num_links + 1)]
    for i in range(num_links):
        used[int(rng.integers(0, i + 1))].append(i)
        used[i + 1].append(i)
    sent = rng.integers(1, 7, num_links + 1)
    jobs = [(12.0 - float(s), float(s), links) for s, links in zip(sent, used, strict=True)]
    return TimeShiftsInstance(chain(jobs, num_links), step_s=1.0)
