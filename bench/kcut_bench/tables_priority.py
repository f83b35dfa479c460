"""Priority orders in a report: utilisation below the best known order, and what k leaves open.

The best known value of an instance is that of any run: where ``enumerate`` finished on cycles it is
the true optimum of the simulated utilisation.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean, median
from typing import Any

from kcut_bench.record import RunRecord
from kcut_bench.results import PRIORITY, Results, is_solved
from kcut_bench.table import Cell, Column, Table, integer, percent, ratio, text_column

SHOWN = ("intensity", "crux", "crux-all-pairs", "lop-milp", "sebf", "bssi", "local-search")
"""Solvers with a column of their own in the table by kind of instance."""

_UNDEFINED = re.compile(r"(0/0|x/0|-x/-y) for (\d+)")
_Kind = tuple[str, int, float | None, float | None, float | None]


def priority_tables(results: Results) -> list[Table]:
    """Return the tables of priority orders; they have no rows in a store of other problems."""
    return [
        order_table(results),
        kind_table(results),
        undefined_table(results),
        weights_table(results),
    ]


def _by_utilisation(results: Results) -> list[RunRecord]:
    """Return the solved runs on clusters that were judged by utilisation."""
    found = []
    for run in results.records:
        if run.problem == PRIORITY and is_solved(run) and run.num_gpus is not None:
            objective = json.loads(run.solver_params).get("objective")
            if objective in ("auto", "utilisation"):
                found.append(run)
    return found


def _best(runs: Iterable[RunRecord]) -> dict[str, float]:
    best: dict[str, float] = defaultdict(float)
    for run in runs:
        best[run.instance_sha256] = max(best[run.instance_sha256], run.value or 0.0)
    return best


def _gap(run: RunRecord, best: dict[str, float]) -> float:
    most = best[run.instance_sha256]
    return (most - (run.value or 0.0)) / most if most else 0.0


def order_table(results: Results) -> Table:
    """Return per solver how far its orders are below the best known."""
    runs = _by_utilisation(results)
    best = _best(runs)
    rows: list[tuple[Cell, ...]] = []
    for label, group in results.by_label(runs).items():
        gaps = [_gap(run, best) for run in group]
        rows.append(
            (
                label,
                len({run.instance_sha256 for run in group}),
                fmean([run.value or 0.0 for run in group]),
                fmean(gaps),
                median(gaps),
                max(gaps),
                sum(gap < 1e-9 for gap in gaps) / len(gaps),
                sum(run.claim == "optimal" for run in group),
                median([run.solve_s or 0.0 for run in group]),
            )
        )
    columns = (
        text_column("solver", "Solver"),
        Column("num_instances", "Instances", integer),
        Column("mean_utilisation", "Mean utilisation", percent),
        Column("mean_gap", "Mean gap", percent),
        Column("median_gap", "Median gap", percent),
        Column("max_gap", "Largest gap", percent),
        Column("share_best", "Best of all", percent),
        Column("num_claimed", "Claimed optimal", integer),
        Column("median_solve_s", "Median seconds", ratio),
    )
    caption = (
        "Priority orders. Gap: what the simulated utilisation of an order lacks to the best order "
        "that any solver found on the instance, over that. A claim of optimality rests on "
        "enumeration whose simulations all ran into cycles."
    )
    return Table("priority-gap", "Orders: utilisation", caption, columns, tuple(rows))


def _kind(run: RunRecord) -> _Kind:
    params: dict[str, Any] = json.loads(run.family_params)
    where = str(params.get("fabric", run.family or "file"))
    return where, run.num_jobs, params.get("overlap"), params.get("spread"), params.get("load")


def kind_table(results: Results) -> Table:
    """Return the mean gap by number of jobs, overlap, spread of iteration times and load."""
    runs = _by_utilisation(results)
    best = _best(runs)
    kinds: dict[_Kind, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    instances: dict[_Kind, set[str]] = defaultdict(set)
    for run in runs:
        kind = _kind(run)
        instances[kind].add(run.instance_sha256)
        # Of several variants of a solver, the one with the parameters it has by default.
        if results.label(run).split(" ")[0] in SHOWN and _is_plain(run):
            kinds[kind][run.solver].append(_gap(run, best))
    rows = [
        (
            *kind,
            len(instances[kind]),
            *(fmean(kinds[kind][s]) if kinds[kind][s] else None for s in SHOWN),
        )
        for kind in sorted(instances, key=lambda k: (*k[:2], *(part or 0.0 for part in k[2:])))
    ]
    columns = (
        text_column("fabric", "Fabric"),
        Column("num_jobs", "Jobs", integer),
        Column("overlap", "Overlap", ratio),
        Column("spread", "Spread", ratio),
        Column("load", "Load", ratio),
        Column("num_instances", "Instances", integer),
        *(Column(name.replace("-", "_"), name, percent) for name in SHOWN),
    )
    caption = "Mean gap in utilisation to the best order known, by kind of instance."
    return Table("priority-kinds", "Orders: gap by kind", caption, columns, tuple(rows))


def _is_plain(run: RunRecord) -> bool:
    """Whether a run has the default parameters of its solver."""
    from kcut.registry import get_solver

    declared = get_solver(run.solver, (PRIORITY,)).params
    given: dict[str, Any] = json.loads(run.solver_params)
    return all(given[name] == p.default for name, p in declared.items() if name in given)


def undefined_table(results: Results) -> Table:
    """Return where Crux's corrections divide by zero, and the gap with and without that."""
    runs = [run for run in _by_utilisation(results) if run.solver == "crux"]
    best = _best(_by_utilisation(results))
    rows: list[tuple[Cell, ...]] = []
    groups: dict[tuple[str, float | None], list[RunRecord]] = defaultdict(list)
    for run in runs:
        groups[results.label(run), _kind(run)[2]].append(run)
    for (label, overlap), group in sorted(groups.items(), key=lambda g: (g[0][0], g[0][1] or 0.0)):
        counts = [dict(_UNDEFINED.findall(run.detail)) for run in group]
        jobs = sum(run.num_jobs for run in group)
        without = [_gap(r, best) for r, c in zip(group, counts, strict=True) if not c]
        with_some = [_gap(r, best) for r, c in zip(group, counts, strict=True) if c]
        shares = [sum(int(c.get(kind, 0)) for c in counts) / jobs for kind in _KINDS]
        rows.append(
            (
                label,
                overlap,
                len(group),
                *shares,
                len(with_some),
                fmean(with_some) if with_some else None,
                fmean(without) if without else None,
            )
        )
    columns = (
        text_column("solver", "Solver"),
        Column("overlap", "Overlap", ratio),
        Column("num_runs", "Runs", integer),
        Column("neither", "0/0", percent),
        Column("free", "x/0", percent),
        Column("perverse", "-x/-y", percent),
        Column("num_undefined", "Runs with some", integer),
        Column("gap_undefined", "Their mean gap", percent),
        Column("gap_defined", "Mean gap of others", percent),
    )
    caption = (
        "Crux's k_j as quotients: share of the jobs for which neither job loses by coming second "
        "(0/0), the reference loses nothing (x/0), or both gain by it (-x/-y)."
    )
    return Table("priority-undefined", "Orders: undefined k", caption, columns, tuple(rows))


_KINDS = ("0/0", "x/0", "-x/-y")


def weights_table(results: Results) -> Table:
    """Return what replayed weights are worth beside intensities, by number of levels."""
    runs = [run for run in results.compression if is_solved(run) and run.utilisation is not None]
    pairs: dict[tuple[str, int, str], dict[str, float]] = defaultdict(dict)
    for run in runs:
        params: dict[str, Any] = json.loads(run.family_params)
        weights = str(params.pop("weights", "intensity"))
        which = json.dumps([run.family, params, run.instance_seed, run.seed], sort_keys=True)
        pairs[results.label(run), run.levels, which][weights] = run.utilisation or 0.0
    groups: dict[tuple[str, int], list[tuple[float, float]]] = defaultdict(list)
    for (label, levels, _), found in pairs.items():
        if "replay" in found and "intensity" in found:
            groups[label, levels].append((found["intensity"], found["replay"]))
    rows: list[tuple[Cell, ...]] = [
        (
            label,
            levels,
            len(both),
            fmean([one for one, _ in both]),
            fmean([other for _, other in both]),
            fmean([other - one for one, other in both]),
            sum(other > one + 1e-9 for one, other in both),
            sum(other < one - 1e-9 for one, other in both),
        )
        for (label, levels), both in sorted(groups.items())
    ]
    columns = (
        text_column("solver", "Solver"),
        Column("levels", "K", integer),
        Column("num_instances", "Clusters", integer),
        Column("by_intensity", "Utilisation, intensity", percent),
        Column("by_replay", "Utilisation, replay", percent),
        Column("gained", "Gained", percent),
        Column("num_better", "Better on", integer),
        Column("num_worse", "Worse on", integer),
    )
    caption = (
        "Simulated utilisation of the levels of the same solver on the same clusters, edges of the "
        "contention DAG weighed by the upper job's intensity or by pair replay."
    )
    return Table("weights", "Weights of the contention DAG", caption, columns, tuple(rows))
