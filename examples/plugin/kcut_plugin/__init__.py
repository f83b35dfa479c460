"""One solver and one family, registered on import."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Claim, CompressionInstance, Limits, Param, family, solver


@solver(
    "compression",
    "example-greedy-rank",
    exact=False,
    params={"blocks": Param(0, "blocks to cut the order into; 0 for one each level", minimum=0)},
)
def greedy_rank(
    instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator, blocks: int
) -> Answer:
    """Cut the instance's order into blocks of nearly equal outgoing weight.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        Not needed.
    rng : numpy.random.Generator
        Not used.
    blocks : int
        At most K are used.

    Returns
    -------
    Answer
        Feasible, without a bound. O(num_jobs + num_edges).
    """
    num_blocks = min(blocks or instance.levels, instance.levels)
    outgoing = np.bincount(instance.upper, instance.weight, instance.num_jobs)
    before = np.cumsum(outgoing[instance.order]) - outgoing[instance.order]
    total = max(float(outgoing.sum()), 1.0)
    block = np.minimum(before * num_blocks / total, num_blocks - 1).astype(np.int64)
    levels = np.empty(instance.num_jobs, np.int64)
    levels[instance.order] = instance.levels - 1 - block
    return Answer(Claim.FEASIBLE, levels)


@family(
    "compression",
    "example-stars",
    params={
        "num_stars": Param(10, "number of stars", minimum=1, maximum=10_000),
        "num_rays": Param(5, "jobs that each centre outranks", minimum=1, maximum=1_000),
    },
    levels=3,
)
def stars(
    rng: np.random.Generator, *, name: str, levels: int, num_stars: int, num_rays: int
) -> CompressionInstance:
    """Generate disjoint stars: a job that outranks num_rays others, with one random weight each.

    Parameters
    ----------
    rng : numpy.random.Generator
        Draws a weight from 1 to 99 for each star.
    name : str
    levels : int
    num_stars, num_rays : int

    Returns
    -------
    CompressionInstance
        With two levels or more its optimum is its total weight.
    """
    centre = np.repeat(np.arange(num_stars), num_rays)
    ray = num_stars + np.arange(num_stars * num_rays)
    weight = rng.integers(1, 100, num_stars)[centre]
    return CompressionInstance.from_edges(
        num_stars * (1 + num_rays), centre, ray, weight, levels=levels, name=name
    )
