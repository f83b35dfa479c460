"""Jobs by falling intensity: Crux's priority without its correction."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits, solver
from kcut.priority import PriorityInstance
from kcut_solvers.priority_common import feasible_answer


@solver("priority", "intensity", exact=False, reference="cao2024crux")
def intensity(instance: PriorityInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Serve jobs by falling intensity I_j = W_j / t_j.

    Parameters
    ----------
    instance : PriorityInstance
        A matrix has no intensities: its jobs come by what they gain by being first less what the
        others gain by being before them.
    limits : Limits
        Unused.
    rng : numpy.random.Generator
        Unused.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, section 4.2, doi:10.1145/3651890.3672239.
    """
    return feasible_answer(instance.ranking)
