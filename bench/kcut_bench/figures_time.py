"""The figures of a report about time: run time by size, performance profile, cactus."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from kcut_bench.figure import Figure, Mark, Panel, Series
from kcut_bench.record import RunRecord
from kcut_bench.results import (
    InstanceKey,
    Results,
    counted_time_s,
    instance_key,
    is_solved,
    per_instance,
)
from kcut_bench.statistics import loglog_slope, performance_profiles
from kcut_bench.tables_detail import timed_points


def runtime_figure(results: Results) -> Figure:
    """Return the solve time by number of jobs, log-log, with a fitted power law per solver."""
    name, title = "time-by-size", "Run time by size"
    style = results.styles()
    series: list[Series] = []
    slopes = []
    stopped_runs = 0
    for label, runs in results.by_label(results.compression).items():
        points = timed_points(runs)
        stopped = [run for run in runs if run.termination in ("time_limit", "killed")]
        limits = [(run.num_jobs, seconds) for run in stopped if (seconds := counted_time_s(run))]
        stopped_runs += len(limits)
        legend = label
        if points:
            sizes, times = zip(*points, strict=True)
            slope = loglog_slope(sizes, times)
            if slope is not None:
                legend = f"{label}, n^{slope.exponent:.2f}"
                slopes.append(f"{label} {slope.exponent:.2f}")
                ends = (float(min(sizes)), float(max(sizes)))
                fitted = tuple(slope.scale * n**slope.exponent for n in ends)
                series.append(Series(f"{label}, fit", ends, fitted, Mark.LINE, style[label]))
            notes = tuple(
                f"{run.instance}, K = {run.levels}"
                for run in runs
                if run.termination == "finished" and run.solve_s
            )
            series.append(Series(label, sizes, times, Mark.POINTS, style[label], legend, notes))
        if limits:
            sizes, times = zip(*limits, strict=True)
            shown = "" if points else label
            series.append(
                Series(f"{label}, stopped", sizes, times, Mark.OPEN_POINTS, style[label], shown)
            )
    if not series:
        return Figure(name, title, "No run has a measured time.")
    open_points = (
        f" {stopped_runs} runs stopped by their limit are open points, outside the fits."
        if stopped_runs
        else ""
    )
    caption = (
        "Wall-clock time of each finished run against the number of jobs n, and the power law "
        "fitted to each solver (its exponent in the legend, intervals in the table of scaling). "
        f"Families of different density are drawn together. No reference is used.{open_points}"
    )
    alt = f"Log-log scatter plot of solve time by jobs. Fitted exponents: {', '.join(slopes)}."
    panel = Panel("", "jobs n", "solve time (s)", tuple(series), x_log=True, y_log=True)
    return Figure(name, title, caption, alt, (panel,))


def profile_figure(results: Results) -> Figure:
    """Return performance profiles: time to a proven optimum, and value."""
    name, title = "performance-profile", "Performance profiles"
    groups = results.by_label(results.compression)
    keys = sorted({instance_key(run) for run in results.compression})
    exact = {label: runs for label, runs in groups.items() if label in results.exact_labels}
    panels = []
    for panel_title, chosen, cost in (
        ("Time to a proven optimum (exact solvers)", exact, _proof_time),
        ("Value (all solvers)", groups, _value_cost),
    ):
        # Only instances that every solver has a run for: else absence would count as failure.
        have = [{instance_key(run) for run in runs} for runs in chosen.values()]
        common = [key for key in keys if all(key in one for one in have)]
        if not chosen or not common:
            continue
        costs = {label: _costs(runs, common, cost) for label, runs in chosen.items()}
        panels.append(_profile_panel(f"{panel_title}, {len(common)} instances", costs, results))
    if not panels:
        return Figure(name, title, "It needs instances that every solver has a run for.")
    caption = (
        "Share of the instances on which a solver is within a factor of the best solver of that "
        "instance (Dolan and Moré), over the instances for which every solver drawn has a run. "
        "Left: time of the runs that end with a proven optimum; others never get there. Right: "
        "best value over value. Reference: the best of the solvers drawn, instance by instance."
    )
    alt = "Step plots of the share of instances against the ratio to the best solver."
    return Figure(name, title, caption, alt, tuple(panels))


def _proof_time(run: RunRecord) -> float | None:
    return counted_time_s(run) if run.proven and run.exact else None


def _value_cost(run: RunRecord) -> float | None:
    # Costs are only compared on the same instance, so 1 / value is "best value / value".
    if run.value is None or not is_solved(run):
        return None
    return 1 / run.value if run.value else math.inf if run.total_weight else 1.0


def _costs(
    runs: list[RunRecord], keys: list[InstanceKey], cost: Callable[[RunRecord], float | None]
) -> list[float]:
    found = per_instance(runs, cost)
    smallest = 1e-9  # a clock that reads 0 s
    return [max(smallest, found[key]) if key in found else math.inf for key in keys]


def _profile_panel(title: str, costs: dict[str, list[float]], results: Results) -> Panel:
    style = results.styles()
    profiles = performance_profiles(costs)
    last = max(float(profile.ratios[-1]) for profile in profiles.values()) * 1.15
    series = tuple(
        Series(
            label,
            (*profile.ratios.tolist(), last),
            (*profile.share.tolist(), float(profile.share[-1])),
            Mark.STEPS,
            style[label],
            label,
        )
        for label, profile in profiles.items()
    )
    return Panel(title, "ratio to the best", "share of instances", series, x_log=True,
                 y_percent=True, y_from_zero=True)  # fmt: skip


def cactus_figure(results: Results) -> Figure:
    """Return how many instances each exact solver proved within a time."""
    name, title = "cactus", "Instances proven by time"
    style = results.styles()
    series = []
    total = len({instance_key(run) for run in results.compression})
    for label, runs in results.by_label(results.compression).items():
        times = np.sort(list(per_instance(runs, _proof_time).values()))
        if len(times):
            counts = tuple(float(i) for i in range(1, len(times) + 1))
            series.append(
                Series(label, tuple(times.tolist()), counts, Mark.STEPS, style[label], label)
            )
    if not series:
        return Figure(name, title, "No run of an exact solver ended with a proven optimum.")
    end = 1.5 * max(float(one.x[-1]) for one in series)
    series = [
        Series(s.name, (*s.x, end), (*s.y, s.y[-1]), s.mark, s.style, s.legend) for s in series
    ]
    caption = (
        f"Number of instances, of {total} in the store, that each exact solver solved to a proven "
        "optimum within the time on the axis (the mean of an instance's runs). The further left "
        "and up, the better. Reference: the certificate of the run itself."
    )
    most = ", ".join(f"{s.name} {int(s.y[-1])}" for s in series)
    alt = f"Step plot of instances proven against time. At the end: {most}."
    panel = Panel("", "solve time (s)", "instances proven", tuple(series), x_log=True)
    return Figure(name, title, caption, alt, (panel,))
