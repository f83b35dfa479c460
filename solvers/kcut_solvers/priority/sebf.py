"""Varys' order: the smallest effective bottleneck first."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits, solver
from kcut.intensity import bottleneck, traffic
from kcut.priority import PriorityInstance
from kcut_solvers.priority_common import falling, feasible_answer, needs_cluster


@solver("priority", "sebf", exact=False, reference="chowdhury2014varys")
def sebf(instance: PriorityInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Serve jobs by rising bottleneck time t_j, the smaller index first where two are equal.

    Parameters
    ----------
    instance : PriorityInstance
        Without a cluster there is no traffic: skipped.
    limits : Limits
        Unused.
    rng : numpy.random.Generator
        Unused.

    References
    ----------
    Chowdhury, Zhong & Stoica, Efficient Coflow Scheduling with Varys, SIGCOMM 2014,
    doi:10.1145/2619239.2626315.
    """
    if instance.cluster is None:
        return needs_cluster()
    seconds = bottleneck(instance.cluster, traffic(instance.cluster)).seconds
    return feasible_answer(falling(-seconds))
