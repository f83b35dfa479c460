"""Tests of planning: grids, and keys that change exactly when a result could."""

from pathlib import Path

import pytest

from kcut import InputError
from kcut_bench import environment, plan
from kcut_bench.plan import expand
from kcut_bench.spec import parse_spec
from kcut_bench.studies import find_spec, study_names

BASE = """
name = "a"
seeds = [1]
limits = {{time_s = {time}}}
repetitions = {repetitions}
[[instances]]
family = "random-dag"
levels = [{levels}]
seeds = [{seed}]
params = {{num_jobs = {jobs}, num_edges = 5}}
[[solvers]]
name = "{solver}"
params = {params}
"""
DEFAULTS = {
    "time": 5,
    "repetitions": 1,
    "levels": 2,
    "seed": 3,
    "jobs": 9,
    "solver": "crux",
    "params": "{orders = 3}",
}


def keys(**changes):
    """Return the keys of the runs of a specification that differs from the base in this."""
    spec = parse_spec(BASE.format(**{**DEFAULTS, **changes}), "a.toml")
    return [run.key for run in expand(spec, Path(), "a.toml")]


def test_same_specification_has_same_keys():
    """A key depends on content alone, so that a sweep can be resumed."""
    assert keys() == keys()


@pytest.mark.parametrize(
    "change",
    [
        {"time": 6},
        {"levels": 3},
        {"seed": 4},
        {"jobs": 10},
        {"params": "{orders = 4}"},
        {"params": '{orders = 3, sampler = "uniform-ready"}'},
        {"params": "{orders = 3}\nmax_edges = 7"},
        {"params": "{orders = 3}\nseeds = [2]"},
        {"solver": "min-cuts", "params": "{}"},
    ],
)
def test_key_changes_with_whatever_the_result_depends_on(change):
    """A changed instance, solver, parameter, limit or seed is another run."""
    assert not set(keys()) & set(keys(**change))


def test_key_changes_with_versions_and_sources(monkeypatch):
    """An upgraded package, an edited solver and an edited core each make another run."""
    seen = set(keys())
    for name, value in (
        ("_versions", lambda: (("numpy", "0.0"),)),
        ("_core_digest", lambda: "edited"),
        ("source_digest", lambda _: "edited"),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(plan, name, value)
            changed = set(keys())
        assert not seen & changed
        seen |= changed
    assert set(environment.versions()) >= {"numpy", "numba", "ortools", "highspy", "pulp"}


def test_default_parameter_spelled_out_is_the_same_run():
    """Saying what is the default anyway changes no key."""
    assert keys() == keys(params='{orders = 3, dp = "knuth-yao"}')


def test_repetitions_are_runs_of_their_own():
    """Each repetition has its own key, and the first one keeps that of a single run."""
    repeated = keys(repetitions=3)
    assert len(set(repeated)) == 3
    assert repeated[:1] == keys()


def test_cross_takes_all_combinations_and_zip_takes_steps():
    """Two lists of two give four points crossed, and two points zipped."""
    grid = '{orders = [3, 4], sampler = ["bfs", "uniform-ready"]}'
    assert len(keys(params=grid)) == 4
    assert len(keys(params=grid + '\nmode = "zip"')) == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"solver": "nope"}, "solvers[0].name"),
        ({"params": "{foo = 1}"}, "solvers[0].params.foo"),
        ({"params": "{orders = [3, 0]}"}, "solvers[0].params.orders"),
        ({"jobs": '"x"'}, "instances[0].params.num_jobs"),
    ],
)
def test_unknown_names_and_values_are_refused_by_field(change, field):
    """What the registry does not know is named by its path in the specification."""
    with pytest.raises(InputError, match=r"a\.toml") as caught:
        keys(**change)
    assert caught.value.field == field


def test_file_is_keyed_by_its_content(tmp_path):
    """A file under another name is the same run, an edited one is another."""
    text = (
        '{"format": "kcut/compression", "version": 1, "name": "x", "levels": 2, "num_jobs": 2,'
        ' "edges": [[0, 1, %d]]}'
    )
    found = []
    for name, weight in (("a.json", 5), ("b.json", 5), ("c.json", 6)):
        (tmp_path / name).write_text(text % weight)
        spec = f'name = "f"\n[[instances]]\nfiles = ["{name}"]\n[[solvers]]\nname = "crux"'
        found += [run.key for run in expand(parse_spec(spec, "f.toml"), tmp_path, "f.toml")]
    assert found[0] == found[1] != found[2]


@pytest.mark.parametrize("name", study_names())
def test_every_named_study_can_be_planned(name):
    """The studies that ship with the package name families, solvers and parameters that exist."""
    spec, _, base = find_spec(name)
    runs = expand(spec, base, name)
    assert spec.name == name
    assert len({run.key for run in runs}) == len(runs) > 0
