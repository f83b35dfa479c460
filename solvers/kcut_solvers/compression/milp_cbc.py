"""The mixed-integer program of priority compression, by CBC through PuLP."""

from __future__ import annotations

import numpy as np

from kcut import Answer, CompressionInstance, Limits, solver
from kcut_solvers import compression_milp


@solver("compression", "milp-cbc", exact=True, reference="mitchell2011pulp forrest2005cbc")
def milp_cbc(instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Solve the mixed-integer program by CBC, gap 0.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        Time and threads are handed over; CBC keeps the time only roughly.
    rng : numpy.random.Generator
        Not used; CBC is deterministic with one thread and no time limit.

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
    Forrest & Lougee-Heimer, CBC user guide, INFORMS Tutorials in Operations Research 2005,
    doi:10.1287/educ.1053.0020.
    """
    return compression_milp.solve(instance, "cbc", limits)
