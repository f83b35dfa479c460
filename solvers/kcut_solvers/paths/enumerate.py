"""Path selection by trying every choice: for any objective, on tiny instances."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np

from kcut import Answer, Claim, Incumbent, Limits, Param, Termination, no_answer, solver
from kcut.path_objectives import evaluate
from kcut.paths import PathsInstance

PARAMS = {"most": Param(100_000, "instances with more choices are skipped", minimum=1)}


@solver("paths", "enumerate", exact=True, params=PARAMS)
def enumerate_all(
    instance: PathsInstance, *, limits: Limits, rng: np.random.Generator, most: int
) -> Answer:
    """Try every choice of paths.

    Parameters
    ----------
    instance : PathsInstance
    limits : Limits
        The time limit is checked between choices.
    rng : numpy.random.Generator
        Unused.
    most : int

    Returns
    -------
    Answer
        Optimal, the first of the best in lexicographic order, unless the time is over before.
    """
    started = time.perf_counter()
    options = np.where(instance.active, instance.cluster.routes.num_candidates, 1).tolist()
    num_choices = math.prod(options)
    if num_choices > most:
        return no_answer(Termination.SKIPPED, f"{num_choices:.3g} choices, more than most = {most}")
    sign = 1 if instance.maximise else -1
    best, value, incumbents = None, 0, []
    for candidates in itertools.product(*map(range, options)):
        seconds = time.perf_counter() - started
        if limits.time_s is not None and seconds > limits.time_s:
            break
        choice = np.array(candidates, np.int64)
        if instance.infeasibility(choice) is not None:
            continue
        reached = evaluate(instance, choice)
        if best is None or sign * reached > sign * value:
            best, value = choice, reached
            incumbents.append(Incumbent(seconds, value))
            limits.on_incumbent(best)
    else:
        if best is None:
            return Answer(Claim.INFEASIBLE)
        return Answer(Claim.OPTIMAL, best, value, incumbents=tuple(incumbents))
    if best is None:
        return no_answer(Termination.TIME_LIMIT, "no choice tried in time")
    return Answer(
        Claim.FEASIBLE, best, termination=Termination.TIME_LIMIT, incumbents=tuple(incumbents)
    )
