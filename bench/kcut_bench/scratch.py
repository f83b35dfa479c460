"""A folder for each run, removed with all that works in it, even if the sweep is killed."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import secrets
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from kcut_bench import janitor

PREFIX = "kcut-"
_LONGEST = 80
"""Of a folder for sockets: their names take 18 characters more, and 107 is all Linux allows."""


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
        self.folder = new_folder("runs-")

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


def new_folder(prefix: str) -> Path:
    """Make a temporary folder that is cleared when this process is gone, however that happens."""
    return Path(tempfile.mkdtemp(prefix=prefix, dir=_base(os.getpid())))


@functools.cache
def _base(pid: int) -> Path:
    """Make the folder of the process `pid`, which is this one, once, and hire its janitor."""
    folder = Path(tempfile.gettempdir()).resolve() / f"{PREFIX}{secrets.token_hex(4)}"
    # Sockets of multiprocessing too; it clears up after itself unless it is killed. A socket's
    # path must be short, and temporary folders of clusters are not.
    sockets = folder / "s"
    if len(str(sockets)) > _LONGEST:
        sockets = Path("/tmp") / folder.name
    hired = subprocess.Popen(
        [sys.executable, "-I", "-S", janitor.__file__],
        stdin=subprocess.PIPE,
        cwd="/",
        start_new_session=True,
        text=True,
    )
    _janitors.append(hired)
    # Told before the folder is there, so that there is no moment in which it could be left.
    assert hired.stdin is not None
    hired.stdin.write(f"{folder}\n{sockets}\n")
    hired.stdin.flush()
    folder.mkdir(mode=0o700)
    sockets.mkdir(mode=0o700)
    config: dict[str, str] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    config.setdefault("tempdir", str(sockets))
    return folder


_janitors: list[subprocess.Popen[str]] = []


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
