"""``kcut status``, ``report`` and ``cite``: what is in a store."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import Json, StoreDir


def status(store: StoreDir, json: Json = False) -> None:
    """Say what is planned, what is done, and with which verdicts, also during a sweep."""
    from kcut_bench.store import open_store

    with open_store(store) as opened:
        manifest = opened.manifest()
        name, mode = str(manifest.get("name", "-")), str(manifest.get("mode", "performance"))
        counts, stale = opened.counts(), opened.num_stale()
    solvers: dict[str, Counter[str]] = {}
    for solver, termination, verdict, number in counts:
        tally = solvers.setdefault(solver, Counter())
        tally["planned"] += number
        if termination is not None and verdict is not None:
            tally["done"] += number
            tally[termination] += number
            tally[verdict] += number
    total: Counter[str] = sum(solvers.values(), Counter())
    if json:
        by_solver = {solver: _tally(tally) for solver, tally in solvers.items()}
        output.emit_json(
            {"name": name, "mode": mode, **_tally(total), "stale": stale, "solvers": by_solver}
        )
        return
    always = ("planned", "done")
    shown = [c for c in (*always, *_verdicts(), *_terminations()) if total[c] or c in always]
    rows = [(solver, *(str(t[c]) for c in shown)) for solver, t in sorted(solvers.items())]
    rows.append(("all", *(str(total[c]) for c in shown)))
    done = f"{total['done']} of {total['planned']} planned runs done"
    print(f"{name}: {done}, {stale} stale rows, mode {mode}")
    output.emit_table(("solver", *shown), rows)


def report(
    store: StoreDir,
    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="[default: STORE/report]"),
    ] = None,
    beside: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="STORE",
            help="Show its schedulers too in the plot of utilisation against fairness; repeatable.",
        ),
    ] = None,
    readme: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Instead, rewrite the blocks of this file that name stores beside STORE.",
        ),
    ] = None,
) -> None:
    """Write report.html, figures and tables from what is in the store, complete or not.

    Prints the headline, the result table and where the report is.
    """
    from kcut_bench.report import write_results
    from kcut_bench.results import load_results
    from kcut_bench.tables import summary_of, update_readme

    if readme is not None:
        changed = update_readme(readme, store.parent)
        print(f"{readme}: {'rewritten' if changed else 'up to date'}")
        return
    folder = out or store / "report"
    loaded = load_results(store, beside or [])
    written = write_results(loaded, folder)
    print(summary_of(loaded))
    print(f"{folder / 'report.html'} and {len(written) - 1} figures and tables beside it")


def cite(
    store: Annotated[
        Path | None, typer.Argument(metavar="[STORE]", help="Cite what this store used.")
    ] = None,
    solver: Annotated[
        list[str] | None, typer.Option("--solver", help="Cite this one; may be repeated.")
    ] = None,
) -> None:
    """Print BibTeX for the suite, the solvers and the papers behind them."""
    from kcut.registry import PROBLEMS_OF, get_solver
    from kcut_bench.cite import citation

    for name in solver or []:
        get_solver(name, tuple(p for problems in PROBLEMS_OF.values() for p in problems))
    print(citation(store, solver or []))


def _tally(counts: Counter[str]) -> dict[str, object]:
    return {
        "planned": counts["planned"],
        "done": counts["done"],
        "verdicts": {name: counts[name] for name in _verdicts()},
        "terminations": {name: counts[name] for name in _terminations()},
    }


def _verdicts() -> list[str]:
    from kcut.answer import Verdict

    return [verdict.value for verdict in Verdict]


def _terminations() -> list[str]:
    from kcut.answer import Termination

    return [termination.value for termination in Termination]
