"""What the exact path solvers share: warm start, bound, components, the answer of the parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from kcut import Answer, Claim, Incumbent, Limits, Termination, no_answer
from kcut.path_objectives import evaluate
from kcut.path_symmetry import components
from kcut.paths import Choice, PathsInstance
from kcut_solvers.paths.local_search import local_search
from kcut_solvers.paths_model import MODELLED, PathsModel, build_model
from kcut_solvers.pigeonhole_lp import PigeonholeBound, strengthen

WARM_SHARE, WARM_S, WARM_RUNS, WARM_STEPS = 0.1, 1.0, 8, 200
"""The warm start may take this share of the time limit, no longer than that, or so many runs of so
many steps a flow."""

BOUND_SHARE = 0.2
"""So much of the time limit the linear program of the bound may take."""


@dataclass(frozen=True, slots=True)
class Part:
    """What a solver made of the model of some jobs.

    Attributes
    ----------
    choice : Choice or None
        Of all flows; those of other jobs as in the hint.
    bound : int
        A lower bound on the part's own objective; 0 where there is none.
    proven : bool
        The solver says the choice is optimal.
    detail : str
    incumbents : tuple of (seconds since the start, Choice)
    """

    choice: Choice | None
    bound: int
    proven: bool
    detail: str
    incumbents: tuple[tuple[float, Choice], ...] = ()


SolvePart = Callable[[PathsModel, Limits, np.random.Generator], Part]
"""Solve a model within limits that count from the call."""


def solve_exactly(
    instance: PathsInstance, limits: Limits, rng: np.random.Generator, solve_part: SolvePart
) -> Answer:
    """Warm start, bound, split and solve.

    Parameters
    ----------
    instance : PathsInstance
    limits : Limits
    rng : numpy.random.Generator
    solve_part : callable

    Returns
    -------
    Answer
        For contention with the certificate of the pigeonhole bound: where that equals the value,
        it is the proof. Otherwise a claim of optimality rests on the solver's bound, which nothing
        outside the solver checks.
    """
    if instance.objective not in MODELLED:
        reason = f"no exact model of {instance.objective}, only of {', '.join(MODELLED)}"
        return no_answer(Termination.SKIPPED, reason)
    started = time.perf_counter()
    warm_s = None if limits.time_s is None else min(WARM_S, WARM_SHARE * limits.time_s)
    steps = WARM_STEPS * max(1, instance.num_flows)
    warm = local_search(
        instance, limits=replace(limits, time_s=warm_s), rng=rng, rounds=WARM_RUNS, steps=steps
    )
    if warm.solution is None:
        return warm
    best = warm.solution.astype(np.int64)
    value = evaluate(instance, best)
    incumbents = [*warm.incumbents]
    known: PigeonholeBound | None = None
    if instance.objective == "contention":
        share = None if limits.time_s is None else BOUND_SHARE * limits.time_s
        known = strengthen(instance, time_s=share)
    certificate = None if known is None else known.certificate
    least = 0 if known is None else known.bound
    if least == value:
        return Answer(
            Claim.OPTIMAL,
            best,
            least,
            certificate,
            incumbents=tuple(incumbents),
            detail="warm start meets the pigeonhole bound",
            build_s=time.perf_counter() - started,
        )
    groups = components(instance) if instance.objective == "contention" else None
    rows = [] if known is None else known.rows
    total, proven, details = 0, True, []
    build_s = time.perf_counter() - started
    for jobs in groups or [list(range(instance.num_jobs))]:
        left = None
        if limits.time_s is not None:
            left = limits.time_s - (time.perf_counter() - started)
            if left <= 0:
                proven = False
                break
        begun = time.perf_counter()
        inside = set(jobs)
        model = build_model(instance, jobs, best, rows=[r for r in rows if inside >= set(r.jobs)])
        part = solve_part(model, replace(limits, time_s=left), rng)
        total, proven = total + part.bound, proven and part.proven
        details.append(part.detail)
        for seconds, choice in (*part.incumbents, (None, part.choice)):
            if choice is None or instance.infeasibility(choice) is not None:
                continue
            reached = evaluate(instance, choice)
            if reached < value:
                best, value = choice, reached
                at = time.perf_counter() - started if seconds is None else begun - started + seconds
                incumbents.append(Incumbent(at, value))
    least = max(least, min(total, value))
    optimal = proven and least == value
    return Answer(
        Claim.OPTIMAL if optimal else Claim.FEASIBLE,
        best,
        least,
        certificate,
        termination=Termination.FINISHED if optimal else Termination.TIME_LIMIT,
        detail=", ".join(sorted(set(details))),
        incumbents=tuple(incumbents),
        build_s=build_s,
    )
