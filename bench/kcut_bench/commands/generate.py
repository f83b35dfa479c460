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
    from kcut import CompressionInstance
    from kcut.errors import InputError
    from kcut.registry import get_family
    from kcut_instances.readers import write_compression, write_graphml

    writers = {
        ".json": write_compression,
        ".json.gz": write_compression,
        ".graphml": write_graphml,
        ".graphml.gz": write_graphml,
    }
    fitting = [write for suffix, write in writers.items() if output.name.endswith(suffix)]
    if not fitting:
        raise InputError(f"must end in one of {', '.join(writers)}", "-o", str(output))
    check_levels(levels)
    check_seed(seed)
    known = get_family(family)
    params = parse_params(known.params, param)
    instance = known.generate(params, known.levels if levels is None else levels, seed)
    if not isinstance(instance, CompressionInstance):
        raise InputError("cannot be written yet", "family", family)
    fitting[0](instance, output)
    size = f"{instance.num_jobs} jobs, {instance.num_edges} edges, {instance.levels} levels"
    print(f"{output}: {instance.name}: {size}, sha256 {instance.sha256}")
