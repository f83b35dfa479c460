"""A run on its way, seen from outside: what it says, when it must end, what becomes of it."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection

import msgspec

from kcut.answer import Termination
from kcut_bench import janitor, server
from kcut_bench.memory import OUT_OF_MEMORY
from kcut_bench.outcome import Facts, Lost, utc_now
from kcut_bench.plan import PlannedRun
from kcut_bench.record import RunRecord
from kcut_bench.scratch import Scratch, usage_below
from kcut_bench.worker import LENGTH_BYTES, Task, child_main

_LAST_WORDS = 4096  # bytes of standard error that are kept
_CHUNK = 65536
_CHUNKS_AT_ONCE = 256
_LONGEST_MESSAGE = 2**31
_ATTEMPTS = 1
"""How often a run is started once more whose server died, which need not be its fault."""
_FORKS = 3
_SERVER_GONE = 255  # what multiprocessing says where nobody is left to say it
_EXIT_S = 1.0  # a process that has sent its row leaves at once


@dataclass(frozen=True, slots=True)
class Deadlines:
    """Wall-clock seconds that the phases of a run may take before it is killed.

    Attributes
    ----------
    prepare_s : float
        To have the instance.
    warm_up_s : float
        To compile and import.
    grace_s : float
        Beyond the solver's time limit.
    check_s : float
        To certify and verify the answer.
    """

    prepare_s: float = 600.0
    warm_up_s: float = 120.0
    grace_s: float = 1.0
    check_s: float = 600.0

    def of(self, phase: str, time_s: float | None) -> float | None:
        """Return the seconds from the beginning of a phase to the kill; None for never."""
        if phase == "solve":
            return None if time_s is None else time_s + self.grace_s
        return {"prepare": self.prepare_s, "warm-up": self.warm_up_s, "check": self.check_s}[phase]


DEADLINES = Deadlines()


class Child:
    """A run on its way: a process, what it has said, and what it may still do.

    Parameters
    ----------
    run : PlannedRun
    scratch : Scratch
        Where its folder is made.
    deadlines : Deadlines
    """

    def __init__(self, run: PlannedRun, scratch: Scratch, deadlines: Deadlines) -> None:
        self.run = run
        self.deadlines = deadlines
        self._folder = scratch.new_folder()
        self._facts: Facts | None = None
        self._started_at = utc_now()
        self._attempts = _ATTEMPTS
        self._start(None)

    def _start(self, lost: Lost | None) -> None:
        """Start a process, to carry out the run or to save what it left."""
        self._lost = lost
        self._row: RunRecord | None = None
        self._heard = bytearray()
        self._errors = b""
        self._cpu_s = 0.0
        for left in reversed(range(_FORKS)):
            try:
                self._fork(lost)
                return
            except (EOFError, OSError):
                if not left or not self._server_died():
                    raise

    def _fork(self, lost: Lost | None) -> None:
        """Have the server fork the process; raise EOFError or OSError if it dies meanwhile."""
        self._enter("prepare")
        self._server = server.ensure()
        context = server.context()
        self._pipe, there = context.Pipe(duplex=False)
        self._stderr, errors = context.Pipe(duplex=False)
        for end in (self._pipe, self._stderr):
            os.set_blocking(end.fileno(), False)
        payload = msgspec.json.encode(Task(self.run, str(self._folder), lost))
        self._process = context.Process(target=child_main, args=(there, errors, payload))
        with there, errors, server.without_main():
            self._process.start()

    def _server_died(self) -> bool:
        """Whether the server that this process was forked from is gone, and all it forked."""
        # Its files are closed a moment before the system tells that it ended.
        deadline = time.monotonic() + _EXIT_S
        while server.ensure() == self._server:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
        return True

    @property
    def deadline(self) -> float | None:
        """When to kill it, on the monotonic clock."""
        allowed = self.deadlines.of(self._phase, self.run.time_s)
        return None if allowed is None else self._since + allowed

    @property
    def sources(self) -> list[Connection | int]:
        """What becomes ready when there is something to hear."""
        open_ones = [c for c in (self._pipe, self._stderr) if not c.closed]
        return [*open_ones, self._process.sentinel]

    def advance(self) -> RunRecord | None:
        """Take in what the run says; return its row once it is over."""
        # Whether it is alive is asked before reading, so that nothing said before is missed.
        alive = self._process.exitcode is None
        self._read_errors()
        try:
            alive = self._listen() and alive
        except (msgspec.MsgspecError, ValueError):
            # A solver may write to what it has not opened, as it may write anywhere in memory.
            return self._over(self._crash("something else than messages came from it"))
        if self._row is not None:
            self._end()
            return self._finish(self._row)
        if alive:
            if self.deadline is None or time.monotonic() < self.deadline:
                return None
            return self._over(self._kill())
        self._process.join(_EXIT_S)
        orphaned = self._process.exitcode == _SERVER_GONE
        lost = self._crash()
        if orphaned and self._server_died():
            if self._attempts > 0:
                self._attempts -= 1
                self._start(self._lost)
                return None
            lost = replace(lost, detail=f"the server of runs died: {lost.detail}")
        return self._over(lost)

    def abandon(self) -> None:
        """Kill the run and forget it."""
        self._end()
        Scratch.discard(self._folder)

    def _enter(self, phase: str) -> None:
        self._phase, self._since = phase, time.monotonic()

    def _listen(self) -> bool:
        """Take in the messages that are there, never waiting; return whether more may come."""
        for _ in range(_CHUNKS_AT_ONCE):
            try:
                chunk = os.read(self._pipe.fileno(), _CHUNK)
            except BlockingIOError:
                break
            except OSError:
                return False
            if not chunk:
                return False
            self._heard += chunk
            while self._row is None and (message := self._next_message()) is not None:
                self._hear(message)
        return True

    def _next_message(self) -> bytes | None:
        """Return the next message; None if it is not whole yet."""
        length = int.from_bytes(self._heard[:LENGTH_BYTES], "little")
        end = LENGTH_BYTES + length
        if len(self._heard) < LENGTH_BYTES:
            return None
        if length > _LONGEST_MESSAGE:
            raise ValueError("no message is so long")
        if len(self._heard) < end:
            return None
        message = bytes(self._heard[LENGTH_BYTES:end])
        del self._heard[:end]
        return message

    def _hear(self, message: bytes) -> None:
        kind, _, content = message.partition(b"\n")
        if kind == b"facts":
            self._facts = msgspec.json.decode(content, type=Facts)
            self._enter("warm-up")
        elif kind == b"row":
            self._row = msgspec.json.decode(content, type=RunRecord)
        elif kind == b"error":
            text = msgspec.json.decode(content, type=str)
            self._row = self._loss(Termination.CRASHED, text).row(self.run)
        elif kind in (b"solve", b"check"):
            self._cpu_s = msgspec.json.decode(content, type=float)
            self._enter(kind.decode())
        else:
            raise ValueError("no message begins so")

    def _read_errors(self) -> None:
        """Keep the end of what the run writes to standard error, and let it write on."""
        while not self._stderr.closed:
            try:
                chunk = os.read(self._stderr.fileno(), _CHUNK)
            except BlockingIOError:
                return
            if not chunk:
                self._stderr.close()
            self._errors = (self._errors + chunk)[-_LAST_WORDS:]

    def _kill(self) -> Lost:
        waited = time.monotonic() - self._since
        used = usage_below(self._folder)
        self._end()
        detail = f"killed after {waited:.1f} s in phase {self._phase}"
        lost = replace(self._loss(Termination.KILLED, detail), peak_rss_bytes=used.peak_rss_bytes)
        if self._phase != "solve":
            return lost
        cpu_s = None if used.cpu_s is None else max(0.0, used.cpu_s - self._cpu_s)
        return replace(lost, solve_s=waited, cpu_s=cpu_s)

    def _crash(self, why: str = "") -> Lost:
        self._read_errors()
        exitcode = self._process.exitcode
        self._end()
        words = [line.strip() for line in self._errors.decode(errors="replace").splitlines()]
        last = next((line for line in reversed(words) if line), "")
        detail = ": ".join(filter(None, (why or _exit_words(exitcode), last[:200])))
        starved = self.run.memory_bytes is not None
        starved = starved and any(words in self._errors for words in OUT_OF_MEMORY)
        return self._loss(Termination.MEMORY_LIMIT if starved else Termination.CRASHED, detail)

    def _loss(self, termination: Termination, detail: str) -> Lost:
        return Lost(termination, detail, self._started_at, self._facts)

    def _over(self, lost: Lost) -> RunRecord | None:
        """Save what a run left that sent no row, unless that was tried; else return its row."""
        worth_it = lost.termination in (Termination.KILLED, Termination.MEMORY_LIMIT)
        if self._lost is None and worth_it and self.run.keeps_incumbents and self._facts:
            self._start(lost)
            return None
        return self._finish((self._lost or lost).row(self.run))

    def _finish(self, row: RunRecord) -> RunRecord:
        Scratch.discard(self._folder)
        return row

    def _end(self) -> None:
        """End the process with everything it started, and wait until it is gone."""
        # Closed already, where an interrupt cut this short a moment ago.
        with contextlib.suppress(ValueError):
            self._end_process()
        self._pipe.close()
        self._stderr.close()

    def _end_process(self) -> None:
        pid = self._process.pid
        assert pid is not None
        if self._row is None and self._process.exitcode is None:
            janitor.kill_descendants(pid)
        # The run leads a group of its own: whatever it started is in it, even if the run is gone.
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        if self._process.exitcode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
        self._process.join()
        self._process.close()


def _exit_words(exitcode: int | None) -> str:
    if exitcode is None:
        return "process closed its connection and lived on"
    if exitcode < 0:
        with contextlib.suppress(ValueError):
            return f"process died of {signal.Signals(-exitcode).name}"
    return f"process died with exit code {exitcode}"
