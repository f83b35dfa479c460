"""min-cuts: steepest ascent by at most K-1 minimum cuts, proven by the cover the flow leaves."""

from __future__ import annotations

import time

import numpy as np

from kcut import (
    Answer,
    Claim,
    CompressionInstance,
    Incumbent,
    Limits,
    Param,
    SolverError,
    Termination,
    cut_value,
    no_answer,
    solver,
)
from kcut.ascent import Drain, Step, ascend
from kcut.push_relabel import drain as push_relabel
from kcut_solvers.ortools_flow import drain as or_tools

ENGINES: dict[str, Drain] = {"push-relabel": push_relabel, "or-tools": or_tools}

PARAMS = {
    "flow": Param("push-relabel", "the maximum-flow engine", choices=tuple(ENGINES)),
}


@solver(
    "compression",
    "min-cuts",
    exact=True,
    params=PARAMS,
    reference="murota2014 picard1976 goldberg1988",
)
def min_cuts(
    instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator, flow: str
) -> Answer:
    """Raise the set of jobs that gains most, found as a minimum cut, until nothing gains.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        The time limit is checked between cuts.
    rng : numpy.random.Generator
        Unused: the method is deterministic.
    flow : {'push-relabel', 'or-tools'}
        The maximum-flow engine.

    Returns
    -------
    Answer
        Optimal, with a cover that proves it. At the time limit: levels that are optimal for
        fewer levels, and a cover that bounds the gap.

    Notes
    -----
    K-1 maximum flows at most, each warm-started; see `kcut.ascent`.

    References
    ----------
    Murota & Shioura, Exact bounds for steepest descent algorithms of L-convex function
    minimization, Operations Research Letters 42(5), 2014, doi:10.1016/j.orl.2014.06.005.
    Picard, Maximal closure of a graph and applications to combinatorial problems, Management
    Science 22(11), 1976, doi:10.1287/mnsc.22.11.1268.
    """
    started = time.perf_counter()
    incumbents = []
    step: Step | None = None
    try:
        for step in ascend(
            instance, instance.levels, covers=limits.time_s is not None, drain=ENGINES[flow]
        ):
            if limits.time_s is None:
                continue
            seconds = time.perf_counter() - started
            incumbents.append(Incumbent(seconds, cut_value(instance, step.levels)))
            if seconds > limits.time_s:
                break
    except SolverError as error:
        return no_answer(Termination.SKIPPED, str(error))
    assert step is not None
    done = step.finished or step.num_levels == instance.levels
    return Answer(
        Claim.OPTIMAL if done else Claim.FEASIBLE,
        step.levels,
        certificate=step.cover,
        termination=Termination.FINISHED if done else Termination.TIME_LIMIT,
        detail=f"{step.num_levels - 1} cuts",
        incumbents=tuple(incumbents),
    )
