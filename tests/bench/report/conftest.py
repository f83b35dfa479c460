"""A real store, swept once in this process, and stores made of its rows."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from kcut_bench.isolate import OnRow
from kcut_bench.plan import PlannedRun, expand
from kcut_bench.record import RunRecord
from kcut_bench.report import write_report
from kcut_bench.spec import parse_spec
from kcut_bench.store import create_store, open_store
from kcut_bench.sweep import begin_manifest, run_sweep
from kcut_bench.worker import execute

SPEC = """
name = "small"
description = "Small instances <b>for tests</b>"
limits = { time_s = 5.0 }
[[instances]]
family = "random-dag"
params = { num_jobs = [12, 24], num_edges = [40, 90] }
mode = "zip"
levels = [2, 4]
seeds = [0, 1, 2]
[[instances]]
family = "windows"
params = { chains = 2 }
levels = [4]
[[instances]]
family = "fig13"
[[solvers]]
name = "crux"
params = { orders = [2, 10] }
[[solvers]]
name = "varys"
[[solvers]]
name = "min-cuts"
[[solvers]]
name = "min-cost-flow"
[[solvers]]
name = "max-k-cut-cp-sat"
max_jobs = 5
"""

MakeStore = Callable[[Iterable[RunRecord], int], Path]


class InProcess:
    """Carry out runs in this process: no isolation, no time lost on processes."""

    def run_all(self, plans: Iterable[PlannedRun], workers: int, on_row: OnRow) -> None:
        """Solve one after the other."""
        del workers
        for run in plans:
            on_row(run, execute(run, lambda *_: None))


@pytest.fixture(scope="session")
def store_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the directory of a finished store."""
    directory = tmp_path_factory.mktemp("swept") / "store"
    spec = parse_spec(SPEC, "small.toml")
    with create_store(directory) as store:
        begin_manifest(store, spec, SPEC, ["kcut", "sweep", "small"])
        run_sweep(store, expand(spec, Path(), "small.toml"), InProcess(), 1)
    return directory


@pytest.fixture(scope="session")
def records(store_dir: Path) -> tuple[RunRecord, ...]:
    """Return the rows of that store."""
    with open_store(store_dir) as store:
        return tuple(store.records())


@pytest.fixture(scope="session")
def written(store_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ...]:
    """Return the files of that store's report, the page first."""
    return tuple(write_report(store_dir, tmp_path_factory.mktemp("report")))


@pytest.fixture
def make_store(tmp_path: Path) -> MakeStore:
    """Return a function that writes rows, and plans for some more, to a new store."""

    def make(rows: Iterable[RunRecord], missing: int) -> Path:
        directory = tmp_path / "made"
        rows = [dataclasses.replace(row, key=f"{i:064x}") for i, row in enumerate(rows)]
        plan = [(row.key, row.instance, row.solver) for row in rows]
        plan += [(f"{i:064x}", "unknown", "crux") for i in range(len(rows), len(rows) + missing)]
        with create_store(directory) as store:
            store.plan(plan)
            for row in rows:
                store.add(row)
            store.write_manifest({"name": "made", "commit": "0123456789abcdef", "dirty": False})
        return directory

    return make
