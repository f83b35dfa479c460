"""Sincronia's mapping of an order to levels: the first jobs one level each, the rest the lowest."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Claim, CompressionInstance, Limits, solver


@solver("compression", "sincronia", exact=False, reference="agarwal2018sincronia cao2024crux")
def sincronia(instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Give the first K-1 jobs of the given order a level each and all others the lowest.

    Parameters
    ----------
    instance : CompressionInstance
        Its ``order`` is cut; the weights are not looked at.
    limits : Limits
        Not needed.
    rng : numpy.random.Generator
        Not used.

    Returns
    -------
    Answer
        Feasible, without a bound. O(num_jobs).

    References
    ----------
    Agarwal et al., Sincronia: near-optimal network design for coflows, SIGCOMM 2018,
    doi:10.1145/3230543.3230569. The mapping to levels is the one Crux (SIGCOMM 2024, Fig. 13)
    draws for it.
    """
    levels = np.empty(instance.num_jobs, np.int64)
    rank = np.arange(instance.num_jobs, dtype=np.int64)
    levels[instance.order] = np.maximum(0, instance.levels - 1 - rank)
    return Answer(Claim.FEASIBLE, levels)
