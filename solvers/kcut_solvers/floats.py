"""What a floating-point solver may claim about integers: its unit, its bound, its optimum."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcut import Claim, CompressionInstance, bound, cut_value, infeasibility
from kcut_solvers.certify import cover_from_levels

LARGEST_COEFFICIENT = 2.0**20
"""Weights are divided by a power of two until none is larger: solvers' tolerances are absolute."""

TOLERANCE = 1e-6
"""Feasibility and optimality tolerance of CBC and HiGHS, per unit of the objective."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a floating-point solution: levels, what may be claimed of them, and why."""

    claim: Claim
    levels: NDArray[np.int64] | None
    cover: NDArray[np.int64] | None
    note: str


def unit_of(weight: NDArray[np.int64]) -> float:
    """Return the power of two, at least 1, by which to divide weights before they become floats."""
    largest = float(weight.max(initial=0))
    return 2.0 ** max(0, math.ceil(math.log2(max(largest, 1.0) / LARGEST_COEFFICIENT)))


def check_levels(
    instance: CompressionInstance, numbers: NDArray[np.float64], proven: bool
) -> Checked:
    """Round levels that a solver computed in floats, and decide what may be claimed.

    Parameters
    ----------
    instance : CompressionInstance
    numbers : ndarray of float64, shape (num_jobs,)
        Levels as the solver returned them.
    proven : bool
        Whether the solver says that they are optimal.

    Returns
    -------
    Checked
        Optimal as the solver says, where its tolerance cannot hide a whole unit of weight. Where
        it could, optimal only with a cover that proves it in exact integers. Levels None if they
        are infeasible after rounding.
    """
    if not np.isfinite(numbers).all():
        return Checked(Claim.NONE, None, None, "levels that are no numbers")
    levels = np.clip(np.rint(numbers), 0, instance.levels - 1).astype(np.int64)
    problem = infeasibility(instance, levels)
    if problem is not None:
        return Checked(Claim.NONE, None, None, f"rounded levels are infeasible: {problem}")
    if not proven:
        return Checked(Claim.FEASIBLE, levels, None, "")
    if _is_fine_enough(instance):
        return Checked(Claim.OPTIMAL, levels, None, "")
    cover = cover_from_levels(instance, levels)
    if cover is None or bound(instance, cover) != cut_value(instance, levels):
        return Checked(Claim.FEASIBLE, levels, None, "optimal in floats only")
    return Checked(Claim.OPTIMAL, levels, cover, "weights too large for floats: proven exactly")


def _is_fine_enough(instance: CompressionInstance) -> bool:
    """Whether every variable may be off by the tolerance and no whole unit is gained or lost."""
    reach = instance.num_edges + instance.num_jobs * instance.useful_levels
    return unit_of(instance.weight) == 1.0 and reach * TOLERANCE < 0.5


def cut_bound(instance: CompressionInstance, residual: float | None) -> int | None:
    """Turn a lower bound on the residual, in floats and in units of `unit_of`, into one on cuts.

    The tolerance is given away, relative and absolute; what is left is rounded to the next integer,
    as residuals are integers. None where
    the solver has no bound.
    """
    if residual is None or not math.isfinite(residual) or abs(residual) >= 1e30:
        return None
    unit = int(unit_of(instance.weight))
    loosened = residual - TOLERANCE * (1.0 + abs(residual))
    return instance.total_weight - max(0, math.ceil(loosened * unit))
