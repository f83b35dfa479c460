"""Stores are compared run by run, and solvers of one store by paired tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kcut import InputError
from kcut_bench.compare import compare, comparison_of_stores
from kcut_bench.record import RunRecord
from kcut_bench.results import Results, find_references, make_labels
from kcut_bench.tables_detail import comparison_table


def results_of(records: list[RunRecord]) -> Results:
    """Return the results that a store of these rows would give."""
    labels = make_labels(records)
    return Results(tuple(records), references=find_references(records), labels=labels)


def test_a_store_equals_itself(records: tuple[RunRecord, ...]) -> None:
    """Every run has its pair, with the same value, verdict and time."""
    same = results_of(list(records))
    found = compare(same, same)
    assert (found.only_first, found.only_second, found.contradictions) == (0, 0, [])
    assert sum(map(len, found.pairs.values())) == len(records)
    keys = [column.key for column in comparison_of_stores(found).columns]
    for row in comparison_of_stores(found).rows:
        told = dict(zip(keys, row, strict=True))
        assert told["higher"] == told["lower"] == told["verdict_changed"] == 0
        assert told["time_ratio"] in (None, 1.0)


def test_differences_are_counted(records: tuple[RunRecord, ...]) -> None:
    """A changed value, a lost answer, a new run and a false optimum are each told."""
    mine = [r for r in records if r.solver in ("crux", "min-cuts") and r.value is not None]
    other = [replace(r, key=f"other {r.key}") for r in mine]
    changed = next(i for i, r in enumerate(other) if r.solver == "crux")
    value = other[changed].value
    assert value is not None
    other[changed] = replace(other[changed], value=value - 1)
    lost = next(i for i, r in enumerate(other) if r.solver == "crux" and i != changed)
    other[lost] = replace(other[lost], value=None, verdict="unverifiable")
    false = next(i for i, r in enumerate(other) if r.solver == "min-cuts" and r.proven)
    other[false] = replace(other[false], value=(other[false].value or 0) + 1)
    found = compare(results_of(mine), results_of([*other[:-1], replace(other[-1], seed=99)]))
    assert (found.only_first, found.only_second) == (1, 1)
    assert len(found.contradictions) == 1
    table = comparison_of_stores(found)
    keys = [column.key for column in table.columns]
    total = {key: sum(int(row[keys.index(key)] or 0) for row in table.rows) for key in keys[3:8]}
    assert (total["lower"], total["higher"], total["one_solved"]) == (1, 1, 1)
    assert total["verdict_changed"] >= 1


def test_any_solver_can_be_the_baseline(records: tuple[RunRecord, ...]) -> None:
    """Gaps against Crux and against the optimum have opposite signs; unknown names are refused."""
    results = results_of(list(records))
    crux = results.crux_label
    assert crux is not None

    def difference(baseline: str, other: str) -> float:
        row = next(
            row
            for row in comparison_table(results, baseline).rows
            if row[1:4] == (baseline, other, "gap")
        )
        assert isinstance(row[6], float)
        return row[6]

    assert difference(crux, "varys") == -difference("varys", crux) != 0
    with pytest.raises(InputError, match="no such solver in this store"):
        comparison_table(results, "nobody")


def test_command(
    store_dir: Path, kcut_here: Callable[..., tuple[int, str, str]], tmp_path: Path
) -> None:
    """One store prints tests, two a line for each solver; a baseline is for one store."""
    code, out, _ = kcut_here("compare", store_dir)
    assert (code, "min-cuts" in out) == (0, True)
    code, out, _ = kcut_here("compare", store_dir, store_dir)
    assert code == 0
    assert f"only in {store_dir}: 0; only in {store_dir}: 0" in out
    code, _, err = kcut_here("compare", store_dir, store_dir, "--baseline", "crux")
    assert (code, "--baseline: is for one store" in err) == (2, True)
    code, _, err = kcut_here("compare", store_dir, tmp_path / "none")
    assert code == 2
