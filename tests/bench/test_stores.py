"""Tests of what is done with whole stores: merge, archive, export, and why rows are stale."""

import csv
import gzip
import hashlib
import io
import json
import sqlite3
import sys
import warnings
import zipfile
from dataclasses import replace

import pytest

from kcut_bench.archive import CHECKSUMS
from kcut_bench.export import NAMES, write_csv, write_parquet
from kcut_bench.merge import STABLE
from kcut_bench.plan import expand
from kcut_bench.spec import parse_spec
from kcut_bench.stale import explain
from kcut_bench.store import FILE_NAME, create_store, open_store
from kcut_bench.sweep import Shard, begin_manifest, run_sweep
from kcut_instances.readers import write_cluster
from tests.bench.plans import InProcess, one_run
from tests.kcut.clusters import on_one_link, sender

FILE = (
    '{"format": "kcut/compression", "version": 1, "name": "given", "levels": 2, "num_jobs": 3,'
    ' "edges": [[0, 1, 0.5], [1, 2, 1.5]]}'
)
WITH_FILE = '\n[[instances]]\nfiles = ["given.json"]\n'


def make_store(directory, text, base, shard=None):
    """Sweep a specification in this process."""
    (base / "given.json").write_text(FILE)
    spec = parse_spec(text, "small.toml")
    runs = expand(spec, base, "small.toml")
    with create_store(directory) as store:
        begin_manifest(store, spec, text, ["kcut", "sweep"])
        run_sweep(store, runs, InProcess(), 1, shard=shard)
    return runs


def tables(directory):
    """Return rows without times, the plan, instances and their hashes."""
    with open_store(directory) as store:
        rows = {r.key: [getattr(r, name) for name in STABLE] for r in store.records()}
        return rows, store.planned(), sorted(store.instances(), key=str)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Make a store of two families and a file."""
    from tests.bench.conftest import SMALL_SPEC

    folder = tmp_path_factory.mktemp("stores")
    make_store(folder / "whole", SMALL_SPEC + WITH_FILE, folder)
    return folder


def test_shards_merge_into_the_whole(made, kcut_here, small_spec, tmp_path):
    """Three shards, merged in any order into a new store, are the store of an undivided sweep."""
    for i in (1, 2, 3):
        make_store(tmp_path / str(i), small_spec + WITH_FILE, tmp_path, Shard(i, 3))
    code, out, _ = kcut_here("merge", "3", "1", "2", "-o", "all")
    assert (code, "rows added, 0 were there already" in out) == (0, True)
    assert tables(tmp_path / "all") == tables(made / "whole")
    code, out, _ = kcut_here("merge", "1", "2", "3", "all")
    assert code == 0
    assert tables(tmp_path / "1") == tables(made / "whole")
    assert kcut_here("check", "all")[0] == 0


def test_merge_refuses_conflicts_and_names_them(kcut_here, small_spec, tmp_path):
    """One key with two values: the row and both values are named, and nothing is written."""
    for name in ("a", "b"):
        make_store(tmp_path / name, small_spec, tmp_path)
    connection = sqlite3.connect(tmp_path / "b" / FILE_NAME)
    with connection:
        connection.execute("UPDATE runs SET value = 123456 WHERE solver = 'crux' AND levels = 3")
        connection.execute("DELETE FROM runs WHERE solver = 'min-cuts'")
    connection.close()
    before = tables(tmp_path / "a")
    code, out, _ = kcut_here("merge", "b", "a")
    assert code == 1
    assert "crux on random-dag" in out
    assert "value is 123456 and" in out
    with open_store(tmp_path / "b") as store:
        assert not any(row.solver == "min-cuts" for row in store.records())
    assert tables(tmp_path / "a") == before


def test_merge_refuses_another_study(made, kcut_here, small_spec, tmp_path):
    """Stores of two specifications are not mixed."""
    make_store(tmp_path / "other", small_spec.replace('"small"', '"other"'), tmp_path)
    code, _, err = kcut_here("merge", made / "whole", "other", "-o", "all")
    assert (code, "holds another study (other)" in err) == (2, True)


def test_archive_is_the_same_every_time_and_checks_anywhere(made, kcut_here, tmp_path):
    """Two archives of a store are equal byte for byte, and hold all that a check needs."""
    for name in ("a.zip", "b.zip"):
        assert kcut_here("archive", made / "whole", "-o", name)[0] == 0
    assert (tmp_path / "a.zip").read_bytes() == (tmp_path / "b.zip").read_bytes()
    code, out, _ = kcut_here("check", "a.zip", "--json")
    found = json.loads(out)
    assert (code, found["problems"], found["missing"]) == (0, [], {})
    assert found["rows"] == found["planned"] == len(tables(made / "whole")[0])
    with zipfile.ZipFile(tmp_path / "a.zip") as zipped:
        names = zipped.namelist()
        assert json.loads(zipped.read("manifest.json"))["format"] == "kcut/archive"
        rows = list(csv.DictReader(io.StringIO(zipped.read("rows.csv").decode())))
    assert len(rows) == found["rows"]
    assert len([n for n in names if n.startswith("instances/")]) == found["instances"]


@pytest.mark.parametrize("kind", ["manifest.json", "rows.csv", "instances/", CHECKSUMS, FILE_NAME])
@pytest.mark.parametrize("change", ["altered", "missing"])
def test_changed_archive_is_found(made, kcut_here, tmp_path, kind, change):
    """Whichever file of an archive is altered or left out, its check says so."""
    assert kcut_here("archive", made / "whole", "-o", "a.zip")[0] == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as whole, zipfile.ZipFile("b.zip", "w") as changed:
        (name, *_) = [n for n in whole.namelist() if n.startswith(kind)]
        for entry in whole.namelist():
            content = whole.read(entry)
            if entry == name and change == "missing":
                continue
            changed.writestr(entry, content[:-7] + b"changed" if entry == name else content)
    code, out, err = kcut_here("check", "b.zip")
    assert code in (1, 2)
    # A checksum that was altered looks like a file that was.
    assert ("checksum" if name == CHECKSUMS and change == "altered" else name) in out + err


@pytest.mark.parametrize("kind", ["manifest.json", "rows.csv", "instances/", "extra"])
@pytest.mark.parametrize("change", ["altered", "missing", "twice"])
def test_changed_archive_with_right_checksums_is_found(made, kcut_here, tmp_path, kind, change):
    """Checksums are no more trusted than files: each file is compared with the store."""
    assert kcut_here("archive", made / "whole", "-o", "a.zip")[0] == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as whole:
        entries = [(name, whole.read(name)) for name in whole.namelist() if name != CHECKSUMS]
    if kind == "extra":
        entries.append(("extra", b""))
    at = next(i for i, (name, _) in enumerate(entries) if name.startswith(kind))
    name, content = entries[at]
    if change == "altered":
        if kind == "instances/":
            content = gzip.compress(gzip.decompress(content).replace(b'"levels": ', b'"levels": 1'))
        entries[at] = (name, content if kind == "instances/" else content + b" ")
    elif change == "missing":
        del entries[at]
    else:
        entries.append((name, content))
    sums = {n: f"{hashlib.sha256(c).hexdigest()}  {n}\n" for n, c in entries}
    with warnings.catch_warnings(), zipfile.ZipFile(tmp_path / "b.zip", "w") as changed:
        warnings.simplefilter("ignore")  # of a name that occurs twice
        for entry in (*entries, (CHECKSUMS, "".join(sums.values()))):
            changed.writestr(*entry)
    code, out, _ = kcut_here("check", "b.zip")
    if (kind, change) == ("extra", "missing"):
        assert code == 0
        return
    assert code == 1
    assert name in out


def test_archive_holds_clusters_of_one_contention_dag(kcut_here, tmp_path):
    """Clusters that differ only in what their contention DAG leaves out are files of their own."""
    for name, gpus in (("x", 8), ("y", 16)):
        cluster = on_one_link(sender("a", gpus, 1.0, 5.0, 1.0), sender("b", 4, 1.0, 2.0, 1.0))
        write_cluster(cluster, tmp_path / f"{name}.json")
    text = 'name = "two"\n[[instances]]\nfiles = ["x.json", "y.json"]\n[[solvers]]\nname = "crux"\n'
    make_store(tmp_path / "two", text, tmp_path)
    with open_store(tmp_path / "two") as store:
        assert len({instance.sha256 for instance in store.instances()}) == 1
    assert kcut_here("archive", "two", "-o", "a.zip")[0] == 0
    with zipfile.ZipFile(tmp_path / "a.zip") as zipped:
        assert len([n for n in zipped.namelist() if n.startswith("instances/")]) == 2
    assert kcut_here("check", "a.zip")[0] == 0


def test_cut_off_archive_is_refused(made, kcut_here, tmp_path):
    """A file that is no zip any more is an error in one line."""
    assert kcut_here("archive", made / "whole", "-o", "a.zip")[0] == 0
    (tmp_path / "a.zip").write_bytes((tmp_path / "a.zip").read_bytes()[:-100])
    code, _, err = kcut_here("check", "a.zip")
    assert (code, err.count("\n")) == (2, 1)
    assert "a.zip" in err


def test_parquet_holds_what_csv_holds(made, kcut_here, tmp_path):
    """Both exports have the same rows and columns, and every number is equal."""
    parquet = pytest.importorskip("pyarrow.parquet")
    assert kcut_here("export", made / "whole", "-o", "rows.csv")[0] == 0
    assert kcut_here("export", made / "whole", "-o", "rows.parquet")[0] == 0
    table = parquet.read_table(tmp_path / "rows.parquet").to_pylist()
    with (tmp_path / "rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(table) > 0
    assert list(rows[0]) == list(table[0]) == [*NAMES, "mode"]
    for text, typed in zip(rows, table, strict=True):
        for name, value in typed.items():
            if value is None:
                assert text[name] == ""
            elif isinstance(value, bool):
                assert text[name] == str(int(value))
            else:
                assert type(value)(text[name]) == value


def test_parquet_loses_no_digit(tmp_path):
    """Integers beyond 64 bits, or beyond a float's beside floats, become decimal text."""
    parquet = pytest.importorskip("pyarrow.parquet")
    from kcut import Termination
    from kcut_bench.outcome import Lost

    row = Lost(Termination.CRASHED, "", "2026").row(one_run())
    rows = [replace(row, value=2**60 + 1, bound=2**90), replace(row, value=0.1, bound=3)]
    assert write_parquet(rows, tmp_path / "rows.parquet", "performance") == 2
    table = parquet.read_table(tmp_path / "rows.parquet")
    assert table["value"].to_pylist() == [str(2**60 + 1), "0.1"]
    assert table["bound"].to_pylist() == [str(2**90), "3"]
    assert str(table["num_jobs"].type) == "int64"
    buffer = io.StringIO()
    assert write_csv(rows, buffer, "performance") == 2
    assert str(2**90) in buffer.getvalue()


def test_parquet_without_pyarrow_says_what_to_install(made, kcut_here, monkeypatch):
    """Without the optional package the error names the extra."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, err = kcut_here("export", made / "whole", "-o", "rows.parquet")
    assert (code, "kcut[parquet]" in err) == (2, True)


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("time_s = 10", "time_s = 20", "time_s 10.0 -> 20.0"),
        ("num_jobs = 12", "num_jobs = 12", ""),
        ("levels = [2, 3]", "levels = [2, 4]", "instance parameters, seed or levels"),
        ('name = "crux"', 'name = "crux"\nparams = {orders = 5}', "params: orders 10 -> 5"),
        ("seeds = [1, 2]", "seeds = [1, 3]", "seed 2 -> 3"),
    ],
)
def test_stale_rows_are_explained(tmp_path, small_spec, before, after, words):
    """Of each run that must be done again it is said which ingredient of its key changed."""
    make_store(tmp_path / "store", small_spec, tmp_path)
    spec = parse_spec(small_spec.replace(before, after), "small.toml")
    runs = expand(spec, tmp_path, "small.toml")
    with open_store(tmp_path / "store") as store:
        explained = explain(store, runs)
        missing = [run for run in runs if run.key not in store.finished()]
    again = [entry for entry in explained if entry.state != "dropped"]
    assert [entry.key for entry in again] == [run.key for run in missing]
    assert bool(again) == bool(words)
    assert all(words in "; ".join(entry.changes) for entry in again), explained


def test_edited_sources_and_upgrades_are_named(tmp_path, small_spec, monkeypatch):
    """An edited solver, an edited family and another version of a package are told apart."""
    from kcut_bench import plan

    make_store(tmp_path / "store", small_spec, tmp_path)
    spec = parse_spec(small_spec, "small.toml")
    digest = plan.source_digest
    upgraded = {**plan._versions(), "numba": "9.9"}
    cases = (
        ("source_digest", lambda f: digest(f) + "x" * ("crux" in f.__module__), "solver source"),
        ("source_digest", lambda f: digest(f) + "x" * ("fig13" in f.__name__), "instance source"),
        ("_core_digest", lambda: "edited", "kcut source edited"),
        ("_versions", lambda: upgraded, "versions: numba"),
    )
    for name, changed, words in cases:
        with monkeypatch.context() as patch:
            patch.setattr(plan, name, changed)
            runs = expand(spec, tmp_path, "small.toml")
            with open_store(tmp_path / "store") as store:
                explained = explain(store, runs)
        assert explained, words
        assert all(entry.state == "changed" for entry in explained)
        assert all(words in "; ".join(entry.changes) for entry in explained), explained


def test_explain_stale_prints_a_line_a_run(kcut_here, small_spec, tmp_path):
    """The command says what changed, run by run, and runs nothing."""
    make_store(tmp_path / "out", small_spec, tmp_path)
    (tmp_path / "s.toml").write_text(small_spec.replace("time_s = 10", "time_s = 11"))
    code, out, _ = kcut_here("sweep", "s.toml", "--store", "out", "--explain-stale")
    lines = out.splitlines()
    assert code == 0
    assert all("time_s 10.0 -> 11.0" in line for line in lines[:-1])
    assert "0 done" in lines[-1]
    with open_store(tmp_path / "out") as store:
        assert store.num_stale() == 0
