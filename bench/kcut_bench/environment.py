"""Where results come from: versions, processor, commit; what a manifest says of it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "ortools", "highspy", "pulp", "scipy", "networkx")
"""Packages whose version is part of a run's key."""


def versions() -> dict[str, str]:
    """Return the versions that results depend on: Python (major.minor) and `PACKAGES`."""
    found = {"python": f"{sys.version_info.major}.{sys.version_info.minor}"}
    for name in PACKAGES:
        found[name] = _version(name)
    return found


def describe() -> dict[str, Any]:
    """Return the environment for the manifest."""
    commit, dirty = _commit()
    return {
        "kcut": _version("kcut"),
        "commit": commit,
        "dirty": dirty,
        "python": platform.python_version(),
        "packages": {**versions(), "msgspec": _version("msgspec")},
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cpu": cpu_model(),
        "cores": available_cores(),
    }


def available_cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_model() -> str:
    """Return the name of the processor as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return "none"


def _commit() -> tuple[str | None, bool | None]:
    """Return the commit this package is at, and whether files differ; None without git."""
    here = Path(__file__).parent
    try:
        # An installed copy inside somebody else's repository is not at that repository's commit.
        if not _git(here, "ls-files", Path(__file__).name):
            return None, None
        return _git(here, "rev-parse", "HEAD"), bool(_git(here, "status", "--porcelain"))
    except (OSError, subprocess.SubprocessError):
        return None, None


def _git(folder: Path, *arguments: str) -> str:
    result = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=True, timeout=10
    )
    return result.stdout.strip()
