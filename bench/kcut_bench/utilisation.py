"""What a gap in cut weight is worth in GPU utilisation, on the clusters of a store.

Cut weight is a surrogate. The simulated utilisation of a run's levels is set against that of the
levels that are proven to cut most, of all jobs on one level, and of each job alone. Beside busy
GPUs stands the work they do, which is what intensity, and so the weight of an edge, counts.
"""

from __future__ import annotations

from kcut_bench.cost import cost_of_loss
from kcut_bench.figure import Figure, Mark, Panel, Series
from kcut_bench.record import RunRecord
from kcut_bench.results import InstanceKey, Results, instance_key, is_solved, mean, per_instance
from kcut_bench.table import DASH, Cell, Column, Table, integer, percent, ratio, text_column

GPUS = 1_000
"""The size of cluster that a loss is stated for."""


def simulated_runs(results: Results) -> list[RunRecord]:
    """Return the solved runs of compression whose levels were simulated."""
    return [run for run in results.compression if is_solved(run) and run.utilisation is not None]


def at_optimal_cut(results: Results) -> dict[InstanceKey, float]:
    """Return, by instance, the utilisation of levels that are proven to cut most.

    There may be several such levels; those of ``min-cuts`` are taken where it ran, else those of
    the first proven run by name.
    """
    found: dict[InstanceKey, float] = {}
    for run in sorted(simulated_runs(results), key=lambda run: run.solver != "min-cuts"):
        if run.proven and run.utilisation is not None:
            found.setdefault(instance_key(run), run.utilisation)
    return found


def utilisation_table(results: Results) -> Table:
    """Return per solver the utilisation of its levels, and what that is worth."""
    optimal = at_optimal_cut(results)

    def gain(run: RunRecord) -> float | None:
        key = instance_key(run)
        if run.utilisation is None or key not in optimal:
            return None
        return run.utilisation - optimal[key]

    rows: list[tuple[Cell, ...]] = []
    for label, runs in results.by_label(simulated_runs(results)).items():
        gains = [one for one in map(gain, runs) if one is not None]
        gaps = list(per_instance(runs, results.gap).values())
        lost = cost_of_loss(mean([_lost_share(run) for run in runs]), GPUS)
        rows.append(
            (
                label,
                "exact" if runs[0].exact else "heuristic",
                len(per_instance(runs, lambda run: run.utilisation)),
                mean(gaps) if gaps else None,
                mean([run.utilisation or 0.0 for run in runs]),
                mean([(run.utilisation or 0.0) - (run.utilisation_tied or 0.0) for run in runs]),
                mean([run.work_share or 0.0 for run in runs]),
                mean([(run.work_share or 0.0) - (run.work_share_tied or 0.0) for run in runs]),
                mean(gains) if gains else None,
                min(gains, default=None),
                max(gains, default=None),
                lost.gpus,
                round(lost.dollars_per_day),
            )
        )
    columns = (
        text_column("solver", "Solver"),
        text_column("kind", "Kind"),
        Column("num_instances", "Clusters", integer),
        Column("mean_gap", "Mean cut gap", percent),
        Column("mean_utilisation", "Mean utilisation", percent),
        Column("against_tied", "Over all tied", _points),
        Column("mean_work_share", "Mean work", percent),
        Column("work_against_tied", "Work over all tied", _points),
        Column("against_optimum", "Over optimal cut", _points),
        Column("least", "Least", _points),
        Column("most", "Most", _points),
        Column("lost_gpus", "GPUs lost per 1,000", ratio),
        Column("lost_dollars_per_day", "Dollars a day", integer, paper_cm=0),
    )
    caption = (
        "Simulated utilisation of the levels found. “Over all tied”: points above all jobs on one "
        "level, mean, and “work over all tied” the same of work; “over optimal cut”: points above "
        "the levels proven to cut most. Work: flop a second as a share of what the jobs do alone, "
        "which Crux maximises. Lost is what falls "
        "short of every job alone, for 1,000 GPUs at 40 dollars an hour for eight."
    )
    return Table("utilisation", "Utilisation", caption, columns, tuple(rows))


def _lost_share(run: RunRecord) -> float:
    """Return the share of the utilisation without contention that is lost."""
    if run.utilisation is None or not run.utilisation_alone:
        return 0.0
    return max(0.0, 1 - run.utilisation / run.utilisation_alone)


def _points(cell: Cell) -> str:
    """Show a difference of utilisations in percentage points, with its sign."""
    if cell is None:
        return DASH
    return f"{100 * float(cell):+.2f}" if cell else "0"


def utilisation_figure(results: Results) -> Figure:
    """Return utilisation against the cut gap, and against all jobs on one level."""
    name, title = "utilisation", "What cut weight is worth in utilisation"
    optimal = at_optimal_cut(results)
    style = results.styles()
    by_gap, by_tied = [], []
    ends = [1.0, 0.0]
    for label, runs in results.by_label(simulated_runs(results)).items():
        notes = tuple(f"{run.instance}, K = {run.levels}" for run in runs)
        tied = tuple(run.utilisation_tied or 0.0 for run in runs)
        own = tuple(run.utilisation or 0.0 for run in runs)
        ends = [min(ends[0], *tied, *own), max(ends[1], *tied, *own)]
        by_tied.append(Series(label, tied, own, Mark.POINTS, style[label], label, notes))
        known = [run for run in runs if instance_key(run) in optimal]
        if known and not runs[0].exact:
            gaps = tuple(results.gap(run) or 0.0 for run in known)
            gains = tuple((run.utilisation or 0.0) - optimal[instance_key(run)] for run in known)
            notes = tuple(f"{run.instance}, K = {run.levels}" for run in known)
            by_gap.append(Series(label, gaps, gains, Mark.POINTS, style[label], label, notes))
    if not by_tied:
        return Figure(name, title, "No run of compression is on a cluster.")
    by_tied.append(Series("no gain", tuple(ends), tuple(ends), Mark.LINE, -1, "no gain"))
    panels = [
        Panel("Gained by levels", "utilisation, all jobs on one level", "utilisation",
              tuple(by_tied), x_percent=True, y_percent=True)
    ]  # fmt: skip
    if by_gap:
        gap_panel = Panel("Gained or lost by the gap", "cut gap to the proven optimum",
                          "points over the optimal cut", tuple(by_gap),
                          x_percent=True, y_percent=True)  # fmt: skip
        panels.append(gap_panel)
    caption = (
        "Left: utilisation with the levels found against all jobs on one level; below the dashed "
        "line the levels cost utilisation. Right: what a gap in cut weight is worth; above 0 a "
        "smaller cut serves the GPUs better than the largest. Each point is a run on a cluster. "
        "Reference: the proven optimum of each cut."
    )
    alt = f"Scatter plots of simulated utilisation for {len(by_tied) - 1} solvers."
    return Figure(name, title, caption, alt, tuple(panels))


def utilisation_sentence(results: Results) -> str:
    """Return what Crux's and the optimal levels are worth, in a sentence, or nothing."""
    crux = results.crux_label
    optimal = at_optimal_cut(results)
    shared = [
        run
        for run in simulated_runs(results)
        if results.label(run) == crux and instance_key(run) in optimal
    ]
    own = per_instance(shared, lambda run: run.utilisation)
    if not own:
        return ""
    tied = per_instance(shared, lambda run: run.utilisation_tied)
    alone = per_instance(shared, lambda run: run.utilisation_alone)
    shown = [percent(mean(list(group.values()))) for group in (own, tied, alone)]
    work = per_instance(shared, lambda run: run.work_share)
    work_tied = per_instance(shared, lambda run: run.work_share_tied)
    done = [percent(mean(list(group.values()))) for group in (work, work_tied)]
    best = percent(mean([optimal[key] for key in own]))
    count = f"{len(own):,} cluster instance{'' if len(own) == 1 else 's'}"
    return (
        f"In simulated GPU utilisation, on the mean of {count}: {best} with the levels that cut "
        f"most, {shown[0]} with those of {crux}, {shown[1]} with all jobs on one level, {shown[2]} "
        f"without contention; in work done, {done[0]} of that without contention with those of "
        f"{crux}, {done[1]} with all jobs on one level."
    )
