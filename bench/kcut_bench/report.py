"""The report of a store: one page, figures and tables, all made from the store alone."""

from __future__ import annotations

import html
from collections import Counter
from pathlib import Path
from typing import Any

from kcut.registry import solvers
from kcut_bench import noise
from kcut_bench.cite import entries, limits_text, plain_reference
from kcut_bench.figure import Figure
from kcut_bench.figures import all_figures
from kcut_bench.figures_mpl import write_figure
from kcut_bench.headline import commit_of, headline, provenance, study_name
from kcut_bench.page import Section, facts_html, figure_html, page_html, table_html
from kcut_bench.results import Results, family_of, find_contradictions, instance_key, load_results
from kcut_bench.table import Table, text_column, to_csv, to_html, to_latex, to_markdown
from kcut_bench.tables import all_tables
from kcut_bench.tables_detail import failure_table
from kcut_bench.utilisation import utilisation_sentence


def write_report(store_dir: Path, output: Path) -> list[Path]:
    """Write ``report.html``, ``figures/`` and ``tables/`` of a store; see `write_results`."""
    return write_results(load_results(store_dir), output)


def write_results(results: Results, output: Path) -> list[Path]:
    """Write ``report.html``, ``figures/`` and ``tables/``.

    Parameters
    ----------
    results : Results
        Of a store, finished or not.
    output : Path
        A folder, made where it is missing; files of the same names are replaced.

    Returns
    -------
    list of Path
        Every file written, the page first.

    Notes
    -----
    The same store gives the same files, byte for byte.
    """
    figures, tables = all_figures(results), all_tables(results)
    for folder in (output / "figures", output / "tables"):
        folder.mkdir(parents=True, exist_ok=True)
    page = output / "report.html"
    page.write_text(render(results, figures, tables), encoding="utf-8")
    written = [page]
    for figure in figures:
        if figure.panels:
            written += write_figure(figure, output / "figures")
    for table in tables:
        if table.rows:
            texts = {
                "csv": to_csv(table, results.mode),
                "tex": to_latex(table),
                "md": to_markdown(table),
            }
            for ending, text in texts.items():
                path = output / "tables" / f"{table.name}.{ending}"
                path.write_text(text, encoding="utf-8")
                written.append(path)
    return written


def render(results: Results, figures: list[Figure], tables: list[Table]) -> str:
    """Return the page as HTML."""
    plot = {figure.name: figure_html(figure) for figure in figures}
    table = {one.name: one for one in tables}

    def show(name: str, empty: str = "", code: tuple[str, ...] = ()) -> str:
        return table_html(table[name], empty, code)

    none_proven = "No heuristic run has a proven optimum to be measured against."
    definitions = table_html(table["definitions"], "")
    coverage = show("coverage", "Nothing was planned.")
    measured = facts_html(facts(results)) + _specification(results.manifest)
    sections = [
        Section(
            "measured",
            "What was measured",
            f"{measured}<h3>Definitions</h3>\n{definitions}<h3>Coverage</h3>\n{coverage}",
        ),
        Section("results", "Results by solver", show("results", "No run is finished.")),
        Section("gap", "Gap by size", plot["gap-by-size"] + show("gap-by-family", none_proven)),
        Section(
            "utilisation",
            "What it is worth in utilisation",
            plot["utilisation"] + show("utilisation", "No run of compression is on a cluster."),
        ),
        Section(
            "fairness",
            "Utilisation against fairness",
            plot["fairness"] + show("fairness", "No run is on a cluster."),
        ),
        Section(
            "paths",
            "Path selection",
            show("paths-gap", "No run chose paths.") + show("paths-correlation"),
        ),
        Section(
            "priority",
            "Priority orders",
            show("priority-gap", "No run ordered jobs.")
            + show("priority-kinds")
            + show("priority-undefined")
            + show("weights"),
        ),
        Section(
            "time-shifts",
            "Time shifts",
            plot["time-shifts"] + show("time-shifts", "No run shifted jobs in time."),
        ),
        Section("time", "Run time by size", plot["time-by-size"] + show("scaling", "No run yet.")),
        Section("scatter", "Value against optimum", plot["value-against-optimum"]),
        Section("frontier", "Frontier", plot["frontier"]),
        Section("profile", "Performance profiles", plot["performance-profile"]),
        Section("cactus", "Instances proven by time", plot["cactus"]),
        Section("tests", "Paired tests", show("tests", "No two solvers share an instance yet.")),
        Section(
            "worst",
            "Worst instances",
            show("worst", "No heuristic run has a gap to a proven optimum.", ("commands",)),
        ),
        Section("order", "The price of order", plot["price-of-order"] + show("price-of-order")),
        Section(
            "open",
            "Not proven, not verified",
            show("unproven", "Every instance in the store has a proven optimum.")
            + show("not-verified", "Every answer in the store was verified."),
        ),
        Section("solvers", "Solvers and references", _solvers(results)),
    ]
    name = study_name(results.manifest)
    title = f"kcut: study {name}" if name else "kcut: results"
    where = provenance(results).replace("`", "")
    finding = " ".join(filter(None, (headline(results), utilisation_sentence(results))))
    return page_html(title, where, finding, _alarms(results), sections)


def _alarms(results: Results) -> str:
    parts = []
    rejected = failure_table(results, "rejected")
    if rejected.rows:
        num = sum(run.verdict == "rejected" for run in results.records)
        parts.append(
            f'<div class="alarm" role="alert"><h2>Rejected runs: {num}</h2>\n'
            "<p>These runs claimed something false. They count as unsolved everywhere below.</p>\n"
            f"{to_html(rejected)}</div>\n"
        )
    contradictions = find_contradictions(results.records)
    if contradictions:
        items = "".join(f"<li>{html.escape(line)}</li>" for line in contradictions[:10])
        parts.append(
            f'<div class="alarm" role="alert"><h2>Contradictions: {len(contradictions)}</h2>\n'
            "<p>Verified values above what was proven to be impossible: a bug in the checking. "
            f"Trust nothing below until it is found.</p><ul>{items}</ul></div>\n"
        )
    missing = len(results.planned) - len(results.records)
    if missing > 0:
        parts.append(
            f'<p class="notice">This store is partial: {missing:,} of {len(results.planned):,} '
            "planned runs are not done. They are unknown, not zero, and all numbers below may "
            "still change.</p>\n"
        )
    return "".join(parts)


def facts(results: Results) -> list[tuple[str, str]]:
    """Return what was measured, where and under which limits, as names and text."""
    manifest, records = results.manifest, results.records
    ended = Counter(record.termination for record in records)
    keys = {instance_key(record)[1:] for record in records}
    sizes = [record.num_jobs for record in records if record.instance_sha256]
    levels = sorted({record.levels for record in records})
    families = sorted({family_of(record) for record in records})
    endings = "".join(f", {n:,} {kind.replace('_', ' ')}" for kind, n in sorted(ended.items()))
    listed = [
        ("Study", study_name(manifest)),
        ("Description", _words(manifest.get("description"))),
        ("Command", _words(manifest.get("command"))),
        ("Measured", _dates(results)),
        ("Commit", commit_of(manifest)),
        ("kcut", _words(manifest.get("kcut"))),
        ("Processor", _words(manifest.get("cpu"))),
        ("Cores", _words(manifest.get("cores"))),
        ("System", _words(manifest.get("system"))),
        ("Python", _words(manifest.get("python"))),
        ("Packages", _words(manifest.get("packages"))),
        ("Instances", f"{len(keys):,} (DAG and K) of {len(families)} families: "
                      f"{', '.join(families)}" if keys else ""),
        ("Sizes", f"{min(sizes):,} to {max(sizes):,} jobs" if sizes else ""),
        ("Levels K", ", ".join(map(str, levels))),
        ("Runs", f"{len(results.planned):,} planned, {len(records):,} done{endings}"),
        ("Stale rows", f"{results.num_stale:,} that the plan no longer asks for, left out"
                       if results.num_stale else ""),
        ("Mode", results.mode),
        ("Noise", noise.in_words(results.noise)),
        ("Limits", limits_text(results) if records else ""),
    ]  # fmt: skip
    return [(name, value) for name, value in listed if value]


def _dates(results: Results) -> str:
    dates = sorted(record.started_at for record in results.records)
    if not dates:
        return ""
    first, last = (date[:16].replace("T", " ") for date in (dates[0], dates[-1]))
    return f"{first} to {last} UTC (start of the first and the last run)"


def _words(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, dict):
        return ", ".join(f"{name} {value[name]}" for name in sorted(value))
    if isinstance(value, list):
        return " ".join(map(str, value))
    return str(value)


def _specification(manifest: dict[str, Any]) -> str:
    spec = manifest.get("spec")
    if not isinstance(spec, str):
        return ""
    return (
        "<details><summary>The specification of the sweep</summary>\n"
        f"<pre>{html.escape(spec)}</pre></details>\n"
    )


def _solvers(results: Results) -> str:
    used = {(record.problem, record.solver) for record in results.records}
    known = [solver for solver in solvers() if (solver.problem, solver.name) in used]
    rows = tuple((s.name, s.problem, "exact" if s.exact else "heuristic", s.summary) for s in known)
    columns = (
        text_column("solver", "Solver"),
        text_column("problem", "Problem"),
        text_column("kind", "Kind"),
        text_column("summary", "What it does"),
    )
    caption = "The solvers of this store, in their own words."
    listed = "".join(
        f"<li>{html.escape(plain_reference(entry))}</li>\n"
        for entry in entries(["cao2024crux dolan2002", *(solver.reference for solver in known)])
        if entry.startswith("@")
    )
    shown = to_html(Table("solvers", "Solvers", caption, columns, rows)) if rows else ""
    return f'{shown}\n<h3>References</h3>\n<ul class="references">\n{listed}</ul>\n'
