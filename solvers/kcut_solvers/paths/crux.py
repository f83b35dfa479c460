"""Crux's path selection: jobs by falling intensity take the least congested candidates."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits, solver
from kcut.paths import PathsInstance
from kcut_solvers.paths_common import feasible_answer
from kcut_solvers.paths_greedy import PARAMS, least_congested


@solver("paths", "crux", exact=False, params=PARAMS, reference="cao2024crux")
def crux(
    instance: PathsInstance,
    *,
    limits: Limits,
    rng: np.random.Generator,
    metric: str,
    passes: int,
) -> Answer:
    """Let jobs, by falling intensity, send each flow on the least congested candidate.

    Parameters
    ----------
    instance : PathsInstance
        Its objective and its stretch are not looked at.
    limits : Limits
        Unused: the method takes milliseconds.
    rng : numpy.random.Generator
        Unused: the method is deterministic.
    metric : {'bottleneck', 'sum', 'flow-count', 'intensity-weighted'}
        The paper does not say what "congested" means, nor how a job's flows are ordered: here as
        they are listed.
    passes : int
        2 lets every flow choose again with all others in place.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, section 4.1, doi:10.1145/3651890.3672239.
    """
    return feasible_answer(instance, least_congested(instance, instance.ranking, metric, passes))
