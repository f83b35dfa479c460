"""Leave nothing behind: kill what works below a folder, and remove the folder.

Also a program of its own, started beside a sweep: it waits until the sweep is gone, however that
came about, and clears the folders it was told of. It imports the standard library alone.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sys
import time
from pathlib import Path

NAME = r"kcut-[0-9a-f]{8}|s"
"""What the folder of a process is called, and the one for its sockets."""
ATTEMPTS = 50
"""How often to look for processes again; those that fork meanwhile are found the next time."""


def processes_below(folder: Path) -> list[int]:
    """Return the ids of all processes that work in a folder or below it (Linux; else none).

    A process inherits where it works, so this finds what a run started even if it left the run's
    session, as long as it did not go elsewhere.
    """
    found = []
    inside = str(folder.resolve())
    try:
        entries = os.listdir("/proc")
    except OSError:
        return []
    for entry in entries:
        if entry.isdecimal():
            with contextlib.suppress(OSError):
                where = os.readlink(f"/proc/{entry}/cwd")
                if where == inside or where.startswith((inside + os.sep, inside + " (deleted)")):
                    found.append(int(entry))
    return found


def descendants(pid: int) -> list[int]:
    """Return the ids of all living processes that descend from one (Linux; else none)."""
    children: dict[int, list[int]] = {}
    try:
        entries = os.listdir("/proc")
    except OSError:
        return []
    for entry in entries:
        if entry.isdecimal():
            with contextlib.suppress(OSError, ValueError, IndexError):
                stat = Path(f"/proc/{entry}/stat").read_text(encoding="utf-8", errors="replace")
                # The name before them may hold spaces and brackets.
                state, parent = stat.rpartition(")")[2].split()[:2]
                if state != "Z":
                    children.setdefault(int(parent), []).append(int(entry))
    found, unseen = [], [pid]
    while unseen:
        below = children.get(unseen.pop(), [])
        found += below
        unseen += below
    return found


def kill_descendants(pid: int) -> None:
    """Kill all that a process started, itself or through others.

    That is all only if the process adopts the children of those that end (a subreaper).
    """
    for _ in range(ATTEMPTS):
        left = descendants(pid)
        if not left:
            return
        for each in left:
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)
        time.sleep(0.005)


def clear(folder: Path) -> None:
    """Kill all processes that work below a folder, and remove it."""
    for _ in range(ATTEMPTS):
        left = [pid for pid in processes_below(folder) if pid != os.getpid()]
        if not left:
            break
        for pid in left:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.005)
    shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Read folders, one a line, until standard input ends; then clear them."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    folders = [line.rstrip("\n") for line in sys.stdin if line.endswith("\n")]
    for folder in folders:
        # A line may be cut short by the end of its writer; what it names then is not ours.
        if re.fullmatch(NAME, Path(folder).name):
            clear(Path(folder))


if __name__ == "__main__":
    main()
