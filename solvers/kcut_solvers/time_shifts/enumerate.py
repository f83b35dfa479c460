"""Time shifts by trying all of them, on tiny instances."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np

from kcut import Answer, Claim, Incumbent, Limits, Param, Termination, no_answer, solver
from kcut.fluid_setup import contending_groups
from kcut.time_shift_bounds import certificate_of, link_optima
from kcut.time_shifts import TimeShiftsInstance, total_excess

PARAMS = {"most": Param(100_000, "instances with more shifts are skipped", minimum=1)}


@solver("time-shifts", "enumerate", exact=True, params=PARAMS, reference="rajasekaran2024cassini")
def enumerate_all(
    instance: TimeShiftsInstance, *, limits: Limits, rng: np.random.Generator, most: int
) -> Answer:
    """Try all shifts of each group of jobs that meet, the first job of the group standing still.

    Parameters
    ----------
    instance : TimeShiftsInstance
    limits : Limits
        The time limit is checked between shifts.
    rng : numpy.random.Generator
        Unused.
    most : int

    Returns
    -------
    Answer
        Optimal, the first of the best in lexicographic order, unless the time is over before.

    Notes
    -----
    Turning a whole group changes nothing, so one of its jobs, that of the longest period, need not
    move.
    """
    started = time.perf_counter()
    period = instance.circle.period
    groups = contending_groups(instance.num_jobs, instance.cluster.num_links, instance.sent)
    moving = [jobs[np.arange(len(jobs)) != int(np.argmax(period[jobs]))] for jobs in groups]
    count = sum(math.prod(period[jobs].tolist()) for jobs in moving)
    if count > most:
        return no_answer(Termination.SKIPPED, f"{count:.3g} shifts, more than most = {most}")
    best = np.zeros(instance.num_jobs, np.int64)
    value = total_excess(instance, best)
    incumbents = [Incumbent(time.perf_counter() - started, value)]
    ended, claim = Termination.FINISHED, Claim.OPTIMAL
    for jobs in moving:
        shifts = best.copy()
        for own in itertools.product(*map(range, period[jobs].tolist())):
            seconds = time.perf_counter() - started
            if limits.time_s is not None and seconds > limits.time_s:
                ended, claim = Termination.TIME_LIMIT, Claim.FEASIBLE
                break
            shifts[jobs] = own
            reached = total_excess(instance, shifts)
            if reached < value:
                best, value = shifts.copy(), reached
                limits.on_incumbent(best)
                incumbents.append(Incumbent(seconds, value))
    return Answer(
        claim,
        best,
        value if claim is Claim.OPTIMAL else None,
        certificate_of(link_optima(instance)),
        termination=ended,
        incumbents=tuple(incumbents),
    )
