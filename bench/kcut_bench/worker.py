"""What happens inside the process of one run: generate, warm up, solve, check, report."""

from __future__ import annotations

import contextlib
import ctypes
import os
import resource
import signal
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection

import msgspec

from kcut.answer import Termination, Verdict, no_answer
from kcut.judge import Judgement
from kcut.registry import get_solver
from kcut.views import state
from kcut_bench.outcome import facts_of, finished_row, utc_now
from kcut_bench.plan import PlannedRun
from kcut_bench.record import RunRecord
from kcut_bench.run import run_solver
from kcut_bench.simulation import worth_of

Report = Callable[[str, object], None]
_PR_SET_PDEATHSIG = 1


def execute(run: PlannedRun, report: Report) -> RunRecord:
    """Carry out a planned run.

    Parameters
    ----------
    run : PlannedRun
    report : callable
        Told ``(phase, content)`` as it happens: ``facts`` with the `Facts` of the instance, then
        ``solve`` and ``check`` with None.

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
    for name, size, most in (
        ("jobs", facts.num_jobs, run.max_jobs),
        ("edges", facts.num_edges, run.max_edges),
    ):
        if most is not None and size > most:
            reason = f"{size:,} {name}, more than max_{name} = {most:,}"
            answer = no_answer(Termination.SKIPPED, reason)
            judgement = Judgement(Verdict.UNVERIFIABLE, reason=reason)
            return finished_row(run, facts, answer, judgement, started_at=started_at)
    solver = get_solver(run.solver, (run.problem,))
    answer, judgement, timings = run_solver(
        instance,
        solver,
        run.params,
        run.limits,
        run.seed,
        on_phase=lambda phase: report(phase, None),
    )
    usage = resource.getrusage(resource.RUSAGE_SELF)
    unit = 1 if sys.platform == "darwin" else 1024
    peak = usage.ru_maxrss * unit
    return finished_row(
        run,
        facts,
        answer,
        judgement,
        started_at=started_at,
        timings=timings,
        peak_rss_bytes=peak,
        worth=worth_of(made, instance, None if judgement.value is None else answer.solution),
    )


def child_main(pipe: Connection, payload: bytes) -> None:
    """Entry point of a run's process: read the plan, carry it out, send the row.

    Messages are a kind and a content, as JSON, one after the other.
    """
    _detach()

    def report(kind: str, content: object) -> None:
        pipe.send_bytes(kind.encode() + b"\n" + msgspec.json.encode(content))

    try:
        row = execute(msgspec.json.decode(payload, type=PlannedRun), report)
        report("row", row)
    except Exception as error:
        report("error", " ".join(f"{type(error).__name__}: {error}".split()))


def _detach() -> None:
    """Be a session of one's own, die with the harness, and keep native chatter off the terminal."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, 1)
    os.dup2(silence, 2)
    os.close(silence)
