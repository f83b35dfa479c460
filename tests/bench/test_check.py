"""Tests of the check: whatever is changed in a store is found."""

import shutil
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from kcut.errors import InputError
from kcut_bench.check import check_store
from kcut_bench.outcome import pack
from kcut_bench.plan import expand
from kcut_bench.spec import parse_spec
from kcut_bench.store import FILE_NAME, create_store, open_store
from kcut_bench.sweep import run_sweep
from tests.bench.plans import InProcess

SPEC = """
name = "checked"
[[instances]]
family = "random-dag"
levels = [3]
params = {num_jobs = 10, num_edges = 25}
[[instances]]
files = ["floats.json"]
[[solvers]]
name = "min-cuts"
[[solvers]]
name = "crux"
[[solvers]]
name = "max-k-cut-cp-sat"
"""
FLOATS = (
    '{"format": "kcut/compression", "version": 1, "name": "floats", "levels": 2, "num_jobs": 4,'
    ' "edges": [[0, 1, 0.1], [1, 2, 0.7], [0, 3, 0.25]]}'
)
MIN_CUTS = "solver = 'min-cuts' AND family IS NOT NULL"
CRUX = "solver = 'crux' AND family IS NOT NULL"


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    """Make a store of two instances, one of them a file with float weights."""
    folder = tmp_path_factory.mktemp("check")
    (folder / "floats.json").write_text(FLOATS)
    runs = expand(parse_spec(SPEC, "checked.toml"), folder, "checked.toml")
    with create_store(folder / "store") as store:
        run_sweep(store, runs, InProcess(), 1)
    (folder / "floats.json").unlink()
    return folder / "store"


@pytest.fixture
def store_dir(untouched, tmp_path):
    """Return a copy of the store to be tampered with."""
    return shutil.copytree(untouched, tmp_path / "store")


def tamper(directory: Path, statement, *values):
    """Change the store behind kcut's back."""
    connection = sqlite3.connect(directory / FILE_NAME)
    with connection:
        assert connection.execute(statement, values).rowcount > 0
    connection.close()


def problems(directory):
    """Check the store."""
    with open_store(directory) as store:
        return check_store(store).problems


def test_untouched_store_passes_without_its_files(store_dir):
    """All instances are made again, the file from the store itself, and nothing is wrong."""
    with open_store(store_dir) as store:
        report = check_store(store)
    assert report.problems == []
    assert (report.rows, report.planned, report.instances, report.solutions) == (6, 6, 2, 6)
    assert report.certificates >= 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (f"value = value + 1 WHERE {CRUX}", "value is"),
        (f"value = value + 0.0 WHERE {CRUX}", "value is"),
        (f"bound = bound - 1 WHERE {MIN_CUTS}", "bound is"),
        (f"gap = 0.5 WHERE {MIN_CUTS}", "gap is"),
        (f"proven = 1 WHERE {CRUX}", "proven is"),
        (f"claim = 'optimal' WHERE {CRUX}", "verdict is"),
        (f"verdict = 'unverifiable' WHERE {CRUX}", "verdict is"),
        (f"verdict = 'rejected' WHERE {CRUX}", "the answer holds"),
        (f"instance_sha256 = 'f00' WHERE {CRUX}", "instance_sha256"),
        (f"instance_seed = 77 WHERE {CRUX}", "instance_sha256"),
        (f"solution = x'00' WHERE {CRUX}", "cannot be read"),
        (f"certificate = NULL WHERE {MIN_CUTS}", "proven is"),
        (f"family = 'nope' WHERE {CRUX}", "cannot be made again"),
        ("value = value * 1.01 WHERE family IS NULL", "value is"),
        ("claim = 'perhaps' WHERE solver = 'crux'", "cannot be read"),
        (f"instance_sha256 = '' WHERE {CRUX}", "instance_sha256"),
        ("instance_sha256 = ''", "instance_sha256"),
        (f"num_jobs = 11 WHERE {CRUX}", "num_jobs is"),
        (f"num_edges = num_edges + 1 WHERE {CRUX}", "num_edges is"),
        (f"longest_path = 1 WHERE {CRUX}", "longest_path is"),
        (f"total_weight = 1 WHERE {CRUX}", "total_weight is"),
        (f"instance = 'another' WHERE {CRUX}", "planned was"),
        (f"solver = 'min-cuts' WHERE {CRUX}", "planned was"),
        (f"solution = 'text' WHERE {CRUX}", "cannot be read"),
        (f"certificate = 7 WHERE {MIN_CUTS}", "cannot be read"),
        (f"family_params = '[]' WHERE {CRUX}", "cannot be made again"),
        (f"problem = 'max-k-cut' WHERE {CRUX}", "problem is 'max-k-cut', but its key"),
        (f"seed = 7 WHERE {CRUX}", "seed is 7, but its key"),
        (f"repetition = 1 WHERE {CRUX}", "repetition is 1, but its key"),
        (f"time_limit_s = 60.0 WHERE {CRUX}", "time_limit_s is 60.0, but its key"),
        (f"memory_limit_bytes = 1 WHERE {CRUX}", "memory_limit_bytes is 1, but its key"),
        (f"threads = 8 WHERE {CRUX}", "threads is 8, but its key"),
        (f"solver_params = '{{}}' WHERE {CRUX}", "solver_params is {}, but its key"),
    ],
)
def test_changed_row_is_found(store_dir, change, words):
    """A changed value, bound, gap, proof, verdict, hash, solution or certificate is named."""
    tamper(store_dir, f"UPDATE runs SET {change}")
    found = problems(store_dir)
    assert any(words in problem for problem in found)


@pytest.mark.parametrize(
    ("statement", "field"),
    [
        (f"UPDATE runs SET value = 'many' WHERE {CRUX}", "row"),
        ("UPDATE manifest SET value = 'x'", "manifest"),
    ],
)
def test_a_store_with_nonsense_in_it_is_bad_input(store_dir, statement, field):
    """What is no number or no JSON is refused with the field, whoever reads it."""
    with create_store(store_dir) as store:
        store.write_manifest({"name": "checked"})
    tamper(store_dir, statement)
    with open_store(store_dir) as store, pytest.raises(InputError) as caught:
        _ = list(store.records()), store.manifest()
    assert caught.value.field.startswith(field)
    assert caught.value.source == str(store_dir)


def test_rows_outside_the_plan_are_counted(store_dir):
    """A row that no plan asks for is not silently passed over."""
    tamper(store_dir, "DELETE FROM planned WHERE solver = 'crux'")
    with open_store(store_dir) as store:
        report = check_store(store)
    assert (report.rows, report.stale) == (4, 2)


def test_changed_solution_and_certificate_are_found(store_dir):
    """Levels that are feasible but worth something else do not pass, nor does another cover."""
    tamper(store_dir, f"UPDATE runs SET solution = ? WHERE {CRUX}", pack(np.zeros(10, np.int64)))
    tamper(
        store_dir, f"UPDATE runs SET certificate = ? WHERE {MIN_CUTS}", pack(np.zeros(25, np.int64))
    )
    found = "\n".join(problems(store_dir))
    assert "value is" in found
    assert "bound is" in found


def test_exact_solvers_that_contradict_each_other_are_found(store_dir):
    """A claimed optimum below another solver's value is found though nothing proves either."""
    tamper(
        store_dir,
        "UPDATE runs SET solution = ?, value = 0, bound = NULL, gap = NULL,"
        " verdict = 'unverifiable', reason = '', proven = 0"
        " WHERE solver = 'max-k-cut-cp-sat' AND family IS NOT NULL",
        pack(np.zeros(10, np.int64)),
    )
    assert any("without order" in problem for problem in problems(store_dir))


def test_a_claimed_bound_below_what_another_solver_has_is_found(store_dir):
    """A bound need not be proven to be refuted: a better solution is enough."""
    tamper(
        store_dir,
        f"UPDATE runs SET solution = ?, value = 0, bound = 0, gap = 0.0 WHERE {CRUX}",
        pack(np.zeros(10, np.int64)),
    )
    assert any("that crux claims" in problem for problem in problems(store_dir))


def test_changed_file_in_the_store_is_found(store_dir):
    """The file that the store carries is checked against the hash of what was solved."""
    other = FLOATS.replace("0.25", "0.5").encode()
    tamper(store_dir, "UPDATE instances SET content = ? WHERE family IS NULL", other)
    assert any("another sha256" in problem for problem in problems(store_dir))


def test_changed_ingredients_of_a_key_are_found(store_dir):
    """Who changes a row and what its key was made of as well is betrayed by the key."""
    tamper(store_dir, f"UPDATE runs SET seed = 7 WHERE {CRUX}")
    tamper(store_dir, """UPDATE ingredients SET own = replace(own, '"seed": 0', '"seed": 7')""")
    assert any("not that of its ingredients" in problem for problem in problems(store_dir))


def test_a_file_that_was_changed_and_changed_back_passes(tmp_path):
    """Rows are checked against the version of the file they are about, not the one seen last."""
    file = tmp_path / "floats.json"
    for text in (FLOATS, FLOATS.replace("0.25", "0.5"), FLOATS):
        file.write_text(text)
        runs = expand(parse_spec(SPEC, "checked.toml"), tmp_path, "checked.toml")
        with create_store(tmp_path / "store") as store:
            run_sweep(store, runs, InProcess(), 1)
    with open_store(tmp_path / "store") as store:
        report = check_store(store)
    assert report.problems == []
    assert (report.rows, report.stale, report.instances) == (6, 3, 2)


def test_rejected_answer_is_a_finding(store_dir):
    """A store with a refuted claim does not pass, and the reason is shown."""
    tamper(
        store_dir,
        f"UPDATE runs SET claim = 'optimal', verdict = 'rejected', reason = 'no!' WHERE {CRUX}",
    )
    assert any("rejected: no!" in problem for problem in problems(store_dir))
