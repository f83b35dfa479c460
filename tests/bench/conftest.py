"""What the tests of the bench share: the plug-in of dummies, specifications, a way to run kcut."""

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parent / "plugin"

SMALL_SPEC = """
name = "small"
description = "two families, two solvers"
seeds = [1, 2]

[limits]
time_s = 10

[[instances]]
family = "random-dag"
levels = [2, 3]
seeds = { start = 5, count = 2 }
[instances.params]
num_jobs = 12
num_edges = 30

[[instances]]
family = "fig13"

[[solvers]]
name = "crux"

[[solvers]]
name = "min-cuts"
seeds = [0]
"""


@pytest.fixture(autouse=True, scope="package")
def plugin():
    """Put the dummies on the path of this process's children, as an installed plug-in would be."""
    patch = pytest.MonkeyPatch()
    patch.setenv("PYTHONPATH", os.pathsep.join([str(PLUGIN), *filter(None, sys.path)]))
    patch.syspath_prepend(str(PLUGIN))
    # Where the registry was loaded before the dummies were on the path.
    importlib.import_module("kcut_dummies")
    yield PLUGIN
    patch.undo()


@pytest.fixture
def kcut(tmp_path):
    """Run the command line in a process of its own, in an empty directory."""

    def run(*arguments, **options):
        return subprocess.run(
            [sys.executable, "-m", "kcut_bench.cli", *map(str, arguments)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
            **options,
        )

    return run


@pytest.fixture
def kcut_here(tmp_path, monkeypatch, capfd):
    """Run the command line in this process; return exit code, standard output and error."""
    from kcut_bench.cli import main

    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        words = [str(argument) for argument in arguments]
        monkeypatch.setattr(sys, "argv", ["kcut", *words])
        capfd.readouterr()
        with pytest.raises(SystemExit) as end:
            main(words)
        return end.value.code, *capfd.readouterr()

    return run


@pytest.fixture
def small_spec():
    """Return the text of a specification with ten instances and few runs."""
    return SMALL_SPEC
