"""How evenly contention is borne: each job's slowdown, the largest of them, Jain's index.

slowdown of j = T_j / T_j alone        J = (sum x_j)^2 / (n sum x_j^2),  x_j = T_j alone / T_j
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster, PathChoice
from kcut.intensity import period_alone, traffic
from kcut.simulate import Simulation

MAX_SLOWDOWN = 1e6
"""What a job counts with that gets nothing done, or next to nothing."""


def slowdowns(
    cluster: Cluster, simulation: Simulation, paths: PathChoice | None = None
) -> NDArray[np.float64]:
    """Return how many times longer than alone an iteration of each job takes.

    Parameters
    ----------
    cluster : Cluster
    simulation : Simulation
        Of that cluster.
    paths : optional
        Those simulated; see `Cluster.path_choice`.

    Returns
    -------
    ndarray of float64, shape (num_jobs,)
        The window over the iterations done in it, over the iteration time alone on the same
        paths; at most `MAX_SLOWDOWN`. In a steady cycle that is ``iteration_s`` over the time
        alone. Iterations begun count in part, by what is computed of them.
    """
    done = simulation.iterations.astype(np.float64)
    np.divide(simulation.busy_s, cluster.compute_s, out=done, where=cluster.compute_s > 0)
    alone = period_alone(cluster, traffic(cluster, paths))
    with np.errstate(divide="ignore"):
        slower = simulation.window_s / (done * alone)
    limited: NDArray[np.float64] = np.minimum(slower, MAX_SLOWDOWN)
    return limited


def jain_index(slowdown: NDArray[np.float64]) -> float:
    """Return Jain's index of the jobs' speeds, each as a share of its speed alone.

    Parameters
    ----------
    slowdown : ndarray of float64, shape (num_jobs,)
        Positive, at least one.

    Returns
    -------
    float
        1 where all jobs are slowed down alike, 1 / num_jobs where a single one runs.

    References
    ----------
    Jain, Chiu & Hawe, A quantitative measure of fairness and discrimination for resource
    allocation in shared computer systems, DEC TR-301, 1984, arXiv:cs/9809099.
    """
    speed = 1.0 / slowdown
    return float(speed.sum() ** 2 / (len(speed) * (speed * speed).sum()))
