"""Linear ordering by insertion moves: fast, without a proof."""

from __future__ import annotations

import time

import numpy as np

from kcut import Answer, Claim, Limits, Param, solver
from kcut.priority import PriorityInstance
from kcut_solvers.lop_common import deadline_of
from kcut_solvers.lop_proof import good_order

PARAMS = {"rounds": Param(2_000, "times the order is disturbed and repaired", minimum=0)}


@solver("priority", "lop-local-search", exact=False, params=PARAMS, reference="laguna1999lop")
def lop_local_search(
    instance: PriorityInstance, *, limits: Limits, rng: np.random.Generator, rounds: int
) -> Answer:
    """Maximise the gains of the pairs by inserting jobs at their best places, with kicks.

    Parameters
    ----------
    instance : PriorityInstance
        Its objective is not looked at.
    limits : Limits
        Checked now and then.
    rng : numpy.random.Generator
    rounds : int

    Notes
    -----
    A pass over all jobs is O(n^2).

    References
    ----------
    Laguna, Martí & Campos, Intensification and diversification with elite tabu search solutions for
    the linear ordering problem, Computers & Operations Research 26(12), 1999,
    doi:10.1016/S0305-0548(98)00104-X.
    """
    deadline = deadline_of(limits, time.perf_counter())
    return Answer(Claim.FEASIBLE, good_order(instance.gains, rng, rounds, deadline))
