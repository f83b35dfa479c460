"""The tables behind the results: scaling, paired tests, worst instances, failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

from kcut.errors import InputError
from kcut_bench.record import RunRecord
from kcut_bench.rerun import rerun_commands
from kcut_bench.results import (
    RELAXATION,
    InstanceKey,
    Results,
    counted_time_s,
    instance_key,
    is_solved,
    per_instance,
)
from kcut_bench.statistics import (
    joint_exponents,
    loglog_slope,
    paired_wilcoxon,
    slope_per_unit,
)
from kcut_bench.table import Cell, Column, Table, integer, percent, probability, ratio, text_column

NUM_WORST = 10


def scaling_table(results: Results) -> Table:
    """Return the fitted exponents of the run time in jobs and edges, and memory, per solver."""
    rows: list[tuple[Cell, ...]] = []
    for label, runs in results.by_label(results.compression).items():
        points = timed_points(runs)
        slope = loglog_slope([n for n, _ in points], [s for _, s in points]) if points else None
        sizes = [n for n, _ in points]
        timed = [r for r in runs if r.termination == "finished" and r.num_edges]
        both = [(r.num_jobs, r.num_edges, r.solve_s) for r in timed if r.solve_s]
        joint = joint_exponents(*zip(*both, strict=True)) if both else None
        memory = [(r.num_edges, r.peak_rss_bytes) for r in timed if r.peak_rss_bytes]
        per_edge = slope_per_unit(*zip(*memory, strict=True)) if memory else None
        rows.append(
            (
                label,
                len(points),
                min(sizes, default=None),
                max(sizes, default=None),
                slope.exponent if slope else None,
                slope.low if slope else None,
                slope.high if slope else None,
                *(joint or (None, None)),
                per_edge,
            )
        )
    columns = (
        text_column("solver", "Solver"),
        Column("num_runs", "Runs", integer),
        Column("fewest_jobs", "Fewest jobs", integer),
        Column("most_jobs", "Most jobs", integer),
        Column("exponent", "Exponent", ratio),
        Column("exponent_low", "from", ratio),
        Column("exponent_high", "to", ratio),
        Column("exponent_jobs", "Jobs, edges held", ratio),
        Column("exponent_edges", "Edges, jobs held", ratio),
        Column("bytes_per_edge", "Bytes an edge", integer),
    )
    caption = (
        "Exponent a of time = c · (jobs)^a, fitted by least squares on logarithms over finished "
        "runs, with its 95 % interval; families of different density are fitted together. Then "
        "the exponents of time = c · (jobs)^a · (edges)^b, where jobs and edges vary "
        "independently, and the slope of the peak memory of the whole process over the edges."
    )
    return Table("scaling", "Run time by size", caption, columns, tuple(rows))


def timed_points(runs: Iterable[RunRecord]) -> list[tuple[int, float]]:
    """Return (jobs, seconds) of the finished runs that took a measurable time."""
    return [(r.num_jobs, r.solve_s) for r in runs if r.termination == "finished" and r.solve_s]


def comparison_table(results: Results, baseline: str | None = None) -> Table:
    """Return a solver against every other of its problem: paired tests of gap, time, utilisation.

    Parameters
    ----------
    results : Results
    baseline : str, optional
        Label of the solver that the others are compared with; by default the variant of Crux
        that stands for it in each problem.

    Raises
    ------
    InputError
        If no run has that label.
    """
    labels = {results.label(record) for record in results.records}
    if baseline is not None and baseline not in labels:
        message = f"no such solver in this store (there are: {', '.join(sorted(labels))})"
        raise InputError(message, "--baseline", baseline)
    problems = sorted({record.problem for record in results.records} - {RELAXATION})
    rows = [row for problem in problems for row in _paired_tests(results, problem, baseline)]
    columns = (
        text_column("problem", "Problem"),
        text_column("baseline", "Solver"),
        text_column("solver", "Against"),
        text_column("measure", "Measure"),
        Column("num_pairs", "Pairs", integer),
        Column("num_different", "Different", integer),
        Column("median_difference", "Median difference", _signed),
        Column("p_value", "p", probability),
        Column("p_holm", "p (Holm)", probability),
    )
    caption = (
        "Wilcoxon's signed-rank test over the instances both solved, two-sided, corrected after "
        "Holm for the number of solvers. The difference is the first solver's minus the other's: "
        "a positive gap difference means that it is further from the optimum. No p below six "
        "differing pairs."
    )
    return Table("tests", "Paired tests", caption, columns, tuple(rows))


def _paired_tests(results: Results, problem: str, baseline: str | None) -> list[tuple[Cell, ...]]:
    runs = [record for record in results.records if record.problem == problem]
    first = baseline or results.crux_label_of(problem)
    groups = results.by_label(runs)
    if first not in groups:
        return []
    measures: tuple[tuple[str, Callable[[RunRecord], float | None]], ...] = (
        ("gap", results.gap),
        ("time (s)", counted_time_s),
        ("utilisation", lambda record: record.utilisation if is_solved(record) else None),
    )
    rows: list[tuple[Cell, ...]] = []
    for name, measure in measures:
        values = {
            label: {str(key): v for key, v in per_instance(some, measure).items()}
            for label, some in groups.items()
        }
        rows += [
            (
                problem,
                first,
                test.second,
                name,
                test.num_pairs,
                test.num_different,
                test.median_difference,
                test.p_value,
                test.p_holm,
            )
            for test in paired_wilcoxon(values, first)
        ]
    return rows


def _signed(cell: Cell) -> str:
    return f"{cell:+.3g}" if isinstance(cell, int | float) and cell != 0 else "0"


def worst_table(results: Results) -> Table:
    """Return the instances on which Crux is furthest off, and each other heuristic's worst."""
    measured = [
        (gap, run)
        for run in results.compression
        if not run.exact and (gap := results.gap(run)) is not None and gap > 0
    ]
    measured.sort(key=lambda pair: -pair[0])
    crux: dict[InstanceKey, tuple[float, RunRecord]] = {}
    others: dict[str, tuple[float, RunRecord]] = {}
    for gap, run in measured:
        if run.solver == "crux":
            crux.setdefault(instance_key(run), (gap, run))
        else:
            others.setdefault(results.label(run), (gap, run))
    chosen = [*list(crux.values())[:NUM_WORST], *others.values()]
    rows: list[tuple[Cell, ...]] = [
        (
            results.label(run),
            run.instance,
            run.num_jobs,
            run.levels,
            run.value,
            results.optimum(run),
            gap,
            rerun_commands(run, results.instances),
        )
        for gap, run in chosen
    ]
    columns = (
        text_column("solver", "Solver"),
        text_column("instance", "Instance"),
        Column("num_jobs", "Jobs", integer),
        Column("levels", "K", integer),
        Column("value", "Value", integer),
        Column("optimum", "Optimum", integer),
        Column("gap", "Gap", percent),
        text_column("commands", "Run it again", paper_cm=0),
    )
    caption = (
        f"The {NUM_WORST} instances with the largest gap of Crux to the proven optimum, then the "
        "worst instance of each other heuristic, with the commands that run each again."
    )
    return Table("worst", "Worst instances", caption, columns, tuple(rows))


def order_price_table(results: Results) -> Table:
    """Return the value without the order constraint beside the compression optimum."""
    rows: list[tuple[Cell, ...]] = []
    for (problem, sha256, levels), relaxed in sorted(results.references.items()):
        own = results.references.get(("compression", sha256, levels))
        if problem != RELAXATION or own is None or not own.proven:
            continue
        runs = [run for run in results.records if instance_key(run) == (problem, sha256, levels)]
        claimed = [run.bound for run in runs if run.bound is not None and is_solved(run)]
        upper = relaxed.value if relaxed.proven else min([*claimed, relaxed.bound])
        rows.append(
            (
                runs[0].instance,
                runs[0].num_jobs,
                levels,
                runs[0].total_weight,
                own.value,
                relaxed.value,
                upper,
                (relaxed.value - own.value) / relaxed.value if relaxed.value else 0.0,
                (upper - own.value) / upper if upper else 0.0,
            )
        )
    rows.sort(key=lambda row: (str(row[0]), row[2]))
    columns = (
        text_column("instance", "Instance"),
        Column("num_jobs", "Jobs", integer),
        Column("levels", "K", integer),
        Column("total_weight", "Total weight", integer),
        Column("optimum", "With order", integer),
        Column("relaxed_value", "Without: found", integer),
        Column("relaxed_bound", "Without: at most", integer),
        Column("price_at_least", "Price, at least", percent),
        Column("price_at_most", "Price, at most", percent),
    )
    caption = (
        "The price of order: the proven compression optimum beside ordinary Max K-Cut, which may "
        "cut edges whichever way they run. Price = (without − with) / without. “Found” is a "
        "verified value, so the lower price is certain; “at most” is the solver's own bound, which "
        "no certificate confirms unless it equals the value found or the total weight."
    )
    return Table("price-of-order", "The price of order", caption, columns, tuple(rows))


def unproven_table(results: Results) -> Table:
    """Return the instances without a proven optimum, with the interval it lies in."""
    first: dict[InstanceKey, RunRecord] = {}
    for run in results.compression:
        first.setdefault(instance_key(run), run)
    rows: list[tuple[Cell, ...]] = []
    for key, run in first.items():
        reference = results.references.get(key)
        if reference is None:
            rows.append((run.instance, run.num_jobs, run.levels, None, None, None))
        elif not reference.proven:
            low, high = reference.value, reference.bound
            width = (high - low) / high if high else 0.0
            rows.append((run.instance, run.num_jobs, run.levels, low, high, width))
    rows.sort(key=lambda row: (str(row[0]), row[2]))
    columns = (
        text_column("instance", "Instance"),
        Column("num_jobs", "Jobs", integer),
        Column("levels", "K", integer),
        Column("best_value", "Best value", integer),
        Column("least_bound", "Least bound", integer),
        Column("width", "Interval / bound", percent),
    )
    caption = (
        "Instances without a proven optimum, with the best verified value and the least certified "
        "bound. They are left out of every gap."
    )
    return Table("unproven", "Without a proven optimum", caption, columns, tuple(rows))


def failure_table(results: Results, verdict: str | None = None) -> Table:
    """Return runs that were not verified, grouped by reason; only one verdict if it is named."""
    groups: Counter[tuple[str, str, str, str]] = Counter()
    example: dict[tuple[str, str, str, str], str] = {}
    for run in results.records:
        wanted = run.verdict == verdict if verdict else run.verdict in ("rejected", "unverifiable")
        if wanted:
            kind = (results.label(run), run.termination, run.verdict, run.reason or run.detail)
            groups[kind] += 1
            example[kind] = min(example.get(kind, run.instance), run.instance)
    rows = tuple((*kind, groups[kind], example[kind]) for kind in sorted(groups))
    columns = (
        text_column("solver", "Solver"),
        text_column("termination", "Ended"),
        text_column("verdict", "Verdict"),
        text_column("reason", "Reason", paper_cm=6),
        Column("num_runs", "Runs", integer),
        text_column("example", "For example on"),
    )
    name = verdict or "not-verified"
    caption = "Runs whose answer was not verified, by reason."
    return Table(name, "Runs that were not verified", caption, columns, rows)
