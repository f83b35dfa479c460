"""TACCL*: jobs whose traffic travels farthest first."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits, solver
from kcut.priority import PriorityInstance
from kcut_solvers.priority_common import falling, feasible_answer, needs_cluster


@solver("priority", "taccl-star", exact=False, reference="shah2023taccl cao2024crux")
def taccl_star(instance: PriorityInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Serve jobs by falling distance of their traffic.

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
    The distance of a job is the number of links of its longest flow; ties go to the smaller index.
    It is what Crux compares itself with, not TACCL itself.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, footnote 3, doi:10.1145/3651890.3672239.
    Shah et al., TACCL: Guiding Collective Algorithm Synthesis using Communication Sketches,
    NSDI 2023.
    """
    if instance.cluster is None:
        return needs_cluster()
    cluster = instance.cluster
    start, _ = cluster.routes.chosen(cluster.path_choice(None))
    hops = np.zeros(cluster.num_jobs)
    np.maximum.at(hops, cluster.flow_job, np.where(cluster.flow_bytes > 0, np.diff(start), 0))
    return feasible_answer(falling(hops))
