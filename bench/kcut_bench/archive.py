"""Archives: a store with its instances and checksums in one zip, the same bytes every time."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from kcut.cluster import Cluster
from kcut.errors import InputError, KcutError
from kcut_bench.export import mode_of, write_csv
from kcut_bench.store import FILE_NAME, Store, StoredInstance, open_store

FORMAT = {"format": "kcut/archive", "version": 1}
CHECKSUMS = "SHA256SUMS"
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can state
_MAX_ENTRY = 2**34
"""Bytes of one file in an archive beyond which it is refused."""


def write_archive(store: Store, path: Path) -> int:
    """Write a store as a zip: ``store.sqlite``, ``rows.csv``, ``manifest.json``, ``instances/``.

    Parameters
    ----------
    store : Store
    path : Path
        Replaced if it is there.

    Returns
    -------
    int
        Number of instances in it.

    Raises
    ------
    InputError
        If it cannot be written, or an instance cannot be made again.

    Notes
    -----
    Files are named after the SHA-256 of what was solved, the number of levels, and the recipe,
    since different clusters may have one contention DAG. ``SHA256SUMS`` has a line for every other
    file, as ``sha256sum -c`` reads it. No entry has a time, so the same store gives the same bytes.
    """
    entries = {name: _instance_file(instance) for name, instance in _instance_files(store)}
    count = len(entries)
    entries |= _tables(store)
    entries[FILE_NAME] = _copy_of(store)
    sums = [f"{hashlib.sha256(entries[n]).hexdigest()}  {n}\n" for n in sorted(entries)]
    entries[CHECKSUMS] = "".join(sums).encode()
    temporary = path.with_name(path.name + ".part")
    try:
        with zipfile.ZipFile(temporary, "w") as zipped:
            for name in sorted(entries):
                entry = zipfile.ZipInfo(name, _EPOCH)
                entry.external_attr = 0o644 << 16
                entry.create_system = 3
                entry.compress_type = zipfile.ZIP_DEFLATED
                zipped.writestr(entry, entries[name], compresslevel=6)
        temporary.replace(path)
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", source=str(path)) from error
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
    return count


@contextlib.contextmanager
def open_archive(path: Path) -> Iterator[tuple[Store, list[str]]]:
    """Unpack an archive for as long as it is looked at.

    Yields
    ------
    store : Store
    problems : list of str
        Files that are missing, unexpected or not what the checksums say, a table or a manifest
        that differs from the store, and instance files that are not the instances of the store.

    Raises
    ------
    InputError
        If it is no archive.
    """
    try:
        with zipfile.ZipFile(path) as zipped:
            large = [e.filename for e in zipped.infolist() if e.file_size > _MAX_ENTRY]
            if large:
                raise InputError("is too large to be looked at", large[0], source=str(path))
            names = zipped.namelist()
            entries = {name: zipped.read(name) for name in names}
    except (OSError, zipfile.BadZipFile, EOFError, NotImplementedError, ValueError) as error:
        raise InputError(f"is no readable archive: {error}", source=str(path)) from error
    except Exception as error:  # zlib.error has no public base but Exception
        raise InputError(f"is no readable archive: {error}", source=str(path)) from error
    for name in (FILE_NAME, CHECKSUMS):
        if name not in entries:
            raise InputError(f"is no archive of a store (no {name})", source=str(path))
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / FILE_NAME).write_bytes(entries[FILE_NAME])
        with open_store(Path(folder)) as store:
            found = [f"{name}: occurs twice" for name in entries if names.count(name) > 1]
            found += [*_wrong_sums(entries), *_wrong_files(store, entries)]
            yield store, [*dict.fromkeys(found)]


def _wrong_sums(entries: dict[str, bytes]) -> Iterator[str]:
    stated: dict[str, str] = {}
    for line in entries[CHECKSUMS].decode(errors="replace").splitlines():
        digest, _, name = line.partition("  ")
        stated[name] = digest
    for name in sorted((entries.keys() | stated.keys()) - {CHECKSUMS}):
        if name not in entries:
            yield f"{name}: is missing"
        elif name not in stated:
            yield f"{name}: has no checksum"
        elif hashlib.sha256(entries[name]).hexdigest() != stated[name]:
            yield f"{name}: is not what {CHECKSUMS} says"


def _wrong_files(store: Store, entries: dict[str, bytes]) -> Iterator[str]:
    """Compare all files but the store with what the store says they are."""
    tables, instances = _tables(store), dict(_instance_files(store))
    for name in sorted(entries.keys() - {FILE_NAME, CHECKSUMS, *tables, *instances}):
        yield f"{name}: is no part of the store"
    for name, content in tables.items():
        if name not in entries:
            yield f"{name}: is missing"
        elif entries[name] != content:
            yield f"{name}: is not what the store says"
    for name, instance in instances.items():
        if name not in entries:
            yield f"{name}: is missing"
        else:
            yield from _wrong_instance(name, instance, entries[name])


def _wrong_instance(name: str, stored: StoredInstance, content: bytes) -> Iterator[str]:
    from kcut_instances.readers import read_instance

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "instance.json.gz"
        path.write_bytes(content)
        try:
            found, made = read_instance(path), _make(stored)
        except (KcutError, *_UNUSABLE) as error:
            yield f"{name}: cannot be compared: {error}"
            return
    if (found.sha256, found.levels) != (made.sha256, made.levels):
        yield f"{name}: is not the instance of the store ({stored.name})"


_UNUSABLE = (ValueError, TypeError, KeyError, AttributeError)
"""What making an instance ends with if its recipe was tampered with."""


def _tables(store: Store) -> dict[str, bytes]:
    """Return the files that say again, for people, what is in the store."""
    manifest = {**FORMAT, **store.manifest()}
    table = io.StringIO(newline="")
    write_csv(store.records(blobs=False), table, mode_of(store))
    return {
        "manifest.json": json.dumps(manifest, sort_keys=True, indent=1).encode(),
        "rows.csv": table.getvalue().encode(),
    }


def _instance_files(store: Store) -> Iterator[tuple[str, StoredInstance]]:
    """Yield the name of a file for each instance that a run has had."""
    for one in store.instances():
        if one.sha256 is not None:
            name = f"{str(one.sha256)[:16]}-{one.levels}-{str(one.recipe)[:8]}"
            yield f"instances/{name}.json.gz", one


def _instance_file(stored: StoredInstance) -> bytes:
    """Return an instance as the file of its format, gzip; made again unless it was a file."""
    from kcut.contention import compression_of
    from kcut_instances.readers import write_cluster, write_compression

    made = _make(stored)
    if compression_of(made).sha256 != stored.sha256:
        raise InputError("made again it has another sha256", "instance", stored.name)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "instance.json"
        (write_cluster if isinstance(made, Cluster) else write_compression)(made, path)
        return gzip.compress(path.read_bytes(), 6, mtime=0)


def _make(stored: StoredInstance) -> Any:
    """Return the instance or cluster that a store tells how to have."""
    from kcut.registry import get_family
    from kcut_instances.readers import read_instance

    if stored.content is not None:
        with tempfile.TemporaryDirectory() as folder:
            given = Path(folder) / Path(json.loads(stored.params)["file"]).name
            given.write_bytes(stored.content)
            return read_instance(given, stored.levels)
    if stored.family is None or stored.seed is None:
        raise InputError("its file is not in the store", "instance", stored.name)
    family = get_family(stored.family)
    return family.generate(json.loads(stored.params), stored.levels, stored.seed)


def _copy_of(store: Store) -> bytes:
    """Return the database as one file that depends on its content alone."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / FILE_NAME
        store.connection.execute("VACUUM INTO ?", (str(path),))
        # A read-only directory may hold the copy: no write-ahead log beside it.
        connection = sqlite3.connect(path)
        connection.execute("PRAGMA journal_mode=DELETE")
        connection.close()
        return path.read_bytes()
