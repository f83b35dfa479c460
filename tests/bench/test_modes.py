"""Tests of the two modes: reproducible sweeps repeat, performance sweeps measure fairly."""

from pathlib import Path

import pytest

from kcut import InputError
from kcut_bench import noise
from kcut_bench.isolate import LocalProcesses
from kcut_bench.plan import expand
from kcut_bench.results import load_results
from kcut_bench.spec import parse_spec
from kcut_bench.store import create_store, open_store
from kcut_bench.sweep import begin_manifest, run_sweep
from kcut_bench.tables import all_tables
from tests.bench.plans import InProcess

REPRODUCIBLE = """
name = "again"
mode = "reproducible"
seeds = [1]
[limits]
time_s = 30
effort_s = 0.05
[[instances]]
family = "random-dag"
levels = [6]
seeds = [1, 2]
params = {num_jobs = 150, num_edges = 1500}
[[solvers]]
name = "cp-sat"
[[solvers]]
name = "crux"
[[solvers]]
name = "min-cuts"
[[solvers]]
name = "lp-highs"
[[solvers]]
name = "dummy-streamer"
limits = {time_s = 0.3}
"""


def sweep(text, directory, executor):
    """Run a sweep and return its rows by key."""
    spec = parse_spec(text, "s.toml")
    runs = expand(spec, Path(), "s.toml")
    with create_store(directory) as store:
        begin_manifest(store, spec, text, [])
        run_sweep(store, runs, executor, 2)
        return {row.key: row for row in store.records()}


def test_reproducible_sweeps_repeat_values_bounds_and_levels(tmp_path):
    """Two sweeps agree bit for bit, though CP-SAT is stopped amid its search and one is killed."""
    first = sweep(REPRODUCIBLE, tmp_path / "1", LocalProcesses())
    second = sweep(REPRODUCIBLE, tmp_path / "2", LocalProcesses())
    assert first.keys() == second.keys()
    for key, row in first.items():
        again = second[key]
        for name in ("termination", "claim", "verdict", "value", "bound", "gap"):
            assert getattr(row, name) == getattr(again, name), (row.solver, name)
        assert row.solution == again.solution
        assert row.certificate == again.certificate
    stopped = [row for row in first.values() if row.solver == "cp-sat"]
    assert {row.termination for row in stopped} == {"time_limit"}
    killed = [row for row in first.values() if row.solver == "dummy-streamer"]
    assert {(row.termination, row.value) for row in killed} == {("killed", None)}


@pytest.mark.parametrize("limits", ["threads = 2", "effort_s = 0", "effort_s = inf"])
def test_limits_that_make_no_sense_are_refused(limits):
    """More than one thread repeats nothing, and effort is a positive number of seconds."""
    text = REPRODUCIBLE.replace("effort_s = 0.05", limits)
    with pytest.raises(InputError, match=r"limits\." + limits.split()[0]):
        parse_spec(text, "s.toml")


def test_performance_shuffles_solvers_on_each_instance(small_spec):
    """The order of solvers differs between instances, and is the same when planned again."""
    several = small_spec.replace("count = 2", "count = 20")
    for mode, orders in (("performance", 2), ("reproducible", 1)):
        text = f'mode = "{mode}"\n{several}'
        runs = expand(parse_spec(text, "s.toml"), Path(), "s.toml")
        by_instance = {}
        for run in runs:
            by_instance.setdefault(run.recipe.key, []).append((run.solver, run.seed))
        found = {tuple(order) for order in by_instance.values()}
        assert (len(found) >= 2) == (orders == 2)
        assert runs == expand(parse_spec(text, "s.toml"), Path(), "s.toml")


def test_reference_runs_measure_the_noise_and_are_no_rows(tmp_path, small_spec):
    """A long sweep repeats one run, whose times are kept beside the rows, and reported."""
    text = small_spec.replace("count = 2", "count = 40")
    rows = sweep(text, tmp_path, InProcess())
    with open_store(tmp_path) as store:
        times = [wall_s for _, wall_s, _ in store.noise()]
        assert len(store.planned()) == len(rows)
    assert len(times) == (len(rows) + noise.EVERY - 1) // noise.EVERY + 1
    assert all(seconds > 0 for seconds in times)
    assert not any(row.key == noise.KEY for row in rows.values())
    assert f"in the median of {len(times)}" in noise.in_words(load_results(tmp_path).noise)


@pytest.mark.parametrize("mode", ["performance", "reproducible"])
def test_every_table_says_the_mode(tmp_path, small_spec, mode):
    """Whoever reads a table alone knows how its runs were limited."""
    sweep(f'mode = "{mode}"\n{small_spec}', tmp_path, InProcess())
    for table in all_tables(load_results(tmp_path)):
        assert table.caption.endswith(f"Mode: {mode}."), table.name
