"""Imported once by the server that runs are forked from: what all of them need is there then.

Libraries that start threads are imported, never called: after a fork they would hang. The Numba
cores and OR-tools' graph algorithms start none, so the solvers made of them are warmed up here.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
from pathlib import Path

from kcut.registry import families, solvers
from kcut_bench import WARM_UP_VARIABLE, numba_cache

LIBRARIES = (
    "highspy",
    "networkx",
    "ortools.graph.python.max_flow",
    "ortools.graph.python.min_cost_flow",
    "ortools.sat.python.cp_model",
    "pulp",
    "scipy.optimize",
)
SAFE_SOLVERS = {
    "compression": ("crux", "min-cuts", "min-cost-flow", "longest-path", "sincronia", "varys"),
    "paths": ("crux", "ecmp", "enumerate", "local-search", "taccl-star"),
    "priority": (
        "bssi",
        "crux",
        "crux-all-pairs",
        "enumerate",
        "intensity",
        "leveller-style",
        "local-search",
        "sebf",
        "taccl-star",
    ),
    "time-shifts": ("cassini", "enumerate", "none"),
}


def _prepare() -> None:
    # Ctrl-C reaches the whole group. It is for the sweep to end this server, not for imports.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in (*LIBRARIES, "kcut_bench.worker", "kcut_instances"):
        # What is missing is reported by the run that needs it.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    with contextlib.suppress(Exception):
        # Looking for plug-ins takes longer than many a run.
        solvers(), families()
        _compile_cores()
        numba_cache.publish(Path(os.environ[numba_cache.DIRECTORY_VARIABLE]))
    # What is there now stays; a collection after the fork would only copy its pages.
    gc.collect()
    gc.freeze()


def _compile_cores() -> None:
    """Warm up the checks, and the planned solvers that call no library with threads of its own."""
    from kcut.registry import get_solver
    from kcut_bench.run import warm_up, warm_up_checks

    warm_up_checks()
    for problem, name, params in json.loads(os.environ.get(WARM_UP_VARIABLE, "[]")):
        if name in SAFE_SOLVERS.get(problem, ()):
            warm_up(get_solver(name, (problem,)), params)


_prepare()
