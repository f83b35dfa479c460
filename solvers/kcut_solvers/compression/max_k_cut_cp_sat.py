"""Ordinary Max K-Cut by CP-SAT: compression without its order, an upper bound on it.

min   sum_e w_e z_e
s.t.  sum_k x_vk = 1,   x_uk + x_vk - z_e <= 1   for every edge e = {u, v} and part k
      x_vk <= sum of x_u,k-1 over the u before v  (a part opens after the one before it)
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import Answer, CompressionInstance, Limits, Termination, no_answer, solver
from kcut.compression import max_k_cut_value
from kcut_solvers import cp_sat as engine

MAX_LITERALS = 5_000_000
"""Literals in the model beyond which it is not built; NP-hardness ends the hope long before."""


@solver("max-k-cut", "max-k-cut-cp-sat", exact=True, reference="perron2023cpsat frieze1997maxkcut")
def max_k_cut_cp_sat(
    instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator
) -> Answer:
    """Solve Max K-Cut exactly on a small instance: the price of order.

    Parameters
    ----------
    instance : CompressionInstance
        The directions of its edges are ignored.
    limits : Limits
        Time, memory and threads are handed over.
    rng : numpy.random.Generator
        Gives CP-SAT's seed.

    Returns
    -------
    Answer
        Parts as levels, in no order that means anything; a bound in integers. Skipped where the
        model would have more than `MAX_LITERALS` literals or CP-SAT finds that sums could
        overflow.

    Notes
    -----
    NP-hard. Parts are interchangeable: jobs are taken by falling weighted degree, and the i-th
    may use the first i parts only, none before the part ahead of it is in use.

    References
    ----------
    Frieze & Jerrum, Improved approximation algorithms for MAX k-CUT and MAX BISECTION,
    Algorithmica 18, 1997, doi:10.1007/BF02523688.
    """
    started = time.perf_counter()
    n, parts = instance.num_jobs, min(instance.levels, instance.num_jobs)
    literals = parts * (3 * instance.num_edges + n * (n + 1) // 2)
    if literals > MAX_LITERALS:
        return no_answer(Termination.SKIPPED, f"the model would have {literals:,} literals")
    cp_model = engine.load()
    model = cp_model.CpModel()
    member = _members(model, instance, parts)
    uncut = [model.new_bool_var("") for _ in range(instance.num_edges)]
    for u, v, z in zip(instance.upper.tolist(), instance.lower.tolist(), uncut, strict=True):
        for x, y in zip(member[u], member[v], strict=False):
            model.add_bool_or([~x, ~y, z])
    model.minimize(cp_model.LinearExpr.weighted_sum(uncut, instance.weight.tolist()))

    def decode(values: NDArray[np.int64]) -> NDArray[np.int64]:
        job = np.repeat(np.arange(n), [len(row) for row in member])
        part = np.concatenate([np.arange(len(row)) for row in member])
        levels = np.zeros(n, np.int64)
        levels[job[values == 1]] = part[values == 1]
        return levels

    problem = engine.Problem(
        model,
        [x for row in member for x in row],
        decode,
        value=lambda found: max_k_cut_value(instance, found),
        offset=instance.total_weight,
    )
    return engine.solve(problem, limits, rng, started)


def _members(model: Any, instance: CompressionInstance, parts: int) -> list[list[Any]]:
    """Return x_vk per job v, for the parts it may be in, with symmetry broken."""
    degree = np.zeros(instance.num_jobs)
    np.add.at(degree, instance.upper, instance.weight.astype(float))
    np.add.at(degree, instance.lower, instance.weight.astype(float))
    member: list[list[Any]] = [[] for _ in range(instance.num_jobs)]
    opened: list[list[Any]] = [[] for _ in range(parts)]
    for i, job in enumerate(np.argsort(-degree, kind="stable").tolist()):
        member[job] = [model.new_bool_var("") for _ in range(min(i + 1, parts))]
        model.add_exactly_one(member[job])
        for k, x in enumerate(member[job][1:], start=1):
            model.add_bool_or([~x, *opened[k - 1]])
        for k, x in enumerate(member[job]):
            opened[k].append(x)
    return member
