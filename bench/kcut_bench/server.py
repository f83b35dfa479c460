"""The server that runs are forked from: what is imported and compiled there, none has to."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import shutil
import sys
import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path

from kcut_bench import PARENT_VARIABLE, WARM_UP_VARIABLE, numba_cache
from kcut_bench.plan import PlannedRun
from kcut_bench.scratch import new_folder
from kcut_bench.worker import THREAD_VARIABLES


@dataclass(frozen=True, slots=True)
class _Server:
    """The server that runs: for how many threads, where it keeps what it compiles, what it does."""

    threads: int
    cache: Path
    warm_up: str


_running: list[_Server] = []


def start(runs: list[PlannedRun]) -> None:
    """Start the server, unless one that suits these runs is there.

    Parameters
    ----------
    runs : list of PlannedRun
        Their solvers are warmed up, and the fewest threads any of them may use are what libraries
        that count them when they are loaded get.
    """
    threads = min((run.threads for run in runs), default=1)
    if _running and _running[0].threads != threads:
        stop()
    variants = {json.dumps([run.problem, run.solver, run.params]) for run in runs}
    warm_up = f"[{', '.join(sorted(variants))}]"
    if _running:
        _running[0] = replace(_running[0], warm_up=warm_up)
    else:
        cache = new_folder("cache-")
        numba_cache.borrow(cache)
        _running.append(_Server(threads, cache, warm_up))
    context().set_forkserver_preload(["kcut_bench.follow", "kcut_bench.preload"])
    ensure()


def ensure() -> int | None:
    """Start the server again if it died; return the id of its process.

    Raises
    ------
    RuntimeError
        If none was started before.
    """
    if not _running:
        raise RuntimeError("no server of runs")
    with _environment(_running[0]), without_main():
        forkserver.ensure_running()
    # There is no public way to tell one server from the next.
    pid: int | None = getattr(forkserver._forkserver, "_forkserver_pid", None)
    return pid


def finish() -> None:
    """Keep what the runs have compiled for the next sweep."""
    for server in _running:
        numba_cache.publish(server.cache)


def stop() -> None:
    """End the server; the next `start` starts another."""
    # There is no public way; this one is what CPython's own tests use.
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
    for server in _running:
        shutil.rmtree(server.cache, ignore_errors=True)
    _running.clear()


def context() -> ForkServerContext:
    """Return the context in which processes are forked from the server."""
    return multiprocessing.get_context("forkserver")


@contextlib.contextmanager
def without_main() -> Iterator[None]:
    """Keep new processes from importing the program that is running, which no run needs."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


@contextlib.contextmanager
def _environment(server: _Server) -> Iterator[None]:
    """Tell the server about threads, cache and warm-up; restore the environment afterwards."""
    ours = dict.fromkeys(THREAD_VARIABLES, str(server.threads))
    ours[WARM_UP_VARIABLE] = server.warm_up
    ours[PARENT_VARIABLE] = str(os.getpid())
    ours[numba_cache.DIRECTORY_VARIABLE] = str(server.cache)
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
