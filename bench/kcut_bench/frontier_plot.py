"""The plot of a frontier: what share of the weight the optimum cuts, by number of levels."""

from __future__ import annotations

from pathlib import Path

from kcut.errors import InputError
from kcut.frontier import Frontier

SUFFIXES = (".png", ".svg", ".pdf")


def check_path(path: Path) -> None:
    """Refuse a plot whose suffix names no format, or whose directory is missing."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"must end in one of {', '.join(SUFFIXES)}", "--plot", str(path))
    if not path.parent.is_dir():
        raise InputError("no such directory", "--plot", str(path.parent))


def plot(found: Frontier, total: float, title: str, path: Path) -> None:
    """Write the plot.

    Parameters
    ----------
    found : Frontier
    total : float
        Total weight of the instance, in the unit of the values.
    title : str
    path : Path
        Its suffix names the format.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt
    from matplotlib.ticker import MaxNLocator

    figure, axes = plt.subplots(figsize=(5.0, 3.2), layout="constrained")
    shares = [100 * value / total if total else 100.0 for value in found.values]
    axes.plot(found.levels, shares, marker="o", markersize=3, linewidth=1)
    axes.set_xlabel("levels K")
    axes.set_ylabel("weight cut at the optimum [%]")
    axes.set_title(title, fontsize=8)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.grid(visible=True, linewidth=0.3)
    figure.savefig(path, dpi=200)
    plt.close(figure)
