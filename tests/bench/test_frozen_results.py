"""The pages on paths and on orders are what their frozen results say."""

from pathlib import Path

import pytest

from kcut_bench.results import load_results
from kcut_bench.tables import summary_of, update_readme
from kcut_bench.tables_paths import PREDICTORS, correlation_table, paths_gap_table

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results"


@pytest.mark.parametrize("kind", ["paths", "priority"])
def test_page_is_made_from_the_frozen_results(tmp_path, kind):
    """Writing the block again changes nothing, so no number on the page was typed."""
    page = ROOT / "docs" / f"{kind}-gap.md"
    copy = tmp_path / page.name
    copy.write_text(page.read_text("utf-8"), "utf-8")
    assert not update_readme(copy, RESULTS)
    copy.write_text(f"<!-- {kind} {kind}-gap -->\n<!-- end -->\n", "utf-8")
    assert update_readme(copy, RESULTS)
    assert copy.read_text("utf-8").strip() in page.read_text("utf-8")


def test_orders_are_complete():
    """Every planned run is there, none was rejected, and the summary names a solver a line."""
    results = load_results(RESULTS / "priority-gap")
    assert len(results.planned) == len(results.records) > 400
    assert all(run.verdict != "rejected" for run in results.records)
    assert summary_of(results).count("crux-all-pairs") == 2


def test_frozen_results_are_complete():
    """Every planned run is there, none was rejected, no row is stale, all objectives are kept."""
    results = load_results(RESULTS / "paths-gap")
    assert len(results.planned) == len(results.records) > 400
    assert results.num_stale == 0
    assert all(run.verdict != "rejected" for run in results.records)
    assert all((run.objectives is None) == (run.value is None) for run in results.records)
    assert {row[0] for row in correlation_table(results).rows} == set(PREDICTORS)
    gap = [column.key for column in paths_gap_table(results).columns].index("median_gap")
    assert all(row[gap] is None or 0 <= row[gap] <= 1 for row in paths_gap_table(results).rows)
