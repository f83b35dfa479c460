"""``kcut frontier``: the optimum for every number of levels at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import Json, check_levels


def frontier(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An instance.")],
    *,
    max_levels: Annotated[
        int | None, typer.Option("--max-levels", metavar="K", help="[default: the file's levels]")
    ] = None,
    json: Json = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="PLOT", help=".png, .svg or .pdf")
    ] = None,
) -> None:
    """Compute the proven optimum for 1..K levels, all in one ascent."""
    import numpy as np

    from kcut.compression import original_weight
    from kcut.contention import compression_of
    from kcut.frontier import frontier as compute
    from kcut_bench.frontier_plot import check_path
    from kcut_bench.frontier_plot import plot as write_plot
    from kcut_instances.readers import read_instance

    check_levels(max_levels, "--max-levels")
    if plot is not None:
        check_path(plot)
    instance = compression_of(read_instance(file, max_levels))
    found = compute(instance)
    total = original_weight(instance, np.ones(instance.num_edges, np.bool_))
    if plot is not None:
        write_plot(found, total, instance.name, plot)
    if json:
        output.emit_json(
            {
                "instance": instance.name,
                "instance_sha256": instance.sha256,
                "levels": found.levels,
                "values": found.values,
                "bounds": found.bounds,
                "proven": found.proven,
                "total_weight": total,
            }
        )
    else:
        rows = [
            (
                str(level),
                output.number(value),
                output.percent(value / total if total else None),
                "optimal" if proven else f"at most {output.number(bound)}",
            )
            for level, value, bound, proven in zip(
                found.levels, found.values, found.bounds, found.proven, strict=True
            )
        ]
        output.emit_table(("levels", "value", "of total", "proven"), rows)
    if not all(found.proven):
        raise typer.Exit(1)
