"""Crux's priority with every job replayed against every other, not against one reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcut import Answer, Limits, Param, solver
from kcut.corrections import FINE, NEITHER, Corrections, pairwise_corrections, priorities
from kcut.priority import PriorityInstance
from kcut_solvers.priority_common import (
    REPLAY_PARAMS,
    describe_kinds,
    falling,
    feasible_answer,
    needs_cluster,
)

PARAMS = {
    "rule": Param(
        "least-squares",
        "k_j that fit all quotients best, or wins over the other jobs",
        choices=("least-squares", "wins"),
    ),
    **REPLAY_PARAMS,
}

_MOST = np.log(1000.0)
"""Quotients count as 1/1000 to 1000 in the fit."""


@solver("priority", "crux-all-pairs", exact=False, params=PARAMS, reference="cao2024crux")
def crux_all_pairs(
    instance: PriorityInstance,
    *,
    limits: Limits,
    rng: np.random.Generator,
    rule: str,
    window: float,
    phase: float,
    zero: str,
) -> Answer:
    """Serve jobs by corrected intensity, with corrections from all pairs.

    Parameters
    ----------
    instance : PriorityInstance
        Without a cluster there is nothing to replay: skipped.
    limits : Limits
        Unused.
    rng : numpy.random.Generator
        Unused.
    rule : {'least-squares', 'wins'}
        ``least-squares``: P_j = k_j I_j with log k_j - log k_r as close to log k_{j|r} as can be
        over the pairs, in the sum of squares; pairs that say nothing count as 0. ``wins``: by the
        number of other jobs r with k_{j|r} I_j > I_r, then by intensity.
    window, phase, zero
        See the solver ``crux``.

    Notes
    -----
    Ours: the paper names the single reference as a limit and leaves it at that. The fit has a
    closed form, the mean over the other jobs. O(num_jobs^2) replays.
    """
    if instance.cluster is None:
        return needs_cluster()
    pairs, found = pairwise_corrections(instance.cluster, window_s=window, phase=phase, zero=zero)
    detail = describe_kinds(found.kind, "pairs")
    if rule == "least-squares":
        k = np.exp(fit(instance.num_jobs, pairs, found))
        return feasible_answer(priorities(k, instance.intensity), detail)
    wins = np.zeros(instance.num_jobs)
    r, j = pairs.T
    intensity = instance.intensity
    with np.errstate(invalid="ignore"):
        ahead = np.where(found.k == np.inf, intensity[j] > 0, found.k * intensity[j] > intensity[r])
    np.add.at(wins, np.where(ahead, j, r), 1.0)
    by_intensity = falling(intensity)
    return feasible_answer(by_intensity[np.argsort(-wins[by_intensity], kind="stable")], detail)


def fit(num_jobs: int, pairs: NDArray[np.int64], found: Corrections) -> NDArray[np.float64]:
    """Return log k_j by least squares: the mean of log k_{j|r} over all jobs r, itself included."""
    says = (found.kind == FINE) | (found.kind > NEITHER)
    with np.errstate(divide="ignore"):
        logs = np.where(says, np.clip(np.log(found.k), -_MOST, _MOST), 0.0)
    total = np.bincount(pairs[:, 1], logs, num_jobs) - np.bincount(pairs[:, 0], logs, num_jobs)
    mean: NDArray[np.float64] = total / num_jobs
    return mean
