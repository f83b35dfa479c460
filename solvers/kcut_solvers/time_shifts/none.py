"""No time shifts: all jobs begin at once."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Claim, Limits, solver
from kcut.time_shifts import TimeShiftsInstance


@solver("time-shifts", "none", exact=False, reference="rajasekaran2024cassini")
def none(instance: TimeShiftsInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Shift nobody: what any shifts have to beat.

    Parameters
    ----------
    instance : TimeShiftsInstance
    limits : Limits
        Unused.
    rng : numpy.random.Generator
        Unused.

    References
    ----------
    Rajasekaran, Ghobadi & Akella, CASSINI: Network-Aware Job Scheduling in Machine Learning
    Clusters, NSDI 2024.
    """
    return Answer(Claim.FEASIBLE, np.zeros(instance.num_jobs, np.int64))
