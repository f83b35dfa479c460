"""What the exact path solvers share: warm start, bound, components, the answer of the parts."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from kcut import Answer, Claim, Incumbent, Limits, Termination, no_answer
from kcut.path_objectives import evaluate
from kcut.path_symmetry import components
from kcut.paths import Choice, PathsInstance
from kcut_solvers.paths.local_search import local_search
from kcut_solvers.paths_model import MODELLED, PathsModel, build_model
from kcut_solvers.pigeonhole_lp import Row, strengthen
from kcut_solvers.pigeonhole_tree import prove_by_cases

WARM_SHARE, WARM_S, WARM_RUNS, WARM_STEPS = 0.1, 1.0, 8, 200
"""The warm start may take this share of the time limit, no longer than that, or so many runs of so
many steps a flow."""

BOUND_SHARE, CASES_SHARE = 0.2, 0.1
"""So much of the time limit the linear program of the bound may take, and proving it by cases."""

FIRST_CASES, LAST_CASES = 100, 500
"""So many cases are tried before the exact model is solved, and once its optimum is known."""


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


@dataclass(slots=True)
class _State:
    """What is known so far: the best choice, the best bound, and what proves it."""

    instance: PathsInstance
    limits: Limits
    best: Choice
    value: int
    incumbents: list[Incumbent]
    started: float
    least: int = 0
    certificate: NDArray[np.int64] | None = None

    def left_s(self) -> float | None:
        """Return the time that is left; None without a limit."""
        if self.limits.time_s is None:
            return None
        return self.limits.time_s - (time.perf_counter() - self.started)

    def share_s(self, share: float) -> float | None:
        """Return a share of the time limit; None without one."""
        return None if self.limits.time_s is None else share * self.limits.time_s

    def offer(self, choice: Choice, seconds: float | None) -> None:
        """Take a choice as the best if it is; found so many seconds after the start, or now."""
        if self.instance.infeasibility(choice) is not None:
            return
        reached = evaluate(self.instance, choice)
        if reached < self.value:
            self.best, self.value = choice, reached
            at = time.perf_counter() - self.started if seconds is None else seconds
            self.incumbents.append(Incumbent(at, reached))
            self.limits.on_incumbent(choice)

    def prove(self, time_s: float | None, max_cases: int) -> None:
        """Raise the certified bound by cases, if it is short of the value."""
        if self.certificate is None or self.least >= self.value:
            return
        cases = prove_by_cases(self.instance, self.value, time_s=time_s, max_cases=max_cases)
        if cases.bound > self.least:
            self.certificate, self.least = cases.certificate, cases.bound

    def answer(self, detail: str, build_s: float) -> Answer:
        """Return the answer: optimal where the bound is the value."""
        optimal = self.least == self.value
        return Answer(
            Claim.OPTIMAL if optimal else Claim.FEASIBLE,
            self.best,
            self.least,
            self.certificate,
            termination=Termination.FINISHED if optimal else Termination.TIME_LIMIT,
            detail=detail,
            incumbents=tuple(self.incumbents),
            build_s=build_s,
        )


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
        For contention with the certificate of the pigeonhole bound, by cases where one does not
        reach: where that equals the value, it is the proof. Otherwise a claim of optimality rests
        on the solver's bound, which nothing outside the solver checks.
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
    state = _State(instance, limits, best, value, [*warm.incumbents], started)
    rows: list[Row] = []
    groups = [list(range(instance.num_jobs))]
    if instance.objective == "contention":
        known = strengthen(instance, time_s=state.share_s(BOUND_SHARE))
        state.certificate, state.least, rows = known.certificate, known.bound, known.rows
        state.prove(state.share_s(CASES_SHARE), FIRST_CASES)
        groups = components(instance) or groups
    build_s = time.perf_counter() - started
    if state.least == value:
        return state.answer("warm start meets the pigeonhole bound", build_s)
    solver_bound, proven, details = _solve_parts(state, groups, rows, solve_part, rng)
    if proven or state.value < value:
        state.prove(state.left_s(), LAST_CASES)
    state.least = max(state.least, min(solver_bound, state.value))
    return state.answer(", ".join(sorted(details)), build_s)


def _solve_parts(
    state: _State,
    groups: list[list[int]],
    rows: list[Row],
    solve_part: SolvePart,
    rng: np.random.Generator,
) -> tuple[int, bool, set[str]]:
    """Solve the model of each group of jobs; return the sum of the bounds, and how it went."""
    total, proven = 0, True
    least = state.least if state.instance.objective == "contention" else None
    details: set[str] = set()
    for jobs in groups:
        left = state.left_s()
        if left is not None and left <= 0:
            return total, False, details
        begun = time.perf_counter() - state.started
        inside = set(jobs)
        model = build_model(
            state.instance,
            jobs,
            state.best,
            rows=[r for r in rows if inside >= set(r.jobs)],
            least=least if len(groups) == 1 else None,
        )
        part = solve_part(model, replace(state.limits, time_s=left), rng)
        total, proven = total + part.bound, proven and part.proven
        details.add(part.detail)
        for seconds, choice in part.incumbents:
            state.offer(choice, begun + seconds)
        if part.choice is not None:
            state.offer(part.choice, None)
    return total, proven, details
