"""Tests of isolation: whatever a run does, it becomes one row, and nothing of it stays behind."""

import os
import time

import pytest

from kcut_bench.isolate import Deadlines, LocalProcesses
from tests.bench.plans import one_run

SHORT = LocalProcesses(Deadlines(warm_up_s=20.0, grace_s=0.3))


def rows_of(*runs, workers=2):
    """Carry runs out and return their rows by solver."""
    rows = []
    SHORT.run_all(runs, workers, lambda run, row: rows.append(row))
    assert sorted(row.key for row in rows) == sorted(run.key for run in runs)
    return {row.solver: row for row in rows}


def is_alive(pid):
    """Whether a process exists and is no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def assert_gone(note):
    """Wait a moment for the run and the process it started to disappear."""
    pids = note.read_text().split()
    assert len(pids) == 2
    deadline = time.monotonic() + 10
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, pids))


def test_every_run_becomes_one_row():
    """Runs that raise, die, crash or lie stand beside good ones, each with its termination."""
    names = ("raise", "die", "signal", "no-memory", "liar", "infeasible", "text", "chatter")
    rows = rows_of(one_run(), *(one_run(f"dummy-{name}") for name in names))
    expected = {
        "crux": ("finished", "verified", ""),
        "dummy-raise": ("crashed", "unverifiable", "ZeroDivisionError: two lines"),
        "dummy-die": ("crashed", "unverifiable", "exit code 3"),
        "dummy-signal": ("crashed", "unverifiable", "SIGSEGV"),
        "dummy-no-memory": ("memory_limit", "unverifiable", "memory"),
        "dummy-liar": ("finished", "rejected", ""),
        "dummy-infeasible": ("finished", "rejected", ""),
        "dummy-text": ("finished", "rejected", "returned str"),
        "dummy-chatter": ("finished", "verified", ""),
    }
    for solver, (termination, verdict, detail) in expected.items():
        assert (rows[solver].termination, rows[solver].verdict) == (termination, verdict), solver
        assert detail in rows[solver].detail
    # The instance is known although the process died before it could send its row.
    assert rows["dummy-signal"].instance_sha256 == rows["crux"].instance_sha256
    assert rows["dummy-signal"].num_jobs == 8


def test_hanging_run_is_killed_with_what_it_started(tmp_path):
    """Past its time limit and grace a run is killed, and so is the process it started."""
    note = tmp_path / "pids"
    run = one_run("dummy-hang", {"pid_file": str(note)}, time_s=1.0)
    started = time.monotonic()
    row = rows_of(run)["dummy-hang"]
    assert (row.termination, row.verdict) == ("killed", "unverifiable")
    assert "phase solve" in row.detail
    assert time.monotonic() - started < 30
    assert_gone(note)


def test_interrupt_leaves_no_process(tmp_path):
    """When the harness is interrupted, runs on their way are killed and make no row."""
    note = tmp_path / "pids"
    runs = [one_run("dummy-hang", {"pid_file": str(note)}, time_s=60.0), one_run()]
    rows = []

    def interrupt(run, row):
        while not note.exists() or len(note.read_text().split()) < 2:
            time.sleep(0.01)
        rows.append(row)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        SHORT.run_all(runs, 2, interrupt)
    assert [row.solver for row in rows] == ["crux"]
    assert_gone(note)


def test_instance_that_cannot_be_had_is_a_crash():
    """A family that fails makes a row that says why."""
    from dataclasses import replace

    run = one_run()
    broken = replace(run, recipe=replace(run.recipe, params={"num_jobs": -1}))
    row = rows_of(broken)["crux"]
    assert (row.termination, row.verdict) == ("crashed", "unverifiable")
    assert row.detail


def test_environment_is_restored():
    """The threads of runs are limited without changing this process's environment."""
    before = dict(os.environ)
    rows_of(one_run())
    assert dict(os.environ) == before
