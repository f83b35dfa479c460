"""A figure described once: the page, the PDF, the SVG and the CSV are all made from it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

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
    BARS = "bars"


@dataclass(frozen=True, slots=True)
class Series:
    """One solver's data in a panel.

    Attributes
    ----------
    name : str
        What it is, in the CSV and on hovering.
    x : tuple of float or str
        As measured; names or numbers on an ordinal axis.
    y : tuple of float
        As measured; as long as `x`.
    mark : Mark
    style : int
        Colour, marker and dash; the same solver has the same in all figures. -1: a guide line.
    legend : str
        Its entry in the legend; empty for none. Equal entries are shown once.
    notes : tuple of str
        What each point is, as long as `x`, or empty.
    shift : float
        Where an ordinal axis draws the series, in steps from the place of x; -0.5 to 0.5.
    """

    name: str
    x: tuple[float, ...] | tuple[str, ...]
    y: tuple[float, ...]
    mark: Mark
    style: int
    legend: str = ""
    notes: tuple[str, ...] = ()
    shift: float = 0


MOST_DRAWN = 2000
"""Points of a series beyond which only so many are drawn: nobody sees more, files grow with all."""


def drawn(series: Series) -> Series:
    """Return the part of a series that is drawn: all, or evenly spaced points and both extremes."""
    count = len(series.y)
    if count <= MOST_DRAWN:
        return series
    chosen = {round(i * (count - 1) / (MOST_DRAWN - 1)) for i in range(MOST_DRAWN)}
    chosen |= {min(range(count), key=series.y.__getitem__)}
    chosen |= {max(range(count), key=series.y.__getitem__)}
    kept = sorted(chosen)

    def thin(values: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(values[i] for i in kept) if values else values

    return replace(series, x=thin(series.x), y=thin(series.y), notes=thin(series.notes))


@dataclass(frozen=True, slots=True)
class Panel:
    """A pair of axes.

    Attributes
    ----------
    title, x_label, y_label : str
    series : tuple of Series
    x_log, y_log, x_percent, y_percent : bool
    ordinal : bool
        Whether the x that occur stand side by side at equal distances.
    y_from_zero : bool
    y_floor : float or None
        With a logarithmic axis: what is not above it is drawn at it, and reads 0.
    """

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_log: bool = False
    y_log: bool = False
    x_percent: bool = False
    y_percent: bool = False
    ordinal: bool = False
    y_from_zero: bool = False
    y_floor: float | None = None

    @property
    def places(self) -> list[float] | list[str]:
        """The x of an ordinal axis, numbers before names, each in order."""
        found: set[Any] = {x for series in self.series for x in series.x}
        return sorted(found, key=lambda x: (isinstance(x, str), x))

    def drawn_x(self, series: Series) -> list[float]:
        """Where the axis draws the x of a series."""
        if not self.ordinal:
            return [float(x) for x in series.x]
        at = {x: i for i, x in enumerate(self.places)}
        return [at[x] + series.shift for x in series.x]

    def drawn_y(self, series: Series) -> list[float]:
        """Where the axis draws the y of a series."""
        return [y if self.y_floor is None else max(y, self.y_floor) for y in series.y]

    def floor_ticks(self) -> list[tuple[float, str]]:
        """Return place and text of the ticks above a floor: 0, then powers of ten."""
        assert self.y_floor is not None
        top = max([1.0, *(y for series in self.series for y in series.y)])
        lowest = round(math.log10(self.y_floor)) + 1
        powers = [10.0**i for i in range(lowest, math.ceil(math.log10(top)) + 1)]
        shown = [f"{100 * p:g}%" if self.y_percent else f"{p:g}" for p in powers]
        return [(self.y_floor, "0"), *zip(powers, shown, strict=True)]


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


def styles(first: Iterable[str], second: Iterable[str] = ()) -> dict[str, int]:
    """Return a style for each label, so that all figures of one store agree.

    Each group is in order of names, and within either the colours differ as long as they last.
    """
    labels = sorted(set(first)) + sorted(set(second) - set(first))
    return {label: i for i, label in enumerate(labels)}


def layout(figure: Figure) -> list[tuple[int, int, int]]:
    """Return row, column and width of each panel: two in a row, a last one alone fills its row."""
    last = len(figure.panels) - 1
    return [
        (i // 2, i % 2, 2 if i == last and i % 2 == 0 and i > 0 else 1) for i in range(last + 1)
    ]


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
