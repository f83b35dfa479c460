"""Merge stores of one study, say of its shards; what contradicts is refused, never chosen from."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from kcut.errors import InputError
from kcut_bench.record import RunRecord
from kcut_bench.store import COLUMNS, FILE_NAME, LOCK_NAME, Store, create_store, open_store

VOLATILE = frozenset({"started_at", "incumbents", "peak_rss_bytes"})
"""Columns that differ from one execution of a run to the next; so do all seconds but the limit."""
STABLE = tuple(
    name
    for name in COLUMNS
    if name not in VOLATILE and (not name.endswith("_s") or name == "time_limit_s")
)


@dataclass(slots=True)
class Merged:
    """What a merge did, or why it did nothing.

    Attributes
    ----------
    added, known : int
        Rows that are new to the target; rows that it had, with the same results.
    conflicts : list of str
        Rows of one key whose results differ, and in what; nothing is written if there are any.
    """

    added: int = 0
    known: int = 0
    conflicts: list[str] = field(default_factory=list)


def merge_into(directory: Path, sources: list[Path]) -> Merged:
    """Merge stores into the one in a directory; a new one is there only if that succeeds.

    Raises
    ------
    InputError
        As `merge_stores`, or if the directory cannot be written.
    """
    had_folder, had_store = directory.exists(), (directory / FILE_NAME).exists()
    done = None
    try:
        with create_store(directory) as target:
            done = merge_stores(target, sources)
    finally:
        if not had_store and (done is None or done.conflicts):
            for name in (FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm", LOCK_NAME):
                (directory / name).unlink(missing_ok=True)
            if not had_folder:
                directory.rmdir()
    return done


def merge_stores(target: Store, sources: list[Path]) -> Merged:
    """Copy all rows of some stores into another.

    Parameters
    ----------
    target : Store
        Open for writing; may be empty.
    sources : list of Path

    Returns
    -------
    Merged

    Raises
    ------
    InputError
        If a source is no store, or of another study or another specification.
    """
    done = Merged()
    rows: dict[str, RunRecord] = {row.key: row for row in target.records(planned_only=False)}
    held = set(rows)
    for path in sources:
        with open_store(path) as source:
            _check_study(target, source, sources)
            for row in source.records(planned_only=False):
                if row.key not in rows:
                    rows[row.key] = row
                    continue
                differing = [n for n in STABLE if getattr(row, n) != getattr(rows[row.key], n)]
                if differing:
                    done.conflicts.append(_conflict(row, rows[row.key], differing, path))
                done.known += not differing
    if done.conflicts:
        return done
    for path in sources:
        with open_store(path) as source:
            _adopt(target, source)
    new = [row for key, row in rows.items() if key not in held]
    target.add_all(new)
    done.added = len(new)
    return done


def _check_study(target: Store, source: Store, sources: list[Path]) -> None:
    """Refuse a source of another specification than the target, or than the first source."""
    reference = target.manifest()
    if not reference:
        with open_store(sources[0]) as first:
            reference = first.manifest()
    manifest = source.manifest()
    for name, what in (("name", "study"), ("spec", "specification")):
        if manifest.get(name) != reference.get(name):
            value = manifest.get(name) if name == "name" else None
            message = f"holds another {what}" + (f" ({value})" if value else "")
            raise InputError(message, source=str(source.directory))


def _conflict(row: RunRecord, other: RunRecord, differing: list[str], path: Path) -> str:
    def shown(record: RunRecord, name: str) -> str:
        value = getattr(record, name)
        return f"{len(value)} bytes" if isinstance(value, bytes) else repr(value)

    what = "; ".join(f"{n} is {shown(other, n)} and {shown(row, n)}" for n in differing)
    where = f"{row.solver} on {row.instance}, K = {row.levels}, seed {row.seed}"
    return f"{row.key[:12]} ({where}), again in {path}: {what}"


def _adopt(target: Store, source: Store) -> None:
    """Take over plan, instances, manifest and notes of a source."""
    ours, theirs = target.manifest(), source.manifest()
    sessions = [*ours.get("sessions", []), *theirs.get("sessions", [])]
    unique = {str(session): session for session in sessions}
    hashes = {**theirs.get("instances", {}), **ours.get("instances", {})}
    target.write_manifest(
        {**theirs, **ours, "sessions": list(unique.values()), "instances": hashes}
    )
    planned = target.planned()
    keys = {key for key, _, _ in planned}
    target.plan([*planned, *(run for run in source.planned() if run[0] not in keys)])
    target.add_instances(source.instances())
    target.add_ingredients(source.ingredients().items())
    known = set(target.noise())
    for entry in source.noise():
        if entry not in known:
            target.add_noise(*entry)
