"""Tests of kill -9: a sweep killed at any moment loses nothing, repeats nothing, leaves nothing."""

import json
import os
import random
import sqlite3
import subprocess
import sys
import time

import pytest

from kcut_bench.store import FILE_NAME

KILLS = int(os.environ.get("KCUT_KILLS", "3"))
"""How many; 200 of them take about ten minutes."""
SPEC = """
name = "killed"
seeds = [1, 2]
[limits]
time_s = 60
[[instances]]
family = "random-dag"
seeds = {count = 3}
levels = [3]
params = {num_jobs = 30, num_edges = 80}
[[instances]]
files = ["given.json"]
[[solvers]]
name = "crux"
[[solvers]]
name = "min-cuts"
[[solvers]]
name = "cp-sat"
[[solvers]]
name = "dummy-sleep"
params = {seconds = 0.1}
[[solvers]]
name = "dummy-die"
"""
GIVEN = (
    '{"format": "kcut/compression", "version": 1, "name": "given", "levels": 2, "num_jobs": 9,'
    ' "edges": [[0, 1, 3], [2, 3, 1], [3, 8, 4]]}'
)
VOLATILE = {"started_at", "peak_rss_bytes"}
OF_THE_SESSION = {"sessions", "command", "started_at", "commit", "dirty"}


def begin(folder, store):
    """Start the sweep in a process of its own."""
    command = [sys.executable, "-m", "kcut_bench.cli", "sweep", "s.toml", "--store", store]
    environment = {**os.environ, "TMPDIR": str(folder / "tmp")}
    return subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )


def content(directory):
    """Return all that a store holds, but for times and the sessions that made it."""
    connection = sqlite3.connect(directory / FILE_NAME)
    connection.row_factory = sqlite3.Row
    tables = {}
    for table in ("planned", "instances"):
        tables[table] = [tuple(row) for row in connection.execute(f"SELECT * FROM {table}")]
    tables["runs"] = {}
    for row in connection.execute("SELECT * FROM runs"):
        stable = {n: row[n] for n in row.keys() if not n.endswith("_s") and n not in VOLATILE}  # noqa: SIM118
        stable["incumbents"] = [value for _, value in json.loads(row["incumbents"])]
        assert row["key"] not in tables["runs"]
        tables["runs"][row["key"]] = stable
    manifest = dict(connection.execute("SELECT key, value FROM manifest"))
    tables["manifest"] = {k: v for k, v in manifest.items() if k not in OF_THE_SESSION}
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    connection.close()
    return tables


@pytest.mark.slow
def test_killed_sweeps_resume_to_the_undisturbed_store(tmp_path):
    """Killed again and again at random moments, sweeps end with the rows of an undisturbed one."""
    (tmp_path / "tmp").mkdir()
    (tmp_path / "s.toml").write_text(SPEC)
    (tmp_path / "given.json").write_text(GIVEN)
    started = time.monotonic()
    process = begin(tmp_path, "whole")
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    takes = time.monotonic() - started
    whole = content(tmp_path / "whole")
    assert len(whole["runs"]) == 4 * 5 * 2
    rng = random.Random(KILLS)
    kills = finished = interrupted = 0
    while kills < KILLS or interrupted:
        process = begin(tmp_path, f"store-{finished}")
        try:
            patience = rng.uniform(0.1, takes) if kills < KILLS else 120
            _, errors = process.communicate(timeout=patience)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
            interrupted += 1
            continue
        assert process.returncode == 0, errors
        assert content(tmp_path / f"store-{finished}") == whole
        finished, interrupted = finished + 1, 0
    assert finished > 0
    # The janitors need a moment.
    deadline = time.monotonic() + 10
    while (left := os.listdir(tmp_path / "tmp")) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []
    assert not [pid for pid in os.listdir("/proc") if pid.isdecimal() and belongs(pid, tmp_path)]


def belongs(pid, folder):
    """Whether a process was started with something of this test's in its environment."""
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return str(folder).encode() in file.read() and int(pid) != os.getpid()
    except OSError:
        return False
