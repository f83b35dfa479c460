"""TACCL*: jobs whose traffic travels farthest take the least congested candidates first."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits, solver
from kcut.paths import PathsInstance
from kcut_solvers.paths_common import feasible_answer
from kcut_solvers.paths_greedy import PARAMS, least_congested


@solver("paths", "taccl-star", exact=False, params=PARAMS, reference="shah2023taccl cao2024crux")
def taccl_star(
    instance: PathsInstance,
    *,
    limits: Limits,
    rng: np.random.Generator,
    metric: str,
    passes: int,
) -> Answer:
    """Let jobs, by falling distance of their traffic, take the least congested candidates.

    Parameters
    ----------
    instance : PathsInstance
        Its objective and its stretch are not looked at.
    limits : Limits
        Unused.
    rng : numpy.random.Generator
        Unused.
    metric, passes
        See the solver ``crux``.

    Notes
    -----
    The distance of a job is the number of links of its longest flow on a shortest candidate; ties
    go to the smaller index. It is what Crux compares itself with, not TACCL itself.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, footnote 3, doi:10.1145/3651890.3672239.
    Shah et al., TACCL: Guiding Collective Algorithm Synthesis using Communication Sketches,
    NSDI 2023.
    """
    routes = instance.cluster.routes
    hops = np.zeros(instance.num_jobs, np.int64)
    if instance.num_flows:
        shortest = np.minimum.reduceat(np.diff(routes.start), routes.first[:-1])
        np.maximum.at(hops, instance.cluster.flow_job, np.where(instance.active, shortest, 0))
    jobs = np.argsort(-hops, kind="stable").tolist()
    return feasible_answer(instance, least_congested(instance, jobs, metric, passes))
