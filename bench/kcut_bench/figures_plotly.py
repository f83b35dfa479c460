"""Figures for the page, drawn by Plotly."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
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
)
from kcut_bench.table import percent

PANEL_HEIGHT_PX, SINGLE_HEIGHT_PX = 300, 380
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
_MODES = {
    Mark.POINTS: "markers",
    Mark.OPEN_POINTS: "markers",
    Mark.LINE: "lines",
    Mark.LINE_POINTS: "lines+markers",
    Mark.STEPS: "lines",
    Mark.BARS: "markers",
}


def to_div(figure: Figure) -> str:
    """Return the figure as an HTML element that needs plotly.js on its page.

    Parameters
    ----------
    figure : Figure
        With at least one panel.
    """
    from plotly.io import to_html
    from plotly.subplots import make_subplots

    places = layout(figure)
    columns = min(2, len(places))
    rows = places[-1][0] + 1
    height = (PANEL_HEIGHT_PX if len(places) > 1 else SINGLE_HEIGHT_PX) * rows + 110
    specs: list[list[dict[str, int] | None]] = [[None] * columns for _ in range(rows)]
    for row, column, width in places:
        specs[row][column] = {"colspan": width}
    page = make_subplots(
        rows=rows,
        cols=columns,
        specs=specs,
        subplot_titles=[html.escape(panel.title) for panel in figure.panels],
        vertical_spacing=min(0.3, 95 / height) if rows > 1 else 0,
        horizontal_spacing=0.12,
    )
    named: set[str] = set()
    for panel, (row, column, _) in zip(figure.panels, places, strict=True):
        for series in panel.series:
            first = series.legend not in named
            page.add_trace(_trace(drawn(series), panel, first), row + 1, column + 1)
            named.add(series.legend)
        page.update_xaxes(_x_axis(panel), row=row + 1, col=column + 1)
        page.update_yaxes(_y_axis(panel), row=row + 1, col=column + 1)
    page.update_layout(
        height=height,
        template="plotly_white",
        font={"family": _FONT, "size": 13, "color": "#1b1f24"},
        margin={"l": 64, "r": 16, "t": 36, "b": 56},
        legend={"orientation": "h", "y": 1 + 34 / (height - 92), "yanchor": "bottom", "x": 0},
        hoverlabel={"font": {"family": _FONT}},
    )
    page.update_annotations(font={"size": 14, "family": _FONT})
    config = {"displaylogo": False, "responsive": True, "displayModeBar": False}
    element: str = to_html(
        page,
        config=config,
        include_plotlyjs=False,
        full_html=False,
        div_id=f"plot-{figure.name}",
        default_height=f"{height}px",
    )
    return element


def plotly_script() -> str:
    """Return the source of plotly.js, to stand on the page once."""
    from plotly.offline import get_plotlyjs

    source: str = get_plotlyjs()
    return source


def _trace(series: Series, panel: Panel, first: bool) -> dict[str, Any]:
    hover = [
        "<br>".join(html.escape(part) for part in parts if part) for parts in _hover(series, panel)
    ]
    symbol = "line-ew" if series.mark is Mark.BARS else marker(max(0, series.style))
    symbol += "-open" if series.mark in (Mark.OPEN_POINTS, Mark.BARS) else ""
    return {
        "type": "scatter",
        "x": panel.drawn_x(series),
        "y": panel.drawn_y(series),
        "mode": _MODES[series.mark],
        "name": html.escape(series.legend or series.name),
        "legendgroup": series.legend or series.name,
        "showlegend": bool(series.legend) and first,
        "hovertext": hover,
        "hoverinfo": "text",
        "line": {
            "color": colour(series.style),
            "width": 1.2 if series.style < 0 else 2,
            "dash": dash(series.style),
            "shape": "hv" if series.mark is Mark.STEPS else "linear",
        },
        "marker": {
            "color": colour(series.style),
            "symbol": symbol,
            "size": 16 if series.mark is Mark.BARS else 7,
            "line": {"width": 2.5} if series.mark is Mark.BARS else {},
            "opacity": 0.7 if series.mark is Mark.POINTS else 1,
        },
    }


def _hover(series: Series, panel: Panel) -> Iterator[tuple[str, ...]]:
    for i, (x, y) in enumerate(zip(series.x, series.y, strict=True)):
        shown_x = x if isinstance(x, str) else f"{panel.x_label}: {x:.6g}"
        shown_y = f"{panel.y_label}: {percent(y) if panel.y_percent else f'{y:.6g}'}"
        yield series.name, shown_x, shown_y, series.notes[i] if series.notes else ""


def _x_axis(panel: Panel) -> dict[str, Any]:
    numbers = [float(x) for s in panel.series for x in s.x if not isinstance(x, str)]
    axis = _axis(panel.x_label, panel.x_log, panel.x_percent, numbers)
    if panel.ordinal:
        places = panel.places
        axis |= {
            "tickvals": list(range(len(places))),
            "ticktext": [_tick(x) for x in places],
            "ticklabeloverflow": "allow",
            "range": [-0.6, len(places) - 0.4],
            "showgrid": False,
            "zeroline": False,
        }
    return axis


def _tick(place: float | str) -> str:
    return html.escape(place).replace(", ", "<br>") if isinstance(place, str) else f"{place:g}"


def _y_axis(panel: Panel) -> dict[str, Any]:
    axis = _axis(
        panel.y_label, panel.y_log, panel.y_percent, [y for s in panel.series for y in s.y]
    )
    if panel.y_from_zero:
        axis["rangemode"] = "tozero"
    if panel.y_floor is not None:
        places, texts = zip(*panel.floor_ticks(), strict=True)
        low, high = math.log10(places[0]), math.log10(places[-1])
        axis |= {"type": "log", "tickvals": places, "ticktext": texts}
        axis |= {"range": [low - 0.25, high + 0.15], "minor": {}, "tickformat": None}
    return axis


def _axis(label: str, log: bool, as_percent: bool, numbers: list[float]) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "title": {"text": html.escape(label), "standoff": 8},
        "gridcolor": "#e4e7eb",
        "zerolinecolor": "#b8bfc7",
        "linecolor": "#8a929b",
        "automargin": True,
        "tickformat": ".3~%" if as_percent else "~g",
    }
    if log:
        axis |= {"type": "log", "minor": {"ticks": "outside"}}
        positive = [number for number in numbers if number > 0]
        if positive and max(positive) > 30 * min(positive):
            axis["dtick"] = 1
    return axis
