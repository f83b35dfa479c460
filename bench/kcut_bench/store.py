"""The store of results: one SQLite file in a directory, one row a run, one writer at a time."""

from __future__ import annotations

import contextlib
import dataclasses
import fcntl
import hashlib
import json
import os
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any
from urllib.parse import quote

from kcut.errors import InputError
from kcut_bench.record import RunRecord

SCHEMA = 3
FILE_NAME = "store.sqlite"
COLUMNS = tuple(field.name for field in dataclasses.fields(RunRecord))
ADDED = {
    "objectives": 2,
    **dict.fromkeys(("max_slowdown", "max_slowdown_tied", "jain", "utilisation_drift"), 3),
}
"""Columns of rows that stores of an earlier schema lack, and the schema that added them."""
COMMON = ("schema", "solver", "solver source", "kcut source", "versions")
"""Ingredients of a key that many runs share."""
BLOBS = ("solution", "certificate")
_FLAGS = ("exact", "proven")
_EXACT_NUMBERS = ("value", "bound", "total_weight")
_LARGEST = 2**63 - 1

# Columns have no type on purpose: integers come back as integers, floats as the same floats.
_TABLES = f"""
CREATE TABLE IF NOT EXISTS runs (key PRIMARY KEY, {", ".join(COLUMNS[1:])});
CREATE INDEX IF NOT EXISTS runs_state ON runs (solver, termination, verdict);
CREATE TABLE IF NOT EXISTS planned (key PRIMARY KEY, instance, solver, position);
CREATE TABLE IF NOT EXISTS instances
    (recipe PRIMARY KEY, name, levels, family, params, seed, sha256, num_jobs, num_edges, content);
CREATE TABLE IF NOT EXISTS ingredients (key PRIMARY KEY, own, common);
CREATE TABLE IF NOT EXISTS commons (digest PRIMARY KEY, content);
CREATE TABLE IF NOT EXISTS noise (started_at, wall_s, cpu_s);
CREATE TABLE IF NOT EXISTS manifest (key PRIMARY KEY, value NOT NULL);
"""
_INSERT_RUN = f"INSERT INTO runs ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"


@dataclass(frozen=True, slots=True)
class StoredInstance:
    """An instance of a sweep and how to have it again.

    Attributes
    ----------
    recipe : str
        Key of the recipe (hexadecimal SHA-256).
    name : str
    levels : int
    family : str or None
        None for a file.
    params : str
        A JSON object; for a file its name as the specification gives it.
    seed : int or None
    sha256 : str or None
        `CompressionInstance.sha256`; None before the first run reported it.
    num_jobs, num_edges : int or None
    content : bytes or None
        The file, byte for byte.
    """

    recipe: str
    name: str
    levels: int
    family: str | None
    params: str
    seed: int | None
    sha256: str | None = None
    num_jobs: int | None = None
    num_edges: int | None = None
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Store:
    """An open store; close it, or use it as a context manager.

    Attributes
    ----------
    directory : Path
    connection : sqlite3.Connection
    lock : file or None
        Held by the writer; None for a reader.
    """

    directory: Path
    connection: sqlite3.Connection
    lock: IO[str] | None

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and let the next writer in."""
        self.connection.close()
        if self.lock is not None:
            self.lock.close()

    def manifest(self) -> dict[str, Any]:
        """Return the manifest: specification, sessions, environment, instance hashes."""
        rows = self._query("SELECT key, value FROM manifest ORDER BY key")
        try:
            return {key: json.loads(value) for key, value in rows}
        except (ValueError, TypeError) as error:
            raise InputError(
                f"is not JSON: {error}", "manifest", source=str(self.directory)
            ) from None

    def write_manifest(self, content: dict[str, Any]) -> None:
        """Write entries of the manifest; those not named stay."""
        rows = [(key, json.dumps(value, sort_keys=True)) for key, value in content.items()]
        with self._writing() as connection:
            connection.executemany("REPLACE INTO manifest VALUES (?, ?)", rows)

    def plan(self, runs: Iterable[tuple[str, str, str]]) -> None:
        """Replace the plan by these (key, instance, solver), in order."""
        rows = [(*run, position) for position, run in enumerate(runs)]
        with self._writing() as connection:
            connection.execute("DELETE FROM planned")
            connection.executemany("INSERT INTO planned VALUES (?, ?, ?, ?)", rows)

    def add_ingredients(self, entries: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Write what the keys of runs were made of; those that are there stay."""
        with self._writing() as connection:
            for key, content in entries:
                common = json.dumps({n: content[n] for n in COMMON}, sort_keys=True)
                own = {name: value for name, value in content.items() if name not in COMMON}
                digest = hashlib.sha256(common.encode()).hexdigest()[:16]
                connection.execute("INSERT OR IGNORE INTO commons VALUES (?, ?)", (digest, common))
                row = (key, json.dumps(own, sort_keys=True), digest)
                connection.execute("INSERT OR IGNORE INTO ingredients VALUES (?, ?, ?)", row)

    def ingredients(self) -> dict[str, dict[str, Any]]:
        """Return what each known key was made of; raise `InputError` if that cannot be read."""
        if not self._has_table("ingredients"):
            return {}
        try:
            commons = {d: json.loads(c) for d, c in self._query("SELECT * FROM commons")}
            rows = self._query("SELECT key, own, common FROM ingredients")
            return {key: {**json.loads(own), **commons[common]} for key, own, common in rows}
        except (ValueError, TypeError, KeyError) as error:
            what = f"what keys were made of cannot be read: {type(error).__name__} {error}"
            raise InputError(what, FILE_NAME, source=str(self.directory)) from None

    def add_noise(self, started_at: str, wall_s: float, cpu_s: float | None) -> None:
        """Write how long the reference run took."""
        with self._writing() as connection:
            connection.execute("INSERT INTO noise VALUES (?, ?, ?)", (started_at, wall_s, cpu_s))

    def noise(self) -> list[tuple[str, float, float | None]]:
        """Return (start, wall-clock seconds, processor seconds) of every reference run."""
        if not self._has_table("noise"):
            return []
        return self._query("SELECT * FROM noise ORDER BY started_at").fetchall()

    def _has_table(self, name: str) -> bool:
        """Whether a table is there that earlier versions did not have."""
        query = f"SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '{name}'"
        return self._query(query).fetchone() is not None

    def planned(self) -> list[tuple[str, str, str]]:
        """Return (key, instance, solver) of every planned run, in the order of the plan."""
        query = "SELECT key, instance, solver FROM planned ORDER BY position"
        return self._query(query).fetchall()

    def finished(self) -> set[str]:
        """Return the keys of all rows."""
        return {key for (key,) in self._query("SELECT key FROM runs")}

    def add(self, record: RunRecord, recipe: str | None = None) -> None:
        """Write one row, and what it says of its instance's recipe, in one transaction.

        Raises
        ------
        InputError
            If it cannot be written, say because the disk is full; the store stays as it was.
        """
        facts = (record.instance_sha256, record.num_jobs, record.num_edges, recipe)
        with self._writing() as connection:
            connection.execute(_INSERT_RUN, _row(record))
            if recipe is not None and record.instance_sha256:
                connection.execute(
                    "UPDATE instances SET sha256 = ?, num_jobs = ?, num_edges = ?"
                    " WHERE recipe = ? AND sha256 IS NULL",
                    facts,
                )

    def add_all(self, records: Iterable[RunRecord]) -> None:
        """Write rows in one transaction: all or none."""
        with self._writing() as connection:
            connection.executemany(_INSERT_RUN, map(_row, records))

    def identities(self) -> dict[str, tuple[str, str]]:
        """Return (solver, instance) of every row, by key."""
        rows = self._query("SELECT key, solver, instance FROM runs")
        return {key: (solver, instance) for key, solver, instance in rows}

    def records(self, *, planned_only: bool = True, blobs: bool = True) -> Iterator[RunRecord]:
        """Yield the rows in the order of the plan.

        Parameters
        ----------
        planned_only : bool, optional
            Leave out rows of an earlier plan or of sources that have changed since.
        blobs : bool, optional
            Read solutions and certificates; otherwise they are empty bytes where there are any.
        """
        there = {name for _, name, *_ in self._query("PRAGMA table_info(runs)")}

        def column(name: str) -> str:
            if name not in there and name in ADDED:
                return "NULL"
            if name in BLOBS and not blobs:
                return f"CASE WHEN r.{name} IS NULL THEN NULL ELSE x'' END"
            return f"r.{name}"

        columns = ", ".join(map(column, COLUMNS))
        join = "JOIN" if planned_only else "LEFT JOIN"
        query = f"SELECT {columns} FROM runs r {join} planned p ON p.key = r.key"
        for row in self._query(query + " ORDER BY p.position, r.key"):
            try:
                yield RunRecord(**_from_columns(dict(zip(COLUMNS, row, strict=True))))
            except ValueError as error:
                raise InputError(str(error), f"row {row[0]}", source=str(self.directory)) from None

    def counts(self) -> list[tuple[str, str | None, str | None, int]]:
        """Return (solver, termination, verdict, number) of planned runs; None where not done."""
        # Counted by index and corrected for stale rows: joining 100,000 keys takes far longer.
        stale = "WHERE key IN (SELECT key FROM runs EXCEPT SELECT key FROM planned)"
        done: Counter[tuple[str, str, str]] = Counter()
        for sign, where in ((1, ""), (-1, stale)):
            query = (
                f"SELECT solver, termination, verdict, COUNT(*) FROM runs {where} GROUP BY 1, 2, 3"
            )
            for *state, number in self._query(query):
                done[tuple(state)] += sign * number
        found: list[tuple[str, str | None, str | None, int]]
        found = [(*state, number) for state, number in sorted(done.items()) if number]
        for solver, planned in self._query("SELECT solver, COUNT(*) FROM planned GROUP BY 1"):
            missing = planned - sum(n for (name, _, _), n in done.items() if name == solver)
            if missing:
                found.append((solver, None, None, missing))
        return found

    def num_stale(self) -> int:
        """Count the rows that the plan does not ask for."""
        query = "SELECT COUNT(*) FROM runs WHERE key NOT IN (SELECT key FROM planned)"
        return int(self._query(query).fetchone()[0])

    def add_instances(self, instances: Iterable[StoredInstance]) -> None:
        """Write instances; of those that are there, only what was not known yet."""
        rows = [dataclasses.astuple(instance) for instance in instances]
        marks = ", ".join("?" * len(dataclasses.fields(StoredInstance)))
        with self._writing() as connection:
            connection.executemany(
                f"INSERT INTO instances VALUES ({marks}) ON CONFLICT (recipe) DO UPDATE SET"
                " num_jobs = coalesce(num_jobs, excluded.num_jobs),"
                " num_edges = coalesce(num_edges, excluded.num_edges),"
                " sha256 = coalesce(sha256, excluded.sha256)",
                rows,
            )

    def instances(self) -> list[StoredInstance]:
        """Return all instances."""
        rows = self._query("SELECT * FROM instances ORDER BY rowid")
        return [StoredInstance(*row) for row in rows]

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """Write in one transaction: all of it or nothing."""
        try:
            with self.connection:
                yield self.connection
        except sqlite3.IntegrityError:
            raise
        except sqlite3.DatabaseError as error:
            message = f"cannot be written: {error}"
            raise InputError(message, FILE_NAME, source=str(self.directory)) from error

    def _query(self, query: str) -> sqlite3.Cursor:
        try:
            return self.connection.execute(query)
        except sqlite3.DatabaseError as error:
            raise _unreadable(self.directory, error) from error


def open_store(directory: Path) -> Store:
    """Open an existing store for reading, also while a sweep writes to it.

    Raises
    ------
    InputError
        If there is none, or it cannot be read, or another version of kcut wrote it.
    """
    path = directory / FILE_NAME
    if not path.is_file():
        raise InputError(f"no store here (no {FILE_NAME})", source=str(directory))
    # Where the directory is read-only SQLite cannot share the file, but then nobody writes to it.
    # What the last writer left in its log is invisible then.
    log = path.with_name(f"{FILE_NAME}-wal")
    for mode in ("mode=ro", "immutable=1"):
        connection = None
        if mode == "immutable=1" and log.exists() and log.stat().st_size:
            message = "has rows in a log: copy the directory to where it can be written"
            raise InputError(message, log.name, source=str(directory))
        try:
            uri = f"file:{quote(str(path.absolute()))}?{mode}"
            connection = sqlite3.connect(uri, uri=True, timeout=30)
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            for table in ("runs", "planned", "instances", "manifest"):
                connection.execute(f"SELECT 1 FROM {table} LIMIT 1")
            break
        except sqlite3.DatabaseError as error:
            if connection is not None:
                connection.close()
            if mode == "immutable=1" or "unable to open" not in str(error):
                raise _unreadable(directory, error) from error
    assert connection is not None
    if not 1 <= version <= SCHEMA:
        connection.close()
        raise _other_schema(version, directory)
    return Store(directory, connection, None)


def create_store(directory: Path) -> Store:
    """Open a store for writing; create it where there is none.

    Raises
    ------
    InputError
        If another process writes to it, or it cannot be read or created.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        lock = (directory / "lock").open("a+", encoding="utf-8")
    except OSError as error:
        raise InputError(f"cannot write here: {error.strerror}", source=str(directory)) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        lock.seek(0)
        holder = lock.read().strip()
        lock.close()
        message = f"another sweep writes to this store (process {holder})"
        raise InputError(message, source=str(directory)) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    try:
        connection = _connect_for_writing(directory)
    except BaseException:
        lock.close()
        raise
    return Store(directory, connection, lock)


def _connect_for_writing(directory: Path) -> sqlite3.Connection:
    with contextlib.ExitStack() as stack:
        try:
            connection = sqlite3.connect(directory / FILE_NAME, timeout=30)
            stack.callback(connection.close)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if not 0 <= version <= SCHEMA:
                raise _other_schema(version, directory)
            for name, since in ADDED.items():
                if 0 < version < since:
                    connection.execute(f"ALTER TABLE runs ADD COLUMN {name}")
            connection.executescript(_TABLES)
            connection.execute(f"PRAGMA user_version={SCHEMA}")
        except sqlite3.DatabaseError as error:
            raise _unreadable(directory, error) from error
        stack.pop_all()
    return connection


def _other_schema(version: int, directory: Path) -> InputError:
    return InputError(f"must have schema 1 to {SCHEMA}", "schema", version, str(directory))


def _unreadable(directory: Path, error: Exception) -> InputError:
    return InputError(f"no readable store: {error}", FILE_NAME, source=str(directory))


def _row(record: RunRecord) -> list[Any]:
    return [_to_column(getattr(record, name)) for name in COLUMNS]


def _to_column(value: Any) -> Any:
    # A bad cover may prove a bound that no 64-bit integer holds.
    if isinstance(value, int) and abs(value) > _LARGEST:
        return str(value)
    return value


def _from_columns(row: dict[str, Any]) -> dict[str, Any]:
    for name in _FLAGS:
        row[name] = bool(row[name])
    for name in _EXACT_NUMBERS:
        if isinstance(row[name], str):
            row[name] = int(row[name])
    return row
