"""All tables of a report, and the block of a README that is made from a store."""

from __future__ import annotations

from pathlib import Path

from kcut_bench.headline import headline, provenance
from kcut_bench.results import Results, load_results
from kcut_bench.table import Table, to_markdown, without
from kcut_bench.tables_detail import (
    comparison_table,
    failure_table,
    order_price_table,
    scaling_table,
    unproven_table,
    worst_table,
)
from kcut_bench.tables_results import (
    coverage_table,
    definitions_table,
    family_gap_table,
    result_table,
)

README_BEGIN, README_END = "<!-- results:begin -->", "<!-- results:end -->"


def all_tables(results: Results) -> list[Table]:
    """Return every table of the report, in its order."""
    return [
        result_table(results),
        family_gap_table(results),
        comparison_table(results),
        scaling_table(results),
        worst_table(results),
        order_price_table(results),
        unproven_table(results),
        failure_table(results),
        coverage_table(results),
        definitions_table(),
    ]


def readme_table(store_dir: Path) -> str:
    """Return the headline and the result table of a store as Markdown.

    Raises
    ------
    InputError
        If there is no store.
    """
    results = load_results(store_dir)
    hidden = {"verified", "mean_residual_ratio", "num_timed"}
    short = without(result_table(results), hidden)
    return f"{headline(results)}\n\n{to_markdown(short)}\n{provenance(results)}\n"


def update_readme(readme: Path, store_dir: Path) -> bool:
    """Rewrite the block between the two result marks of a README.

    Returns
    -------
    bool
        Whether the file changed.

    Raises
    ------
    ValueError
        If the marks are not there once each, in order.
    InputError
        If there is no store.
    """
    old = readme.read_text(encoding="utf-8")
    if old.count(README_BEGIN) != 1 or old.count(README_END) != 1:
        raise ValueError(f"{readme} needs one {README_BEGIN} and one {README_END}")
    before, rest = old.split(README_BEGIN)
    if README_END not in rest:
        raise ValueError(f"{readme} has {README_END} before {README_BEGIN}")
    after = rest.split(README_END)[1]
    new = f"{before}{README_BEGIN}\n{readme_table(store_dir)}{README_END}{after}"
    if new != old:
        readme.write_text(new, encoding="utf-8")
    return new != old
