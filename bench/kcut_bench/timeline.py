"""A plot of a simulation's time line: when each job computes, sends and waits for the link."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kcut import InputError
from kcut.cluster import Cluster
from kcut.simulate import Simulation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = {"compute": "#2a6fbb", "send": "#e08a1e", "wait": "#d9d9d9"}
"""Colours that stay apart in print and for the colour-blind."""

LABELS = {"compute": "compute", "send": "send", "wait": "wait for the link"}
SUFFIXES = (".pdf", ".png", ".svg")
MAX_JOBS = 60


def plot_timeline(
    cluster: Cluster,
    simulation: Simulation,
    path: str | Path | None = None,
    *,
    begin_s: float = 0.0,
    end_s: float | None = None,
    title: str = "",
) -> Figure:
    """Draw one row for each job: computation above, sending and waiting below.

    Parameters
    ----------
    cluster : Cluster
    simulation : Simulation
        With its time line.
    path : str or Path, optional
        Where to save it: PDF, PNG or SVG by the suffix.
    begin_s, end_s : float, optional
        The part to show; by default all, up to the shortest of the jobs' time lines.
    title : str, optional
        By default the utilisation.

    Returns
    -------
    matplotlib.figure.Figure

    Raises
    ------
    InputError
        If the simulation kept no time line, the part is empty, there are more than `MAX_JOBS`
        jobs, or the suffix is unknown.
    """
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    line = simulation.timeline
    if line is None:
        raise InputError("the simulation kept no time line", "timeline")
    if cluster.num_jobs > MAX_JOBS:
        raise InputError(f"more than {MAX_JOBS} jobs to draw", "jobs", cluster.num_jobs)
    if path is not None and Path(path).suffix not in SUFFIXES:
        raise InputError(f"must end in one of {', '.join(SUFFIXES)}", "plot", str(path))
    last = float(line.end_s.min()) if end_s is None else end_s
    if not begin_s < last:
        raise InputError("the part to draw is empty", "end_s", last)
    figure = Figure(figsize=(8, 1 + 0.55 * cluster.num_jobs), layout="constrained")
    axes = figure.add_subplot()
    for j in range(cluster.num_jobs):
        _draw(axes, line.compute[j], "compute", (j - 0.4, 0.4), (begin_s, last))
        _draw(axes, line.send[j], "send", (j, 0.4), (begin_s, last))
        _draw(axes, line.wait[j], "wait", (j, 0.4), (begin_s, last))
    axes.set_yticks(range(cluster.num_jobs), [job.name for job in cluster.jobs])
    axes.set_ylim(cluster.num_jobs - 0.4, -0.6)
    axes.set_xlim(begin_s, last)
    axes.set_xlabel("time (s)")
    axes.set_title(title or f"U = {100 * simulation.utilisation:.1f} %")
    handles = [Patch(color=COLOURS[kind], label=LABELS[kind]) for kind in COLOURS]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False)
    if path is not None:
        try:
            figure.savefig(path)
        except OSError as error:
            message = f"cannot be written: {error.strerror}"
            raise InputError(message, source=str(path)) from None
    return figure


def _draw(
    axes: Axes,
    intervals: np.ndarray[tuple[int, int], np.dtype[np.float64]],
    kind: str,
    row: tuple[float, float],
    part: tuple[float, float],
) -> None:
    clipped = np.clip(intervals, *part)
    spans = [(begin, end - begin) for begin, end in clipped.tolist() if end > begin]
    axes.broken_barh(spans, row, facecolors=COLOURS[kind], gid=kind)
