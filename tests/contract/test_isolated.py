"""Conformance: every solver on every kind of instance under every limit, as a sweep runs it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kcut.registry import solvers
from kcut_bench.isolate import LocalProcesses
from kcut_bench.plan import expand
from kcut_bench.spec import parse_spec
from tests.contract.instances import MISSING

SPEC = """
name = "conformance"
[[instances]]
family = "fig13"
[[instances]]
family = "random-dag"
levels = [1, 3, 50]
params = {num_jobs = 30, num_edges = 90}
[[instances]]
family = "random-dag"
levels = [4]
params = {num_jobs = 40, num_edges = 120, weights = "uniform"}
[[instances]]
family = "lingjun-cliques"
levels = [8]
params = {num_jobs = 12}
"""
LIMITS = {
    "none": {},
    "time": {"time_s": 20.0},
    "no time": {"time_s": 0.001},
    "memory": {"memory_bytes": 512 * 2**20},
    "little memory": {"memory_bytes": 2**20},
    "threads": {"threads": 2},
    "effort": {"effort_s": 0.01, "reproducible": True, "time_s": 20.0},
}
GENEROUS = ("none", "time", "memory", "threads")
SOLVERS = [s for p in ("compression", "max-k-cut") for s in solvers(p) if "dummy" not in s.name]


@pytest.fixture(scope="module")
def rows():
    """Carry out all of it, two runs at a time."""
    text = SPEC + "".join(f'[[solvers]]\nname = "{s.name}"\n' for s in SOLVERS)
    plans = expand(parse_spec(text, "conformance.toml"), Path(), "conformance.toml")
    runs = [
        replace(run, key=json.dumps([limit, run.key]), **changes)
        for run in plans
        for limit, changes in LIMITS.items()
        if run.solver != "max-k-cut-cp-sat" or limit not in ("none", "memory", "threads")
    ]
    found = {}
    for threads in (1, 2):
        some = [run for run in runs if run.threads == threads]
        LocalProcesses().run_all(some, 2, lambda run, row: found.update({run.key: row}))
    assert found.keys() == {run.key for run in runs}
    return [(json.loads(key)[0], row) for key, row in found.items()]


def test_nothing_is_rejected_and_nothing_crashes(rows):
    """Whatever the limit, what a solver says is true, and it says it itself."""
    for limit, row in rows:
        assert row.verdict != "rejected", (limit, row)
        if limit != "little memory":
            assert row.termination != "crashed", (limit, row)


def test_with_room_and_time_everything_is_solved(rows):
    """Under generous limits heuristics give verified solutions, and exact solvers proofs."""
    for limit, row in rows:
        if limit in GENEROUS and row.solver not in MISSING and row.problem == "compression":
            assert row.termination == "finished", (limit, row)
            assert row.verdict == "verified", (limit, row)
            assert row.proven or not row.exact, (limit, row)


def test_values_do_not_depend_on_generous_limits(rows):
    """An exact solver finds one value whatever limit it does not reach, and so do all of them."""
    values = {}
    for limit, row in rows:
        if limit in GENEROUS and row.exact and row.problem == "compression" and row.proven:
            values.setdefault((row.instance, row.levels), set()).add(row.value)
    assert values
    assert all(len(found) == 1 for found in values.values()), values


def test_lack_of_memory_is_called_so(rows):
    """With a megabyte a run finishes, runs out of memory or declines; none dies unexplained."""
    for limit, row in rows:
        if limit == "little memory":
            assert row.termination in ("finished", "memory_limit", "skipped"), row


def test_time_is_kept_within_the_grace(rows):
    """A run that had no time ends within its limit and two seconds."""
    for limit, row in rows:
        if limit == "no time" and row.solve_s is not None:
            assert row.solve_s < row.time_limit_s + 2, row
