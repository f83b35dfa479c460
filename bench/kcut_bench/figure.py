"""A figure described once: the page, the PDF, the SVG and the CSV are all made from it."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette, told apart with every common colour blindness (without its yellow)."""

MARKERS = ("circle", "square", "diamond", "triangle-up", "cross", "x", "triangle-down", "pentagon",
           "star", "hexagon", "triangle-left", "triangle-right", "diamond-tall")  # fmt: skip
DASHES = ("solid", "dash", "dot", "dashdot", "longdash")


class Mark(StrEnum):
    """How a series is drawn."""

    POINTS = "points"
    OPEN_POINTS = "open points"
    LINE = "line"
    LINE_POINTS = "line with points"
    STEPS = "steps"


@dataclass(frozen=True, slots=True)
class Series:
    """One solver's data in a panel.

    Attributes
    ----------
    name : str
        What it is, in the CSV and on hovering.
    x, y : tuple of float
        As measured; equally long.
    mark : Mark
    style : int
        Colour, marker and dash; the same solver has the same in all figures. -1: a guide line.
    legend : str
        Its entry in the legend; empty for none. Equal entries are shown once.
    notes : tuple of str
        What each point is, as long as `x`, or empty.
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    mark: Mark
    style: int
    legend: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Panel:
    """A pair of axes.

    Attributes
    ----------
    title, x_label, y_label : str
    series : tuple of Series
    x_log, y_log, y_percent : bool
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_log: bool = False
    y_log: bool = False
    y_percent: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure, or the reason why there is none.

    Attributes
    ----------
    name : str
        File name without its ending.
    title : str
    caption : str
        What is shown and what it is measured against; without panels, why nothing is shown.
    alt : str
        The figure in words, for those who do not see it.
    panels : tuple of Panel
        Empty where the store holds nothing to show.
    """

    name: str
    title: str
    caption: str
    alt: str = ""
    panels: tuple[Panel, ...] = ()


def colour(style: int) -> str:
    """Return the colour of a style."""
    return "#777777" if style < 0 else COLOURS[style % len(COLOURS)]


def marker(style: int) -> str:
    """Return the marker of a style; no two of the first 91 styles share colour and marker."""
    return MARKERS[style % len(MARKERS)]


def dash(style: int) -> str:
    """Return the dash of a style."""
    return "dash" if style < 0 else DASHES[style % len(DASHES)]


def styles(labels: Iterable[str]) -> dict[str, int]:
    """Return a style for each label: by name, so that figures of one store agree."""
    return {label: i for i, label in enumerate(sorted(set(labels)))}


def num_columns(figure: Figure) -> int:
    """Return how many panels of a figure stand side by side."""
    return min(2, len(figure.panels))


def to_csv(figure: Figure) -> str:
    """Return every point of a figure, unrounded."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(["panel", "series", "mark", "x", "y", "note"])
    for panel in figure.panels:
        for series in panel.series:
            notes = series.notes or ("",) * len(series.x)
            for x, y, note in zip(series.x, series.y, notes, strict=True):
                writer.writerow([panel.title, series.name, series.mark, x, y, note])
    return buffer.getvalue()
