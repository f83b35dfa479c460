"""The tables every report opens with: definitions, coverage, results, gap by family."""

from __future__ import annotations

import statistics as plain
from collections import Counter

from kcut_bench.record import RunRecord
from kcut_bench.results import (
    Results,
    counted_time_s,
    family_of,
    is_solved,
    mean,
    per_instance,
)
from kcut_bench.statistics import TIME_SHIFT_S, bootstrap_mean, shifted_geometric_mean
from kcut_bench.table import Cell, Column, Table, integer, percent, ratio, seconds, text_column

TERMINATIONS = ("finished", "time_limit", "memory_limit", "killed", "crashed", "skipped")
VERDICTS = ("verified", "rejected", "unverifiable")
DEFINITIONS = (
    (
        "value",
        "Weight of the edges cut: the sum of w over edges u → v with L(u) > L(v). Maximised.",
    ),
    ("residual", "Weight that stays uncut: total weight − value."),
    (
        "bound",
        "Upper bound on every cut. A cover b proves Σ max(0, w − b) + (K−1) Σ max(0, out − in).",
    ),
    ("proven", "The value equals the bound of a certificate that was checked in exact integers."),
    (
        "reference",
        "The proven optimum of the instance: the value of a run that is proven. Without one there "
        "is only an interval, from the best verified value to the least certified bound, and the "
        "instance is left out of gaps.",
    ),
    (
        "utilisation",
        "Busy GPU-seconds over all GPU-seconds of a cluster's jobs, in the steady cycle of the "
        "fluid model: strict priority between levels, max-min fairness within.",
    ),
    ("gap", "(reference − value) / reference; 0 where both are 0."),
    ("residual ratio", "Residual / residual of the reference, where the latter is positive."),
    (
        "time",
        "Wall-clock seconds of the whole call of the solver, with building the model, without "
        f"checking. Means are geometric, shifted by {1000 * TIME_SHIFT_S:.0f} ms. A run stopped by "
        "its time limit or killed counts with the limit or its longer real time; runs that "
        "crashed, ran out of memory or were skipped have no time.",
    ),
    (
        "verified",
        "Everything claimed was confirmed: feasibility, the value, optimality if claimed.",
    ),
    ("rejected", "Something claimed is false; the row counts for nothing else."),
    ("unverifiable", "Nothing to check, or optimality claimed without a certificate."),
    ("skipped", "The solver declined, and says why. It is not a failure and not a zero."),
)


def definitions_table() -> Table:
    """Return what the report's words mean."""
    columns = (text_column("term", "Term"), text_column("meaning", "Meaning", paper_cm=11))
    return Table("definitions", "Definitions", "What the words of this report mean.", columns,
                 DEFINITIONS)  # fmt: skip


def coverage_table(results: Results) -> Table:
    """Return per solver how many runs were planned, what became of them, and how many lack."""
    planned = Counter(solver for _, _, solver in results.planned)
    done = Counter(record.solver for record in results.records)
    ended = Counter((record.solver, record.termination) for record in results.records)
    judged = Counter((record.solver, record.verdict) for record in results.records)
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (
            solver,
            planned[solver],
            done[solver],
            planned[solver] - done[solver],
            *(ended[solver, name] for name in TERMINATIONS),
            *(judged[solver, name] for name in VERDICTS),
        )
        for solver in sorted(planned.keys() | done.keys())
    )
    names = (*TERMINATIONS, *VERDICTS)
    columns = (
        text_column("solver", "Solver"),
        Column("planned", "Planned", integer),
        Column("done", "Done", integer),
        Column("not_done", "Not done", integer),
        *(Column(name, name.replace("_", " ").capitalize(), integer) for name in names),
    )
    caption = (
        "Planned and finished runs by solver, by how they ended and by what checking them found. "
        "Runs that are not done are unknown and count nowhere below."
    )
    return Table("coverage", "Coverage", caption, columns, rows)


def result_table(results: Results) -> Table:
    """Return one row a solver: what it solved, proved, missed and took."""
    rows: list[tuple[Cell, ...]] = []
    for label, runs in results.by_label(results.compression).items():
        gaps = per_instance(runs, results.gap)
        every_gap = [gap for gap in map(results.gap, runs) if gap is not None]
        residuals = list(per_instance(runs, lambda run: _residual_ratio(results, run)).values())
        times = [time for time in map(counted_time_s, runs) if time is not None]
        rows.append(
            (
                label,
                "exact" if runs[0].exact else "heuristic",
                len(runs),
                sum(map(is_solved, runs)),
                sum(run.verdict == "verified" for run in runs),
                sum(run.proven for run in runs),
                sum(run.verdict == "rejected" for run in runs),
                len(gaps),
                plain.median(gaps.values()) if gaps else None,
                mean(list(gaps.values())) if gaps else None,
                max(every_gap, default=None),
                mean(residuals) if residuals else None,
                len(times),
                shifted_geometric_mean(times, TIME_SHIFT_S) if times else None,
            )
        )
    columns = (
        text_column("solver", "Solver"),
        text_column("kind", "Kind"),
        Column("runs", "Runs", integer),
        Column("solved", "Solved", integer),
        Column("verified", "Verified", integer, paper_cm=0),
        Column("proven", "Proven optimal", integer),
        Column("rejected", "Rejected", integer),
        Column("num_reference", "With reference", integer),
        Column("median_gap", "Median gap", percent),
        Column("mean_gap", "Mean gap", percent),
        Column("max_gap", "Max gap", percent),
        Column("mean_residual_ratio", "Mean residual ratio", ratio),
        Column("num_timed", "Timed", integer, paper_cm=0),
        Column("time_s", "Time", seconds),
    )
    caption = (
        "Gaps are to the proven optimum, over the instances that have one and "
        "that the solver solved (“with reference”; the mean of an instance's runs, for the maximum "
        "the worst run). Time is the shifted geometric mean over the runs that have a time "
        "(“timed”)."
    )
    return Table("results", "Results by solver", caption, columns, tuple(rows))


def _residual_ratio(results: Results, run: RunRecord) -> float | None:
    optimum = results.optimum(run)
    if optimum is None or run.value is None or not is_solved(run) or optimum >= run.total_weight:
        return None
    return (run.total_weight - run.value) / (run.total_weight - optimum)


def family_gap_table(results: Results) -> Table:
    """Return the gap of each heuristic in each family, with an interval for the mean."""
    rows: list[tuple[Cell, ...]] = []
    families = sorted({family_of(run) for run in results.compression})
    heuristic = [run for run in results.compression if not run.exact]
    for family in families:
        runs_here = [run for run in heuristic if family_of(run) == family]
        for label, runs in results.by_label(runs_here).items():
            gaps = list(per_instance(runs, results.gap).values())
            if gaps:
                interval = bootstrap_mean(gaps)
                rows.append(
                    (family, label, len(gaps), sum(gap == 0 for gap in gaps), plain.median(gaps),
                     interval.estimate, interval.low, interval.high, max(gaps))
                )  # fmt: skip
    columns = (
        text_column("family", "Family"),
        text_column("solver", "Solver"),
        Column("num_instances", "Instances", integer),
        Column("num_optimal", "At optimum", integer),
        Column("median_gap", "Median gap", percent),
        Column("mean_gap", "Mean gap", percent),
        Column("mean_gap_low", "from", percent),
        Column("mean_gap_high", "to", percent),
        Column("max_gap", "Max gap", percent),
    )
    caption = (
        "Gap to the proven optimum by family, for the heuristics. “From” and “to” are the 95 % BCa "
        "bootstrap interval of the mean over instances; none is given below five instances."
    )
    return Table("gap-by-family", "Gap by family", caption, columns, tuple(rows))
