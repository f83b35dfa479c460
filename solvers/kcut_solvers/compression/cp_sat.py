"""Priority compression as a constraint program, by CP-SAT.

min   sum_e w_e z_e                         (the residual)
s.t.  L_u - L_v + z_e >= 1                  for every edge e = u -> v
      L_v in {0..K-1},  z_e in {0, 1}
"""

from __future__ import annotations

import time

import numpy as np

from kcut import Answer, CompressionInstance, Limits, cut_value, solver
from kcut_solvers import cp_sat as engine


@solver("compression", "cp-sat", exact=True, reference="perron2023cpsat")
def cp_sat(instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Solve the integer model by CP-SAT, gap 0, one worker unless more threads are allowed.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        Time, memory and threads are handed over.
    rng : numpy.random.Generator
        Gives CP-SAT's seed.

    Returns
    -------
    Answer
        With a bound in integers. Skipped where CP-SAT finds that sums could overflow, which is
        close to a total weight of 2^62.

    References
    ----------
    Perron, Didier & Gay, The CP-SAT-LP solver, CP 2023, doi:10.4230/LIPIcs.CP.2023.3.
    """
    started = time.perf_counter()
    cp_model = engine.load()
    model = cp_model.CpModel()
    top = instance.useful_levels - 1
    levels = [model.new_int_var(0, top, "") for _ in range(instance.num_jobs)]
    uncut = [model.new_bool_var("") for _ in range(instance.num_edges)]
    for u, v, z in zip(instance.upper.tolist(), instance.lower.tolist(), uncut, strict=True):
        model.add(levels[u] - levels[v] + z >= 1)
    model.minimize(cp_model.LinearExpr.weighted_sum(uncut, instance.weight.tolist()))
    problem = engine.Problem(
        model,
        levels,
        decode=lambda values: values,
        value=lambda found: cut_value(instance, found),
        offset=instance.total_weight,
    )
    return engine.solve(problem, limits, rng, started)
