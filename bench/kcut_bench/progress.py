"""Progress of long work: a live bar on a terminal, a plain line now and then elsewhere."""

from __future__ import annotations

import sys
import time
from collections import Counter
from types import TracebackType
from typing import Self

PLAIN_EVERY_S = 10.0


class Progress:
    """Counts what is done, by verdict, and estimates when all is; writes to stderr.

    Parameters
    ----------
    what : str
        What is being worked on.
    total : int
        Number of steps.
    """

    def __init__(self, what: str, total: int) -> None:
        self.what = what
        self.total = total
        self.done = 0
        self.verdicts: Counter[str] = Counter()
        self._started = self._told = time.monotonic()
        self._told_done = 0
        self._live = sys.stderr.isatty() and total > 0

    def __enter__(self) -> Self:
        if self._live:
            self._open_bar()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._bar.stop()
        elif kind is None and self._told_done not in (0, self.done):
            self._say()

    def step(self, verdict: str = "") -> None:
        """Count one step, with its verdict if it has one."""
        self.done += 1
        if verdict:
            self.verdicts[verdict] += 1
        if self._live:
            self._bar.update(self._task, advance=1, counts=self._counts())
        elif time.monotonic() - self._told >= PLAIN_EVERY_S:
            self._told, self._told_done = time.monotonic(), self.done
            self._say()

    def _open_bar(self) -> None:
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )
        from rich.progress import Progress as Bar

        self._bar = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[counts]}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self.what, total=self.total, counts="")
        self._bar.start()

    def _counts(self) -> str:
        return ", ".join(f"{count} {verdict}" for verdict, count in sorted(self.verdicts.items()))

    def _say(self) -> None:
        elapsed = time.monotonic() - self._started
        left = elapsed / self.done * (self.total - self.done)
        parts = [f"{self.done} of {self.total}", self._counts(), f"{elapsed:.0f} s"]
        # The first runs wait for compilation and say little about the rest.
        parts.append(f"about {left:.0f} s left" if 5 <= self.done < self.total else "")
        print(f"{self.what}: " + ", ".join(p for p in parts if p), file=sys.stderr, flush=True)
