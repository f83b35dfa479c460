"""Imported once by the server that runs are forked from: what all of them need is there then.

Solver libraries are imported, never called: one that started threads before the fork would hang
after it. The Numba cores start none, so they are compiled here.
"""

from __future__ import annotations

import contextlib
import importlib

LIBRARIES = (
    "highspy",
    "networkx",
    "ortools.graph.python.max_flow",
    "ortools.graph.python.min_cost_flow",
    "ortools.sat.python.cp_model",
    "pulp",
    "scipy.optimize",
)


def _prepare() -> None:
    for name in (*LIBRARIES, "kcut_bench.worker", "kcut_instances"):
        # What is missing is reported by the run that needs it.
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    with contextlib.suppress(Exception):
        _compile_cores()


def _compile_cores() -> None:
    """Warm Crux up in every variant: that compiles, or loads, the Numba cores of `kcut`."""
    from kcut.registry import get_solver
    from kcut_bench.run import warm_up

    crux = get_solver("crux", ("compression",))
    defaults = {name: param.default for name, param in crux.params.items()}
    for name, param in crux.params.items():
        for choice in param.choices:
            warm_up(crux, {**defaults, name: choice})


_prepare()
