"""Which source files a solver or a family is made of, and a digest of them."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
from pathlib import Path
from typing import Any


def source_digest(function: Any) -> str:
    """Digest the module of a function and all modules of its own package that it imports.

    Imports are followed wherever they stand in a file, so that an edited helper is not missed;
    other packages are not followed: their versions are part of a run's key instead.

    Parameters
    ----------
    function : callable
        A registered solver or family.

    Returns
    -------
    str
        Hexadecimal SHA-256; of the module's name alone where it has no source file.
    """
    return _module_digest(function.__module__)


def package_digest(name: str) -> str:
    """Digest all source files of a package; hexadecimal SHA-256."""
    spec = importlib.util.find_spec(name)
    assert spec is not None
    digest = hashlib.sha256()
    for folder in spec.submodule_search_locations or ():
        for path in sorted(Path(folder).rglob("*.py")):
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@functools.cache
def _module_digest(module: str) -> str:
    digest = hashlib.sha256()
    for name, content in sorted(_closure(module).items()):
        digest.update(name.encode() + b"\0" + content)
    return digest.hexdigest()


def _closure(module: str) -> dict[str, bytes]:
    top = module.partition(".")[0]
    found: dict[str, bytes] = {}
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        path = _source_file(name)
        found[name] = b"" if path is None else path.read_bytes()
        waiting += [i for i in _imports(name, path, found[name]) if i.partition(".")[0] == top]
    return found


def _imports(module: str, path: Path | None, source: bytes) -> list[str]:
    """Name what a module imports; ``from a import b`` may mean the module a.b."""
    is_package = path is not None and path.name == "__init__.py"
    package = module if is_package else module.rpartition(".")[0]
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = "." * node.level + (node.module or "")
            base = importlib.util.resolve_name(base, package) if node.level else base
            names.append(base)
            submodules = [f"{base}.{alias.name}" for alias in node.names]
            names += [name for name in submodules if _source_file(name) is not None]
    return names


@functools.cache
def _source_file(name: str) -> Path | None:
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    return Path(spec.origin)
