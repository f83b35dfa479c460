"""Tests of the command line as processes: sweeps end to end, pipes, signals, lazy imports."""

import csv
import io
import json
import signal
import subprocess
import sys
import time

from kcut import InputError
from kcut_bench.store import create_store, open_store

SPEC = """
name = "both"
limits = {time_s = 20}
[[instances]]
family = "random-dag"
seeds = [1, 2]
levels = [2]
params = {num_jobs = 12, num_edges = 20}
[[solvers]]
name = "min-cuts"
[[solvers]]
name = "crux"
"""
SLOW = """
name = "slow"
[[instances]]
family = "random-dag"
seeds = {count = 30}
params = {num_jobs = 12, num_edges = 20}
[[solvers]]
name = "dummy-sleep"
params = {seconds = 0.2}
"""


def num_rows(directory):
    """Count the rows of a store, 0 where there is none yet."""
    try:
        with open_store(directory) as store:
            return len(store.finished())
    except InputError:
        return 0


def test_sweep_from_specification_to_export(kcut, tmp_path):
    """sweep, status, check and export agree on what was done; resuming does nothing."""
    (tmp_path / "s.toml").write_text(SPEC)
    swept = kcut("sweep", "s.toml", "--store", "store", "--workers", 2)
    assert swept.returncode == 0, swept.stderr
    assert "both: 4 of 4 runs done, 4 of them now" in swept.stdout
    again = kcut("sweep", "s.toml", "--store", "store")
    assert "0 of them now" in again.stdout
    status = json.loads(kcut("status", "store", "--json").stdout)
    assert (status["planned"], status["done"], status["verdicts"]["verified"]) == (4, 4, 4)
    check = kcut("check", "store", "--json")
    assert (check.returncode, json.loads(check.stdout)["problems"]) == (0, [])
    rows = list(csv.DictReader(io.StringIO(kcut("export", "store").stdout)))
    assert sorted(row["solver"] for row in rows) == ["crux", "crux", "min-cuts", "min-cuts"]
    assert all(row["value"].isdecimal() for row in rows)


def test_sweep_with_a_rejected_answer_exits_1(kcut, tmp_path):
    """A false claim makes the sweep, and the check after it, end with exit code 1."""
    (tmp_path / "s.toml").write_text(SPEC.replace('"crux"', '"dummy-liar"'))
    assert kcut("sweep", "s.toml", "--store", "store").returncode == 1
    check = kcut("check", "store")
    assert check.returncode == 1
    assert "min-cuts finds" in check.stdout


def test_interrupted_sweep_keeps_its_rows_and_resumes(kcut, tmp_path):
    """Ctrl-C ends with one line and exit code 130; the rows so far stay, and the rest follows."""
    (tmp_path / "s.toml").write_text(SLOW)
    command = [sys.executable, "-m", "kcut_bench.cli", "sweep", "s.toml", "--store", "store"]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    done, deadline = 0, time.monotonic() + 60
    while done < 3 and time.monotonic() < deadline:
        time.sleep(0.2)
        done = num_rows(tmp_path / "store")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert err.splitlines()[-1] == "kcut: interrupted"
    kept = num_rows(tmp_path / "store")
    assert 3 <= kept < 30
    resumed = kcut("sweep", "s.toml", "--store", "store", "--workers", 4)
    assert f"30 of 30 runs done, {30 - kept} of them now" in resumed.stdout


def test_second_sweep_on_a_store_is_told_so(kcut, tmp_path):
    """While one process writes to a store, a sweep on it is refused, and changes nothing."""
    (tmp_path / "s.toml").write_text(SPEC)
    with create_store(tmp_path / "store"):
        second = kcut("sweep", "s.toml", "--store", "store")
        assert second.returncode == 2
        assert "another sweep writes to this store" in second.stderr
    assert num_rows(tmp_path / "store") == 0
    assert kcut("sweep", "s.toml", "--store", "store").returncode == 0


def test_standard_output_holds_json_alone(kcut):
    """What a solver prints, in Python or below, goes to standard error."""
    words = ("random-dag", "-p", "num_jobs=9", "-p", "num_edges=9", "-o", "a.json")
    assert kcut("generate", *words).returncode == 0
    solved = kcut("solve", "a.json", "--solver", "dummy-chatter", "--json")
    assert json.loads(solved.stdout)["verdict"] == "verified"
    assert "chatter below Python" in solved.stderr


def test_false_claim_exits_1_and_crash_exits_3(kcut):
    """Solve exits 1 for a rejected answer and 3 where there is none."""
    words = ("random-dag", "-p", "num_jobs=9", "-p", "num_edges=9", "-o", "a.json")
    assert kcut("generate", *words).returncode == 0
    assert kcut("solve", "a.json", "--solver", "dummy-liar").returncode == 1
    crashed = kcut("solve", "a.json", "--solver", "dummy-raise")
    assert crashed.returncode == 3
    assert "ZeroDivisionError: two lines" in crashed.stdout
    assert "Traceback" not in crashed.stderr


def test_closed_pipe_is_silent(tmp_path):
    """A reader that has enough, such as head, causes no message."""
    process = subprocess.Popen(
        [sys.executable, "-m", "kcut_bench.cli", "solvers"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    process.stdout.close()
    assert process.stderr.read() == b""
    process.wait(timeout=60)
    process.stderr.close()


def test_command_line_imports_nothing_heavy():
    """Importing the command line brings no numbers, solvers or plots; commands import their own."""
    heavy = ("numpy", "numba", "ortools", "highspy", "pulp", "scipy", "matplotlib", "rich", "kcut")
    code = f"import sys, kcut_bench.cli; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
