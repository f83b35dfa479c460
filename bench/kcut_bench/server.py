"""The server that runs are forked from: what is imported and compiled there, none has to."""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import sys
import types
from collections.abc import Iterator
from multiprocessing import forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path

from kcut_bench import CACHE_VARIABLE, WARM_UP_VARIABLE, numba_cache
from kcut_bench.plan import PlannedRun
from kcut_bench.worker import THREAD_VARIABLES

_running: list[tuple[int, Path | None]] = []
"""The threads and the cache of the server that runs, if one does."""


def start(runs: list[PlannedRun], cache: Path | None) -> None:
    """Start the server, unless one that suits these runs is there.

    Parameters
    ----------
    runs : list of PlannedRun
        Their solvers are warmed up, and the fewest threads any of them may use are what libraries
        that count them when they are loaded get.
    cache : Path or None
        Numba's cache directory; cleared if its files are not as they were left.
    """
    suits = (min((run.threads for run in runs), default=1), cache)
    if _running and _running[0] != suits:
        stop()
    if not _running and cache is not None:
        numba_cache.prepare(cache)
    context().set_forkserver_preload(["kcut_bench.preload"])
    with _environment(runs, *suits), without_main():
        forkserver.ensure_running()
    _running[:] = [suits]


def finish(cache: Path | None) -> None:
    """Seal what the runs have compiled beside what was warm."""
    if cache is not None:
        numba_cache.seal(cache)


def stop() -> None:
    """End the server; the next `start` starts another."""
    # There is no public way; this one is what CPython's own tests use.
    forkserver._forkserver._stop()  # type: ignore[attr-defined]
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
def _environment(runs: list[PlannedRun], threads: int, cache: Path | None) -> Iterator[None]:
    """Tell the server about threads, cache and warm-up; restore the environment afterwards."""
    variants = {json.dumps([run.solver, run.params]) for run in runs}
    ours = dict.fromkeys(THREAD_VARIABLES, str(threads))
    ours[WARM_UP_VARIABLE] = f"[{', '.join(sorted(variants))}]"
    if cache is not None:
        ours[numba_cache.DIRECTORY_VARIABLE] = ours[CACHE_VARIABLE] = str(cache.absolute())
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
