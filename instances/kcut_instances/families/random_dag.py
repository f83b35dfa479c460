"""Random DAGs with an exact number of edges."""

from __future__ import annotations

import numpy as np

from kcut import CompressionInstance, InputError, Param, family
from kcut.compression import MAX_JOBS
from kcut_instances.contention import (
    MAX_EDGES,
    WEIGHT_PARAMS,
    Indices,
    distinct,
    ranked_dag,
)

PARAMS = {
    "num_jobs": Param(200, "number of jobs", minimum=1, maximum=MAX_JOBS),
    "num_edges": Param(2000, "number of edges", minimum=0, maximum=MAX_EDGES),
    **WEIGHT_PARAMS,
}


@family("compression", "random-dag", params=PARAMS)
def random_dag(
    rng: np.random.Generator,
    *,
    name: str,
    levels: int,
    num_jobs: int,
    num_edges: int,
    weights: str,
    max_weight: int,
) -> CompressionInstance:
    """Draw num_edges pairs without replacement and direct them along a random order.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    num_jobs, num_edges : int
    weights : {'intensity', 'uniform'}
        See `kcut_instances.contention.ranked_dag`.
    max_weight : int

    Returns
    -------
    CompressionInstance
        Every set of num_edges pairs is equally likely.

    Raises
    ------
    InputError
        If there are fewer than num_edges pairs.
    """
    num_pairs = num_jobs * (num_jobs - 1) // 2
    if num_edges > num_pairs:
        message = f"at most {num_pairs} for {num_jobs} jobs"
        raise InputError(message, "num_edges", num_edges)
    upper, lower = pair_of(draw_distinct(rng, num_pairs, num_edges))
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


def draw_distinct(rng: np.random.Generator, population: int, count: int) -> Indices:
    """Draw a uniform random set of `count` of the numbers 0..population-1.

    Parameters
    ----------
    rng : numpy.random.Generator
    population, count : int
        0 <= count <= population.

    Returns
    -------
    ndarray of int64, shape (count,)
        Distinct, in no particular order.

    Notes
    -----
    O(count log count): a permutation of everything where a tenth or more is wanted, else draws
    with replacement, repeats removed, until there are enough; dropping the surplus at random keeps
    every set equally likely.
    """
    if population <= 10 * count:
        return rng.permutation(population)[:count]
    drawn = np.zeros(0, np.int64)
    while len(drawn) < count:
        missing = count - len(drawn)
        more = rng.integers(0, population, missing + missing // 4 + 16)
        drawn = distinct(np.concatenate((drawn, more)))
    return drawn[rng.permutation(len(drawn))[:count]]


def pair_of(number: Indices) -> tuple[Indices, Indices]:
    """Return the pair i < j with ``number = j (j - 1) / 2 + i``, element by element."""
    j = ((1 + np.sqrt(1 + 8 * number.astype(np.float64))) / 2).astype(np.int64)
    # The root may be rounded across an integer.
    j -= j * (j - 1) // 2 > number
    j += j * (j + 1) // 2 <= number
    return number - j * (j - 1) // 2, j
