"""ECMP: every flow hashed uniformly over its candidate paths."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits, solver
from kcut.paths import PathsInstance
from kcut.routes import ecmp as draw
from kcut_solvers.paths_common import feasible_answer


@solver("paths", "ecmp", exact=False, reference="hopps2000")
def ecmp(instance: PathsInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Hash each flow uniformly over its candidate paths; the seed stands for the hash.

    Parameters
    ----------
    instance : PathsInstance
        Its objective and its stretch are not looked at.
    limits : Limits
        Unused.
    rng : numpy.random.Generator

    References
    ----------
    Hopps, Analysis of an Equal-Cost Multi-Path Algorithm, RFC 2992, 2000, doi:10.17487/RFC2992.
    """
    return feasible_answer(instance, draw(instance.cluster.routes, rng))
