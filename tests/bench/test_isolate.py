"""Tests of isolation: whatever a run does, it becomes one row, and nothing of it stays behind."""

import json
import os
import signal
import time
from pathlib import Path

import pytest

from kcut import cut_value
from kcut.registry import get_solver
from kcut_bench import server
from kcut_bench.child import Deadlines
from kcut_bench.isolate import LocalProcesses
from kcut_bench.outcome import unpack
from kcut_bench.scratch import _base
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


DUMMIES = {
    "crux": ("finished", "feasible", "verified", ""),
    "dummy-raise": ("crashed", "none", "unverifiable", "ZeroDivisionError: two lines"),
    "dummy-die": ("crashed", "none", "unverifiable", "exit code 3"),
    "dummy-exit": ("crashed", "none", "unverifiable", "exit code 5"),
    "dummy-signal": ("crashed", "none", "unverifiable", "SIGSEGV"),
    "dummy-segfault": ("crashed", "none", "unverifiable", "SIGSEGV"),
    "dummy-no-memory": ("memory_limit", "none", "unverifiable", "memory"),
    "dummy-allocate": ("memory_limit", "none", "unverifiable", "Unable to allocate"),
    "dummy-allocate-natively": ("memory_limit", "none", "unverifiable", "SIGABRT: terminate"),
    "dummy-sleep-in-c": ("killed", "none", "unverifiable", "in phase solve"),
    "dummy-spin": ("killed", "none", "unverifiable", "in phase solve"),
    "dummy-streamer": ("killed", "feasible", "verified", "in phase solve"),
    "dummy-liar": ("finished", "optimal", "rejected", ""),
    "dummy-false-bound": ("finished", "feasible", "rejected", ""),
    "dummy-false-cover": ("finished", "optimal", "rejected", ""),
    "dummy-infeasible": ("finished", "feasible", "rejected", ""),
    "dummy-no-solution": ("finished", "infeasible", "rejected", ""),
    "dummy-text": ("finished", "none", "rejected", "returned str"),
    "dummy-chatter": ("finished", "feasible", "verified", ""),
    "dummy-megabytes": ("finished", "feasible", "verified", ""),
}


def test_every_run_becomes_the_right_row_in_time():
    """Runs that raise, die, hang, starve or lie become rows within their limit and two seconds."""
    params = {"dummy-streamer": {"then": "hang"}}
    rows, last = {}, [time.monotonic()]

    def note(run, row):
        rows[run.solver] = (row, time.monotonic() - last[0])
        last[0] = time.monotonic()

    warm = [one_run()]
    LocalProcesses().run_all(warm, 1, lambda run, row: None)
    runs = [one_run(name, params.get(name), memory_bytes=2**30) for name in DUMMIES]
    last[0] = time.monotonic()
    LocalProcesses().run_all(runs, 1, note)
    assert list(rows) == list(DUMMIES)
    for solver, (*statuses, detail) in DUMMIES.items():
        row, seconds = rows[solver]
        assert [row.termination, row.claim, row.verdict] == statuses, (solver, row)
        assert detail in row.detail, (solver, row.detail)
        assert seconds < row.time_limit_s + 2, solver
        # The instance is known although the process died before it could send its row.
        assert row.instance_sha256 == rows["crux"][0].instance_sha256
    # The server of runs, with its socket and its cache, lives as long as this process.
    assert list(_base(os.getpid()).glob("runs-*")) == []
    killed = rows["dummy-spin"][0]
    assert 0.2 < killed.cpu_s < 4
    assert 2 <= killed.solve_s < 3
    assert killed.peak_rss_bytes > 2**25


@pytest.mark.parametrize(
    ("then", "termination", "claim"),
    [
        ("hang", "killed", "feasible"),
        ("memory", "memory_limit", "feasible"),
        ("crash", "crashed", "none"),
    ],
)
def test_ended_run_keeps_its_best_verified_incumbent(then, termination, claim):
    """Of what a run reported before it was ended, the best feasible solution is its solution."""
    row = rows_of(one_run("dummy-streamer", {"then": then}))["dummy-streamer"]
    assert (row.termination, row.claim) == (termination, claim)
    if claim == "none":
        assert row.value is None
        return
    instance = one_run().recipe.make()
    levels = unpack(row.solution)
    assert levels.tolist() == (instance.depth == 0).astype(int).tolist()
    assert row.value == cut_value(instance, levels) > 0
    ((seconds, value),) = json.loads(row.incumbents)
    assert value == row.value
    assert 0 <= seconds < 1
    assert row.verdict == "verified"


def test_reproducible_run_that_is_killed_keeps_nothing():
    """What a run had when the clock ran out is chance, and no result where that must not be."""
    row = rows_of(one_run("dummy-streamer", {"then": "hang"}, reproducible=True))["dummy-streamer"]
    assert (row.termination, row.claim, row.value) == ("killed", "none", None)


def test_process_that_leaves_the_session_is_found(tmp_path):
    """A process that a finished run left in a session of its own is killed."""
    note = tmp_path / "pids"
    row = rows_of(one_run("dummy-stay", {"pid_file": str(note)}))["dummy-stay"]
    assert (row.termination, row.verdict) == ("finished", "verified")
    assert_gone(note)


@pytest.mark.parametrize(("then", "termination"), [("return", "finished"), ("hang", "killed")])
def test_daemon_is_found(tmp_path, then, termination):
    """A process that left session, folder and parent behind is killed with its run."""
    note = tmp_path / "pids"
    run = one_run("dummy-daemon", {"pid_file": str(note), "then": then})
    assert rows_of(run)["dummy-daemon"].termination == termination
    assert_gone(note)


@pytest.mark.parametrize(
    "text",
    [
        "\0\0\0\5hello",  # a message of another protocol
        "\7\0\0\0\0\0\0\0solve\n1",  # one that is too long for what follows
        "\6\0\0\0\0\0\0\0enter\n",  # none that is known
        "\xff" * 100,
        "\0",
    ],
)
def test_stray_writes_spoil_their_own_run_alone(text, capfd):
    """Whatever a solver writes into the connection of its run, the sweep neither ends nor waits."""
    started = time.monotonic()
    scribbler = one_run("dummy-scribble", {"text": text}, time_s=1.0)
    rows = rows_of(scribbler, one_run(), workers=1)
    assert rows["dummy-scribble"].termination in ("crashed", "killed")
    assert rows["crux"].verdict == "verified"
    assert time.monotonic() - started < 30


def test_run_that_closes_all_or_removes_its_folder_is_a_row(capfd):
    """What a run does to its own files and descriptors shows in its row, and nowhere else."""
    rows = rows_of(
        one_run("dummy-close-all"), one_run("dummy-leave-no-folder", time_s=0.5), one_run()
    )
    assert rows["dummy-close-all"].termination == "crashed"
    assert "closed its connection" in rows["dummy-close-all"].detail
    assert rows["dummy-leave-no-folder"].termination == "killed"
    assert rows["crux"].verdict == "verified"
    assert "Traceback" not in capfd.readouterr().err


def test_server_that_dies_costs_no_innocent_run(tmp_path):
    """When the server of runs is killed its runs are started again, and nobody is blamed once."""
    note = tmp_path / "pids"
    hanging = one_run("dummy-hang", {"pid_file": str(note)}, time_s=1.0)
    rows = []

    def note_row(run, row):
        rows.append(row)
        if run.solver == "crux":
            while not note.exists():
                time.sleep(0.01)
            os.kill(server.ensure(), signal.SIGKILL)

    SHORT.run_all([hanging, one_run(), one_run("varys")], 2, note_row)
    found = {row.solver: (row.termination, row.verdict) for row in rows}
    assert found == {
        "crux": ("finished", "verified"),
        "varys": ("finished", "verified"),
        "dummy-hang": ("killed", "unverifiable"),
    }
    assert len(rows) == 3


def test_run_that_kills_its_server_is_a_row():
    """Who kills the server twice is recorded, and the sweep goes on."""
    rows = rows_of(one_run("dummy-patricide"), one_run(), workers=1)
    assert rows["dummy-patricide"].termination == "crashed"
    assert "server of runs died" in rows["dummy-patricide"].detail
    assert rows["crux"].verdict == "verified"


def test_temporary_files_are_removed(tmp_path):
    """TMPDIR, the files of tempfile and the working directory of a run are its own, and go."""
    note = tmp_path / "paths"
    assert rows_of(one_run("dummy-litter", {"pid_file": str(note)}))["dummy-litter"].value == 0
    paths = [Path(line) for line in note.read_text().split()]
    assert len({path.parent for path in paths}) == 1
    assert not any(path.exists() or path.parent.exists() for path in paths)


def test_memory_limit_is_what_a_run_may_allocate(tmp_path):
    """The libraries that every run has loaded do not count towards its memory limit."""
    names = ("crux", "min-cuts", "lp-highs", "milp-highs", "cp-sat")
    runs = [
        one_run(
            name,
            {n: p.default for n, p in get_solver(name, ("compression",)).params.items()},
            memory_bytes=256 * 2**20,
            time_s=20.0,
        )
        for name in names
    ]
    for row in rows_of(*runs).values():
        assert (row.termination, row.verdict) == ("finished", "verified"), row


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
