"""Figures for the page, drawn by Plotly."""

from __future__ import annotations

import html
import math
from typing import Any

from kcut_bench.figure import (
    Figure,
    Mark,
    Panel,
    Series,
    colour,
    dash,
    marker,
    num_columns,
)

PANEL_HEIGHT_PX = 300
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Liberation Sans', sans-serif"
_MODES = {
    Mark.POINTS: "markers",
    Mark.OPEN_POINTS: "markers",
    Mark.LINE: "lines",
    Mark.LINE_POINTS: "lines+markers",
    Mark.STEPS: "lines",
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

    columns = num_columns(figure)
    rows = math.ceil(len(figure.panels) / columns)
    height = PANEL_HEIGHT_PX * rows + 110
    page = make_subplots(
        rows=rows,
        cols=columns,
        subplot_titles=[html.escape(panel.title) for panel in figure.panels],
        vertical_spacing=min(0.3, 95 / height) if rows > 1 else 0,
        horizontal_spacing=0.12,
    )
    named: set[str] = set()
    for i, panel in enumerate(figure.panels):
        row, column = i // columns + 1, i % columns + 1
        for series in panel.series:
            page.add_trace(_trace(series, panel, series.legend not in named), row, column)
            named.add(series.legend)
        page.update_xaxes(_axis(panel.x_label, panel.x_log, False), row=row, col=column)
        page.update_yaxes(_axis(panel.y_label, panel.y_log, panel.y_percent), row=row, col=column)
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
    notes = [html.escape(note) for note in series.notes]
    value = "%{y:.4~%}" if panel.y_percent else "%{y:.6~g}"
    hover = f"{html.escape(series.name)}<br>{html.escape(panel.x_label)}: %{{x:.6~g}}<br>{value}"
    symbol = marker(max(0, series.style))
    return {
        "type": "scatter",
        "x": list(series.x),
        "y": list(series.y),
        "mode": _MODES[series.mark],
        "name": html.escape(series.legend or series.name),
        "legendgroup": series.legend or series.name,
        "showlegend": bool(series.legend) and first,
        "text": notes or None,
        "hovertemplate": hover + ("<br>%{text}" if notes else "") + "<extra></extra>",
        "line": {
            "color": colour(series.style),
            "width": 1.2 if series.style < 0 else 2,
            "dash": dash(series.style),
            "shape": "hv" if series.mark is Mark.STEPS else "linear",
        },
        "marker": {
            "color": colour(series.style),
            "symbol": symbol + ("-open" if series.mark is Mark.OPEN_POINTS else ""),
            "size": 7,
            "opacity": 1 if series.mark is Mark.LINE_POINTS else 0.75,
        },
    }


def _axis(label: str, log: bool, as_percent: bool) -> dict[str, Any]:
    axis: dict[str, Any] = {
        "title": {"text": html.escape(label), "standoff": 8},
        "gridcolor": "#e4e7eb",
        "zerolinecolor": "#b8bfc7",
        "linecolor": "#8a929b",
        "automargin": True,
    }
    if log:
        axis |= {
            "type": "log",
            "dtick": 1,
            "exponentformat": "power",
            "minor": {"ticks": "outside"},
        }
    elif as_percent:
        axis |= {"tickformat": ".3~%", "rangemode": "tozero"}
    return axis
