"""Tests of stores that cannot be written: a clear error, and what was there stays."""

import os
import resource
import secrets
import sqlite3
import subprocess
import sys

import pytest

from kcut import InputError, Termination
from kcut_bench.outcome import Lost
from kcut_bench.store import FILE_NAME, create_store, open_store
from tests.bench.plans import one_run

SPEC = """
name = "many"
[[instances]]
family = "random-dag"
seeds = {count = 60}
params = {num_jobs = 40, num_edges = 100}
[[solvers]]
name = "crux"
"""


def num_rows(directory):
    """Count the rows of an intact store."""
    connection = sqlite3.connect(directory / FILE_NAME)
    assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    connection.close()
    with open_store(directory) as store:
        return len(store.finished())


def test_full_disk_is_a_clear_error_and_loses_nothing(kcut, tmp_path):
    """When no byte more can be written the sweep says so in one line; with room it goes on."""
    (tmp_path / "s.toml").write_text(SPEC)

    def little_room():
        # A file system without room refuses the same writes; this needs no privileges.
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))

    command = [sys.executable, "-m", "kcut_bench.cli", "sweep", "s.toml", "--store", "store"]
    full = subprocess.run(
        command,
        cwd=tmp_path,
        preexec_fn=little_room,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert full.returncode == 2, full.stderr
    assert "store.sqlite: cannot be written" in full.stderr.splitlines()[-1]
    assert "Traceback" not in full.stderr
    kept = num_rows(tmp_path / "store")
    assert 0 <= kept < 60
    again = kcut("sweep", "s.toml", "--store", "store")
    assert again.returncode == 0, again.stderr
    assert f"60 of 60 runs done, {60 - kept} of them now" in again.stdout
    assert num_rows(tmp_path / "store") == 60


@pytest.mark.parametrize("name", ["rows.csv", "rows.parquet"])
def test_export_to_a_full_disk_leaves_no_part_of_a_file(tmp_path, name):
    """An export that cannot be written names its file, keeps what was there, and leaves no rest."""
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    with create_store(tmp_path / "store") as store:
        store.plan([("key of crux", "instance", "crux")])
        store.add(
            Lost(Termination.CRASHED, secrets.token_hex(100_000), "2026").row(
                one_run(key="key of crux")
            )
        )
    (tmp_path / name).write_text("before")
    code = (
        "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000));"
        f"from kcut_bench.cli import main; main(['export', 'store', '-o', '{name}'])"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"kcut: {name}: cannot be written")
    assert (tmp_path / name).read_text() == "before"
    assert list(tmp_path.glob("*.part")) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_read_only_folder_is_a_clear_error(tmp_path):
    """Where no store may be written the folder is named, and a store in it can still be read."""
    create_store(tmp_path).close()
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(InputError, match="cannot write here"):
            create_store(tmp_path)
        with open_store(tmp_path) as store:
            assert store.finished() == set()
    finally:
        tmp_path.chmod(0o700)


def test_read_only_database_is_a_clear_error(tmp_path, monkeypatch):
    """A database that refuses to be written is named, and stays as it was."""
    from tests.bench.test_store import row

    with create_store(tmp_path) as store:
        store.add(row(key="before"))
        store.connection.execute("PRAGMA query_only = ON")
        with pytest.raises(InputError, match="cannot be written"):
            store.add(row(key="after"))
    with open_store(tmp_path) as store:
        assert store.finished() == {"before"}
