"""A host of isolated runs: reads them from standard input, one a line, and writes their rows.

It is what a worker of a cluster talks to: workers may be threads, daemons and anything else that
may not fork, a host is a plain process. When its worker is gone it goes too, with all its runs.
"""

from __future__ import annotations

import os
import queue
import subprocess
import sys
import threading
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import msgspec

from kcut_bench import environment
from kcut_bench.plan import PlannedRun
from kcut_bench.record import RunRecord
from kcut_bench.sources import package_digest

PACKAGES = ("kcut", "kcut_solvers", "kcut_instances", "kcut_bench")


@dataclass(frozen=True, slots=True)
class Request:
    """A run for a host.

    Attributes
    ----------
    run : PlannedRun
    content : bytes or None
        The file of its instance, which need not be there where the host is.
    warm_up : list of PlannedRun
        One for each variant of a solver that will come.
    identity : dict
        See `identity`; a host that is another refuses.
    """

    run: PlannedRun
    content: bytes | None
    warm_up: list[PlannedRun]
    identity: dict[str, str]


@dataclass(frozen=True, slots=True)
class Reply:
    """What a host answers: a row, or why there is none."""

    row: RunRecord | None
    refusal: str = ""


@cache
def identity() -> dict[str, str]:
    """Return what results depend on: versions of packages, digests of our sources."""
    digests = {f"{name} (sources)": package_digest(name)[:16] for name in PACKAGES}
    return {**environment.versions(), **digests}


def carry_out(request: bytes) -> bytes:
    """Have a run carried out by the host of this thread; executed by a worker of a cluster.

    Raises
    ------
    RuntimeError
        If the host died.
    """
    host = _host()
    assert host.stdin is not None
    assert host.stdout is not None
    try:
        host.stdin.write(request + b"\n")
        host.stdin.flush()
        line = host.stdout.readline()
    except OSError:
        line = b""
    if not line:
        host.kill()
        del _local.host
        raise RuntimeError("the host of the run died")
    return bytes(line)


def stop_hosts() -> None:
    """End all hosts of this worker with their runs."""
    for host in _hosts:
        host.kill()


_local = threading.local()
_hosts: list[subprocess.Popen[bytes]] = []


def _host() -> subprocess.Popen[bytes]:
    """Return the host of this thread, started when it is first needed."""
    host: subprocess.Popen[bytes] | None = getattr(_local, "host", None)
    if host is None or host.poll() is not None:
        path = os.pathsep.join(filter(None, sys.path))
        host = subprocess.Popen(
            [sys.executable, "-m", "kcut_bench.host"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,
        )
        _local.host = host
        _hosts.append(host)
    return host


def main() -> None:
    """Answer requests until standard input ends, and then leave at once."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    waiting: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(waiting,), daemon=True).start()
    while True:
        reply = _answer(msgspec.json.decode(waiting.get(), type=Request))
        replies.write(msgspec.json.encode(reply) + b"\n")
        replies.flush()


def _listen(waiting: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        waiting.put(line)
    # Nobody is left to answer. Runs die with this process, and its janitor clears up.
    os._exit(0)


def _answer(request: Request) -> Reply:
    from kcut_bench.isolate import LocalProcesses
    from kcut_bench.scratch import new_folder

    ours = identity()
    for name, theirs in request.identity.items():
        if ours.get(name) != theirs:
            where = os.uname().nodename
            return Reply(None, f"{where} has {name} {ours.get(name)}, the sweep {theirs}")
    run = request.run
    if request.content is not None and run.recipe.path is not None:
        path = new_folder("file-") / Path(run.recipe.path).name
        path.write_bytes(request.content)
        run = replace(run, recipe=replace(run.recipe, path=str(path)))
    rows: list[RunRecord] = []
    executor = LocalProcesses(also=tuple(request.warm_up))
    executor.run_all([run], 1, lambda run, row: rows.append(row))
    return Reply(rows[0])


if __name__ == "__main__":
    main()
