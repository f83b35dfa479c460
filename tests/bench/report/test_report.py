"""The report: complete, self-contained, repeatable, and honest about what is missing."""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kcut.errors import InputError
from kcut_bench.figures import all_figures
from kcut_bench.figures_mpl import write_figure
from kcut_bench.headline import fastest_exact, headline
from kcut_bench.record import RunRecord
from kcut_bench.report import render, write_report
from kcut_bench.results import load_results
from kcut_bench.table import to_latex
from kcut_bench.tables import all_tables

MakeStore = Callable[..., Path]
Records = tuple[RunRecord, ...]


def page_of(store: Path) -> str:
    """Return the page without the source of plotly.js."""
    results = load_results(store)
    page = render(results, all_figures(results), all_tables(results))
    return re.sub(r"<script>/\*\*.*?</script>", "", page, count=1, flags=re.DOTALL)


def test_every_file_is_written(written: tuple[Path, ...], store_dir: Path) -> None:
    """Page, and for every figure and table all its forms, none empty."""
    names = {path.name for path in written}
    results = load_results(store_dir)
    drawn = [figure.name for figure in all_figures(results) if figure.panels]
    filled = [table.name for table in all_tables(results) if table.rows]
    expected = {"report.html"}
    expected |= {f"{name}.{kind}" for name in drawn for kind in ("pdf", "svg", "csv")}
    expected |= {f"{name}.{kind}" for name in filled for kind in ("tex", "md", "csv")}
    assert names == expected
    assert len(drawn) == 7
    assert all(path.stat().st_size > 0 for path in written)
    assert all(path.read_bytes().startswith(b"%PDF") for path in written if path.suffix == ".pdf")


def test_figures_show_what_was_measured(written: tuple[Path, ...], records: Records) -> None:
    """The CSV behind the run-time figure holds the solve time of every finished run, unrounded."""
    path = next(path for path in written if path.name == "time-by-size.csv")
    rows = list(csv.DictReader(path.read_text("utf-8").splitlines()))
    drawn = sorted(float(row["y"]) for row in rows if row["mark"] == "points")
    measured = sorted(r.solve_s for r in records if r.problem == "compression" and r.solve_s)
    assert drawn == measured


def test_files_do_not_depend_on_when_they_are_made(
    written: tuple[Path, ...], store_dir: Path, tmp_path: Path
) -> None:
    """The same store gives the same bytes: the page, all tables, a figure in all its forms."""
    results = load_results(store_dir)
    figures, tables = all_figures(results), all_tables(results)
    page, folder = written[0], written[0].parent
    assert render(results, figures, tables) == page.read_text("utf-8")
    for table in (table for table in tables if table.rows):
        path = folder / "tables" / f"{table.name}.tex"
        assert to_latex(table) == path.read_text("utf-8")
    for path in write_figure(figures[-1], tmp_path):
        assert path.read_bytes() == (folder / "figures" / path.name).read_bytes()


def test_page_asks_for_nothing(written: tuple[Path, ...]) -> None:
    """No script, style, image or font comes from elsewhere, and plotly.js is there once."""
    page = written[0].read_text("utf-8")
    assert page.count("plotly.js v") == 1
    own = re.sub(r"<script>/\*\*.*?</script>", "", page, count=1, flags=re.DOTALL)
    assert not re.search(r"\ssrc\s*=|@import|url\(|<link[^>]+href=\"(?!data:)", own)


def test_page_is_accessible(store_dir: Path) -> None:
    """One h1, headings in steps, a caption for each table, a description for each figure."""
    page = page_of(store_dir)
    levels = [int(level) for level in re.findall(r"<h([1-6])", page)]
    assert levels.count(1) == 1
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    assert page.count("<table>") == page.count("<caption>")
    assert page.count("<figure ") == page.count("<figcaption>") == page.count('role="img"') == 7
    assert 'aria-label=""' not in page
    assert '<html lang="en">' in page


def test_every_figure_names_its_reference(store_dir: Path) -> None:
    """A caption says what values are measured against, or that nothing is."""
    for figure in all_figures(load_results(store_dir)):
        if not figure.panels:
            continue
        assert "eference" in figure.caption or "proven compression optimum" in figure.caption


def test_headline_is_what_the_rows_say(store_dir: Path, records: Records) -> None:
    """Its worst gap and its counts follow from the rows; the fastest exact solver is min-cuts'."""
    results = load_results(store_dir)
    crux = [r for r in records if '"orders": 10' in r.solver_params]
    worst = max(gap for gap in map(results.gap, crux) if gap is not None)
    optimal = sum(results.gap(r) == 0 for r in crux)
    sentence = headline(results)
    assert f"{100 * worst:.1f}" in sentence
    assert "On the 14 instances with a proven optimum" in sentence
    assert f"reaches it on {optimal};" in sentence
    assert fastest_exact(results) in {"min-cuts", "min-cost-flow"}


def test_headline_where_there_is_nothing_to_say(make_store: MakeStore, records: Records) -> None:
    """Without Crux, without its solutions, or without proofs, the sentence says so."""
    crux = [r for r in records if r.solver == "crux"]
    exact = [r for r in records if r.solver == "min-cuts"]
    lost = [replace(r, value=None, verdict="unverifiable", termination="crashed") for r in crux]

    def sentence(rows: list[RunRecord]) -> str:
        store = make_store(rows, 0)
        results = load_results(store)
        store.rename(store.with_name(f"{len(list(store.parent.iterdir()))}"))
        return headline(results)

    assert "no run of Crux" in sentence(exact)
    assert "gave a solution" in sentence(lost + exact)
    assert "has a proven optimum yet" in sentence(crux)
    untimed = [replace(r, solve_s=None) for r in exact]
    assert "no exact solver proved an optimum in time that was measured" in sentence(crux + untimed)
    perfect = [replace(r, solver="crux", exact=False, solver_params="{}") for r in exact]
    assert "reaches the proven optimum on all 14" in sentence(perfect + exact)


def test_partial_store_says_so(make_store: MakeStore, records: Records) -> None:
    """What is planned and not done is stated before anything else."""
    page = page_of(make_store(records[:20], 13))
    assert "13 of 33 planned runs are not done" in page
    assert page.index("This store is partial") < page.index('id="finding"')


def test_rejected_rows_come_first(make_store: MakeStore, records: Records) -> None:
    """A rejected run and a contradiction stand in red above the finding."""
    crux = next(r for r in records if r.solver == "crux")
    lie = replace(crux, verdict="rejected", reason="upward edge 3 -> 5", repetition=7)
    above = replace(crux, value=10**12, repetition=8)
    page = page_of(make_store([*records, lie, above], 0))
    alarm = page.index('class="alarm"')
    assert alarm < page.index("upward edge 3 -&gt; 5") < page.index('id="finding"')
    assert "Contradictions: 1" in page[: page.index('id="finding"')]
    assert 'class="alarm"' not in page_of_clean(make_store, records)


def page_of_clean(make_store: MakeStore, records: Records) -> str:
    """Return the page of the honest rows alone."""
    store = make_store([], 0)
    store.rename(store.with_name("earlier"))
    return page_of(make_store(records, 0))


def test_empty_store_has_a_report(make_store: MakeStore, tmp_path: Path) -> None:
    """Before the first row there is a page without figures."""
    files = write_report(make_store([], 3), tmp_path / "report")
    page = files[0].read_text("utf-8")
    assert "3 of 3 planned runs are not done" in page
    assert "<figure " not in page


def test_names_cannot_inject(make_store: MakeStore, records: Records) -> None:
    """Names from files are text, in tables, in figures and in the data of figures."""
    attack = "</script><img src=x onerror=alert(1)>"
    rows = [replace(r, instance=attack, family=attack) for r in records]
    page = page_of(make_store(rows, 0))
    assert "<img" not in page


def test_no_store_is_refused(tmp_path: Path) -> None:
    """A folder without a store is bad input, and nothing is written."""
    with pytest.raises(InputError, match="no store"):
        write_report(tmp_path, tmp_path / "report")
    assert not (tmp_path / "report").exists()
