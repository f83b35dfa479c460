"""Tests of source digests: an edited helper must not be missed."""

import importlib
import sys

import pytest

from kcut_bench import sources

FILES = {
    "__init__.py": "",
    "solver.py": "from pkg_under_test import near\n\ndef solve():\n    from .deep import far\n",
    "near.py": "import numpy\n",
    "deep/__init__.py": "",
    "deep/far.py": "x = 1\n",
    "unrelated.py": "x = 1\n",
}


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Make a package with a solver, helpers near and far, and a bystander."""
    root = tmp_path / "pkg_under_test"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield root
    for name in [n for n in sys.modules if n.startswith("pkg_under_test")]:
        del sys.modules[name]
    sources._source_file.cache_clear()
    sources._module_digest.cache_clear()


def digest():
    """Digest the solver anew."""
    sources._module_digest.cache_clear()
    sources._source_file.cache_clear()
    importlib.invalidate_caches()
    return sources.source_digest(importlib.import_module("pkg_under_test.solver").solve)


@pytest.mark.parametrize("name", ["solver.py", "near.py", "deep/far.py"])
def test_edited_module_and_helper_change_the_digest(package, name):
    """The solver's file and all it imports from its package count, wherever the import stands."""
    before = digest()
    (package / name).write_text(FILES[name] + "# edited\n")
    assert digest() != before


def test_bystander_does_not_change_the_digest(package):
    """A module that the solver does not import may change."""
    before = digest()
    (package / "unrelated.py").write_text("x = 2\n")
    assert digest() == before


def test_package_digest_sees_every_file(package):
    """The digest of a package changes with any of its files."""
    before = sources.package_digest("pkg_under_test")
    (package / "deep" / "far.py").write_text("x = 2\n")
    assert sources.package_digest("pkg_under_test") != before
