"""Tests of sweeps on Dask: the same rows, and a worker's death costs nothing but time."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import replace

import pytest

from kcut import InputError
from kcut_bench.dask_cluster import DaskCluster
from kcut_bench.isolate import LocalProcesses
from kcut_bench.merge import STABLE
from tests.bench.plans import one_run
from tests.bench.test_isolate import is_alive

pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def rows_by(executor, runs, workers=2):
    """Carry runs out and return their rows by key."""
    rows = {}

    def keep(run, row):
        assert run.key not in rows
        rows[run.key] = row

    executor.run_all(runs, workers, keep)
    assert set(rows) == {run.key for run in runs}
    return rows


def stable(row):
    """Return a row without what differs from one execution to the next."""
    return [getattr(row, name) for name in STABLE if name != "detail"]


def test_local_cluster_gives_the_rows_of_local_processes(tmp_path, monkeypatch):
    """Good runs, a crash, a kill with its incumbent and a file: the same rows, and no file left."""
    from kcut_bench.plan import file_recipe

    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr(tempfile, "tempdir", None)

    path = tmp_path / "given.json"
    path.write_text(
        '{"format": "kcut/compression", "version": 1, "name": "given", "levels": 2,'
        ' "num_jobs": 3, "edges": [[0, 1, 5], [1, 2, 7]]}'
    )
    runs = [
        one_run(),
        one_run("min-cuts", {"start": "zero", "flow": "push-relabel"}),
        one_run("dummy-signal"),
        one_run("dummy-streamer", {"then": "hang"}),
        one_run(key="of a file", recipe=file_recipe(path, "given.json")),
    ]
    here = rows_by(LocalProcesses(), runs)
    there = rows_by(DaskCluster("local"), runs)
    for key, row in here.items():
        assert stable(row) == stable(there[key])
    assert there["key of dummy-streamer"].termination == "killed"
    assert there["key of dummy-streamer"].value > 0
    # This process's own folder, if its first, is cleared when it ends.
    left = [path.name for path in (tmp_path / "temporary").iterdir()]
    assert [name for name in left if not name.startswith("kcut-")] == []


@pytest.fixture
def cluster(tmp_path):
    """Start a scheduler and two workers as processes of their own."""
    address_file = tmp_path / "scheduler.json"
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    processes = []

    def start(module, *arguments):
        command = [sys.executable, "-m", "distributed.cli." + module, *arguments]
        with (tmp_path / f"{module}-{len(processes)}.log").open("w") as log:
            process = subprocess.Popen(
                command, env=environment, cwd=tmp_path, stdout=log, stderr=log
            )
        processes.append(process)
        return process

    start("dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard",
          "--scheduler-file", str(address_file))  # fmt: skip
    deadline = time.monotonic() + 60
    while not address_file.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    import json

    address = json.loads(address_file.read_text())["address"]

    def worker():
        return start("dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
                     "--local-directory", str(tmp_path))  # fmt: skip

    yield address, [worker(), worker()], worker
    for process in reversed(processes):
        process.kill()
        process.wait()


def test_killed_worker_costs_no_run(cluster, tmp_path):
    """Of two workers one is killed amid a run: its run ends on the other, and leaves nothing."""
    address, workers, _ = cluster
    note = tmp_path / "pids"
    hanging = one_run("dummy-hang", {"pid_file": str(note)}, time_s=4.0)
    quick = [replace(one_run(), key=f"quick {i}") for i in range(6)]
    killed = []

    def kill():
        # As soon as the run hangs, not when some row comes in: it may be the last to start.
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            pids = note.read_text().split() if note.exists() else []
            if len(pids) == 2:
                worker = workers[worker_of(int(pids[0]), workers)]
                killed.append((worker, pids))
                worker.send_signal(signal.SIGKILL)
                return
            time.sleep(0.01)

    killer = threading.Thread(target=kill)
    killer.start()
    rows = rows_by(DaskCluster(address, 60.0), [hanging, *quick])
    killer.join()
    assert all(rows[f"quick {i}"].verdict == "verified" for i in range(6))
    assert killed
    row = rows["key of dummy-hang"]
    assert (row.termination, "in phase solve" in row.detail) == ("killed", True)
    deadline = time.monotonic() + 10
    while any(map(is_alive, killed[0][1])) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, killed[0][1]))


def worker_of(pid, workers):
    """Return the index of the worker that started a run: an ancestor of its process."""
    ancestors = []
    while pid > 1:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            pid = int(file.read().rpartition(")")[2].split()[1])
        ancestors.append(pid)
    return [worker.pid in ancestors for worker in workers].index(True)


def test_run_whose_worker_dies_twice_is_recorded(cluster, tmp_path):
    """A run that takes its worker along is tried once more, and then has a row that says so."""
    address, workers, _ = cluster
    run = one_run("dummy-assassin", {"victims": " ".join(str(w.pid) for w in workers)}, time_s=20.0)
    row = rows_by(DaskCluster(address, 60.0), [run], workers=1)["key of dummy-assassin"]
    assert (row.termination, row.verdict) == ("crashed", "unverifiable")
    assert "its worker died 2 times" in row.detail


def test_no_scheduler_is_an_error():
    """An address where nobody answers is named in one line."""
    from kcut_bench import dask_cluster

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dask_cluster, "_CONNECT_S", 0.5)
        with pytest.raises(InputError, match="no Dask scheduler answers"):
            DaskCluster("tcp://127.0.0.1:9").run_all([one_run()], 1, lambda run, row: None)


def test_workers_without_kcut_of_this_version_refuse(monkeypatch):
    """A worker whose versions or sources differ ends the sweep with an error that names them."""
    from kcut_bench import host

    request = host.Request(one_run(), None, [], {**host.identity(), "numba": "0.0"})
    reply = host._answer(request)
    assert reply.row is None
    assert "has numba" in reply.refusal
    assert "the sweep 0.0" in reply.refusal


def test_missing_dask_says_what_to_install(monkeypatch):
    """Without the optional package the error names the extra."""
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InputError, match=r"kcut\[dask\]"):
        DaskCluster("local").run_all([one_run()], 1, lambda run, row: None)
