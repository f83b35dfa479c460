"""``kcut compare``: solvers of one store against each other, or two stores run by run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import Json, StoreDir

if TYPE_CHECKING:
    from kcut_bench.table import Table


def compare(
    store: StoreDir,
    other: Annotated[
        Path | None, typer.Argument(metavar="[OTHER]", help="Compare STORE with it, run by run.")
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline", metavar="SOLVER", help="Whom to compare the others with. [default: crux]"
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Compare the solvers of a store by paired tests, or the same runs of two stores.

    With two stores, exits 1 if both hold proven optima of an instance that differ.
    """
    from kcut.errors import InputError
    from kcut_bench.results import load_results
    from kcut_bench.table import to_text
    from kcut_bench.tables_detail import comparison_table

    results = load_results(store)
    if other is None:
        table = comparison_table(results, baseline)
        if json:
            _emit(table)
        elif table.rows:
            print(to_text(table), end="")
        else:
            print("nothing to compare: no two solvers have solved the same instance")
        return
    if baseline is not None:
        raise InputError("is for one store", "--baseline", baseline)
    from kcut_bench.compare import compare as pair
    from kcut_bench.compare import comparison_of_stores

    found = pair(results, load_results(other))
    table = comparison_of_stores(found)
    if json:
        _emit(table)
    else:
        print(to_text(table), end="")
        print(f"only in {store}: {found.only_first}; only in {other}: {found.only_second}")
        for line in found.contradictions:
            print(f"contradiction: {line}")
    if found.contradictions:
        raise typer.Exit(1)


def _emit(table: Table) -> None:
    for row in table.rows:
        keys = [column.key for column in table.columns]
        output.emit_json(dict(zip(keys, row, strict=True)))
