"""Time shifts in a report: score against simulated utilisation, without and with drift."""

from __future__ import annotations

import json
from statistics import fmean, median

from kcut_bench.fairness import of_alone
from kcut_bench.figure import Figure, Mark, Panel, Series, styles
from kcut_bench.record import RunRecord
from kcut_bench.results import Results, is_solved, per_instance
from kcut_bench.simulation import DRIFT
from kcut_bench.table import Cell, Column, Table, integer, percent, ratio, seconds, text_column

PROBLEM = "time-shifts"


def _solved(results: Results) -> dict[str, list[RunRecord]]:
    return results.by_label(
        run for run in results.records if run.problem == PROBLEM and is_solved(run)
    )


def score_of(run: RunRecord) -> float:
    """Return the compatibility score of a run's shifts."""
    return float(json.loads(run.objectives or "{}").get("score", 0.0))


def error_of(run: RunRecord) -> float:
    """Return what rounding to steps is off at most, as a share of a job's period."""
    return float(json.loads(run.objectives or "{}").get("error", 0.0))


def drifting(run: RunRecord) -> float:
    """Return the utilisation with drift as a share of that alone."""
    return (run.utilisation_drift or 0.0) / run.utilisation_alone if run.utilisation_alone else 0.0


def shifts_table(results: Results) -> Table:
    """Return per solver the score, and what its shifts are worth without and with drift."""
    rows: list[tuple[Cell, ...]] = []
    for label, runs in _solved(results).items():
        gaps = [run.gap for run in runs if run.gap is not None]
        rows.append(
            (
                label,
                len(per_instance(runs, score_of)),
                fmean(map(score_of, runs)),
                min(map(score_of, runs)),
                median(gaps) if gaps else None,
                sum(run.proven for run in runs),
                fmean(of_alone(run, tied=True) for run in runs),
                fmean(map(of_alone, runs)),
                fmean(map(drifting, runs)),
                median(map(error_of, runs)),
                median([run.solve_s or 0.0 for run in runs]),
            )
        )
    columns = (
        text_column("solver", "Solver"),
        Column("num_instances", "Clusters", integer),
        Column("mean_score", "Mean score", ratio),
        Column("min_score", "Least", ratio),
        Column("median_gap", "Median gap in excess", percent),
        Column("num_certified", "Certified optimal", integer),
        Column("mean_unshifted", "Unshifted", percent),
        Column("mean_shifted", "Shifted", percent),
        Column("mean_shifted_drift", "Shifted, drift", percent),
        Column("median_error", "Error of the steps", percent),
        Column("median_solve_s", "Median time", seconds),
    )
    caption = (
        "Score: mean over the contended links of 1 less the excess over capacity (CASSINI). Gap in "
        "excess: (value - bound) / value. Then simulated utilisation as a share of that of the "
        "jobs alone: all beginning at once, shifted, and shifted where every computation lasts up "
        f"to {DRIFT:.0%} longer or shorter and nobody shifts again. Error: what rounding to steps "
        "moves a period or a transfer by at most, of the job's period."
    )
    return Table("time-shifts", "Time shifts: score and utilisation", caption, columns, tuple(rows))


def shifts_figure(results: Results) -> Figure:
    """Return simulated utilisation against the score, without and with drift."""
    name, title = "time-shifts", "What a score is worth in utilisation"
    groups = _solved(results)
    if not groups:
        return Figure(name, title, "No run shifted jobs in time.")
    style = styles(groups)
    panels = []
    for heading, share in (("No drift", of_alone), (f"Drift of {DRIFT:.0%}", drifting)):
        series = tuple(
            Series(
                label,
                tuple(map(score_of, runs)),
                tuple(map(share, runs)),
                Mark.POINTS,
                style[label],
                label,
                tuple(f"{run.instance}" for run in runs),
            )
            for label, runs in groups.items()
        )
        panels.append(Panel(heading, "score", "utilisation, of that alone", series, y_percent=True))
    caption = (
        "Simulated utilisation, as a share of that of the jobs alone, against the compatibility "
        "score. Each point is a run on a cluster. Left as planned; right with computations that "
        f"vary by up to {DRIFT:.0%}, so that shifts wear off."
    )
    alt = f"Scatter plots of utilisation against the score for {', '.join(groups)}."
    return Figure(name, title, caption, alt, tuple(panels))
