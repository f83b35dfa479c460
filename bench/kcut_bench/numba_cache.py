"""Numba's cache of compiled functions: a sweep has one of its own, and a broken one is cleared.

A truncated index makes every later call of its function fail. So the files of a sweep's cache are
sealed with their digests once they are warm, and a cache that does not match its seal is not used.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
from pathlib import Path

DIRECTORY_VARIABLE = "NUMBA_CACHE_DIR"
SEAL = "seal.json"
_BROKEN = ("EOFError", "UnpicklingError", "ModuleNotFoundError", "AttributeError", "ValueError")
"""What reading a cache file cut off anywhere, or overwritten, ends with."""


def prepare(directory: Path) -> None:
    """Have a cache directory whose files are as they were sealed, or an empty one."""
    if directory.is_dir() and _read_seal(directory) != _digests(directory):
        shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)


def seal(directory: Path) -> None:
    """Note the digests of all files of a cache directory."""
    temporary = directory / f"{SEAL}.{os.getpid()}"
    temporary.write_text(json.dumps(_digests(directory), sort_keys=True), encoding="utf-8")
    temporary.replace(directory / SEAL)


def looks_broken(error: BaseException) -> bool:
    """Whether an error may come from a broken cache file."""
    return type(error).__name__ in _BROKEN


def clear() -> bool:
    """Remove the index files that this process would read; return whether there were any.

    Those are below the directory that the environment names, else beside the modules of the
    packages. Another process that uses them compiles once more; it reads nothing half.
    """
    named = os.environ.get(DIRECTORY_VARIABLE)
    found = [Path(named)] if named else list(_package_folders())
    removed = 0
    for folder in found:
        for index in folder.rglob("*.nbi"):
            index.unlink(missing_ok=True)
            removed += 1
    return removed > 0


def _package_folders() -> list[Path]:
    folders: list[Path] = []
    for name in ("kcut", "kcut_solvers", "kcut_instances"):
        spec = importlib.util.find_spec(name)
        folders += map(Path, (spec.submodule_search_locations or ()) if spec else ())
    return folders


def _digests(directory: Path) -> dict[str, str]:
    return {
        str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(directory.rglob("*"))
        if path.is_file() and not path.name.startswith(SEAL)
    }


def _read_seal(directory: Path) -> dict[str, str] | None:
    try:
        content: dict[str, str] = json.loads((directory / SEAL).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content
