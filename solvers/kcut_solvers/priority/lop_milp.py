"""Linear ordering as a MILP with lazy 3-cycle inequalities, and a certificate of its own."""

from __future__ import annotations

import time

import numpy as np

from kcut import Answer, Limits, solver
from kcut.priority import PriorityInstance
from kcut_solvers.lop_common import answer_of, deadline_of
from kcut_solvers.lop_milp_model import solve_milp
from kcut_solvers.lop_proof import Proof, good_order

START_ROUNDS = 300
START_SHARE, MILP_SHARE = 0.1, 0.5


@solver(
    "priority",
    "lop-milp",
    exact=True,
    reference="grotschel1984lop barahona2000volume mitchell2011pulp huangfu2018highs",
)
def lop_milp(instance: PriorityInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Maximise the gains of the pairs by linear programs, branching, and HiGHS through PuLP.

    Parameters
    ----------
    instance : PriorityInstance
        Its objective is not looked at; bound and certificate are told where it is gains.
    limits : Limits
    rng : numpy.random.Generator
        Of the first order.

    Returns
    -------
    Answer
        Optimal if the certificate says so, or HiGHS does.

    Notes
    -----
    A local search, subgradients and the linear program come first: on matrices of input-output
    tables they mostly end it. Else HiGHS solves the MILP with the rows found, and those its
    solutions violate, for the best order; a tree of decisions then proves it, as no bound of
    HiGHS' can be checked.

    References
    ----------
    Grötschel, Jünger & Reinelt, A Cutting Plane Algorithm for the Linear Ordering Problem,
    Operations Research 32(6), 1984, doi:10.1287/opre.32.6.1195.
    Barahona & Anbil, The volume algorithm, Mathematical Programming 87, 2000,
    doi:10.1007/s101070050002.
    """
    started = time.perf_counter()
    proof = Proof(instance.gains, np.arange(instance.num_jobs), deadline_of(limits, started))
    proof.offer(good_order(instance.gains, rng, START_ROUNDS, proof.share(START_SHARE)))
    limits.on_incumbent(proof.order)
    proof.relax()
    build_s = time.perf_counter() - started
    limits.on_incumbent(proof.order)
    if proof.closed or proof.relaxed is None or proof.program is None:
        return answer_of(instance, proof, "linear program", build_s=build_s)
    found = solve_milp(proof.program, proof.order, limits, proof.share(MILP_SHARE))
    if found.order is not None:
        proof.offer(found.order)
        limits.on_incumbent(proof.order)
    proof.branch()
    detail = f"{found.detail}; {proof.num_leaves} leaves"
    proven = found.proven and found.order is not None
    claimed = proven and instance.gains.value(found.order) == proof.value  # type: ignore[arg-type]
    return answer_of(instance, proof, detail, claimed=claimed, build_s=build_s)
