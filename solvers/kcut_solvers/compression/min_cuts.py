"""min-cuts: steepest ascent by minimum cuts, proven by the cover the last flow leaves."""

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
from kcut.ascent import Drain, Step, ascend, improve
from kcut.push_relabel import drain as push_relabel
from kcut.start import merged_layers
from kcut_solvers.ortools_flow import drain as or_tools

ENGINES: dict[str, Drain] = {"push-relabel": push_relabel, "or-tools": or_tools}

PARAMS = {
    "start": Param(
        "longest-path",
        "levels to start from: merged longest-path layers, then single jobs moved; or 0 for all, "
        "which passes the optimum for every number of levels",
        choices=("longest-path", "zero"),
    ),
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
    instance: CompressionInstance,
    *,
    limits: Limits,
    rng: np.random.Generator,
    start: str,
    flow: str,
) -> Answer:
    """Raise or lower the set of jobs that gains most, found as a minimum cut, until none gains.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        The time limit is checked between cuts.
    rng : numpy.random.Generator
        Unused: the method is deterministic.
    start : {'longest-path', 'zero'}
    flow : {'push-relabel', 'or-tools'}
        The maximum-flow engine.

    Returns
    -------
    Answer
        Optimal, with a cover that proves it. At the time limit: the levels reached, feasible.

    Notes
    -----
    From 0 at most K-1 cuts, and one flow for the cover; from other levels as many as the largest
    rise and the largest fall of a job, and two. See `kcut.ascent`.

    References
    ----------
    Murota & Shioura, Exact bounds for steepest descent algorithms of L-convex function
    minimization, Operations Research Letters 42(5), 2014, doi:10.1016/j.orl.2014.06.005.
    Picard, Maximal closure of a graph and applications to combinatorial problems, Management
    Science 22(11), 1976, doi:10.1287/mnsc.22.11.1268.
    """
    started = time.perf_counter()
    if start == "zero":
        steps = ascend(instance, instance.levels, covers=False, drain=ENGINES[flow])
    else:
        steps = improve(instance, merged_layers(instance), polish=True, drain=ENGINES[flow])
    incumbents = []
    step: Step | None = None
    try:
        for step in steps:
            seconds = time.perf_counter() - started
            limits.on_incumbent(step.levels)
            if limits.time_s is not None:
                incumbents.append(Incumbent(seconds, cut_value(instance, step.levels)))
                if seconds > limits.time_s:
                    break
    except SolverError as error:
        return no_answer(Termination.SKIPPED, str(error))
    assert step is not None
    done = step.cover is not None
    return Answer(
        Claim.OPTIMAL if done else Claim.FEASIBLE,
        step.levels,
        certificate=step.cover,
        termination=Termination.FINISHED if done else Termination.TIME_LIMIT,
        detail=f"{step.num_cuts} cuts",
        incumbents=tuple(incumbents),
    )
