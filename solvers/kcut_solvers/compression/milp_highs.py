"""The mixed-integer program of priority compression, by HiGHS through PuLP."""

from __future__ import annotations

import numpy as np

from kcut import Answer, CompressionInstance, Limits, solver
from kcut_solvers import compression_milp


@solver("compression", "milp-highs", exact=True, reference="mitchell2011pulp huangfu2018highs")
def milp_highs(
    instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator
) -> Answer:
    """Solve the mixed-integer program by HiGHS, gap 0.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        Time and threads are handed over; HiGHS keeps the time only roughly.
    rng : numpy.random.Generator
        Not used; HiGHS is deterministic with one thread and no time limit.

    Returns
    -------
    Answer
        See `kcut_solvers.compression_milp`.

    Notes
    -----
    The linear relaxation is integral, so the root node suffices.

    References
    ----------
    Mitchell, O'Sullivan & Dunning, PuLP: A linear programming toolkit for Python, 2011.
    Huangfu & Hall, Parallelizing the dual revised simplex method, Mathematical Programming
    Computation 10, 2018, doi:10.1007/s12532-017-0130-5.
    """
    return compression_milp.solve(instance, "highs", limits)
