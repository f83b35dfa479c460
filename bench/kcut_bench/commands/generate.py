"""``kcut generate``: write an instance of a family."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from kcut_bench.commands.options import Levels, Params, check_levels, check_seed, parse_params


def generate(
    family: Annotated[str, typer.Argument(metavar="FAMILY", help="See kcut families.")],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help=".json, .json.gz or .graphml"),
    ],
    *,
    param: Params = None,
    levels: Levels = None,
    seed: Annotated[int, typer.Option("--seed", help="The same seed, the same instance.")] = 0,
) -> None:
    """Generate an instance and write it to a file."""
    from kcut.errors import InputError
    from kcut.registry import get_family
    from kcut_instances.readers import (
        write_cluster,
        write_compression,
        write_graphml,
        write_priority,
    )

    graph = output.name.endswith((".graphml", ".graphml.gz"))
    if not graph and not output.name.endswith((".json", ".json.gz")):
        raise InputError("must end in .json, .json.gz, .graphml or .graphml.gz", "-o", str(output))
    check_levels(levels)
    check_seed(seed)
    known = get_family(family)
    if graph and known.problem != "compression":
        kind = "a cluster" if known.problem == "cluster" else "a matrix"
        raise InputError(f"is {kind}, no graph: must end in .json or .json.gz", "-o", str(output))
    params = parse_params(known.params, param)
    instance = known.generate(params, known.levels if levels is None else levels, seed)
    if known.problem == "cluster":
        write_cluster(instance, output)
        size = f"{instance.num_links} links, {instance.num_jobs} jobs, {instance.num_flows} flows"
    elif known.problem == "priority":
        write_priority(instance, output)
        size = f"{instance.num_jobs} jobs, {len(instance.pairs)} pairs"
    else:
        (write_graphml if graph else write_compression)(instance, output)
        size = f"{instance.num_jobs} jobs, {instance.num_edges} edges"
    shown = f"{size}, {instance.levels} levels, sha256 {instance.sha256}"
    print(f"{output}: {instance.name}: {shown}")
