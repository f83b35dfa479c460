"""What levels are worth: the table, the figure and the sentence agree with the simulator."""

from __future__ import annotations

import shutil
import sqlite3
import statistics
from pathlib import Path
from typing import Any

import pytest

from kcut.contention import compression_of
from kcut.registry import get_family
from kcut.simulate import simulate, work_share
from kcut_bench.check import check_store
from kcut_bench.cost import cost_of_loss
from kcut_bench.fairness import TIED, fairness_figure, fairness_table
from kcut_bench.outcome import unpack
from kcut_bench.plan import expand
from kcut_bench.record import RunRecord
from kcut_bench.report import write_report
from kcut_bench.results import load_results
from kcut_bench.simulation import WORTH_EVENTS
from kcut_bench.spec import parse_spec
from kcut_bench.store import FILE_NAME, create_store, open_store
from kcut_bench.sweep import begin_manifest, run_sweep
from kcut_bench.utilisation import utilisation_figure, utilisation_sentence, utilisation_table
from tests.bench.plans import InProcess

PARAMS = {"num_jobs": 8, "hosts": 10, "tors": 3}
SPEC = """
name = "worth"
description = "Three small clusters"
limits = { time_s = 5.0 }
[[instances]]
family = "clos-jobs"
params = { num_jobs = 8, hosts = 10, tors = 3 }
levels = [3]
seeds = [0, 1, 2]
[[instances]]
family = "fig13"
[[solvers]]
name = "crux"
[[solvers]]
name = "varys"
[[solvers]]
name = "min-cuts"
"""


@pytest.fixture(scope="module")
def clusters_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sweep three clusters and one instance that is none."""
    directory = tmp_path_factory.mktemp("clusters") / "store"
    spec = parse_spec(SPEC, "worth.toml")
    with create_store(directory) as store:
        begin_manifest(store, spec, SPEC, ["kcut", "sweep", "worth"])
        run_sweep(store, expand(spec, Path(), "worth.toml"), InProcess(), 1)
    return directory


@pytest.fixture(scope="module")
def rows(clusters_store: Path) -> list[RunRecord]:
    """Return the rows of that store that are on clusters."""
    with open_store(clusters_store) as store:
        return [row for row in store.records() if row.family == "clos-jobs"]


def simulated(row: RunRecord, *, tied: bool = False) -> tuple[float, float]:
    """Generate a row's cluster again and simulate it: utilisation and share of work."""
    assert row.instance_seed is not None
    params = {**{n: p.default for n, p in get_family("clos-jobs").params.items()}, **PARAMS}
    cluster: Any = get_family("clos-jobs").generate(params, row.levels, row.instance_seed)
    assert compression_of(cluster).sha256 == row.instance_sha256
    levels = None if tied else unpack(row.solution)
    found = simulate(cluster, levels, max_events=WORTH_EVENTS)
    return found.utilisation, work_share(cluster, found)


def problems(directory: Path) -> list[str]:
    """Check a store."""
    with open_store(directory) as store:
        return check_store(store).problems


def test_rows_hold_what_the_simulator_says(rows: list[RunRecord]) -> None:
    """Each row's numbers are those of simulating its levels, and of simulating none."""
    assert len(rows) == 9
    for row in rows:
        assert (row.utilisation, row.work_share) == pytest.approx(simulated(row))
        assert (row.utilisation_tied, row.work_share_tied) == pytest.approx(
            simulated(row, tied=True)
        )


def test_table(clusters_store: Path, rows: list[RunRecord]) -> None:
    """Means, differences and losses are those of direct simulation; fig13 counts nowhere."""
    table = utilisation_table(load_results(clusters_store))
    names = [column.key for column in table.columns]
    shown = {row[0]: dict(zip(names, row, strict=True)) for row in table.rows}
    assert set(shown) == {"crux", "varys", "min-cuts"}
    optimal = {row.instance_seed: simulated(row)[0] for row in rows if row.solver == "min-cuts"}
    for solver, cells in shown.items():
        mine = [row for row in rows if row.solver == solver]
        own = [simulated(row)[0] for row in mine]
        tied = [simulated(row, tied=True)[0] for row in mine]
        gains = [o - optimal[row.instance_seed] for o, row in zip(own, mine, strict=True)]
        assert cells["num_instances"] == 3
        assert cells["mean_utilisation"] == pytest.approx(statistics.fmean(own))
        assert cells["against_tied"] == pytest.approx(
            statistics.fmean(own) - statistics.fmean(tied)
        )
        assert cells["against_optimum"] == pytest.approx(statistics.fmean(gains))
        assert (cells["least"], cells["most"]) == pytest.approx((min(gains), max(gains)))
        work = [simulated(row)[1] for row in mine]
        assert cells["mean_work_share"] == pytest.approx(statistics.fmean(work))
        alone = [row.utilisation_alone or 1.0 for row in mine]
        lost = statistics.fmean(max(0, 1 - o / a) for o, a in zip(own, alone, strict=True))
        assert cells["lost_gpus"] == pytest.approx(cost_of_loss(lost, 1_000).gpus)
    assert shown["min-cuts"]["against_optimum"] == 0
    assert len({cells["mean_utilisation"] for cells in shown.values()}) > 1


def test_figure(clusters_store: Path, rows: list[RunRecord]) -> None:
    """A point of the left panel is a run's pair of utilisations; the right one has heuristics."""
    figure = utilisation_figure(load_results(clusters_store))
    left, right = figure.panels
    drawn = {
        (series.name, x, y)
        for series in left.series
        for x, y in zip(series.x, series.y, strict=True)
        if series.name != "no gain"
    }
    assert drawn == {(row.solver, row.utilisation_tied, row.utilisation) for row in rows}
    assert {series.name for series in right.series} == {"crux", "varys"}


def test_fairness(clusters_store: Path, rows: list[RunRecord]) -> None:
    """Points are a run's largest slowdown and its utilisation relative to alone, as simulated."""
    results = load_results(clusters_store)
    for row in rows:
        assert row.max_slowdown is not None
        assert row.max_slowdown >= 1 - 1e-9
        assert 1 / 8 <= (row.jain or 0.0) <= 1
    each, medians = fairness_figure(results).panels
    drawn = {
        (series.name, x, y)
        for series in each.series
        for x, y in zip(series.x, series.y, strict=True)
        if series.name != TIED
    }
    alone = [(row, row.utilisation_alone or 1.0) for row in rows]
    assert drawn == {(r.solver, r.max_slowdown, (r.utilisation or 0.0) / a) for r, a in alone}
    assert {len(series.x) for series in medians.series} == {1}
    tied = next(series for series in each.series if series.name == TIED)
    assert set(tied.x) == {row.max_slowdown_tied for row in rows}
    table = fairness_table(results)
    assert [row[0] for row in table.rows] == ["crux", "min-cuts", "varys"]
    assert all(row[1] == 3 for row in table.rows)


def test_fairness_beside_another_store(clusters_store: Path, tmp_path: Path) -> None:
    """Schedulers of other stores are shown on the clusters that all have, by problem."""
    text = SPEC.replace('name = "worth"', 'name = "orders"\nproblem = "priority"')
    text = text.replace("seeds = [0, 1, 2]", "seeds = [1, 2, 3]").replace('family = "fig13"', "")
    text = text.replace("[[instances]]\n\n", "").partition("[[solvers]]")[0]
    text += '[[solvers]]\nname = "intensity"\n'
    spec = parse_spec(text, "orders.toml")
    with create_store(tmp_path / "orders") as store:
        begin_manifest(store, spec, text, ["kcut", "sweep", "orders"])
        run_sweep(store, expand(spec, Path(), "orders.toml"), InProcess(), 1)
    results = load_results(clusters_store, [tmp_path / "orders"])
    rows = {row[0]: row[1] for row in fairness_table(results).rows}
    names = ["compression: crux", "compression: min-cuts", "compression: varys"]
    assert rows == dict.fromkeys([*names, "priority: intensity"], 2)
    assert len(fairness_figure(results).panels[0].series) == 5
    assert utilisation_table(results) == utilisation_table(load_results(clusters_store))


def test_sentence_and_report(clusters_store: Path, tmp_path: Path, rows: list[RunRecord]) -> None:
    """The sentence states the means of direct simulation, and the report has the section."""
    sentence = utilisation_sentence(load_results(clusters_store))
    means = {
        solver: statistics.fmean(simulated(row)[0] for row in rows if row.solver == solver)
        for solver in ("min-cuts", "crux")
    }
    tied = statistics.fmean(simulated(row, tied=True)[0] for row in rows if row.solver == "crux")
    plain = sentence.replace("\N{NO-BREAK SPACE}", " ")
    assert "on the mean of 3 cluster instances" in plain
    assert f"{100 * means['min-cuts']:.1f} % with the levels that cut most" in plain
    assert f"{100 * means['crux']:.1f} % with those of crux" in plain
    assert f"{100 * tied:.1f} % with all jobs on one level" in plain
    page = write_report(clusters_store, tmp_path)[0].read_text(encoding="utf-8")
    section = page.partition('<section id="utilisation"')[2].partition("</section>")[0]
    assert "<table" in section
    assert "No run of compression is on a cluster." not in section
    assert (tmp_path / "tables" / "utilisation.csv").is_file()


def test_nothing_is_shown_without_a_cluster(store_dir: Path, tmp_path: Path) -> None:
    """Where no run is on a cluster, there is no row, no panel, no sentence, and it is said so."""
    results = load_results(store_dir)
    assert utilisation_table(results).rows == ()
    assert utilisation_figure(results).panels == fairness_figure(results).panels == ()
    assert fairness_table(results).rows == ()
    assert utilisation_sentence(results) == ""
    page = write_report(store_dir, tmp_path)[0].read_text(encoding="utf-8")
    section = page.partition('<section id="utilisation"')[2].partition("</section>")[0]
    assert "No run of compression is on a cluster." in section
    assert "<table" not in section


def test_check_finds_nothing_in_an_untouched_store(clusters_store: Path) -> None:
    """Simulating again gives the stored numbers."""
    assert problems(clusters_store) == []


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("utilisation", 0.99),
        ("utilisation", None),
        ("utilisation_tied", 0.01),
        ("utilisation_alone", 0.5),
        ("num_gpus", 1),
        ("work_share", 0.01),
        ("work_share_tied", 0.99),
        ("max_slowdown", 99.0),
        ("max_slowdown_tied", 9.0),
        ("jain", 0.1),
        ("utilisation_drift", 0.5),
    ],
)
def test_check_finds_a_tampered_number(
    clusters_store: Path, tmp_path: Path, column: str, value: float | None
) -> None:
    """A number that simulating again does not give is a contradiction, and names its column."""
    store = tmp_path / "store"
    shutil.copytree(clusters_store, store)
    with sqlite3.connect(store / FILE_NAME) as database:
        database.execute(
            f"UPDATE runs SET {column} = ? WHERE key = "
            "(SELECT min(key) FROM runs WHERE family = 'clos-jobs')",
            (value,),
        )
    found = problems(store)
    assert [f": {column} is {value!r}, but should be" in text for text in found] == [True]
