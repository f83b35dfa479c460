"""Isolation: every run in a process of its own, killed when it overstays, lost without trace never.

An `Executor` turns planned runs into rows, whatever it runs them on.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import signal
import sys
import time
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import connection, forkserver
from multiprocessing.process import BaseProcess
from typing import Protocol

import msgspec

from kcut.answer import Termination
from kcut_bench import WARM_UP_VARIABLE
from kcut_bench.outcome import Facts, lost_row, utc_now
from kcut_bench.plan import PlannedRun
from kcut_bench.record import RunRecord
from kcut_bench.worker import child_main

OnRow = Callable[[PlannedRun, RunRecord], None]
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


class Executor(Protocol):
    """Turns every planned run into exactly one row."""

    def run_all(self, plans: Iterable[PlannedRun], workers: int, on_row: OnRow) -> None:
        """Carry out all runs, `workers` at a time; call `on_row` here for each that ends."""
        ...


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Wall-clock seconds that the phases of a run may take before it is killed.

    Attributes
    ----------
    prepare_s : float
        To have the instance.
    warm_up_s : float
        To compile and import, beside the solver's time limit.
    grace_s : float
        Beyond the solver's time limit.
    check_s : float
        To certify and verify the answer.
    """

    prepare_s: float = 600.0
    warm_up_s: float = 60.0
    grace_s: float = 5.0
    check_s: float = 600.0

    def of(self, phase: str, time_s: float | None) -> float | None:
        """Return the seconds from the beginning of a phase to the kill; None for never."""
        if phase in ("prepare", "check"):
            return self.prepare_s if phase == "prepare" else self.check_s
        extra = self.grace_s if phase == "solve" else self.warm_up_s + self.grace_s
        return None if time_s is None else time_s + extra


@dataclass(slots=True, eq=False)
class _Child:
    """A run on its way."""

    run: PlannedRun
    process: BaseProcess
    pipe: connection.Connection
    deadlines: Deadlines
    started_at: str
    phase: str = "prepare"
    since: float = field(default_factory=time.monotonic)
    facts: Facts | None = None
    row: RunRecord | None = None

    @property
    def deadline(self) -> float | None:
        """When to kill it, on the monotonic clock."""
        allowed = self.deadlines.of(self.phase, self.run.time_s)
        return None if allowed is None else self.since + allowed

    def enter(self, phase: str) -> None:
        """Begin a phase."""
        self.phase, self.since = phase, time.monotonic()

    def lost(self, termination: Termination, detail: str) -> RunRecord:
        """Return the row of a run that ended without one."""
        return lost_row(self.run, self.facts, termination, detail, self.started_at)


@dataclass(frozen=True, slots=True)
class LocalProcesses:
    """Runs in processes of this machine, forked from a server that has everything imported.

    Attributes
    ----------
    deadlines : Deadlines
    """

    deadlines: Deadlines = Deadlines()

    def run_all(self, plans: Iterable[PlannedRun], workers: int, on_row: OnRow) -> None:
        """Carry out all runs; if interrupted, kill those on their way and leave no row of them."""
        runs = list(plans)
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["kcut_bench.preload"])
        with _environment_of_runs(runs), _without_main():
            forkserver.ensure_running()
        waiting = iter(runs)
        active: list[_Child] = []
        try:
            while True:
                while len(active) < workers and (run := next(waiting, None)) is not None:
                    active.append(self._start(context, run))
                if not active:
                    return
                _wait(active)
                for child in list(active):
                    row = _advance(child)
                    if row is not None:
                        active.remove(child)
                        on_row(child.run, row)
        finally:
            for child in active:
                _end(child)

    def _start(self, context: multiprocessing.context.ForkServerContext, run: PlannedRun) -> _Child:
        here, there = context.Pipe(duplex=False)
        payload = msgspec.json.encode(run)
        process = context.Process(target=child_main, args=(there, payload), daemon=False)
        with _without_main():
            process.start()
        there.close()
        return _Child(run, process, here, self.deadlines, utc_now())


def _wait(active: list[_Child]) -> None:
    """Sleep until a run says something, ends, or has to be killed."""
    deadlines = [child.deadline for child in active if child.deadline is not None]
    timeout = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
    connection.wait([w for c in active for w in (c.pipe, c.process.sentinel)], timeout)


def _advance(child: _Child) -> RunRecord | None:
    """Take in what a run says; return its row once it is over."""
    # Whether it is alive is asked before reading, so that nothing said before its end is missed.
    alive = child.process.exitcode is None
    try:
        while child.row is None and child.pipe.poll():
            _hear(child, child.pipe.recv_bytes())
    except (EOFError, OSError):
        alive = False
    if child.row is None and alive:
        if child.deadline is None or time.monotonic() < child.deadline:
            return None
        waited = time.monotonic() - child.since
        phase = child.phase
        _end(child)
        return child.lost(Termination.KILLED, f"killed after {waited:.1f} s in phase {phase}")
    _end(child)
    return child.row or child.lost(Termination.CRASHED, _last_words(child.process.exitcode))


def _hear(child: _Child, message: bytes) -> None:
    kind, _, content = message.partition(b"\n")
    if kind == b"facts":
        child.facts = msgspec.json.decode(content, type=Facts)
        child.enter("warm-up")
    elif kind == b"row":
        child.row = msgspec.json.decode(content, type=RunRecord)
    elif kind == b"error":
        child.row = child.lost(Termination.CRASHED, msgspec.json.decode(content, type=str))
    else:
        child.enter(kind.decode())


def _end(child: _Child) -> None:
    """End a run with everything it started, and wait until its process is gone."""
    if child.row is not None:
        # It has said all it has to say; leaving takes it a moment.
        child.process.join(child.deadlines.grace_s)
    pid = child.process.pid
    assert pid is not None
    # The run leads a group of its own: whatever it started is in it, even if the run is gone.
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if child.process.exitcode is None:
        with contextlib.suppress(ProcessLookupError):
            child.process.kill()
    child.process.join()
    child.pipe.close()


def _last_words(exitcode: int | None) -> str:
    if exitcode is not None and exitcode < 0:
        with contextlib.suppress(ValueError):
            return f"process died of {signal.Signals(-exitcode).name}"
    return f"process died with exit code {exitcode}"


@contextlib.contextmanager
def _without_main() -> Iterator[None]:
    """Keep new processes from importing the program that is running, which no run needs."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextlib.contextmanager
def _environment_of_runs(runs: list[PlannedRun]) -> Iterator[None]:
    """Let what is started meanwhile use one thread, and know which solvers to warm up.

    A solver that may use more threads asks its library for them.
    """
    variants = {json.dumps([run.solver, run.params]) for run in runs}
    ours = dict.fromkeys(THREAD_VARIABLES, "1")
    ours[WARM_UP_VARIABLE] = f"[{', '.join(sorted(variants))}]"
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
