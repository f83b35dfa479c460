"""Tests of the cache of compiled functions: a broken one is found and cleared."""

import os
import pickle
import subprocess
import sys

import pytest

from kcut_bench import numba_cache

MODULE = """
import numpy as np
from numba import njit
from kcut import Answer, Claim, solver

@njit(cache=True)
def twice(n):
    return 2 * n

@solver("compression", "compiled", exact=False)
def compiled(instance, *, limits, rng):
    "Call something compiled."
    assert twice(2) == 4
    return Answer(Claim.FEASIBLE, np.zeros(instance.num_jobs, np.int64))
"""
CALL = """
import sys
import compiled_solver
from kcut import CompressionInstance, Limits
from kcut.registry import get_solver
from kcut_bench.run import run_solver
instance = CompressionInstance.from_edges(2, [0], [1], [1], levels=2)
entry = get_solver("compiled", ("compression",))
answer, judgement, _ = run_solver(instance, entry, {}, Limits(), 0)
sys.exit(f"{answer.detail}" if judgement.value is None else 0)
"""


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Have a user's cache directory of this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    return tmp_path / "cache"


def fill(directory, text="compiled"):
    """Put something that looks like a cache into a directory."""
    (directory / "sub").mkdir(parents=True, exist_ok=True)
    (directory / "sub" / "f.nbi").write_text(text)
    (directory / "sub" / "f.1.nbc").write_text(text)


def test_what_one_sweep_compiled_the_next_one_borrows(cache, tmp_path):
    """A published cache comes back file by file; one that grew replaces it."""
    fill(cache)
    numba_cache.publish(cache)
    numba_cache.borrow(tmp_path / "second")
    assert (tmp_path / "second" / "sub" / "f.nbi").read_text() == "compiled"
    fill(tmp_path / "second", "compiled again")
    numba_cache.publish(tmp_path / "second")
    numba_cache.borrow(tmp_path / "third")
    assert (tmp_path / "third" / "sub" / "f.1.nbc").read_text() == "compiled again"


@pytest.mark.parametrize("name", ["sub/f.nbi", "sub/f.1.nbc", numba_cache.SEAL])
def test_truncated_master_is_thrown_away(cache, tmp_path, name):
    """If any file of the master, or its seal, is cut off, nothing of it is used again."""
    fill(cache)
    numba_cache.publish(cache)
    os.truncate(numba_cache.master() / name, 3)
    numba_cache.borrow(tmp_path / "second")
    assert list((tmp_path / "second").iterdir()) == []
    assert not numba_cache.master().exists()


def test_unwritable_home_is_no_error(cache, monkeypatch, tmp_path):
    """Where the user's cache cannot be written, sweeps compile, and nothing else happens."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    fill(cache)
    numba_cache.publish(cache)
    numba_cache.borrow(tmp_path / "second")
    assert list((tmp_path / "second").iterdir()) == []


@pytest.mark.parametrize("length", [0, 5, 40])
def test_truncated_index_is_cleared_and_the_solver_runs(tmp_path, length):
    """A run whose cache index is cut off clears it, compiles again, and answers."""
    (tmp_path / "compiled_solver.py").write_text(MODULE)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": path}

    def call():
        return subprocess.run(
            [sys.executable, "-c", CALL],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )

    assert call().returncode == 0
    (index,) = [p for p in (tmp_path / "cache").rglob("*.nbi") if "twice" in p.name]
    whole = index.stat().st_size
    os.truncate(index, length)
    assert (call().returncode, call().stderr) == (0, "")
    assert index.stat().st_size == whole


def test_mending_removes_what_was_cut_off_and_nothing_else(cache, tmp_path, monkeypatch):
    """Wherever a file of the cache ends too early it goes; what is whole stays, whoever's it is."""
    index = pickle.dumps("0.68.0") + pickle.dumps(("stamp", {"key": "f.1.nbc"}))
    monkeypatch.setenv(numba_cache.DIRECTORY_VARIABLE, str(cache))
    for folder in (cache / "kcut_1", tmp_path / "home" / "numba" / "kcut_1"):
        folder.mkdir(parents=True)
        (folder / "whole.nbi").write_bytes(index)
        (folder / "whole.nbc").write_bytes(pickle.dumps(b"." * 999))
        for length in (0, 5, len(pickle.dumps("0.68.0")), len(index) - 1):
            (folder / f"cut{length}.nbi").write_bytes(index[:length])
        (folder / "cut.nbc").write_bytes(b"")
        (folder / "other.txt").write_bytes(b"")
        numba_cache.mend()
        assert {path.name for path in folder.iterdir()} == {"whole.nbi", "whole.nbc", "other.txt"}


def test_commands_survive_a_truncated_cache(kcut, tmp_path):
    """What another process left half written costs a command time, and no more."""
    environment = {**os.environ, numba_cache.DIRECTORY_VARIABLE: str(tmp_path / "cache")}
    for _ in range(2):
        ended = kcut("generate", "fig13", "-o", "f.json", env=environment)
        assert ended.returncode == 0, ended.stderr
        indexes = list((tmp_path / "cache").rglob("*.nbi"))
        assert indexes
        for path in indexes:
            path.write_bytes(path.read_bytes()[:30])
