"""``kcut online``: jobs come and go, and the levels follow."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import Json, check_levels, check_seed


def online(
    *,
    jobs: Annotated[int, typer.Option("--jobs", min=1, help="Jobs running at the start.")] = 500,
    links: Annotated[int, typer.Option("--links", min=1, help="Links.")] = 150,
    links_per_job: Annotated[int, typer.Option("--links-per-job", min=1, help="Of each job.")] = 2,
    events: Annotated[int, typer.Option("--events", min=1, help="Arrivals and departures.")] = 200,
    levels: Annotated[int, typer.Option("--levels", help="K.")] = 8,
    orders: Annotated[int, typer.Option("--orders", min=1, help="Orders that Crux draws.")] = 10,
    seed: Annotated[int, typer.Option("--seed", help="Of jobs and events.")] = 0,
    json: Json = False,
) -> None:
    """Let jobs arrive and depart, and reschedule after each event in four ways.

    Exactly from the levels before, with or without preferring few changes; exactly from scratch;
    and by Crux from scratch. Every optimum is proven. Times are CPU seconds an event.
    """
    import numpy as np

    from kcut.errors import InputError
    from kcut_bench.online import Run, follow

    check_levels(levels)
    check_seed(seed)
    if links_per_job > links:
        raise InputError(f"at most --links = {links}", "--links-per-job", links_per_job)
    run = Run(
        jobs, links, links_per_job, levels=levels, num_events=events, orders=orders, seed=seed
    )
    rows = []
    for path in follow(run):
        content: dict[str, Any] = {
            "policy": path.policy,
            "events": len(path.seconds),
            "median_s": float(np.median(path.seconds)),
            "p95_s": float(np.quantile(path.seconds, 0.95)),
            "mean_gap": float(np.mean(path.gaps)),
            "worst_gap": max(path.gaps),
            "mean_changed": float(np.mean(path.changed)),
            "mean_running": float(np.mean(path.running)),
        }
        if json:
            output.emit_json(content)
        rows.append(
            (
                path.policy,
                f"{1e3 * content['median_s']:.3g}",
                f"{1e3 * content['p95_s']:.3g}",
                output.percent(content["mean_gap"]),
                output.percent(content["worst_gap"]),
                f"{content['mean_changed']:.3g} of {content['mean_running']:.0f}",
            )
        )
    if not json:
        header = ("policy", "median ms", "95 % ms", "mean gap", "worst gap", "levels changed")
        output.emit_table(header, rows)
