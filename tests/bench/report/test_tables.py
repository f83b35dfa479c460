"""Tables: what they say, in four forms, and the block of a README."""

from __future__ import annotations

import csv
import io
import statistics
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kcut import InputError
from kcut_bench.record import RunRecord
from kcut_bench.results import load_results
from kcut_bench.table import (
    DASH,
    NBSP,
    Cell,
    Column,
    Table,
    escape_latex,
    integer,
    percent,
    seconds,
    text_column,
    to_csv,
    to_html,
    to_latex,
    to_markdown,
)
from kcut_bench.tables import all_tables, readme_table, summary, update_readme
from kcut_bench.tables_detail import (
    failure_table,
    order_price_table,
    unproven_table,
    worst_table,
)
from kcut_bench.tables_results import coverage_table, result_table

HOSTILE = r"a_b & 50 % {$x^2$} #1 ~ \ | <script>"


def small_table(*rows: tuple[Cell, ...]) -> Table:
    """Return a table of one text and one numeric column."""
    columns = (text_column("name", "Name & more"), Column("share", "Share", percent))
    return Table("small", "Small", "100 % of it", columns, rows)


def as_rows(table: Table) -> list[dict[str, Cell]]:
    """Return the rows of a table by column."""
    names = [column.key for column in table.columns]
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_latex_is_escaped() -> None:
    """Every special character is escaped, in headings, captions and cells."""
    expected = (
        r"a\_b \& 50 \% \{\$x\textasciicircum{}2\$\} \#1 \textasciitilde{} \textbackslash{} "
        r"\textbar{} \textless{}script\textgreater{}"
    )
    assert escape_latex(HOSTILE) == expected
    latex = to_latex(small_table((HOSTILE, 0.5)))
    assert f"    {expected} & 50.0~\\% \\\\\n" in latex
    assert r"\caption{100 \% of it}" in latex
    assert r"Name \& more & Share \\" in latex
    assert [latex.count(rule) for rule in (r"\toprule", r"\midrule", r"\bottomrule")] == [1, 1, 1]


def test_markdown_and_html_are_escaped() -> None:
    """A cell cannot open a column or an element."""
    table = small_table((HOSTILE, None))
    line = to_markdown(table).splitlines()[2]
    assert line.replace("\\|", "").count("|") == 3
    assert "<script>" not in line
    assert "<script>" not in to_html(table)


def test_csv_keeps_what_was_measured() -> None:
    """Numbers come back bit by bit, and an unknown one is empty, not zero."""
    rows: list[tuple[Cell, ...]] = [("x", 1 / 3), ("y", 2**62 + 1), ("z", None), ("0", 0.0)]
    read = list(csv.reader(io.StringIO(to_csv(small_table(*rows), "reproducible"))))[1:]
    assert float(read[0][1]) == 1 / 3
    assert int(read[1][1]) == 2**62 + 1
    assert read[2][1] == ""
    assert float(read[3][1]) == 0
    assert {row[-1] for row in read} == {"reproducible"}


def test_numbers_for_people() -> None:
    """Three digits and a unit that stays; what is not zero never reads as zero."""
    assert percent(0) == f"0{NBSP}%"
    assert percent(1 / 3) == f"33.3{NBSP}%"
    assert percent(1e-9) != percent(0)
    assert percent(None) == DASH
    assert seconds(0.00123) == f"1.23{NBSP}ms"
    assert seconds(75.25) == f"75.2{NBSP}s"
    assert integer(1234567) == "1,234,567"


def test_result_table_agrees_with_the_rows(store_dir: Path, records: tuple[RunRecord, ...]) -> None:
    """Counts and gaps are those that plain arithmetic over the rows gives."""
    rows = {row["solver"]: row for row in as_rows(result_table(load_results(store_dir)))}
    assert set(rows) == {"crux orders=2", "crux orders=10", "varys", "min-cuts", "min-cost-flow"}
    optima = {(r.instance_sha256, r.levels): r.value for r in records if r.solver == "min-cuts"}
    varys = [r for r in records if r.solver == "varys"]
    gaps = []
    for run in varys:
        optimum = optima[run.instance_sha256, run.levels]
        assert optimum
        assert run.value is not None
        gaps.append((optimum - run.value) / optimum)
    row = rows["varys"]
    assert (row["runs"], row["solved"], row["proven"], row["rejected"]) == (14, 14, 0, 0)
    assert row["median_gap"] == pytest.approx(statistics.median(gaps))
    assert row["mean_gap"] == pytest.approx(statistics.mean(gaps))
    assert row["max_gap"] == max(gaps)
    exact = rows["min-cuts"]
    assert (exact["proven"], exact["max_gap"]) == (14, 0)
    assert exact["mean_residual_ratio"] == 1


def test_rejected_and_missing_runs_are_not_zeros(
    make_store: Callable[..., Path], records: tuple[RunRecord, ...]
) -> None:
    """They are counted as what they are, and change no mean."""
    compression = [r for r in records if r.problem == "compression"]
    lie = next(r for r in compression if r.solver == "varys")
    lie = replace(lie, verdict="rejected", value=0, reason="a lie", solve_s=1e6, repetition=1)
    results = load_results(make_store([*compression, lie], 5))
    row = next(row for row in as_rows(result_table(results)) if row["solver"] == "varys")
    assert (row["runs"], row["solved"], row["rejected"]) == (15, 14, 1)
    covered = {row["solver"]: row for row in as_rows(coverage_table(results))}
    assert (covered["crux"]["planned"], covered["crux"]["done"]) == (33, 28)
    assert covered["crux"]["not_done"] == 5
    assert as_rows(failure_table(results, "rejected"))[0]["reason"] == "a lie"


def test_without_proofs_there_are_intervals(
    make_store: Callable[..., Path], records: tuple[RunRecord, ...]
) -> None:
    """A store of heuristics has no gaps, and lists every instance with its interval."""
    results = load_results(make_store([r for r in records if r.solver == "crux"], 0))
    assert all(row["median_gap"] is None for row in as_rows(result_table(results)))
    rows = as_rows(unproven_table(results))
    assert len(rows) == 14
    assert worst_table(results).rows == ()


def test_price_of_order_is_bounded(store_dir: Path) -> None:
    """Without the order nothing is lost: prices lie in [0, 1], the lower below the upper."""
    rows = as_rows(order_price_table(load_results(store_dir)))
    assert [row["num_jobs"] for row in rows] == [4]
    for row in rows:
        low, high = row["price_at_least"], row["price_at_most"]
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert 0 <= low <= high <= 1


def test_tables_do_not_depend_on_the_order_of_rows(
    make_store: Callable[..., Path], records: tuple[RunRecord, ...], tmp_path: Path
) -> None:
    """The same rows written in reverse give the same files."""
    one = [to_csv(t, "performance") for t in all_tables(load_results(make_store(records, 0)))]
    (tmp_path / "made").rename(tmp_path / "first")
    two = [to_csv(t, "performance") for t in all_tables(load_results(make_store(records[::-1], 0)))]
    assert one == two


def test_readme_blocks_are_rewritten(store_dir: Path, tmp_path: Path) -> None:
    """Only what stands between the marks changes, and a second time nothing does."""
    readme, name = tmp_path / "README.md", store_dir.name
    blocks = (
        f"<!-- results {name} -->\nold\n<!-- end -->\nmid\n<!-- output {name} -->\n<!-- end -->"
    )
    readme.write_text(f"before\n{blocks}\nafter\n", "utf-8")
    assert update_readme(readme, store_dir.parent)
    written = readme.read_text("utf-8")
    assert written.startswith(f"before\n<!-- results {name} -->\n")
    assert written.endswith("<!-- end -->\nafter\n")
    assert "old" not in written
    assert "\nmid\n" in written
    assert readme_table(store_dir) in written
    assert f"```text\n{summary(store_dir)}```" in written
    assert not update_readme(readme, store_dir.parent)


@pytest.mark.parametrize("text", ["", "<!-- end --><!-- results quick -->", "<!-- results -->"])
def test_readme_without_marks_is_refused(store_dir: Path, tmp_path: Path, text: str) -> None:
    """Without a pair of marks in order the file stays as it is."""
    readme = tmp_path / "README.md"
    readme.write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"README\.md: has no block"):
        update_readme(readme, store_dir.parent)
    assert readme.read_text("utf-8") == text
