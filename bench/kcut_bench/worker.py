"""What happens inside the process of one run: generate, warm up, solve, check, report."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing import forkserver, resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import msgspec

from kcut.answer import Answer, Claim, Incumbent, Termination, Verdict, no_answer
from kcut.judge import Judgement, judge
from kcut.registry import get_solver
from kcut.views import Stated, state
from kcut_bench import janitor
from kcut_bench.board import EVALUATE, Board, read_board
from kcut_bench.memory import confined, peak_rss_bytes
from kcut_bench.outcome import Facts, Lost, facts_of, finished_row, utc_now
from kcut_bench.paths_output import objectives_of
from kcut_bench.plan import PlannedRun
from kcut_bench.record import RunRecord
from kcut_bench.run import Timings, processor_seconds, run_solver
from kcut_bench.simulation import worth_of

Report = Callable[[str, object], None]
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "BLIS_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
"""HiGHS, CP-SAT and CBC are told by their solvers."""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
LENGTH_BYTES = 8
"""Every message begins with its length, little-endian in so many bytes."""


@dataclass(frozen=True, slots=True)
class Task:
    """What the process of a run is to do.

    Attributes
    ----------
    run : PlannedRun
    folder : str
        Its own, to work in.
    lost : Lost or None
        If given, the run was ended before; make its row of the best solution it left in `folder`.
    """

    run: PlannedRun
    folder: str
    lost: Lost | None = None


def execute(run: PlannedRun, report: Report, folder: Path | None = None) -> RunRecord:
    """Carry out a planned run.

    Parameters
    ----------
    run : PlannedRun
    report : callable
        Told ``(phase, content)`` as it happens: ``facts`` with the `Facts` of the instance, then
        ``solve`` and ``check`` with the processor seconds this process has used.
    folder : Path, optional
        Where the best solution is kept; without it, it is not kept.

    Returns
    -------
    RunRecord

    Raises
    ------
    InputError
        If the instance cannot be had.
    """
    started_at, started = utc_now(), time.perf_counter()
    made = run.recipe.make()
    instance = state(made, run.problem, run.params)
    facts = facts_of(instance, time.perf_counter() - started)
    report("facts", facts)
    skipped = _too_large(run, facts)
    if skipped is not None:
        judgement = Judgement(Verdict.UNVERIFIABLE, reason=skipped.detail)
        return finished_row(run, facts, skipped, judgement, started_at=started_at)
    solver = get_solver(run.solver, (run.problem,))
    limits, board = run.limits, None
    if folder is not None and run.problem in EVALUATE:
        board = Board(folder, instance, run.problem)
        limits = replace(limits, on_incumbent=board.offer)

    def on_phase(phase: str) -> None:
        if phase == "solve" and board is not None:
            board.start()
        report(phase, processor_seconds())

    answer, judgement, timings = run_solver(
        instance,
        solver,
        run.params,
        limits,
        run.seed,
        on_phase=on_phase,
        confine=lambda: confined(run.memory_bytes),
    )
    if folder is not None and run.keeps_incumbents and _ran_out_of_memory(answer):
        kept = _incumbent(run, instance, folder, answer.termination, answer.detail)
        if kept is not None:
            answer, judgement = kept, judge(instance, kept, run.problem)
    return finished_row(
        run,
        facts,
        answer,
        judgement,
        started_at=started_at,
        timings=timings,
        peak_rss_bytes=peak_rss_bytes(),
        worth=worth_of(made, instance, None if judgement.value is None else answer.solution),
        objectives=objectives_of(instance, answer, judgement),
    )


def salvage(run: PlannedRun, lost: Lost, folder: Path, report: Report) -> RunRecord:
    """Return the row of a run that was ended, with the best solution on its board, checked."""
    made = run.recipe.make()
    instance = state(made, run.problem, run.params)
    facts = lost.facts or facts_of(instance, None)
    report("facts", facts)
    answer = _incumbent(run, instance, folder, lost.termination, lost.detail)
    if answer is None:
        return lost.row(run)
    report("check", processor_seconds())
    judgement = judge(instance, answer, run.problem)
    if judgement.verdict is not Verdict.VERIFIED:
        return lost.row(run)
    return finished_row(
        run,
        facts,
        answer,
        judgement,
        started_at=lost.started_at,
        timings=Timings(solve_s=lost.solve_s, cpu_s=lost.cpu_s),
        peak_rss_bytes=lost.peak_rss_bytes,
        worth=worth_of(made, instance, answer.solution),
        objectives=objectives_of(instance, answer, judgement),
    )


def _too_large(run: PlannedRun, facts: Facts) -> Answer | None:
    for name, size, most in (
        ("jobs", facts.num_jobs, run.max_jobs),
        ("edges", facts.num_edges, run.max_edges),
    ):
        if most is not None and size > most:
            reason = f"{size:,} {name}, more than max_{name} = {most:,}"
            return no_answer(Termination.SKIPPED, reason)
    return None


def _ran_out_of_memory(answer: Answer) -> bool:
    return answer.termination is Termination.MEMORY_LIMIT and answer.solution is None


def _incumbent(
    run: PlannedRun,
    instance: Stated,
    folder: Path,
    termination: Termination,
    detail: str,
) -> Answer | None:
    """Return the answer that the board of a run stands for, if anything is on it."""
    found = read_board(folder)
    if found is None:
        return None
    levels, seconds = found
    value = EVALUATE[run.problem](instance, levels)
    if value is None:
        return None
    return Answer(
        Claim.FEASIBLE,
        levels,
        termination=termination,
        detail=detail,
        incumbents=(Incumbent(seconds, abs(value)),),
    )


def child_main(pipe: Connection, errors: Connection, payload: bytes) -> None:
    """Entry point of a run's process: read the task, carry it out, send the row.

    Messages are a kind and a content, as JSON, each with its length before it. What is written to
    standard error goes into `errors`.
    """
    task = msgspec.json.decode(payload, type=Task)
    _detach(task, errors)
    _let_go_of_server()
    out = open(pipe.fileno(), "wb", closefd=False)  # noqa: SIM115

    def report(kind: str, content: object) -> None:
        message = kind.encode() + b"\n" + msgspec.json.encode(content)
        out.write(len(message).to_bytes(LENGTH_BYTES, "little") + message)
        out.flush()

    folder = Path(task.folder)
    try:
        if task.lost is None:
            row = execute(task.run, report, folder)
        else:
            row = salvage(task.run, task.lost, folder, report)
        _kill_children()
        report("row", row)
    except Exception as error:
        report("error", " ".join(f"{type(error).__name__}: {error}".split()))
    # Whatever a library would still do at exit, or a thread it left would wait for, is over.
    os._exit(0)


def _detach(task: Task, errors: Connection) -> None:
    """Be a session of one's own in a folder of one's own, die with the harness, keep quiet."""
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(errors.fileno(), 2)
    os.close(silence)
    errors.close()
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            libc = ctypes.CDLL(None)
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
            # What leaves session and folder is then still found, by its parent.
            libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    os.chdir(task.folder)
    os.environ.update(dict.fromkeys(("TMPDIR", "TMP", "TEMP"), task.folder))
    tempfile.tempdir = task.folder
    # Libraries that are loaded already read these before; their solvers tell them.
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, str(task.run.threads)))


def _let_go_of_server() -> None:
    """Close what leads to the server of runs and its helper: a stray write there would end all.

    What a solver then starts with multiprocessing has a server and a tracker of its own.
    """
    # There is no public way; without these names nothing is closed.
    tracker: Any = resource_tracker._resource_tracker
    server: Any = forkserver._forkserver
    for holder, name in ((server, "_forkserver_alive_fd"), (tracker, "_fd")):
        number = getattr(holder, name, None)
        if isinstance(number, int):
            os.close(number)
            setattr(holder, name, None)
    tracker._pid = None


def _kill_children() -> None:
    """Kill what the solver left running; looking for it takes longer than many a run."""
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        janitor.kill_descendants(os.getpid())
