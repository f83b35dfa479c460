"""Layered DAGs: edges run from a layer to the next one, or to any later one."""

from __future__ import annotations

import numpy as np

from kcut import CompressionInstance, InputError, Param, family
from kcut_instances.contention import WEIGHT_PARAMS, Indices, check_num_edges, ranked_dag

MAX_TRIALS = 1_000_000_000
_CHUNK = 1 << 24

PARAMS = {
    "num_jobs": Param(200, "number of jobs", minimum=1, maximum=1_000_000),
    "num_layers": Param(20, "number of layers", minimum=1, maximum=1_000_000),
    "probability": Param(0.3, "of each possible edge", minimum=0, maximum=1),
    "reach": Param("next", "the layers an edge may run to", choices=("next", "later")),
    **WEIGHT_PARAMS,
}


@family("compression", "layered", params=PARAMS)
def layered(
    rng: np.random.Generator,
    *,
    name: str,
    levels: int,
    num_jobs: int,
    num_layers: int,
    probability: float,
    reach: str,
    weights: str,
    max_weight: int,
) -> CompressionInstance:
    """Draw each edge between layers of (nearly) equal size independently.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    num_jobs, num_layers : int
    probability : float
        Of each possible edge.
    reach : {'next', 'later'}
        Whether an edge may run to the next layer only, or to any later one.
    weights : {'intensity', 'uniform'}
        See `kcut_instances.contention.ranked_dag`.
    max_weight : int

    Returns
    -------
    CompressionInstance

    Raises
    ------
    InputError
        If there are more layers than jobs, or more than `MAX_TRIALS` possible edges.

    Notes
    -----
    One random number for each possible edge, in chunks.
    """
    if num_layers > num_jobs:
        raise InputError(f"at most num_jobs = {num_jobs}", "num_layers", num_layers)
    layer = np.arange(num_jobs) * num_layers // num_jobs
    start = np.searchsorted(layer, np.arange(num_layers))
    first = start[np.maximum(layer - 1, 0)] if reach == "next" else np.zeros_like(layer)
    # Rank r can be reached from the ranks first[r] .. start[layer[r]] - 1.
    num_sources = start[layer] - first
    trials = int(num_sources.sum())
    if trials > MAX_TRIALS:
        message = f"{trials:,} possible edges, more than {MAX_TRIALS:,}"
        raise InputError(message, "num_jobs", num_jobs)
    check_num_edges(int(trials * probability), "probability", probability)
    hit = _successes(rng, trials, probability)
    end = np.cumsum(num_sources)
    lower = np.searchsorted(end, hit, side="right")
    upper = first[lower] + hit - (end - num_sources)[lower]
    return ranked_dag(
        rng,
        upper,
        lower,
        num_jobs=num_jobs,
        weights=weights,
        max_weight=max_weight,
        name=name,
        levels=levels,
    )


def _successes(rng: np.random.Generator, trials: int, probability: float) -> Indices:
    hits = [np.zeros(0, np.int64)]
    for begin in range(0, trials, _CHUNK):
        dice = rng.random(min(_CHUNK, trials - begin))
        hits.append(begin + np.flatnonzero(dice < probability))
    return np.concatenate(hits)
