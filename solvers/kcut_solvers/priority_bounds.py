"""What jobs can reach at best behind others of higher priority: links carry no more than they can.

With t_{j,e} the seconds of link e an iteration of job j takes, r_j its iterations per second, T_j
its iteration time alone and L_e what the higher jobs leave of link e,

    r_j <= 1 / T_j    and    sum of t_{j,e} r_j <= L_e    for every link e.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster
from kcut.fairness import MAX_SLOWDOWN
from kcut.intensity import traffic

Floats = NDArray[np.float64]

_SPARE = 1e-9


class LinkBounds:
    """Bounds on jobs behind a prefix, from one link at a time.

    Parameters
    ----------
    cluster : Cluster
    alone_s : ndarray of float64, shape (num_jobs,)
        T_j.
    """

    def __init__(self, cluster: Cluster, alone_s: Floats) -> None:
        sent = traffic(cluster)
        seconds = np.zeros((cluster.num_jobs, cluster.num_links))
        seconds[sent.job, sent.link] = sent.bytes / cluster.bandwidth[sent.link]
        shared = (seconds > 0).sum(axis=0) > 1
        self.seconds = np.unique(seconds[:, shared], axis=1)
        self.rate = 1.0 / alone_s
        self.worth = cluster.gpus * cluster.compute_s

    def left(self, jobs: list[int], speed: Floats) -> Floats:
        """Return L_e when these jobs run at these iterations per second."""
        left: Floats = 1.0 - self.seconds[jobs].T @ speed
        return np.maximum(left, 0.0) + _SPARE

    def most_busy(self, jobs: list[int], left: Floats) -> float:
        """Return what busy GPUs the jobs can have at most: a knapsack on each link."""
        free = self.worth[jobs] * self.rate[jobs]
        total = float(free.sum())
        seconds = self.seconds[jobs]
        load = seconds * self.rate[jobs, np.newaxis]
        over = np.flatnonzero(load.sum(axis=0) > left)
        best = total
        for e in over.tolist():
            on = np.flatnonzero(seconds[:, e] > 0)
            by_ratio = on[np.argsort(-(self.worth[jobs][on] / seconds[on, e]), kind="stable")]
            used = np.cumsum(load[by_ratio, e])
            fits = np.clip((left[e] - (used - load[by_ratio, e])) / load[by_ratio, e], 0.0, 1.0)
            best = min(best, total - float((free[by_ratio] * (1.0 - fits)).sum()))
        return best

    def least_slowdown(self, jobs: list[int], left: Floats) -> float:
        """Return what the largest slowdown of the jobs is at least."""
        if not jobs or not self.seconds.shape[1]:
            return 1.0
        load = self.seconds[jobs].T @ self.rate[jobs]
        return min(MAX_SLOWDOWN, max(1.0, float((load / left).max())))
