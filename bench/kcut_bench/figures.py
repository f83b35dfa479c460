"""The figures of a report about quality: gap by size, against the optimum, frontier, no order."""

from __future__ import annotations

import math
import statistics as plain
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kcut_bench.fairness import fairness_figure
from kcut_bench.figure import MOST_DRAWN, Figure, Mark, Panel, Series
from kcut_bench.figures_time import cactus_figure, profile_figure, runtime_figure
from kcut_bench.record import RunRecord
from kcut_bench.results import RELAXATION, Results, family_of, instance_key, is_solved
from kcut_bench.table import percent
from kcut_bench.tables_shifts import shifts_figure
from kcut_bench.utilisation import utilisation_figure

MOST_PLACES = 8
"""Up to so many sizes stand side by side, solvers apart; more share a logarithmic axis."""

REFERENCE_NOTE = "Reference: the proven optimum of each instance; instances without one are absent."

THINNED_NOTE = (
    f"Of a series with more than {MOST_DRAWN:,} points as many are drawn, evenly spaced, and its "
    "extremes; the CSV holds all."
)


def all_figures(results: Results) -> list[Figure]:
    """Return every figure of the report, in its order; those without data have no panels."""
    figures = [
        gap_figure(results),
        utilisation_figure(results),
        fairness_figure(results),
        shifts_figure(results),
        runtime_figure(results),
        scatter_figure(results),
        frontier_figure(results),
        profile_figure(results),
        cactus_figure(results),
        order_price_figure(results),
    ]
    return [
        replace(one, caption=f"{one.caption} {THINNED_NOTE}") if _is_thinned(one) else one
        for one in figures
    ]


def _is_thinned(figure: Figure) -> bool:
    return any(len(s.y) > MOST_DRAWN for panel in figure.panels for s in panel.series)


def gap_figure(results: Results) -> Figure:
    """Return the gap to the proven optimum by number of jobs, a panel for each family."""
    name, title = "gap-by-size", "Gap by size"
    measured = [run for run in results.compression if results.gap(run) is not None]
    groups = results.by_label(measured)
    if not groups:
        return Figure(name, title, "No run has a proven optimum to be measured against.")
    shown = [label for label, runs in groups.items() if any(results.gap(run) for run in runs)]
    exact = [label for label in groups if label not in shown]
    panels = _gap_panels(results, {label: groups[label] for label in shown})
    zero = f" At gap 0 on every run, and not drawn: {', '.join(exact)}." if exact else ""
    if not panels:
        return Figure(name, title, f"Every run reaches its proven optimum.{zero}")
    caption = (
        "Gap of each run (points) and its median by size (line or bar), a panel for each family of "
        "several sizes and one for all others. The axis is logarithmic and gaps of 0 stand at its "
        f"foot. {REFERENCE_NOTE}{zero}"
    )
    worst = max(measured, key=lambda run: results.gap(run) or 0)
    alt = (
        f"Scatter plots of the gap to the proven optimum against the number of jobs for "
        f"{', '.join(shown)}. The largest gap is {percent(results.gap(worst))}, by "
        f"{results.label(worst)} in family {family_of(worst)}."
    )
    return Figure(name, title, caption, alt, tuple(panels))


def _gap_panels(results: Results, groups: dict[str, list[RunRecord]]) -> list[Panel]:
    sizes: dict[str, set[int]] = defaultdict(set)
    lowest = 1.0
    for runs in groups.values():
        for run in runs:
            sizes[family_of(run)].add(run.num_jobs)
            gap = results.gap(run)
            lowest = min(lowest, gap) if gap is not None and gap > 0 else lowest
    floor = 10.0 ** (max(-9, math.floor(math.log10(lowest))) - 1)
    style = results.styles()
    steps = {label: (i + 0.5) / len(groups) - 0.5 for i, label in enumerate(groups)}
    panels = []
    single = [family for family in sorted(sizes) if len(sizes[family]) == 1]
    for families in [[family] for family in sorted(sizes) if family not in single] + [single]:
        ordinal = families == single or len(sizes[families[0]]) <= MOST_PLACES
        series: list[Series] = []
        for label, all_runs in groups.items():
            runs = [run for run in all_runs if family_of(run) in families]
            shift = 0.75 * steps[label] if ordinal else 0
            names = families == single
            series += _points_and_medians(
                results, label, runs, style[label], names=names, shift=shift
            )
        title = families[0] if families != single else "families of one size"
        x_label = "jobs" if families != single else "family, jobs"
        if series:
            panel = Panel(title, x_label, "gap", tuple(series), x_log=not ordinal, y_log=True,
                          y_percent=True, ordinal=ordinal, y_floor=floor)  # fmt: skip
            panels.append(panel)
    return panels


def _points_and_medians(
    results: Results,
    label: str,
    runs: Sequence[RunRecord],
    style: int,
    *,
    names: bool,
    shift: float,
) -> list[Series]:
    gaps: dict[Any, list[float]] = defaultdict(list)
    x: list[Any] = []
    y, notes = [], []
    for run in runs:
        gap = results.gap(run)
        assert gap is not None
        x.append(f"{family_of(run)}, {run.num_jobs}" if names else run.num_jobs)
        gaps[x[-1]].append(gap)
        y.append(gap)
        notes.append(f"{run.instance}, K = {run.levels}")
    if not x:
        return []
    places = sorted(gaps)
    medians = tuple(plain.median(gaps[place]) for place in places)
    mark = Mark.BARS if names else Mark.LINE
    return [
        Series(label, tuple(x), tuple(y), Mark.POINTS, style, label, tuple(notes), shift),
        Series(f"{label}, median", tuple(places), medians, mark, style, shift=shift),
    ]


def scatter_figure(results: Results) -> Figure:
    """Return each heuristic's value against the proven optimum."""
    name, title = "value-against-optimum", "Heuristic value against the proven optimum"
    heuristic = [r for r in results.compression if not r.exact and results.optimum(r) is not None]
    groups = results.by_label(run for run in heuristic if is_solved(run))
    style = results.styles()
    values, shares = [], []
    dropped = 0
    optima: list[float] = []
    for label, runs in groups.items():
        positive = [run for run in runs if run.value and results.optimum(run)]
        dropped += len(runs) - len(positive)
        x = tuple(float(results.optimum(run) or 0) for run in positive)
        y = tuple(float(run.value or 0) for run in positive)
        notes = tuple(f"{run.instance}, K = {run.levels}" for run in positive)
        if x:
            optima += x
            ratios = tuple(b / a for a, b in zip(x, y, strict=True))
            values.append(Series(label, x, y, Mark.POINTS, style[label], label, notes))
            shares.append(Series(label, x, ratios, Mark.POINTS, style[label], label, notes))
    if not values:
        return Figure(name, title, "No heuristic run has a proven optimum to be compared with.")
    ends = (min(optima), max(optima))
    values.append(Series("value = optimum", ends, ends, Mark.LINE, -1, "value = optimum"))
    shares.append(Series("value = optimum", ends, (1.0, 1.0), Mark.LINE, -1, "value = optimum"))
    label = "proven optimum (cut weight)"
    panels = (
        Panel("Value", label, "value (cut weight)", tuple(values), x_log=True, y_log=True),
        Panel("Share of the optimum", label, "value / optimum", tuple(shares), x_log=True,
              y_percent=True),
    )  # fmt: skip
    lost = f" {dropped} runs with value 0 have no place on these axes." if dropped else ""
    caption = (
        "Left the value itself, right the share of the optimum; on the dashed line a heuristic is "
        f"optimal. {REFERENCE_NOTE}{lost}"
    )
    alt = (
        f"Two scatter plots of {len(optima)} runs of {', '.join(groups)}: value, and value over "
        f"optimum, against the proven optimum. The smallest share is "
        f"{percent(min(min(s.y) for s in shares))}."
    )
    return Figure(name, title, caption, alt, panels)


def frontier_figure(results: Results) -> Figure:
    """Return proven optimum and Crux by number of levels, as a share of the total weight."""
    name, title = "frontier", "Frontier: what more levels are worth"
    crux = results.crux_label
    own: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    best: dict[tuple[str, str], dict[int, float]] = defaultdict(dict)
    for run in results.compression:
        optimum = results.optimum(run)
        if optimum is None or not run.total_weight:
            continue
        at = (family_of(run), run.instance_sha256)
        best[at][run.levels] = optimum / run.total_weight
        if results.label(run) == crux and run.value is not None and is_solved(run):
            own[at][run.levels].append(run.value / run.total_weight)
    style = results.styles()
    style["proven optimum"] = len(style)
    panels = []
    for family in sorted({family for family, _ in best}):
        keys = [key for key in best if key[0] == family]
        most = max(len(best[key].keys() & own[key].keys()) for key in keys)
        chosen = [key for key in keys if len(best[key].keys() & own[key].keys()) == most]
        levels = sorted(set.intersection(*(best[key].keys() & own[key].keys() for key in chosen)))
        if len(levels) < 2:
            continue
        x = tuple(map(float, levels))
        top = tuple(plain.median(best[key][k] for key in chosen) for k in levels)
        low = tuple(plain.median(plain.mean(own[key][k]) for key in chosen) for k in levels)
        lines = (
            Series("proven optimum", x, top, Mark.LINE_POINTS, style["proven optimum"],
                   "proven optimum"),
            Series(f"{crux}", x, low, Mark.LINE_POINTS, style[f"{crux}"], f"{crux}"),
        )  # fmt: skip
        count = f"{len(chosen)} instance{'' if len(chosen) == 1 else 's'}"
        panels.append(Panel(f"{family} ({count})", "levels K", "share cut", lines, y_percent=True))
    if not panels:
        reason = "It needs an instance solved by Crux and to a proven optimum at two or more K."
        return Figure(name, title, reason)
    caption = (
        "Share of the total weight that is cut with K levels, the proven optimum and Crux: the "
        "median over the instances measured at every K shown. Reference: the proven optimum of "
        "each instance at each K."
    )
    alt = "Line plots of the share of weight cut against the number of levels, one per family."
    return Figure(name, title, caption, alt, tuple(panels))


def order_price_figure(results: Results) -> Figure:
    """Return the cut without the order constraint against the compression optimum."""
    name, title = "price-of-order", "The price of order"
    groups: dict[bool, list[tuple[float, float, str]]] = {True: [], False: []}
    for run in results.records:
        own = results.references.get(("compression", run.instance_sha256, run.levels))
        relaxed = results.references.get(instance_key(run))
        known = own is not None and own.proven and relaxed is not None
        if run.problem != RELAXATION or not known or not is_solved(run) or not run.total_weight:
            continue
        assert own is not None
        assert run.value is not None
        x, y = own.value / run.total_weight, run.value / run.total_weight
        groups[run.proven].append((x, y, f"{run.instance}, K = {run.levels}"))
    points = [point for group in groups.values() for point in group]
    if not points:
        reason = "It needs runs of max-k-cut on instances with a proven compression optimum."
        return Figure(name, title, reason)
    series = []
    for proven, mark in ((True, Mark.POINTS), (False, Mark.OPEN_POINTS)):
        if groups[proven]:
            xs, ys, notes = zip(*groups[proven], strict=True)
            legend = "Max K-Cut, proven" if proven else "Max K-Cut, best found"
            series.append(Series(legend, xs, ys, mark, 0 if proven else 1, legend, notes))
    ends = (min(p[0] for p in points), 1.0)
    series.append(Series("no price", ends, ends, Mark.LINE, -1, "no price"))
    x_label, y_label = "share cut with order (proven optimum)", "share cut without"
    panel = Panel("", x_label, y_label, tuple(series), x_percent=True, y_percent=True)
    caption = (
        "Share of the total weight cut when edges may be cut whichever way they run, against the "
        "proven compression optimum. On the dashed line order costs nothing. A Max K-Cut value is "
        "proven only where it cuts everything; others are verified values, thus lower ends."
    )
    alt = f"Scatter plot of {len(points)} instances, all on or above the diagonal."
    if any(y < x for x, y, _ in points):
        alt = f"Scatter plot of {len(points)} instances, some below the diagonal."
    return Figure(name, title, caption, alt, (panel,))
