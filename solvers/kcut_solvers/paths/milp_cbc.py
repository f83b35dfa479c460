"""The mixed-integer program of path selection, by CBC through PuLP."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits, solver
from kcut.paths import PathsInstance
from kcut_solvers import paths_milp


@solver("paths", "milp-cbc", exact=True, reference="mitchell2011pulp forrest2005cbc turan1941")
def milp_cbc(instance: PathsInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Solve the mixed-integer program with pigeonhole rows by CBC, gap 0.

    Parameters
    ----------
    instance : PathsInstance
        For contention, residual or max-load; other objectives are skipped.
    limits : Limits
        CBC keeps the time only roughly.
    rng : numpy.random.Generator
        Of the local search it starts with.

    Returns
    -------
    Answer
        Its bound is CBC's less the tolerance, rounded to an integer; for contention with the
        certificate of the pigeonhole bound. Optimal only where the bound equals the value.

    Notes
    -----
    The model is in `kcut_solvers.paths_model`. PuLP hands no start over to every solver: the warm
    start is the answer where the solver finds no better one.

    References
    ----------
    Mitchell, O'Sullivan & Dunning, PuLP: A linear programming toolkit for Python, 2011.
    """
    return paths_milp.solve(instance, "cbc", limits, rng)
