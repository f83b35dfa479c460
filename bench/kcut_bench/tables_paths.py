"""Path selection in a report: gaps in contention, utilisation, and what predicts utilisation.

Contention is minimised: the gap of a run is ``(value - bound) / value`` with the best bound that
any run on the instance has, certified or a solver's own.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean, median
from typing import Any

import numpy as np

from kcut.paths import MAXIMISED
from kcut_bench.record import RunRecord
from kcut_bench.results import Results, is_solved
from kcut_bench.table import Cell, Column, Table, integer, percent, ratio, text_column

PROBLEM = "paths"
NEAR = 0.01
"""The gap whose reaching is timed."""
PREDICTORS = ("contention", "max-load", "predicted-utilisation", "residual")


def paths_tables(results: Results) -> list[Table]:
    """Return the tables of path selection; they have no rows in a store of other problems."""
    return [paths_gap_table(results), correlation_table(results)]


def paths_sentence(results: Results) -> str:
    """Return what a store says of path selection: Crux's gap, and the surrogate to optimise.

    Empty where no path was chosen.
    """
    gaps = _gaps_of_crux(results)
    correlations = correlation_table(results).rows
    sentences = []
    if gaps:
        sentences.append(
            f"On {len(gaps):,} instances Crux's paths have a median gap of {percent(median(gaps))} "
            f"in contention to the best known bound, at worst {percent(max(gaps))}."
        )
    if correlations:
        by_rank = sorted(correlations, key=lambda row: -float(row[2] or 0.0))
        others = ", ".join(f"{row[0]} {ratio(row[2])}" for row in by_rank[1:])
        least = min(correlations, key=lambda row: float(row[4] or 0.0))
        sentences.append(
            f"Of the objectives that need no simulation, {by_rank[0][0]} ranks the solutions of an "
            f"instance most as their simulated utilisation does (mean rank correlation "
            f"{ratio(by_rank[0][2])}; {others}); the best solution by {least[0]} lacks least to "
            f"the best that was simulated: {percent(least[4])} of the GPUs' time on average."
        )
    return " ".join(sentences)


def _gaps_of_crux(results: Results) -> list[float]:
    """Return the gap of Crux, by its default metric in one pass, on each instance."""
    bounds = _best_bounds(results)
    gaps: dict[str, float] = {}
    for run in _solved(results):
        params = _params(run)
        default = params.get("metric") == "bottleneck" and params.get("passes") == 1
        if run.solver == "crux" and default and params["objective"] == "contention":
            gaps[run.instance_sha256] = _gap(run, bounds[run.instance_sha256])
    return list(gaps.values())


def _best_bounds(results: Results) -> dict[str, float]:
    """Return the best bound on contention of each instance; 0 without one."""
    bounds: dict[str, float] = defaultdict(float)
    for run in _solved(results):
        # A bound under a limit on bottleneck times does not hold without it.
        params = _params(run)
        aimed = params["objective"] == "contention" and params["stretch"] == 0
        if aimed and run.bound is not None:
            bounds[run.instance_sha256] = max(bounds[run.instance_sha256], run.bound)
    return bounds


def _solved(results: Results) -> list[RunRecord]:
    return [run for run in results.records if run.problem == PROBLEM and is_solved(run)]


def _params(run: RunRecord) -> dict[str, Any]:
    params: dict[str, Any] = json.loads(run.solver_params)
    return params


def paths_gap_table(results: Results) -> Table:
    """Return per solver and size the gap in contention and the simulated utilisation."""
    runs = _solved(results)
    aimed = {run.key for run in runs if _params(run)["objective"] == "contention"}
    bounds = _best_bounds(results)
    groups: dict[tuple[str, str, int, int], list[RunRecord]] = defaultdict(list)
    for run in runs:
        tors = int(json.loads(run.family_params).get("tors", 0))
        groups[results.label(run), run.family or "", run.num_jobs, tors].append(run)
    rows: list[tuple[Cell, ...]] = []
    for (label, family, num_jobs, tors), group in sorted(groups.items()):
        gaps = [_gap(run, bounds[run.instance_sha256]) for run in group if run.key in aimed]
        near = (_seconds_to_near(run, bounds[run.instance_sha256]) for run in group)
        reached = [seconds for seconds in near if seconds is not None] if gaps else []
        shares = [run.utilisation for run in group if run.utilisation is not None]
        rows.append(
            (
                label,
                family,
                num_jobs,
                tors or None,
                len({run.instance_sha256 for run in group}),
                median(gaps) if gaps else None,
                max(gaps, default=None),
                len(reached) if gaps else None,
                median(reached) if reached else None,
                sum(run.proven for run in group),
                fmean(shares) if shares else None,
                median([run.solve_s or 0.0 for run in group]),
            )
        )
    columns = (
        text_column("solver", "Solver"),
        text_column("family", "Family"),
        Column("num_jobs", "Jobs", integer),
        Column("tors", "ToR", integer),
        Column("num_instances", "Instances", integer),
        Column("median_gap", "Median gap", percent),
        Column("max_gap", "Largest gap", percent),
        Column("num_near", f"Gap of {NEAR:.0%} reached", integer),
        Column("near_s", f"Median seconds to {NEAR:.0%}", ratio),
        Column("num_certified", "Certified optimal", integer),
        Column("mean_utilisation", "Mean utilisation", percent),
        Column("median_solve_s", "Median seconds", ratio),
    )
    caption = (
        "Path selection. Gap in contention: (value - bound) / value with the best bound of any run "
        "on the instance, for runs that optimise contention, and the seconds after which a run had "
        "a solution within 1 % of that bound. Utilisation: simulated, on the best "
        "levels for the paths."
    )
    return Table("paths-gap", "Paths: gap and utilisation", caption, columns, tuple(rows))


def _gap(run: RunRecord, bound: float) -> float:
    assert run.value is not None
    return (run.value - bound) / run.value if run.value else 0.0


def _seconds_to_near(run: RunRecord, bound: float) -> float | None:
    """Return after how long a run had a solution within `NEAR` of a bound; None if never."""
    if _gap(run, bound) > NEAR:
        return None
    found = json.loads(run.incumbents)
    if not found or not run.value or not found[-1][1]:
        return run.solve_s
    # Incumbents are integers in a unit of the instance; the last one is the value.
    unit = run.value / found[-1][1]
    times = [s for s, value in found if value and (value * unit - bound) / (value * unit) <= NEAR]
    return float(min(times, default=run.solve_s or 0.0))


def correlation_table(results: Results) -> Table:
    """Return how well each objective ranks the solutions of an instance by utilisation.

    Over the distinct solutions of an instance, by their stored values under every objective.
    Spearman's coefficient, the sign turned where less is better.
    """
    found: dict[str, list[float]] = defaultdict(list)
    best: dict[str, list[float]] = defaultdict(list)
    for runs in _by_instance(_solved(results)):
        values, utilisation = _values_of(runs)
        if len(utilisation) < 3 or len(set(utilisation)) < 2:
            continue
        top = max(utilisation)
        for name in PREDICTORS:
            found[name].append(_spearman(values[name], utilisation))
            best[name].append(top - utilisation[int(np.argmax(values[name]))])
    rows = tuple(
        (name, len(found[name]), fmean(found[name]), min(found[name]), fmean(best[name]))
        for name in PREDICTORS
        if found[name]
    )
    columns = (
        text_column("objective", "Objective"),
        Column("num_instances", "Instances", integer),
        Column("mean_correlation", "Mean rank correlation", ratio),
        Column("min_correlation", "Least", ratio),
        Column("lost_utilisation", "Lost by its best", percent),
    )
    caption = (
        "Rank correlation of each objective with simulated utilisation over the solutions of an "
        "instance, and the utilisation that its best solution lacks to the best simulated one."
    )
    title = "Paths: what predicts utilisation"
    return Table("paths-correlation", title, caption, columns, rows)


def _by_instance(runs: Iterable[RunRecord]) -> list[list[RunRecord]]:
    groups: dict[tuple[str, int], list[RunRecord]] = defaultdict(list)
    for run in runs:
        if run.utilisation is not None and run.objectives is not None:
            groups[run.instance_sha256, run.levels].append(run)
    return list(groups.values())


def _values_of(runs: list[RunRecord]) -> tuple[dict[str, list[float]], list[float]]:
    """Return the values of the distinct solutions, more is better, and their utilisation."""
    # What has the same value under every objective is the same solution, or as good as that.
    distinct = {run.objectives: run for run in runs if run.objectives is not None}
    values: dict[str, list[float]] = {name: [] for name in PREDICTORS}
    for text in distinct:
        stated = json.loads(text)
        for name in PREDICTORS:
            values[name].append(stated[name] * (1 if name in MAXIMISED else -1))
    return values, [run.utilisation or 0.0 for run in distinct.values()]


def _spearman(values: list[float], others: list[float]) -> float:
    """Return Spearman's rank correlation; 0 where one of the two is constant."""
    from scipy.stats import spearmanr

    if len(set(values)) < 2 or len(set(others)) < 2:
        return 0.0
    return float(spearmanr(values, others).statistic)
