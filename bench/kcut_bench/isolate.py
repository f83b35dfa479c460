"""Isolation: every run in a process of its own, killed when it overstays, lost without trace never.

An `Executor` turns planned runs into rows, whatever it runs them on.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from multiprocessing import connection
from typing import Protocol

from kcut_bench import server
from kcut_bench.child import DEADLINES, Child, Deadlines
from kcut_bench.plan import PlannedRun
from kcut_bench.record import RunRecord
from kcut_bench.scratch import Scratch

OnRow = Callable[[PlannedRun, RunRecord], None]


class Executor(Protocol):
    """Turns every planned run into exactly one row."""

    def run_all(self, plans: Iterable[PlannedRun], workers: int, on_row: OnRow) -> None:
        """Carry out all runs, `workers` at a time; call `on_row` here for each that ends."""
        ...


@dataclass(frozen=True, slots=True)
class LocalProcesses:
    """Runs in processes of this machine, forked from a server that has everything imported.

    Attributes
    ----------
    deadlines : Deadlines
    also : tuple of PlannedRun
        Runs that may come later, whose solvers are warmed up at once.
    """

    deadlines: Deadlines = DEADLINES
    also: tuple[PlannedRun, ...] = ()

    def run_all(self, plans: Iterable[PlannedRun], workers: int, on_row: OnRow) -> None:
        """Carry out all runs; if interrupted, kill those on their way and leave no row of them."""
        runs = list(plans)
        server.start([*runs, *self.also])
        waiting = iter(runs)
        active: list[Child] = []
        with Scratch() as scratch:
            try:
                while True:
                    while len(active) < workers and (run := next(waiting, None)) is not None:
                        active.append(Child(run, scratch, self.deadlines))
                    if not active:
                        break
                    _wait(active)
                    for child in list(active):
                        row = child.advance()
                        if row is not None:
                            active.remove(child)
                            on_row(child.run, row)
            finally:
                for child in active:
                    child.abandon()
        server.finish()


def _wait(active: list[Child]) -> None:
    """Sleep until a run says something, ends, or has to be killed."""
    deadlines = [child.deadline for child in active if child.deadline is not None]
    timeout = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
    connection.wait([source for child in active for source in child.sources], timeout)
