"""``kcut check``, ``export``, ``merge`` and ``archive``: what is done with whole stores."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import Json, StoreDir

if TYPE_CHECKING:
    from kcut_bench.check import Report
    from kcut_bench.store import Store


def check(
    store: Annotated[
        Path, typer.Argument(metavar="STORE", help="A directory of results, or an archive.")
    ],
    json: Json = False,
) -> None:
    """Make all instances again, evaluate all solutions and certificates, look for contradictions.

    Of an archive the checksums and the instance files are checked as well. Exits 1 if anything is
    not as it should be.
    """
    import dataclasses

    from kcut_bench.archive import open_archive
    from kcut_bench.store import open_store

    if store.is_file():
        with open_archive(store) as (opened, problems):
            found = _check(opened)
            found.problems[:0] = problems
    else:
        with open_store(store) as opened:
            found = _check(opened)
    if json:
        output.emit_json(dataclasses.asdict(found))
    else:
        for problem in found.problems:
            print(problem)
        for solver, missing in found.missing.items():
            print(f"{solver}: {missing} planned runs are not done")
        print(
            f"{store}: {found.rows} of {found.planned} planned runs done; {found.instances}"
            f" instances made again, {found.solutions} solutions and {found.certificates}"
            f" certificates evaluated in exact integers; {len(found.problems)} contradictions"
            + (f"; {found.stale} rows that are not planned were not checked" if found.stale else "")
        )
    if found.problems:
        raise typer.Exit(1)


def _check(opened: Store) -> Report:
    from kcut_bench.check import check_store
    from kcut_bench.progress import Progress

    with Progress("check", len(opened.finished())) as progress:
        return check_store(opened, progress.step)


def export(
    store: StoreDir,
    out: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help=".csv or .parquet [default: CSV to stdout]"
        ),
    ] = None,
) -> None:
    """Export all columns but solutions and certificates, numbers in full precision."""
    import contextlib

    from kcut.errors import InputError
    from kcut_bench.export import mode_of, write_csv, write_parquet
    from kcut_bench.store import open_store

    if out is not None and out.suffix not in (".csv", ".parquet"):
        raise InputError("must end in .csv or .parquet", "-o", str(out))
    with open_store(store) as opened:
        rows, mode = opened.records(blobs=False), mode_of(opened)
        if out is None:
            write_csv(rows, sys.stdout, mode)
            return
        # A file that is there is whole: it is not begun before it can be ended.
        begun = out.with_name(out.name + ".part")
        try:
            if out.suffix == ".parquet":
                count = write_parquet(rows, begun, mode)
            else:
                with begun.open("w", encoding="utf-8", newline="") as file:
                    count = write_csv(rows, file, mode)
            begun.replace(out)
        except OSError as error:
            reason = f"cannot be written: {error.strerror or error}"
            raise InputError(reason, source=str(out)) from error
        finally:
            with contextlib.suppress(OSError):
                begun.unlink(missing_ok=True)
    print(f"{out}: {count} rows")


def merge(
    stores: Annotated[list[Path], typer.Argument(metavar="STORE...", help="Of one study.")],
    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="The store to add to or create."),
    ] = None,
) -> None:
    """Merge stores of one study, such as its shards, into DIR, else into the first of them.

    Rows of one key with different results are conflicts: each is named, nothing is written, and
    the exit code is 1.
    """
    from kcut.errors import InputError
    from kcut_bench.merge import merge_into
    from kcut_bench.store import open_store

    target, sources = (out, stores) if out is not None else (stores[0], stores[1:])
    if not sources:
        raise InputError("needs at least two stores, or -o", "STORE", str(target))
    if target.resolve() in [source.resolve() for source in sources]:
        raise InputError("is merged into itself", "STORE", str(target))
    for source in sources:
        open_store(source).close()
    done = merge_into(target, sources)
    for conflict in done.conflicts:
        print(f"conflict: {conflict}")
    if done.conflicts:
        print(f"{target}: nothing merged, {len(done.conflicts)} conflicts")
        raise typer.Exit(1)
    print(f"{target}: {done.added} rows added, {done.known} were there already")


def archive(
    store: StoreDir,
    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="[default: STORE.zip]"),
    ] = None,
) -> None:
    """Pack a store, its instances and checksums into one zip that `kcut check` verifies anywhere.

    The same store gives the same bytes.
    """
    from kcut_bench.archive import write_archive
    from kcut_bench.store import open_store

    path = out or store.resolve().with_name(store.resolve().name + ".zip")
    with open_store(store) as opened:
        count = write_archive(opened, path)
        rows = len(opened.finished())
    print(f"{path}: {rows} rows, {count} instances")
