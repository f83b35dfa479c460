"""Varys' mapping of an order to levels: consecutive blocks of equal size."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Claim, CompressionInstance, Limits, solver


@solver("compression", "varys", exact=False, reference="chowdhury2014varys cao2024crux")
def varys(instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Give the job of rank r the level K-1 - floor(r K / n): equal blocks of the given order.

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
    Chowdhury, Zhong & Stoica, Efficient coflow scheduling with Varys, SIGCOMM 2014,
    doi:10.1145/2619239.2626315. The mapping to levels is the one Crux (SIGCOMM 2024, Fig. 13)
    draws for it.
    """
    n, K = instance.num_jobs, instance.levels
    levels = np.empty(n, np.int64)
    levels[instance.order] = K - 1 - np.arange(n, dtype=np.int64) * K // n
    return Answer(Claim.FEASIBLE, levels)
