"""Figures for papers, drawn by matplotlib: PDF and SVG with text as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from kcut_bench.figure import (
    Figure,
    Mark,
    Panel,
    Series,
    colour,
    dash,
    drawn,
    layout,
    marker,
    to_csv,
)

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

    places = layout(figure)
    columns, rows = min(2, len(places)), places[-1][0] + 1
    settings: Any = {**mpl.rcParamsDefault, **_STYLE}
    with mpl.rc_context(settings):
        size = (3.5 * columns, 2.5 * rows + 0.5) if len(places) > 1 else (5.5, 3.8)
        drawing = Drawing(figsize=size, layout="constrained")
        grid = drawing.add_gridspec(rows, columns)
        axes = []
        for panel, (row, column, width) in zip(figure.panels, places, strict=True):
            axes.append(drawing.add_subplot(grid[row, column : column + width]))
            _draw(axes[-1], panel)
        _add_legend(drawing, axes, most=4 if columns > 1 else 3)
        pdf_canvas: Any = FigureCanvasPdf(drawing)
        pdf, svg = folder / f"{figure.name}.pdf", folder / f"{figure.name}.svg"
        pdf_canvas.print_pdf(pdf, metadata={"CreationDate": None})
        drawing.set_layout_engine("none")  # it has placed everything; once is slow enough
        svg_canvas: Any = FigureCanvasSVG(drawing)
        svg_canvas.print_svg(svg, metadata={"Date": None, "Title": figure.title})
    data = folder / f"{figure.name}.csv"
    data.write_text(to_csv(figure), encoding="utf-8")
    return [pdf, svg, data]


def _draw(ax: Any, panel: Panel) -> None:
    from matplotlib.ticker import PercentFormatter

    for series in map(drawn, panel.series):
        _draw_series(ax, panel, series)
    if panel.x_log:
        ax.set_xscale("log")
    elif panel.x_percent:
        ax.xaxis.set_major_formatter(PercentFormatter(1.0))
    if panel.ordinal:
        places = panel.places
        shown = [_plain(x) if isinstance(x, str) else f"{x:g}" for x in places]
        long = sum(map(len, shown)) > 45
        ax.set_xticks(range(len(places)), shown, rotation=30 if long else 0,
                      ha="right" if long else "center")  # fmt: skip
        ax.set_xlim(-0.6, len(places) - 0.4)
        ax.grid(visible=False, axis="x")
    if panel.y_floor is not None:
        at, texts = zip(*panel.floor_ticks(), strict=True)
        ax.set_yscale("log")
        ax.set_ylim(at[0] * 0.6, at[-1] * 1.5)
        ax.set_yticks(at, texts)
        ax.minorticks_off()
    elif panel.y_log:
        ax.set_yscale("log")
    elif panel.y_percent:
        ax.yaxis.set_major_formatter(PercentFormatter(1.0))
    if panel.y_from_zero:
        ax.set_ylim(bottom=0)
    ax.set_title(_plain(panel.title))
    ax.set_xlabel(_plain(panel.x_label))
    ax.set_ylabel(_plain(panel.y_label))


def _draw_series(ax: Any, panel: Panel, series: Series) -> None:
    points = series.mark in (Mark.POINTS, Mark.OPEN_POINTS, Mark.LINE_POINTS)
    lines = series.mark in (Mark.LINE, Mark.STEPS, Mark.LINE_POINTS)
    ax.plot(
        panel.drawn_x(series),
        panel.drawn_y(series),
        color=colour(series.style),
        linestyle=_DASHES[dash(series.style)] if lines else "none",
        linewidth=0.8 if series.style < 0 else None,
        drawstyle="steps-post" if series.mark is Mark.STEPS else "default",
        marker=_symbol(series),
        markerfacecolor="none" if series.mark is Mark.OPEN_POINTS else None,
        markeredgewidth=1.6 if series.mark is Mark.BARS else 0.5,
        markersize=8 if series.mark is Mark.BARS else None,
        alpha=0.75 if series.mark is Mark.POINTS else 1,
        label=_plain(series.legend) or "_nolegend_",
        rasterized=points and len(series.x) > 5000,
    )


def _symbol(series: Series) -> str:
    if series.mark is Mark.BARS:
        return "_"
    return (
        "none" if series.mark in (Mark.LINE, Mark.STEPS) else _MARKERS[marker(max(0, series.style))]
    )


def _add_legend(drawing: Any, axes: Any, *, most: int) -> None:
    entries: dict[str, Any] = {}
    for ax in axes:
        for handle, name in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(name, handle)
    if entries:
        drawing.legend(
            entries.values(),
            entries.keys(),
            loc="outside upper left",
            ncols=min(len(entries), most),
        )


def _plain(words: str) -> str:
    return words.replace("$", r"\$")
