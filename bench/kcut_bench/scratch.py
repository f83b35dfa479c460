"""A folder for each run, removed with all that works in it, even if the sweep is killed."""

from __future__ import annotations

import contextlib
import functools
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from multiprocessing import util
from pathlib import Path
from types import TracebackType
from typing import Self

from kcut_bench import janitor

PREFIX = "kcut-"


@dataclass(frozen=True, slots=True)
class Usage:
    """What the processes of a run used until now.

    Attributes
    ----------
    cpu_s : float or None
        Processor seconds since they began, those of children they waited for included.
    peak_rss_bytes : int or None
        Sum of the peaks of the processes.
    """

    cpu_s: float | None = None
    peak_rss_bytes: int | None = None


class Scratch:
    """The folder of a sweep's runs, which is cleared even if the sweep is killed."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix=PREFIX)).resolve()
        clear_at_the_end(self.folder)
        # Where multiprocessing keeps its sockets; it removes that itself unless it is killed.
        clear_at_the_end(Path(util.get_temp_dir()))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: object, trace: TracebackType | None
    ) -> None:
        janitor.clear(self.folder)

    def new_folder(self) -> Path:
        """Make the folder of a run."""
        return Path(tempfile.mkdtemp(dir=self.folder))

    @staticmethod
    def discard(folder: Path) -> None:
        """Kill what still works in a run's folder, and remove it."""
        janitor.clear(folder)


def clear_at_the_end(folder: Path) -> None:
    """Have the janitor of this process clear a folder once this process is gone."""
    stdin = _janitor(os.getpid()).stdin
    assert stdin is not None
    stdin.write(f"{folder}\n")
    stdin.flush()


@functools.cache
def _janitor(pid: int) -> subprocess.Popen[str]:
    """Start the janitor of the process `pid`, which is this one, once."""
    return subprocess.Popen(
        [sys.executable, "-I", "-S", janitor.__file__],
        stdin=subprocess.PIPE,
        cwd="/",
        start_new_session=True,
        text=True,
    )


def usage_below(folder: Path) -> Usage:
    """Return what the processes that work below a folder used; nothing where /proc is missing."""
    cpu_s, peak = 0.0, 0
    pids = janitor.processes_below(folder)
    for pid in pids:
        with contextlib.suppress(OSError, ValueError, IndexError):
            stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
            # utime, stime, cutime, cstime; the name before them may hold spaces.
            ticks = sum(map(int, stat.rpartition(")")[2].split()[11:15]))
            cpu_s += ticks / os.sysconf("SC_CLK_TCK")
            for line in Path(f"/proc/{pid}/status").read_text(encoding="utf-8").splitlines():
                if line.startswith("VmHWM:"):
                    peak += int(line.split()[1]) * 1024
    return Usage(cpu_s, peak) if pids else Usage()
