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
    Files are named after the SHA-256 of the instance and its number of levels. ``SHA256SUMS`` has
    a line for every other file, as ``sha256sum -c`` reads it. No entry has a time, so the same
    store gives the same bytes.
    """
    entries: dict[str, bytes] = {}
    for instance in store.instances():
        if instance.sha256 is not None:
            name = f"instances/{instance.sha256[:16]}-{instance.levels}.json.gz"
            entries[name] = _instance_file(instance)
    count = len(entries)
    manifest = {**FORMAT, **store.manifest()}
    entries["manifest.json"] = json.dumps(manifest, sort_keys=True, indent=1).encode()
    entries[FILE_NAME] = _copy_of(store)
    table = io.StringIO(newline="")
    write_csv(store.records(blobs=False), table, mode_of(store))
    entries["rows.csv"] = table.getvalue().encode()
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
        Files that are missing, unexpected or not what the checksums say, and instance files that
        are not the instances of the store.

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
            entries = {name: zipped.read(name) for name in zipped.namelist()}
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
            yield store, [*_wrong_sums(entries), *_wrong_instances(store, entries)]


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


def _wrong_instances(store: Store, entries: dict[str, bytes]) -> Iterator[str]:
    from kcut.contention import compression_of
    from kcut_instances.readers import read_instance

    for instance in store.instances():
        if instance.sha256 is None:
            continue
        name = f"instances/{instance.sha256[:16]}-{instance.levels}.json.gz"
        if name not in entries:
            yield f"{name}: is missing ({instance.name})"
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "instance.json.gz"
            path.write_bytes(entries[name])
            try:
                found: Any = compression_of(read_instance(path, instance.levels))
            except KcutError as error:
                yield f"{name}: cannot be read: {error}"
                continue
        if found.sha256 != instance.sha256:
            yield f"{name}: is not the instance of the store ({instance.name})"


def _instance_file(stored: StoredInstance) -> bytes:
    """Return an instance as the file of its format, gzip; made again unless it was a file."""
    from kcut.contention import compression_of
    from kcut.registry import get_family
    from kcut_instances.readers import read_instance, write_cluster, write_compression

    with tempfile.TemporaryDirectory() as folder:
        if stored.content is not None:
            given = Path(folder) / Path(json.loads(stored.params)["file"]).name
            given.write_bytes(stored.content)
            made = read_instance(given, stored.levels)
        else:
            assert stored.family is not None
            assert stored.seed is not None
            family = get_family(stored.family)
            made = family.generate(json.loads(stored.params), stored.levels, stored.seed)
        if compression_of(made).sha256 != stored.sha256:
            raise InputError("made again it has another sha256", "instance", stored.name)
        path = Path(folder) / "instance.json"
        (write_cluster if isinstance(made, Cluster) else write_compression)(made, path)
        return gzip.compress(path.read_bytes(), 6, mtime=0)


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
