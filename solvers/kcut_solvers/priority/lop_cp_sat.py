"""Linear ordering by CP-SAT, and a certificate of its own."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from kcut import Answer, Claim, Limits, Termination, no_answer, solver
from kcut.linear_order import Order
from kcut.priority import PriorityInstance
from kcut_solvers import cp_sat
from kcut_solvers.lop_common import answer_of, deadline_of
from kcut_solvers.lop_proof import Proof, good_order

MAX_JOBS = 100
"""Two clauses for each of n^3 / 6 triples: a third of a million clauses."""

START_ROUNDS, SEARCH_SHARE = 300, 0.6


@solver("priority", "lop-cp-sat", exact=True, reference="perron2023cpsat grotschel1984lop")
def lop_cp_sat(instance: PriorityInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Maximise the gains of the pairs by CP-SAT with all 3-cycle clauses.

    Parameters
    ----------
    instance : PriorityInstance
        Its objective is not looked at; bound and certificate are told where it is gains. Skipped
        above `MAX_JOBS` jobs.
    limits : Limits
    rng : numpy.random.Generator

    Returns
    -------
    Answer
        Optimal if CP-SAT says so, with a certificate from linear programs and a tree of decisions:
        no bound of CP-SAT's can be checked.

    Notes
    -----
    A Boolean for each pair; of the arcs of a 3-cycle not all three, either way round.

    References
    ----------
    Perron, Didier & Gay, The CP-SAT-LP Solver, CP 2023, doi:10.4230/LIPIcs.CP.2023.3.
    """
    n = instance.num_jobs
    if n > MAX_JOBS:
        return no_answer(Termination.SKIPPED, f"{n} jobs, more than {MAX_JOBS}")
    started = time.perf_counter()
    gains = instance.gains
    proof = Proof(gains, np.arange(n), deadline_of(limits, started))
    start = good_order(gains, rng, START_ROUNDS, proof.share(0.1))
    proof.offer(start)
    limits.on_incumbent(proof.order)
    problem = _write(instance, start)
    searched = Limits(
        None if limits.time_s is None else SEARCH_SHARE * limits.time_s,
        limits.memory_bytes,
        limits.threads,
        limits.effort_s,
        limits.on_incumbent,
    )
    answer = cp_sat.solve(problem, searched, rng, started)
    if answer.solution is not None:
        proof.offer(answer.solution.astype(np.int64))
    proof.relax()
    proof.branch()
    claimed = answer.claim is Claim.OPTIMAL and gains.value(answer.solution) == proof.value  # type: ignore[arg-type]
    return answer_of(
        instance,
        proof,
        f"{answer.detail}; {proof.num_leaves} leaves",
        claimed=claimed,
        bound=answer.bound,
        build_s=answer.build_s,
    )


def _write(instance: PriorityInstance, start: Order) -> cp_sat.Problem:
    """Minimise what the order loses of the larger gain of each pair."""
    cp_model = cp_sat.load()
    cp = cp_model.CpModel()
    n = instance.num_jobs
    weight = instance.gains.weight
    place = np.argsort(start)
    x: dict[tuple[int, int], Any] = {}
    for i in range(n):
        for j in range(i + 1, n):
            x[i, j] = cp.new_bool_var(f"x{i}_{j}")
            x[j, i] = x[i, j].negated()
            cp.add_hint(x[i, j], int(place[i] < place[j]))
    for i in range(n):
        for j in range(i + 1, n):
            for k in range(j + 1, n):
                cp.add_bool_or(x[j, i], x[k, j], x[i, k])
                cp.add_bool_or(x[i, j], x[j, k], x[k, i])
    upper = [(i, j) for i, j in x if i < j]
    lost = []
    for i, j in upper:
        net = int(weight[i, j]) - int(weight[j, i])
        lost.append(net * x[j, i] if net > 0 else -net * x[i, j])
    cp.minimize(sum(lost))

    def decode(values: cp_sat.Values) -> Order:
        before = np.zeros((n, n), np.int64)
        for (i, j), one in zip(upper, values.tolist(), strict=True):
            before[i, j], before[j, i] = one, 1 - one
        return np.argsort(-before.sum(axis=1), kind="stable").astype(np.int64)

    variables = [x[pair] for pair in upper]
    gains = instance.gains
    # The clauses mean little to propagation, and all to the linear program.
    return cp_sat.Problem(cp, variables, decode, gains.value, gains.most, linearization=2)
