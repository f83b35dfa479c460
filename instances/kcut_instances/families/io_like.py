"""Matrices like input-output tables of economies: sectors of very different size in a hierarchy."""

from __future__ import annotations

import numpy as np

from kcut import Param, family
from kcut.linear_order import Gains
from kcut.priority import PriorityInstance

PARAMS = {
    "num_jobs": Param(44, "sectors", minimum=1, maximum=5_000),
    "against": Param(
        0.2,
        "a flow against the hierarchy, over one along it, at the median",
        minimum=0.0,
        maximum=1.0,
    ),
    "noise": Param(1.0, "deviation of the logarithm of a flow", minimum=0.0, maximum=5.0),
    "filled": Param(0.8, "share of the flows that are not 0", minimum=0.0, maximum=1.0),
}

_SIZES = 1.2
_MEDIAN = 100.0


@family("priority", "io-like", params=PARAMS, reference="grotschel1984lop", levels=1)
def io_like(
    rng: np.random.Generator,
    *,
    name: str,
    levels: int,
    num_jobs: int,
    against: float,
    noise: float,
    filled: float,
) -> PriorityInstance:
    """Draw log-normal flows between sectors of log-normal size, fewer against a hidden order.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
        A matrix has none.
    num_jobs : int
        Sectors; published tables have 44 to 79.
    against, noise, filled : float

    Returns
    -------
    PriorityInstance
        Triangulating it, as economists say, is linear ordering. No published table is copied.
    """
    size = np.exp(rng.normal(0.0, _SIZES, num_jobs))
    place = rng.permutation(num_jobs)
    flow = _MEDIAN * np.exp(rng.normal(0.0, noise, (num_jobs, num_jobs)))
    flow *= np.sqrt(np.outer(size, size))
    flow[place[:, np.newaxis] > place] *= against
    flow[rng.random((num_jobs, num_jobs)) >= filled] = 0.0
    gains = np.rint(flow).astype(np.int64)
    return PriorityInstance(matrix=Gains.from_matrix(gains), title=name)
