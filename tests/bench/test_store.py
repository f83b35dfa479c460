"""Tests of the store: what is written comes back, one writer, no traceback for what is no store."""

import shutil
import sqlite3
from dataclasses import replace

import pytest

from kcut import InputError, Termination
from kcut_bench.outcome import Lost, pack, unpack
from kcut_bench.store import ADDED, FILE_NAME, StoredInstance, create_store, open_store
from tests.bench.plans import one_run


def row(**changes):
    """Return a row, most of it empty."""
    return replace(Lost(Termination.CRASHED, "gone", "2026").row(one_run()), **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"value": 7, "bound": 7},
        {"value": 2**62, "bound": 2**90},
        {"value": 0.1, "bound": 1e300, "gap": 1 / 3},
        {"value": 3.0, "bound": None, "proven": True, "exact": True},
        {"solution": b"\0\xff", "certificate": None, "detail": "ü\n'"},
    ],
)
def test_row_comes_back_as_it_was(tmp_path, changes):
    """Integers of any size stay integers, floats keep every bit, None stays None."""
    written = row(**changes)
    with create_store(tmp_path) as store:
        store.plan([(written.key, "i", "s")])
        store.add(written)
    with open_store(tmp_path) as store:
        (read,) = store.records()
    assert read == written
    assert type(read.value) is type(written.value)


def test_key_is_written_once(tmp_path):
    """A second row of the same run is refused by the database itself."""
    with create_store(tmp_path) as store:
        store.add(row())
        with pytest.raises(sqlite3.IntegrityError):
            store.add(row())


def test_second_writer_is_told(tmp_path):
    """One sweep at a time writes to a store; readers may look on."""
    with create_store(tmp_path) as store:
        store.add(row())
        with pytest.raises(InputError, match="another sweep writes to this store"):
            create_store(tmp_path)
        with open_store(tmp_path) as reader:
            assert reader.finished() == {row().key}
    create_store(tmp_path).close()


def test_rows_outside_the_plan_are_stale(tmp_path):
    """A row of an earlier plan is kept and counted, but not shown among the results."""
    with create_store(tmp_path) as store:
        store.add(row(key="old"))
        store.add(row(key="new"))
        solver = row().solver
        store.plan([("new", "i", solver), ("to do", "i", solver)])
        assert [r.key for r in store.records()] == ["new"]
        assert {r.key for r in store.records(planned_only=False)} == {"old", "new"}
        assert store.num_stale() == 1
        assert sum(number for *_, number in store.counts()) == 2


@pytest.mark.parametrize("content", [b"", b"no database at all", b"SQLite format 3\0" + b"x" * 500])
def test_broken_file_is_named(tmp_path, content):
    """A file that is no store is refused with its directory, whatever is wrong with it."""
    (tmp_path / FILE_NAME).write_bytes(content)
    with pytest.raises(InputError) as caught:
        open_store(tmp_path)
    assert str(tmp_path) in str(caught.value)


def test_other_schema_is_refused(tmp_path):
    """A store of another version is not misread."""
    create_store(tmp_path).close()
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.execute("PRAGMA user_version=999")
    connection.close()
    for attempt in (open_store, create_store):
        with pytest.raises(InputError, match="schema"):
            attempt(tmp_path)


def test_store_of_the_first_schema_is_read_and_raised(tmp_path):
    """Rows from before columns were added have nothing in them; a writer adds them."""
    with create_store(tmp_path) as store:
        store.add(row(value=3))
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    for column in ADDED:
        connection.execute(f"ALTER TABLE runs DROP COLUMN {column}")
    connection.execute("PRAGMA user_version=1")
    connection.close()
    with open_store(tmp_path) as store:
        assert list(store.records(planned_only=False)) == [row(value=3)]
    new = row(key="new", objectives="{}")
    with create_store(tmp_path) as store:
        store.add(new)
        assert new in store.records(planned_only=False)


def test_manifest_and_instances_come_back(tmp_path):
    """The manifest is updated entry by entry; an instance's facts are noted once."""
    with create_store(tmp_path) as store:
        store.write_manifest({"a": 1, "b": [1, None]})
        store.write_manifest({"a": 2})
        store.add_instances([StoredInstance("r", "n", 2, None, "{}", None, content=b"\0")])
        store.add(row(key="1", instance_sha256="abc", num_jobs=3, num_edges=4), "r")
        store.add(row(key="2", instance_sha256="other", num_jobs=5, num_edges=6), "r")
    with open_store(tmp_path) as store:
        assert store.manifest() == {"a": 2, "b": [1, None]}
        expected = StoredInstance("r", "n", 2, None, "{}", None, "abc", 3, 4, b"\0")
        assert store.instances() == [expected]


def test_packed_arrays_come_back():
    """Levels and covers survive compression; None stays None."""
    import numpy as np

    array = np.array([0, -1, 2**62], np.int64)
    assert unpack(pack(array)).tolist() == array.tolist()
    assert unpack(pack(None)) is None


def test_rows_in_a_log_that_cannot_be_read_are_not_passed_over(tmp_path):
    """A store with a log is not opened without it, as if its last rows had never been written."""
    with create_store(tmp_path / "first") as store:
        store.add(row())
        (tmp_path / "copy").mkdir()
        for name in (FILE_NAME, f"{FILE_NAME}-wal"):
            shutil.copy(tmp_path / "first" / name, tmp_path / "copy" / name)
    # What SQLite would need to read the log; in a read-only folder it cannot be made.
    (tmp_path / "copy" / f"{FILE_NAME}-shm").symlink_to("no/where")
    with pytest.raises(InputError, match="has rows in a log"):
        open_store(tmp_path / "copy")
    (tmp_path / "copy" / f"{FILE_NAME}-shm").unlink()
    with open_store(tmp_path / "copy") as reader:
        assert reader.finished() == {row().key}


def test_damaged_pages_are_a_clear_error_to_a_writer(tmp_path):
    """A store that opens but is damaged inside is named, and by no error of the database's."""
    with create_store(tmp_path) as store:
        store.plan((f"key {i}", "instance", "solver") for i in range(2000))
    path = tmp_path / FILE_NAME
    page = 4096
    content = bytearray(path.read_bytes())
    assert len(content) > 20 * page
    content[10 * page :] = b"\xff" * (len(content) - 10 * page)
    path.write_bytes(content)
    with create_store(tmp_path) as store, pytest.raises(InputError, match=r"store\.sqlite"):
        store.plan([("key", "instance", "solver")])


def test_broken_notes_on_keys_are_a_clear_error(tmp_path):
    """Notes on what keys were made of that are no JSON, or refer to nothing, are bad input."""
    with create_store(tmp_path) as store:
        store.connection.execute("INSERT INTO ingredients VALUES ('key', '{}', 'nothing')")
        with pytest.raises(InputError, match="what keys were made of"):
            store.ingredients()
