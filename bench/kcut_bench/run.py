"""One run of one solver: warm-up, solve, certify and verify, each timed apart."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from kcut.answer import Answer, Claim, Limits, Termination, Verdict, no_answer
from kcut.cluster import Cluster, Flow, Job, Link
from kcut.compression import CompressionInstance, cut_value, infeasibility
from kcut.judge import Judgement, judge
from kcut.linear_order import Gains
from kcut.priority import PriorityInstance
from kcut.registry import PROBLEM_PARAMS, Solver, get_solver
from kcut.views import Stated, own_params, state
from kcut_bench import numba_cache
from kcut_bench.answers import malformation, normalised

WARM_UP_S = 5.0
CERTIFY_S = 20.0
"""Longest search for a certificate of an order that is claimed to be best."""
SPECIMEN = (
    [0, 0, 1, 1, 1, 2, 2, 2, 4],
    [2, 3, 2, 3, 5, 3, 4, 6, 6],
    [2, 4, 1, 2, 2, 3, 1, 4, 2],
)
"""Edges on which merged layers are not optimal, and min-cuts steps up as well as down."""
MATRIX = ([0, 5, 0, 1], [0, 0, 5, 0], [5, 0, 0, 5], [0, 5, 0, 0])
"""Gains with two circles."""
COMPILED_SHARE = 0.01
"""The share of a call that compiling may take before the call is made again."""
_warm: set[tuple[str, str, str]] = set()


@dataclass(frozen=True, slots=True)
class Timings:
    """Wall-clock seconds of the parts of a run, and processor seconds of the call; None if unknown.

    Attributes
    ----------
    build_s
        The part of `solve_s` that built a model, where the solver can tell.
    solve_s
        The whole call of the solver, after warm-up.
    certify_s
        Making a certificate for a claim of optimality that came without one.
    verify_s
        Checking the answer.
    cpu_s
        Of this process and of those it waited for, during the call.
    """

    build_s: float | None = None
    solve_s: float | None = None
    certify_s: float | None = None
    verify_s: float | None = None
    cpu_s: float | None = None


NOT_TIMED = Timings()


def run_solver(
    instance: Stated,
    solver: Solver,
    params: Mapping[str, Any],
    limits: Limits,
    seed: int,
    *,
    on_phase: Callable[[str], None] = lambda _: None,
    confine: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext,
) -> tuple[Answer, Judgement, Timings]:
    """Run a solver on an instance and check what it answers.

    Parameters
    ----------
    instance : CompressionInstance or another that a problem states
        As `kcut.views.state` makes it from the problem and the parameters.
    solver : Solver
    params : mapping of str to value
        Complete, as `kcut.params.complete` returns them.
    limits : Limits
        Told to the solver, which honours them as well as it can.
    seed : int
        Of the solver's random generator.
    on_phase : callable, optional
        Told ``solve`` after the warm-up and ``check`` after the solver returned.
    confine : callable, optional
        Makes the context in which the solver is called, beyond what it is told.

    Returns
    -------
    answer : Answer
        What the solver answered; one that raised or answered nonsense has no solution.
    judgement : Judgement
    timings : Timings

    Notes
    -----
    Never raises on account of the solver. Just-in-time compilation and imports happen in the
    warm-up, on a tiny instance with the same parameters, once per process; a call that had to
    compile something all the same is made again, and the second one counts. A claim of optimality
    without a proof is certified here, outside the solver, and refuted where a better solution
    exists.
    """
    warm_up(solver, params)
    # The young alone: a full collection takes longer than many a run.
    gc.collect(1)
    on_phase("solve")
    with confine():
        returned, solve_s, cpu_s, compile_s = _timed_call(solver, instance, params, limits, seed)
    if compile_s > COMPILED_SHARE * solve_s:
        on_phase("solve")
        with confine():
            returned, solve_s, cpu_s, _ = _timed_call(solver, instance, params, limits, seed)
    on_phase("check")
    problem = malformation(returned)
    if problem is not None:
        answer = no_answer(Termination.FINISHED, problem)
        judgement = Judgement(Verdict.REJECTED, reason=f"malformed answer: {problem}")
        return answer, judgement, Timings(solve_s=solve_s, cpu_s=cpu_s)
    answer = normalised(returned)
    started = time.perf_counter()
    judgement = judge(instance, answer, solver.problem)
    verify_s, certify_s = time.perf_counter() - started, None
    if answer.claim is Claim.OPTIMAL and judgement.verdict is Verdict.UNVERIFIABLE:
        started = time.perf_counter()
        answer, judgement = _certify(instance, answer, judgement, solver.problem)
        certify_s = time.perf_counter() - started
    return answer, judgement, Timings(answer.build_s, solve_s, certify_s, verify_s, cpu_s)


def warm_up(solver: Solver, params: Mapping[str, Any]) -> None:
    """Run a solver once on a tiny instance, so that it is compiled and imported."""
    key = (solver.problem, solver.name, json.dumps(dict(params), sort_keys=True))
    if key in _warm:
        return
    _warm.add(key)
    specimens = _specimens(solver.problem, params)
    own = own_params(solver.problem, params)
    for _ in range(2):
        try:
            for tiny in specimens:
                answer = solver.solve(
                    tiny, limits=Limits(WARM_UP_S), rng=np.random.default_rng(0), **own
                )
                judge(tiny, answer, solver.problem)
            return
        except Exception as error:
            # A broken cache is cleared; whatever else goes wrong here goes wrong again in the run
            # itself, and is recorded there.
            if not (numba_cache.looks_broken(error) and numba_cache.clear()):
                return


def warm_up_checks() -> None:
    """Certify and refute once, on the instance of the warm-up, so that all of it is compiled."""
    tiny = CompressionInstance.from_edges(7, *SPECIMEN, levels=2, name="tiny")
    lie = Answer(Claim.OPTIMAL, np.zeros(7, np.int64))
    _certify(tiny, lie, judge(tiny, lie), "compression")


def _specimens(problem: str, params: Mapping[str, Any]) -> list[Stated]:
    if problem not in PROBLEM_PARAMS:
        return [CompressionInstance.from_edges(7, *SPECIMEN, levels=2, name="tiny")]
    links = [Link(f"{a}>{b}", a, b, 1.0) for a, b in ("sa", "sb", "at", "bt")]
    jobs = [Job(f"j{i}", 1, 1.0, 1.0 + i, (Flow("s", "t", 1.0),) * 2) for i in range(3)]
    specimens = [state(Cluster.build(links, jobs, levels=2, name="tiny"), problem, params)]
    if problem == "priority":
        specimens.append(PriorityInstance(matrix=Gains.from_matrix(MATRIX)))
    return specimens


def _timed_call(
    solver: Solver,
    instance: Stated,
    params: Mapping[str, Any],
    limits: Limits,
    seed: int,
) -> tuple[Any, float, float, float]:
    """Return what the solver returned, and the seconds: wall clock, processor, compiling."""
    from numba.core import event

    with event.install_recorder("numba:compiler_lock") as compilations:
        processor, started = processor_seconds(), time.perf_counter()
        returned = _call(solver, instance, params, limits, seed)
        solve_s, cpu_s = time.perf_counter() - started, processor_seconds() - processor
    compile_s, depth, entered = 0.0, 0, 0.0
    for moment, happened in compilations.buffer:
        depth += 1 if happened.is_start else -1
        if happened.is_start and depth == 1:
            entered = moment
        elif depth == 0:
            compile_s += moment - entered
    return returned, solve_s, cpu_s, compile_s


def _call(
    solver: Solver,
    instance: Stated,
    params: Mapping[str, Any],
    limits: Limits,
    seed: int,
) -> Any:
    try:
        own = own_params(solver.problem, params)
        return solver.solve(instance, limits=limits, rng=np.random.default_rng(seed), **own)
    except MemoryError as error:
        return no_answer(Termination.MEMORY_LIMIT, str(error) or "out of memory")
    except Exception as error:
        message = " ".join(f"{type(error).__name__}: {error}".split())
        # How Python says that there is no room for a thread's stack.
        starved = isinstance(error, RuntimeError) and "can't start new thread" in message
        return no_answer(Termination.MEMORY_LIMIT if starved else Termination.CRASHED, message)


def _certify(
    instance: Stated,
    answer: Answer,
    judgement: Judgement,
    problem: str,
) -> tuple[Answer, Judgement]:
    """Prove a claim of optimality, or refute it."""
    levels = answer.solution
    if isinstance(instance, PriorityInstance) and instance.objective == "gains":
        return _certify_order(instance, answer, judgement)
    if not isinstance(instance, CompressionInstance):
        return answer, judgement
    if problem != "compression" or levels is None or infeasibility(instance, levels) is not None:
        return answer, judgement
    from kcut_solvers.certify import cover_from_levels

    try:
        cover = cover_from_levels(instance, levels.astype(np.int64))
        if cover is not None:
            answer = replace(answer, certificate=cover)
            return answer, judge(instance, answer, problem)
        return answer, _refute(instance, levels, judgement)
    except MemoryError:
        reason = "claims to be optimal, but memory does not suffice to certify it"
        return answer, replace(judgement, reason=reason)


def _certify_order(
    instance: PriorityInstance, answer: Answer, judgement: Judgement
) -> tuple[Answer, Judgement]:
    """Prove that no order gains more, or refute it by one that does."""
    from kcut_solvers.lop_proof import Proof

    order = answer.solution
    if order is None or instance.infeasibility(order) is not None:
        return answer, judgement
    proof = Proof(instance.gains, order.astype(np.int64), time.perf_counter() + CERTIFY_S)
    value = proof.value
    proof.relax()
    proof.branch()
    if proof.value > value:
        reason = f"claims that {value} is optimal, but an order has {proof.value}"
        return answer, replace(judgement, verdict=Verdict.REJECTED, reason=reason)
    if answer.certificate is not None and not proof.closed:
        return answer, judgement
    answer = replace(answer, certificate=proof.certificate)
    return answer, judge(instance, answer, "priority")


def _refute(instance: CompressionInstance, levels: Any, judgement: Judgement) -> Judgement:
    """Reject levels that are claimed optimal and have no cover, by showing better ones."""
    exact = get_solver("min-cuts", ("compression",))
    better = _call(exact, instance, {n: p.default for n, p in exact.params.items()}, Limits(), 0)
    if better.solution is None:
        return judgement
    found = judge(instance, Answer(Claim.FEASIBLE, better.solution))
    if found.verdict is Verdict.REJECTED:
        return judgement
    if cut_value(instance, better.solution) <= cut_value(instance, levels):
        return judgement
    reason = f"claims that {judgement.value} is optimal, but min-cuts finds {found.value}"
    return replace(judgement, verdict=Verdict.REJECTED, reason=reason)


def processor_seconds() -> float:
    """Return the processor seconds of this process and of the children it waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system
