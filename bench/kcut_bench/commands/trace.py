"""``kcut trace``: write the cluster that the tables of the Lingjun trace tell of."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import Json, check_levels

MAX_SHOWN = 10
"""Bad rows that are named one by one; of the others only the number is told."""


def trace(
    job_csv: Annotated[Path, typer.Argument(metavar="JOB_CSV", help="The trace's job.csv.")],
    worker_csv: Annotated[
        Path, typer.Argument(metavar="WORKER_CSV", help="The trace's worker.csv.")
    ],
    output_file: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help=".json or .json.gz")
    ],
    *,
    hosts: Annotated[
        Path | None,
        typer.Option("--hosts", metavar="CSV", help="Host map. [default: the trace's topo.csv]"),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="TIME", help="2023-08-01T12:00. [default: when most GPUs work]"
        ),
    ] = None,
    levels: Annotated[int, typer.Option("--levels", help="K.")] = 8,
    skip_bad_rows: Annotated[
        bool, typer.Option("--skip-bad-rows", help="Leave broken rows out, and say how many.")
    ] = False,
    json: Json = False,
) -> None:
    """Read the job and worker tables of the Lingjun trace; write the cluster of one moment."""
    from kcut.errors import InputError
    from kcut_instances.host_map import lingjun_hosts, read_host_map
    from kcut_instances.readers import write_cluster
    from kcut_instances.readers.lingjun_trace import read_trace, trace_cluster

    if not output_file.name.endswith((".json", ".json.gz")):
        raise InputError("must end in .json or .json.gz", "-o", str(output_file))
    check_levels(levels)
    when = None if at is None else _moment(at)
    host_map = lingjun_hosts() if hosts is None else read_host_map(hosts)
    read = read_trace(job_csv, worker_csv, skip_bad_rows=skip_bad_rows)
    made = trace_cluster(read, host_map, when=when, levels=levels)
    write_cluster(made.cluster, output_file)
    for error in read.skipped[:MAX_SHOWN]:
        print(f"kcut: skipped: {error}", file=sys.stderr)
    if len(read.skipped) > MAX_SHOWN:
        print(f"kcut: skipped: {len(read.skipped) - MAX_SHOWN} more rows", file=sys.stderr)
    facts = {
        "file": str(output_file),
        "instance": made.cluster.name,
        "instance_sha256": made.cluster.sha256,
        "at": f"{made.when:%Y-%m-%dT%H:%M}",
        "num_jobs": made.cluster.num_jobs,
        "num_gpus": int(made.cluster.gpus.sum()),
        "jobs_in_trace": len(read.jobs),
        "never_ran": read.never_ran,
        "without_gpus": read.without_gpus,
        "bad_rows_skipped": len(read.skipped),
        "workers_on_unknown_hosts": made.unknown_hosts,
    }
    if json:
        output.emit_json(facts)
        return
    print(
        f"{output_file}: {made.cluster.name}: {made.cluster.num_jobs} jobs on {facts['num_gpus']} "
        f"GPUs, of {len(read.jobs)} jobs in the trace; {read.never_ran} never ran, "
        f"{read.without_gpus} without GPUs, {len(read.skipped)} bad rows skipped, "
        f"{made.unknown_hosts} workers on unknown hosts; sha256 {made.cluster.sha256}"
    )


def _moment(text: str) -> datetime:
    from kcut.errors import InputError

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InputError("must be a time like 2023-08-01T12:00", "--at", text) from None
    if moment.tzinfo is not None:
        raise InputError("must be a time without a zone, as the trace's are", "--at", text)
    return moment
