"""The frontier: the optimum for every number of levels, each with its certificate checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from kcut.answer import Answer, Claim
from kcut.compression import CompressionInstance
from kcut.errors import InputError
from kcut.judge import judge

PLOT_SUFFIXES = (".png", ".svg", ".pdf")


@dataclass(frozen=True, slots=True)
class Frontier:
    """Optimum by number of levels.

    Attributes
    ----------
    levels : list of int
        1..K.
    values, bounds : list of int or float
        Recomputed, and proven by the cover; in the unit of the weights as given.
    proven : list of bool
        Whether value equals bound in exact integers.
    """

    levels: list[int]
    values: list[int | float | None]
    bounds: list[int | float | None]
    proven: list[bool]


def frontier(instance: CompressionInstance, max_levels: int) -> Frontier:
    """Compute the optimum for 1..`max_levels` levels by at most `max_levels` - 1 minimum cuts.

    Parameters
    ----------
    instance : CompressionInstance
        Its own number of levels does not matter.
    max_levels : int

    Returns
    -------
    Frontier

    Notes
    -----
    The ascent ends when every edge is cut; from there on the empty cover proves the value, the
    total weight, for any number of levels.
    """
    from kcut_solvers.compression.min_cuts import ascend

    found = Frontier(list(range(1, max_levels + 1)), [], [], [])
    levels = np.zeros(instance.num_jobs, np.int64)
    for step in ascend(instance.with_levels(max_levels), max_levels):
        levels = np.asarray(step.levels, np.int64)
        _add(found, instance, levels, np.asarray(step.cover, np.int64))
        if len(found.values) == max_levels:
            return found
    nothing = np.zeros(instance.num_edges, np.int64)
    while len(found.values) < max_levels:
        _add(found, instance, levels, nothing)
    return found


def _add(found: Frontier, instance: CompressionInstance, levels: Any, cover: Any) -> None:
    """Judge the levels and cover for the next number of levels."""
    allowed = instance.with_levels(len(found.values) + 1)
    judgement = judge(allowed, Answer(Claim.OPTIMAL, levels, certificate=cover))
    found.values.append(judgement.value)
    found.bounds.append(judgement.bound)
    found.proven.append(judgement.proven)


def check_plot_path(path: Path) -> None:
    """Refuse a plot whose suffix names no format, or whose directory is missing."""
    if path.suffix.lower() not in PLOT_SUFFIXES:
        raise InputError(f"must end in one of {', '.join(PLOT_SUFFIXES)}", "--plot", str(path))
    if not path.parent.is_dir():
        raise InputError("no such directory", "--plot", str(path.parent))


def plot(found: Frontier, total: float, title: str, path: Path) -> None:
    """Plot the share of the total weight that is cut, by number of levels."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5.0, 3.2), layout="constrained")
    shares = [100 * (value or 0) / total if total else 100.0 for value in found.values]
    axes.plot(found.levels, shares, marker="o", markersize=3, linewidth=1)
    axes.set_xlabel("levels K")
    axes.set_ylabel("weight cut at the optimum [%]")
    axes.set_title(title, fontsize=8)
    axes.xaxis.get_major_locator().set_params(integer=True)
    axes.grid(visible=True, linewidth=0.3)
    figure.savefig(path, dpi=200, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)
