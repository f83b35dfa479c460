"""Figures for papers, drawn by matplotlib: PDF and SVG with text as text."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from kcut_bench.figure import Figure, Mark, Panel, Series, colour, dash, marker, num_columns, to_csv

_MARKERS = {
    "circle": "o",
    "square": "s",
    "diamond": "D",
    "triangle-up": "^",
    "cross": "P",
    "x": "X",
    "triangle-down": "v",
    "pentagon": "p",
    "star": "*",
    "hexagon": "h",
    "triangle-left": "<",
    "triangle-right": ">",
    "diamond-tall": "d",
}
_DASHES: dict[str, Any] = {
    "solid": "-",
    "dash": (0, (5, 2)),
    "dot": (0, (1, 1.5)),
    "dashdot": (0, (5, 2, 1, 2)),
    "longdash": (0, (9, 3)),
}
_STYLE: dict[str, Any] = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.grid": True,
    "grid.color": "#e4e7eb",
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
    "svg.hashsalt": "kcut",
}


def write_figure(figure: Figure, folder: Path) -> list[Path]:
    """Write a figure as PDF, SVG and CSV; return the paths.

    Parameters
    ----------
    figure : Figure
        With at least one panel.
    folder : Path
        Must exist.
    """
    import matplotlib as mpl
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Drawing

    columns = num_columns(figure)
    rows = math.ceil(len(figure.panels) / columns)
    settings: Any = {**mpl.rcParamsDefault, **_STYLE}
    with mpl.rc_context(settings):
        drawing = Drawing(figsize=(3.5 * columns, 2.5 * rows + 0.5), layout="constrained")
        axes = drawing.subplots(rows, columns, squeeze=False).ravel()
        for ax, panel in zip(axes, figure.panels, strict=False):
            _draw(ax, panel)
        for ax in axes[len(figure.panels) :]:
            ax.set_visible(False)
        _add_legend(drawing, axes, columns)
        pdf_canvas: Any = FigureCanvasPdf(drawing)
        svg_canvas: Any = FigureCanvasSVG(drawing)
        pdf, svg = folder / f"{figure.name}.pdf", folder / f"{figure.name}.svg"
        pdf_canvas.print_pdf(pdf, metadata={"CreationDate": None})
        svg_canvas.print_svg(svg, metadata={"Date": None, "Title": figure.title})
    data = folder / f"{figure.name}.csv"
    data.write_text(to_csv(figure), encoding="utf-8")
    return [pdf, svg, data]


def _draw(ax: Any, panel: Panel) -> None:
    from matplotlib.ticker import PercentFormatter

    for series in panel.series:
        _draw_series(ax, series)
    if panel.x_log:
        ax.set_xscale("log")
    if panel.y_log:
        ax.set_yscale("log")
    elif panel.y_percent:
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    ax.set_title(_plain(panel.title))
    ax.set_xlabel(_plain(panel.x_label))
    ax.set_ylabel(_plain(panel.y_label))


def _draw_series(ax: Any, series: Series) -> None:
    points = series.mark in (Mark.POINTS, Mark.OPEN_POINTS, Mark.LINE_POINTS)
    lines = series.mark in (Mark.LINE, Mark.STEPS, Mark.LINE_POINTS)
    ax.plot(
        series.x,
        series.y,
        color=colour(series.style),
        linestyle=_DASHES[dash(series.style)] if lines else "none",
        linewidth=0.8 if series.style < 0 else None,
        drawstyle="steps-post" if series.mark is Mark.STEPS else "default",
        marker=_MARKERS[marker(max(0, series.style))] if points else "none",
        markerfacecolor="none" if series.mark is Mark.OPEN_POINTS else None,
        markeredgewidth=0.5,
        alpha=0.75 if series.mark is Mark.POINTS else 1,
        label=_plain(series.legend) or "_nolegend_",
        rasterized=points and len(series.x) > 5000,
    )


def _add_legend(drawing: Any, axes: Any, columns: int) -> None:
    entries: dict[str, Any] = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(name, handle)
    if entries:
        drawing.legend(
            entries.values(),
            entries.keys(),
            loc="outside upper left",
            ncols=min(len(entries), 2 * columns),
        )


def _plain(words: str) -> str:
    return words.replace("$", r"\$")
