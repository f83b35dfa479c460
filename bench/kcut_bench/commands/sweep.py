"""``kcut sweep``: run a study."""

from __future__ import annotations

import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kcut_bench.commands import output

if TYPE_CHECKING:
    from kcut_bench.plan import PlannedRun
    from kcut_bench.spec import Spec
    from kcut_bench.sweep import Shard, Summary

UNLIMITED = 2**31


def sweep(
    spec: Annotated[str, typer.Argument(metavar="SPEC", help="A TOML file or a named study.")],
    *,
    store: Annotated[
        Path | None, typer.Option("--store", help="Where results go [default: out/NAME].")
    ] = None,
    workers: Annotated[
        int | None, typer.Option("--workers", help="Runs at a time [default: the cores].")
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option("--dask", metavar="ADDRESS|local", help="Run on this Dask cluster."),
    ] = None,
    shard: Annotated[
        str | None, typer.Option("--shard", metavar="i/n", help="Only the i-th of n parts.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print the plan and run nothing.")
    ] = False,
    explain_stale: Annotated[
        bool,
        typer.Option(
            "--explain-stale", help="Say what changed since the rows there are, and run nothing."
        ),
    ] = False,
) -> None:
    """Run every solver of a study on every instance, and store one row a run.

    Runs whose row is in the store are skipped, so the same command resumes a sweep. Exits 1 if
    nothing was solved or an answer was rejected.
    """
    from kcut.errors import InputError
    from kcut_bench.environment import available_cores
    from kcut_bench.plan import expand
    from kcut_bench.studies import find_spec
    from kcut_bench.sweep import Shard

    if workers is not None and workers < 1:
        raise InputError("must be at least 1", "--workers", workers)
    part = None if shard is None else Shard.parse(shard)
    found, text, base = find_spec(spec)
    runs = expand(found, base, spec)
    directory = store or Path("out") / found.name
    if explain_stale:
        _explain(runs, directory)
        return
    if dry_run:
        _print_plan(runs, directory, part)
        return
    started = time.monotonic()
    if workers is None:
        # A cluster knows how much it can take.
        workers = UNLIMITED if dask not in (None, "local") else available_cores()
    summary = _run(found, text, runs, directory, workers=workers, shard=part, dask=dask)
    took = time.monotonic() - started
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in summary.verdicts.items())
    print(
        f"{found.name}: {summary.done} of {summary.planned} runs done, {summary.new} of them now"
        f" in {took:.1f} s; {summary.solved} solved; {verdicts}; results in {directory}"
    )
    if not summary.good:
        raise typer.Exit(1)


def _run(
    spec: Spec,
    text: str,
    runs: list[PlannedRun],
    directory: Path,
    *,
    workers: int,
    shard: Shard | None,
    dask: str | None,
) -> Summary:
    from kcut_bench.dask_cluster import DaskCluster
    from kcut_bench.isolate import Executor, LocalProcesses
    from kcut_bench.progress import Progress
    from kcut_bench.store import create_store
    from kcut_bench.sweep import begin_manifest, run_sweep, todo

    executor: Executor = LocalProcesses() if dask is None else DaskCluster(dask)
    # A plain SIGTERM must end the runs on their way as Ctrl-C does.
    signal.signal(signal.SIGTERM, _interrupt)
    with create_store(directory) as opened:
        begin_manifest(opened, spec, text, ["kcut", *sys.argv[1:]])
        waiting = todo(runs, opened.finished(), shard)
        with Progress(spec.name, len(waiting)) as progress:
            return run_sweep(
                opened,
                runs,
                executor,
                workers,
                shard=shard,
                on_row=lambda row: progress.step(row.verdict),
            )


def _interrupt(_signal: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def _explain(runs: list[PlannedRun], directory: Path) -> None:
    from collections import Counter

    from kcut_bench.stale import explain
    from kcut_bench.store import open_store

    with open_store(directory) as opened:
        explained = explain(opened, runs)
    for entry in explained:
        why = {
            "changed": "changed: " + "; ".join(entry.changes),
            "new": "new: no row resembles it",
            "dropped": "stale: nothing planned resembles it",
        }[entry.state]
        print(f"{entry.key[:12]}  {entry.what}: {why}")
    counts = Counter(entry.state for entry in explained)
    done = len(runs) - counts["changed"] - counts["new"]
    print(
        f"{len(runs)} runs planned, {done} done, {counts['changed']} to do again,"
        f" {counts['new']} new; {counts['dropped']} other stale rows"
    )


def _print_plan(runs: list[PlannedRun], directory: Path, shard: Shard | None) -> None:
    from kcut_bench.store import FILE_NAME, open_store
    from kcut_bench.sweep import todo

    finished: set[str] = set()
    if (directory / FILE_NAME).exists():
        with open_store(directory) as opened:
            finished = opened.finished()
    mine = todo(runs, set(), shard)
    rows = []
    for run in mine:
        params = " ".join(f"{key}={value}" for key, value in run.params.items()) or "-"
        state = "done" if run.key in finished else "to do"
        cells = (run.key[:12], state, run.recipe.name, str(run.recipe.levels), run.solver)
        rows.append((*cells, str(run.seed), str(run.repetition), params))
    header = ("key", "state", "instance", "levels", "solver", "seed", "repetition", "parameters")
    output.emit_table(header, rows)
    left = len(todo(runs, finished, shard))
    print(f"{len(mine)} runs planned, {left} to do, store {directory}")
