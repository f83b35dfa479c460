"""All tables of a report, and the block of a README that is made from a store."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from pathlib import Path

from kcut.errors import InputError
from kcut_bench.fairness import fairness_table
from kcut_bench.headline import headline, provenance
from kcut_bench.results import Results, load_results
from kcut_bench.table import Table, to_markdown, to_text, without
from kcut_bench.tables_detail import (
    comparison_table,
    failure_table,
    order_price_table,
    scaling_table,
    unproven_table,
    worst_table,
)
from kcut_bench.tables_paths import paths_gap_table, paths_sentence, paths_tables
from kcut_bench.tables_priority import order_table, priority_tables
from kcut_bench.tables_results import (
    coverage_table,
    definitions_table,
    family_gap_table,
    result_table,
)
from kcut_bench.tables_shifts import shifts_table
from kcut_bench.utilisation import utilisation_sentence, utilisation_table

_BLOCK = re.compile(
    r"(?P<begin><!-- (?P<kind>results|output|paths|priority) (?P<name>[\w-]+) -->)\n"
    r".*?(?P<end><!-- end -->)",
    re.DOTALL,
)
_NOT_IN_README = {"verified", "mean_residual_ratio", "num_timed"}
_NOT_IN_PATHS_SUMMARY = {"max_gap", "num_near", "near_s", "num_instances"}
_NOT_IN_SUMMARY = {*_NOT_IN_README, "num_reference", "mean_gap", "rejected"}


def all_tables(results: Results) -> list[Table]:
    """Return every table of the report, in its order."""
    tables = [
        result_table(results),
        family_gap_table(results),
        utilisation_table(results),
        fairness_table(results),
        *paths_tables(results),
        *priority_tables(results),
        shifts_table(results),
        comparison_table(results),
        scaling_table(results),
        worst_table(results),
        order_price_table(results),
        unproven_table(results),
        failure_table(results),
        coverage_table(results),
        definitions_table(),
    ]
    mode = f"Mode: {results.mode}."
    return [replace(one, caption=f"{one.caption} {mode}".strip()) for one in tables]


def summary(store_dir: Path) -> str:
    """Return the headline and the short result table of a store as plain text.

    Raises
    ------
    InputError
        If there is no store.
    """
    return summary_of(load_results(store_dir))


def summary_of(results: Results) -> str:
    """Return the headline and the short result table as plain text."""
    if results.records and not results.compression and paths_sentence(results):
        short = without(paths_gap_table(results), _NOT_IN_PATHS_SUMMARY)
        return f"{textwrap.fill(paths_sentence(results), 100)}\n\n{to_text(short)}"
    for table in (order_table(results), shifts_table(results)):
        if table.rows and not results.compression:
            return f"{textwrap.fill(table.caption, 100)}\n\n{to_text(table)}"
    sentences = " ".join(filter(None, (headline(results), utilisation_sentence(results))))
    short = without(result_table(results), _NOT_IN_SUMMARY)
    return f"{textwrap.fill(sentences, 100)}\n\n{to_text(short)}"


def readme_table(store_dir: Path) -> str:
    """Return the headline, the result table and the provenance of a store as Markdown.

    Raises
    ------
    InputError
        If there is no store.
    """
    results = load_results(store_dir)
    short = without(result_table(results), _NOT_IN_README)
    sentences = " ".join(filter(None, (headline(results), utilisation_sentence(results))))
    return f"{sentences}\n\n{to_markdown(short)}\n{provenance(results)}\n"


def problem_block(store_dir: Path, kind: str) -> str:
    """Return what a store says of paths or orders as Markdown: finding, tables, provenance.

    Parameters
    ----------
    store_dir : Path
    kind : {'paths', 'priority'}

    Raises
    ------
    InputError
        If there is no store.
    """
    results = load_results(store_dir)
    if kind == "paths":
        parts, tables = [paths_sentence(results)], paths_tables(results)[::-1]
    else:
        parts, tables = [], [table for table in priority_tables(results) if table.rows]
    for table in tables:
        parts += [f"**{table.title}.** {table.caption}", to_markdown(table)]
    return "\n\n".join([*(part.strip() for part in parts), provenance(results)]) + "\n"


def update_readme(readme: Path, results_dir: Path) -> bool:
    """Rewrite the blocks of a README that are made from stores.

    ``<!-- results NAME -->`` opens a block with the `readme_table` of the store NAME below
    `results_dir`, ``<!-- output NAME -->`` one with its `summary`, as a terminal shows it,
    ``<!-- paths NAME -->`` or ``<!-- priority NAME -->`` one with its `problem_block`;
    ``<!-- end -->`` closes any of them.

    Returns
    -------
    bool
        Whether the file changed.

    Raises
    ------
    InputError
        If the README has no such block, or there is no such store.
    """
    old = readme.read_text(encoding="utf-8")
    new, count = _BLOCK.subn(lambda block: _render(block, results_dir), old)
    if count == 0:
        raise InputError("has no block that is made from results", source=str(readme))
    if new != old:
        readme.write_text(new, encoding="utf-8")
    return new != old


def _render(block: re.Match[str], results_dir: Path) -> str:
    store_dir = results_dir / block["name"]
    if block["kind"] == "results":
        body = readme_table(store_dir)
    elif block["kind"] in ("paths", "priority"):
        body = problem_block(store_dir, block["kind"])
    else:
        body = f"```text\n{summary(store_dir)}```\n"
    return f"{block['begin']}\n\n{body}\n{block['end']}"
