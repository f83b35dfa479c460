"""Chains with heavy windows at different depths: where cutting few BFS orders fails.

r disjoint chains of r K jobs, K the number of levels. Chain c weighs 1 on its K - 1 edges that
leave the jobs at depths c K .. c K + K - 2, and 0 elsewhere. The optimum cuts all r (K - 1) of
them. A BFS order keeps equal depths together, so each of its K - 1 cuts meets one edge of every
chain, at two neighbouring depths at most, and only one of those edges is heavy: the best cut of
any BFS order is worth K - 1.
"""

from __future__ import annotations

import numpy as np

from kcut import CompressionInstance, Param, family
from kcut_instances.contention import check_num_edges

PARAMS = {"chains": Param(4, "r, the number of chains", minimum=1, maximum=10_000)}


@family("compression", "windows", params=PARAMS)
def windows(
    rng: np.random.Generator, *, name: str, levels: int, chains: int
) -> CompressionInstance:
    """Build disjoint chains on which Crux's BFS orders reach 1/r of the optimum, however many.

    Parameters
    ----------
    rng : numpy.random.Generator
        Numbers the jobs.
    name : str
    levels : int
        K; the instance is made for this number of levels.
    chains : int
        r.

    Returns
    -------
    CompressionInstance
        r^2 K jobs, r (r K - 1) edges.

    Raises
    ------
    InputError
        If that is too many edges.
    """
    length = chains * levels
    check_num_edges(chains * (length - 1), "chains", chains)
    job = rng.permutation(chains * length).reshape(chains, length)
    chain, depth = np.divmod(np.arange(chains * length).reshape(chains, length), length)
    heavy = (depth // levels == chain) & (depth % levels < levels - 1)
    return CompressionInstance.from_edges(
        chains * length,
        job[:, :-1].ravel(),
        job[:, 1:].ravel(),
        heavy[:, :-1].astype(np.int64).ravel(),
        levels=levels,
        name=name,
    )
