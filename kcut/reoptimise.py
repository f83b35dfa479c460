"""Rescheduling: from the levels of the moment before to the optimum of now, in few cuts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.ascent import Step, improve
from kcut.compression import CompressionInstance, Levels
from kcut.errors import InputError
from kcut.graph import Index, Start
from kcut.nearest import nearest_optimum


def reoptimise(
    instance: CompressionInstance,
    levels: NDArray[np.integer[Any]],
    *,
    few_changes: bool = False,
) -> Step:
    """Return optimal levels, and their cover, starting from levels that were good before.

    Parameters
    ----------
    instance : CompressionInstance
        As it is now.
    levels : ndarray of int, shape (num_jobs,)
        The level of each job before, -1 for a job that just arrived. Levels that an edge now
        contradicts, or that are out of range, are repaired first, see `repair`.
    few_changes : bool
        Whether to take, of all optimal levels, those with the least sum of changes from the ones
        before; see `kcut.nearest`. A job that just arrived counts nothing.

    Returns
    -------
    Step
        Optimal, with its cover. ``num_cuts`` is the largest rise plus the largest fall of a job
        from the repaired levels, and at most two more.

    Raises
    ------
    InputError
        If there is not one integer for each job.

    Notes
    -----
    Each cut is one maximum flow on the edges that span at most one level; see `kcut.ascent`.

    References
    ----------
    Murota & Shioura, Exact bounds for steepest descent algorithms of L-convex function
    minimization, Operations Research Letters 42(5), 2014, doi:10.1016/j.orl.2014.06.005.
    """
    *_, last = improve(instance, repair(instance, levels))
    if not few_changes:
        return last
    assert last.cover is not None
    return replace(
        last, levels=nearest_optimum(instance, last.levels, last.cover, levels.astype(np.int64))
    )


def repair(instance: CompressionInstance, levels: NDArray[np.integer[Any]]) -> Levels:
    """Return feasible levels near given ones: each job at least as high as the jobs below it.

    Parameters
    ----------
    instance : CompressionInstance
    levels : ndarray of int, shape (num_jobs,)
        Anything; clipped to 0..K-1, so that -1 means the lowest level that is feasible.

    Returns
    -------
    ndarray of int64, shape (num_jobs,)
        The smallest feasible levels that are at least the clipped ones. O(num_jobs + num_edges).

    Raises
    ------
    InputError
        If there is not one integer for each job.
    """
    if levels.shape != (instance.num_jobs,) or not np.issubdtype(levels.dtype, np.integer):
        shown = f"{levels.dtype}, shape {levels.shape}"
        raise InputError(f"must be {instance.num_jobs} integers", "levels", shown)
    clipped = np.clip(levels.astype(np.int64), 0, instance.levels - 1)
    out = instance.out_edges
    _raise_above(instance.order, out.start, out.other, clipped)
    return clipped


@njit(cache=True)
def _raise_above(order: Index, start: Start, lower: Index, levels: Levels) -> None:
    """Go from the last job of the order to the first: each is lifted above all it outranks."""
    for i in range(len(order) - 1, -1, -1):
        u = order[i]
        for a in range(start[u], start[u + 1]):
            levels[u] = max(levels[u], levels[lower[a]])
