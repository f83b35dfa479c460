"""Numba's cache of compiled functions: a sweep has one of its own, and a broken one is cleared.

A truncated index makes every later call of its function fail, and compiling everything takes 20 s.
So a sweep works on a copy of its own, and what it compiles becomes the master copy of the user,
sealed with digests; a master that does not match its seal is thrown away.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
from pathlib import Path

DIRECTORY_VARIABLE = "NUMBA_CACHE_DIR"
SEAL = "seal.json"
_VERSION_BYTES = 40
"""At most so many of an index say the version of Numba; the index proper follows."""
_BROKEN = ("EOFError", "UnpicklingError", "ModuleNotFoundError", "AttributeError", "ValueError")
"""What reading a cache file cut off anywhere, or overwritten, ends with."""


def master() -> Path:
    """Return where the user's master copy is, or would be."""
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "kcut" / "numba"


def borrow(directory: Path) -> None:
    """Fill an empty directory from the master; remove a master that does not match its seal."""
    source = master()
    with contextlib.suppress(OSError):
        shutil.copytree(source, directory, dirs_exist_ok=True)
    if _read_seal(directory) != _digests(directory):
        shutil.rmtree(source, ignore_errors=True)
        shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)


def publish(directory: Path) -> None:
    """Make a directory the master, sealed, if it holds what the master does not.

    Where the user's cache cannot be written, or another sweep publishes at this moment, nothing
    happens: the next sweep compiles again.
    """
    digests = _digests(directory)
    if not digests or digests == _read_seal(directory):
        return
    target = master()
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as folder:
            copy = Path(folder) / "new"
            shutil.copytree(directory, copy)
            # Numba may write meanwhile; what was copied must be what is sealed.
            _write_seal(copy, _digests(copy))
            if target.exists():
                target.rename(Path(folder) / "old")
            copy.rename(target)
        _write_seal(directory, digests)


def mend() -> None:
    """Remove cache files that were cut off, of those this process would read.

    Numba fails on them at every later call, where it does without those that are missing.
    """
    for folder in [*_folders(), _users()]:
        for path in folder.rglob("*.nb[ic]"):
            with contextlib.suppress(OSError):
                if _is_cut_off(path):
                    path.unlink()


def _is_cut_off(path: Path) -> bool:
    """Whether a cache file does not end as pickles do, or after the version that an index opens."""
    with path.open("rb") as file:
        if file.seek(0, os.SEEK_END) <= (_VERSION_BYTES if path.suffix == ".nbi" else 0):
            return True
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"."


def looks_broken(error: BaseException) -> bool:
    """Whether an error may come from a broken cache file."""
    return type(error).__name__ in _BROKEN


def clear() -> bool:
    """Remove the index files that this process would read; return whether there were any.

    Those are below the directory that the environment names, else beside the modules of the
    packages. Another process that uses them compiles once more; it reads nothing half.
    """
    removed = 0
    for folder in _folders():
        for index in folder.rglob("*.nbi"):
            index.unlink(missing_ok=True)
            removed += 1
    return removed > 0


def _folders() -> list[Path]:
    """Return where this process has Numba keep what it compiles of ours."""
    named = os.environ.get(DIRECTORY_VARIABLE)
    return [Path(named)] if named else _package_folders()


def _users() -> Path:
    """Return where Numba keeps what belongs beside modules that cannot be written to."""
    return Path(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")) / "numba"


def _package_folders() -> list[Path]:
    folders: list[Path] = []
    for name in ("kcut", "kcut_solvers", "kcut_instances"):
        spec = importlib.util.find_spec(name)
        folders += map(Path, (spec.submodule_search_locations or ()) if spec else ())
    return folders


def _digests(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*.nb?"))
    }


def _read_seal(directory: Path) -> dict[str, str]:
    try:
        content: dict[str, str] = json.loads((directory / SEAL).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content


def _write_seal(directory: Path, digests: dict[str, str]) -> None:
    (directory / SEAL).write_text(json.dumps(digests, sort_keys=True), encoding="utf-8")
