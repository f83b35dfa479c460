"""The example plug-in: found through its entry points, and held to the contract of ours."""

import importlib.metadata
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest

from kcut import Claim, Limits, Param, SolverError, Verdict, cut_value, judge, registry
from kcut.params import complete
from tests.contract.instances import tiny, tiny_optimum

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"


@pytest.fixture
def plugin(tmp_path, monkeypatch):
    """Lay out what installing the plug-in would leave behind, and put it on the path."""
    project = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]
    info = tmp_path / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    groups = [
        f"[{group}]\n" + "".join(f"{name} = {module}\n" for name, module in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    (info / "entry_points.txt").write_text("\n".join(groups))
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(PLUGIN))
    # What is not registered yet would be registered in the copy alone, and be gone with it.
    registry.solvers()
    registry.families()
    ours = registry._registry
    isolated = registry._Registry(dict(ours.solvers), dict(ours.families))
    monkeypatch.setattr(registry, "_registry", isolated)
    registry._load.cache_clear()
    yield tmp_path
    registry._load.cache_clear()
    sys.modules.pop("kcut_plugin", None)


def test_entry_points_are_enough(plugin):
    """Once its metadata is on the path, both groups offer what the plug-in registers."""
    assert "example-greedy-rank" in [s.name for s in registry.solvers("compression")]
    assert "example-stars" in [f.name for f in registry.families("compression")]


def test_solver_keeps_the_contract(plugin):
    """On every tiny instance its answer is feasible, verified and at most the optimum."""
    entry = registry.get_solver("example-greedy-rank", ("compression",))
    for seed in range(60):
        instance = tiny(seed)
        answer = entry.solve(
            instance,
            limits=Limits(),
            rng=np.random.default_rng(0),
            **complete(entry.params, {}),
        )
        assert answer.claim is Claim.FEASIBLE
        assert judge(instance, answer).verdict is Verdict.VERIFIED
        assert cut_value(instance, answer.solution) <= tiny_optimum(seed)


def test_family_is_reproducible_and_solved(plugin):
    """The same seed gives the same stars, another seed others, and min-cuts cuts them whole."""
    entry = registry.get_family("example-stars")
    params = complete(entry.params, {"num_rays": 3})
    first, again, other = (entry.generate(params, entry.levels, seed) for seed in (1, 1, 2))
    assert first.sha256 == again.sha256 != other.sha256
    exact = registry.get_solver("min-cuts", ("compression",))
    answer = exact.solve(
        first, limits=Limits(), rng=np.random.default_rng(0), **complete(exact.params, {})
    )
    judgement = judge(first, answer)
    assert judgement.proven
    assert judgement.value == first.total_weight


def test_command_line_lists_it(plugin):
    """A new process finds the plug-in through nothing but its path."""
    found = subprocess.run(
        [
            sys.executable,
            "-c",
            "from kcut.registry import solvers; print(*(s.name for s in solvers()))",
        ],
        env={"PYTHONPATH": ":".join(sys.path), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert "example-greedy-rank" in found.stdout.split()


def test_broken_plugin_is_named(plugin):
    """A plug-in that cannot be imported is an error that names it, not a solver that is missing."""
    (plugin / "broken_plugin.py").write_text("raise RuntimeError('no such library')\n")
    (plugin / "broken-1.0.dist-info").mkdir()
    (plugin / "broken-1.0.dist-info" / "METADATA").write_text("Name: broken\nVersion: 1.0\n")
    (plugin / "broken-1.0.dist-info" / "entry_points.txt").write_text(
        "[kcut.solvers]\nbroken = broken_plugin\n"
    )
    importlib.invalidate_caches()
    with pytest.raises(SolverError, match=r"broken_plugin .*no such library"):
        registry.solvers()


def test_taken_name_is_refused(plugin):
    """A plug-in cannot take the name of a solver that is there."""
    EntryPoint("example", "kcut_plugin", "kcut.solvers").load()
    with pytest.raises(SolverError, match="kcut_plugin"):
        registry.solver(
            "compression", "example-greedy-rank", exact=False, params={"x": Param(1, "x")}
        )(lambda instance, *, limits, rng, x: None)
