"""Utilisation against fairness, for every scheduler whose runs were simulated, of any problem.

Fairness is the largest slowdown of a job of the cluster: its iteration time over that alone.
"""

from __future__ import annotations

from collections import defaultdict
from statistics import fmean, median

from kcut_bench.figure import Figure, Mark, Panel, Series, styles
from kcut_bench.record import RunRecord
from kcut_bench.results import Results, is_solved, per_instance
from kcut_bench.table import Cell, Column, Table, integer, percent, ratio, text_column

TIED = "one level"
"""What all jobs on one level are called."""

_WIDE = 10.0
"""Slowdowns that spread by more than this factor get a logarithmic axis."""


def schedulers(results: Results) -> dict[str, list[RunRecord]]:
    """Return the solved runs on clusters that tell slowdowns, by name of the scheduler.

    The name is that of the solver, with its problem where runs are of several. Beside other stores
    only clusters count that every scheduler has a run on, if there are any.
    """
    every = [*results.records, *results.beside]
    runs = [run for run in every if is_solved(run) and run.max_slowdown is not None]
    several = len({run.problem for run in runs}) > 1
    groups: dict[str, list[RunRecord]] = defaultdict(list)
    for run in runs:
        label = results.label(run)
        groups[f"{run.problem}: {label}" if several else label].append(run)
    clusters = [set(map(_cluster, own)) for own in groups.values()]
    shared = set.intersection(*clusters) if clusters else set()
    if results.beside and shared:
        groups = {k: [r for r in own if _cluster(r) in shared] for k, own in groups.items()}
    return dict(sorted(groups.items()))


def _cluster(run: RunRecord) -> tuple[str | None, str, int | None, int]:
    """Return what identifies the cluster of a run, whatever problem it states."""
    return run.family, run.family_params, run.instance_seed, run.levels


def of_alone(run: RunRecord, *, tied: bool = False) -> float:
    """Return the utilisation of a run as a share of that of its jobs alone."""
    own = run.utilisation_tied if tied else run.utilisation
    return (own or 0.0) / run.utilisation_alone if run.utilisation_alone else 0.0


def fairness_figure(results: Results) -> Figure:
    """Return utilisation against the largest slowdown: each run, and each scheduler's medians."""
    name, title = "fairness", "Utilisation against fairness"
    groups = schedulers(results)
    if not groups:
        return Figure(name, title, "No run is on a cluster, so there is nothing to simulate.")
    style = styles(groups)
    every = [run for runs in groups.values() for run in runs]
    apart = {(_cluster(run), run.max_slowdown_tied): run for run in every}
    tied = list(apart.values())
    points, medians = [], []
    for label, runs in groups.items():
        slow = tuple(run.max_slowdown or 1.0 for run in runs)
        share = tuple(map(of_alone, runs))
        notes = tuple(f"{run.instance}, K = {run.levels}" for run in runs)
        points.append(Series(label, slow, share, Mark.POINTS, style[label], label, notes))
        middle = (median(slow),), (median(share),)
        medians.append(Series(label, *middle, Mark.POINTS, style[label], label, (label,)))
    slow = tuple(run.max_slowdown_tied or 1.0 for run in tied)
    share = tuple(of_alone(run, tied=True) for run in tied)
    notes = tuple(run.instance for run in tied)
    points.append(Series(TIED, slow, share, Mark.OPEN_POINTS, -1, TIED, notes))
    middle = (median(slow),), (median(share),)
    medians.append(Series(TIED, *middle, Mark.OPEN_POINTS, -1, TIED, (TIED,)))
    panels = tuple(
        Panel(heading, "largest slowdown of a job", "utilisation, of that alone", tuple(series),
              x_log=_spread(series), y_percent=True)
        for heading, series in (("Each run", points), ("Medians", medians))
    )  # fmt: skip
    caption = (
        "Further left is fairer, further up is better used: 1 and 100 % are what the jobs do "
        "alone. Largest slowdown: iteration time over that alone, of the job that suffers most. "
        "Left each run on a cluster, right the medians of each scheduler. Open points: all jobs "
        "on one level, without shifts."
    )
    best = max(groups, key=lambda label: median(map(of_alone, groups[label])))
    fair = min(groups, key=lambda label: median(run.max_slowdown or 1.0 for run in groups[label]))
    alt = (
        f"Scatter plots of utilisation against the largest slowdown for {len(groups)} schedulers. "
        f"Best used in the median: {best}; fairest: {fair}."
    )
    return Figure(name, title, caption, alt, panels)


def _spread(series: list[Series]) -> bool:
    slow = [float(x) for one in series for x in one.x]
    return max(slow) > _WIDE * min(slow)


def fairness_table(results: Results) -> Table:
    """Return per scheduler its utilisation and how evenly contention is borne."""
    rows: list[tuple[Cell, ...]] = []
    for label, runs in schedulers(results).items():
        slow = [run.max_slowdown or 1.0 for run in runs]
        tied = [run.max_slowdown_tied or 1.0 for run in runs]
        rows.append(
            (
                label,
                len(per_instance(runs, lambda run: run.max_slowdown)),
                fmean(map(of_alone, runs)),
                fmean(of_alone(run, tied=True) for run in runs),
                median(slow),
                max(slow),
                median(tied),
                fmean(run.jain or 0.0 for run in runs),
            )
        )
    columns = (
        text_column("scheduler", "Scheduler"),
        Column("num_instances", "Clusters", integer),
        Column("mean_utilisation_of_alone", "Utilisation, of alone", percent),
        Column("mean_utilisation_of_alone_tied", "One level", percent),
        Column("median_max_slowdown", "Median largest slowdown", ratio),
        Column("max_max_slowdown", "Worst", ratio),
        Column("median_max_slowdown_tied", "Median, one level", ratio),
        Column("mean_jain", "Jain's index", ratio),
    )
    caption = (
        "Utilisation as a share of that of the jobs alone, mean; the largest slowdown of a job of "
        "the cluster, median and worst; Jain's index of the jobs' speeds relative to alone, mean "
        "(1: all slowed down alike). “One level”: all jobs tied, without shifts."
    )
    return Table("fairness", "Utilisation and fairness", caption, columns, tuple(rows))
