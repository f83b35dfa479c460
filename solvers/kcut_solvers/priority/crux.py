"""Crux's priority: intensity, corrected by replaying each job against one reference."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits, Param, solver
from kcut.corrections import REFERENCES, corrections, priorities
from kcut.priority import PriorityInstance
from kcut_solvers.priority_common import (
    REPLAY_PARAMS,
    describe_kinds,
    feasible_answer,
    needs_cluster,
)

PARAMS = {
    "reference": Param("traffic", "what the reference job has most of", choices=REFERENCES),
    **REPLAY_PARAMS,
}


@solver("priority", "crux", exact=False, params=PARAMS, reference="cao2024crux")
def crux(
    instance: PriorityInstance,
    *,
    limits: Limits,
    rng: np.random.Generator,
    reference: str,
    window: float,
    phase: float,
    zero: str,
) -> Answer:
    """Serve jobs by falling P_j = k_j I_j, with k_j from a replay against the reference.

    Parameters
    ----------
    instance : PriorityInstance
        Without a cluster there is nothing to replay: skipped.
    limits : Limits
        Unused: all k_j of thousands of jobs take a second.
    rng : numpy.random.Generator
        Unused.
    reference : {'traffic', 'time', 'rate', 'intensity'}
        The paper's reference has the most network traffic: bytes an iteration, by default.
    window, phase : float
        The paper does not say what part of time it compares: the steady cycle, by default.
    zero : {'first', 'one'}
        The paper does not say what a division by zero gives. 0/0 is 1, x/0 infinite by default.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, section 4.2, doi:10.1145/3651890.3672239.
    """
    if instance.cluster is None:
        return needs_cluster()
    found = corrections(
        instance.cluster, reference=reference, window_s=window, phase=phase, zero=zero
    )
    name = instance.cluster.jobs[found.reference].name
    detail = f"reference {name}; {describe_kinds(found.kind)}"
    return feasible_answer(priorities(found.k, instance.intensity), detail)
