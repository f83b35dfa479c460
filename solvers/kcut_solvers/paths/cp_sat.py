"""Path selection by CP-SAT."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits, solver
from kcut.paths import PathsInstance
from kcut_solvers.paths_cp_sat import solve_part
from kcut_solvers.paths_exact import solve_exactly


@solver("paths", "cp-sat", exact=True, reference="perron2023cpsat turan1941")
def cp_sat(instance: PathsInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Solve the exact model with pigeonhole rows by CP-SAT, from the best of a local search.

    Parameters
    ----------
    instance : PathsInstance
        For contention, residual or max-load; other objectives are skipped.
    limits : Limits
        More than one thread makes runs unrepeatable.
    rng : numpy.random.Generator

    Returns
    -------
    Answer
        For contention with the certificate of the pigeonhole bound. A claim of optimality beyond
        that bound rests on CP-SAT's word.

    Notes
    -----
    The model is in `kcut_solvers.paths_model`, the rows in `kcut_solvers.pigeonhole_lp`.

    References
    ----------
    Perron, Didier & Gay, The CP-SAT-LP Solver, CP 2023, doi:10.4230/LIPIcs.CP.2023.3.
    Turán, On an extremal problem in graph theory, Matematikai és Fizikai Lapok 48, 1941.
    """
    return solve_exactly(instance, limits, rng, solve_part)
