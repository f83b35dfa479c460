"""CP-SAT run so that its answer can be trusted: no gap, one worker, integers only."""

from __future__ import annotations

import importlib
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import Answer, Claim, Incumbent, Limits, Termination, no_answer

Values = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Problem:
    """A minimisation model, and how to read it.

    Attributes
    ----------
    model : CpModel
    variables : list
        Those whose values matter.
    decode : callable
        From their values, int64, to a solution.
    value : callable
        From a solution to its exact value in the problem's own sense.
    offset : int
        A maximisation problem's value is ``offset`` minus the model's objective, a minimisation
        problem's the objective plus ``offset``.
    minimise : bool
        Whether the problem itself is a minimisation problem.
    """

    model: Any
    variables: list[Any]
    decode: Callable[[Values], Values]
    value: Callable[[Values], int]
    offset: int
    minimise: bool = False


def load() -> Any:
    """Import CP-SAT (0.3 s) when a model is about to be built."""
    return importlib.import_module("ortools.sat.python.cp_model")


def solve(problem: Problem, limits: Limits, rng: np.random.Generator, started: float) -> Answer:
    """Run CP-SAT on a problem stated as a minimisation model.

    Parameters
    ----------
    problem : Problem
    limits : Limits
        Building counts towards the time. The effort is CP-SAT's deterministic time. More than one
        thread makes runs unrepeatable.
    rng : numpy.random.Generator
        Gives the seed.
    started : float
        `time.perf_counter` when the solver was called.

    Returns
    -------
    Answer
        With every incumbent's exact value, and the bound CP-SAT proved in integers. Its float
        objective is not read: it is off above 2^53, and 0 where nothing was found.
    """
    build_s = time.perf_counter() - started
    invalid = problem.model.validate()
    if invalid:
        return no_answer(Termination.SKIPPED, "CP-SAT: " + " ".join(invalid.split())[:200])
    cp_model: Any = load()
    solver = cp_model.CpSolver()
    parameters = solver.parameters
    parameters.num_workers = limits.threads
    parameters.random_seed = int(rng.integers(2**31 - 1))
    parameters.relative_gap_limit = 0.0
    parameters.absolute_gap_limit = 0.0
    # Its handler swallows Ctrl-C, and takes Python's away for good.
    parameters.catch_sigint_signal = False
    if limits.memory_bytes is not None:
        parameters.max_memory_in_mb = max(1, limits.memory_bytes // 2**20)
    if limits.time_s is not None:
        if build_s >= limits.time_s:
            return no_answer(Termination.TIME_LIMIT, f"building the model took {build_s:.1f} s")
        parameters.max_time_in_seconds = limits.time_s - build_s
    if limits.effort_s is not None:
        parameters.max_deterministic_time = limits.effort_s
    incumbents: list[Incumbent] = []

    class Watch(cp_model.CpSolverSolutionCallback):  # type: ignore[misc]
        """Note each solution's exact value as it is found."""

        def on_solution_callback(self) -> None:
            found = np.array([self.value(x) for x in problem.variables], np.int64)
            seconds = time.perf_counter() - started
            solution = problem.decode(found)
            limits.on_incumbent(solution)
            incumbents.append(Incumbent(seconds, problem.value(solution)))

    status = _interruptibly(solver, problem.model, Watch())
    name = solver.status_name(status)
    if status not in (cp_model.OPTIMAL, cp_model.FEASIBLE):
        unknown = status == cp_model.UNKNOWN
        ended = Termination.TIME_LIMIT if unknown else Termination.CRASHED
        return replace(no_answer(ended, name), build_s=build_s)
    values = np.array([solver.value(x) for x in problem.variables], np.int64)
    proven = status == cp_model.OPTIMAL
    least = max(0, int(solver.response_proto.inner_objective_lower_bound))
    return Answer(
        Claim.OPTIMAL if proven else Claim.FEASIBLE,
        problem.decode(values),
        problem.offset + least if problem.minimise else problem.offset - least,
        termination=Termination.FINISHED if proven else Termination.TIME_LIMIT,
        detail=name,
        incumbents=tuple(incumbents),
        build_s=build_s,
    )


def _interruptibly(solver: Any, model: Any, watch: Any) -> Any:
    """Solve in a thread, so that Ctrl-C reaches Python at once and ends the search."""
    with ThreadPoolExecutor(1) as thread:
        solving = thread.submit(solver.solve, model, watch)
        try:
            return solving.result()
        except KeyboardInterrupt:
            solver.stop_search()
            raise
