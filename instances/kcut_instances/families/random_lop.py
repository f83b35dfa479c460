"""Matrices of independent uniform gains: linear ordering without any structure."""

from __future__ import annotations

import numpy as np

from kcut import Param, family
from kcut.linear_order import Gains
from kcut.priority import PriorityInstance

PARAMS = {
    "num_jobs": Param(20, "rows of the matrix", minimum=1, maximum=5_000),
    "max_gain": Param(100, "largest gain", minimum=1, maximum=1_000_000_000),
}


@family("priority", "random-lop", params=PARAMS, reference="marti2012lolib", levels=1)
def random_lop(
    rng: np.random.Generator, *, name: str, levels: int, num_jobs: int, max_gain: int
) -> PriorityInstance:
    """Draw every gain by itself.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
        A matrix has none.
    num_jobs : int
    max_gain : int
        Gains are uniform integers from 0 to this.

    Returns
    -------
    PriorityInstance
        Hard from about 40 jobs on: the bound of 3-cycles is not tight.
    """
    gains = rng.integers(0, max_gain + 1, (num_jobs, num_jobs))
    return PriorityInstance(matrix=Gains.from_matrix(gains), title=name)
