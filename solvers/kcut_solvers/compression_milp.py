"""Priority compression as a mixed-integer program in PuLP.

    min   sum_e w_e z_e                         (the residual)
    s.t.  L_u - L_v + z_e >= 1                  for every edge e = u -> v
          L_v in {0..K-1},  0 <= z_e <= 1       (z_e is integral where L is)

A row says both that an edge counts as cut only from one level on, and, as z_e <= 1, that no edge
runs upward.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import (
    Answer,
    Claim,
    CompressionInstance,
    Incumbent,
    Limits,
    Termination,
    cut_value,
    no_answer,
)
from kcut_solvers import pulp_adapter
from kcut_solvers.floats import check_levels, cut_bound, unit_of


def build(pulp: Any, instance: CompressionInstance) -> tuple[Any, dict[int, Any]]:
    """Return the problem and its level variables, by job; jobs without edges have none.

    Only `useful_levels` are offered: more change nothing.
    """
    problem = pulp.LpProblem("compression", pulp.LpMinimize)
    top = instance.useful_levels - 1
    jobs = np.union1d(instance.upper, instance.lower).tolist()
    levels = {v: problem.add_variable(f"L{v}", 0, top, pulp.LpInteger) for v in jobs}
    uncut = [problem.add_variable(f"z{e}", 0, 1) for e in range(instance.num_edges)]
    problem += pulp.lpDot((instance.weight / unit_of(instance.weight)).tolist(), uncut)
    edges = zip(instance.upper.tolist(), instance.lower.tolist(), uncut, strict=True)
    for u, v, z in edges:
        problem += levels[u] - levels[v] + z >= 1
    return problem, levels


def solve(instance: CompressionInstance, name: str, limits: Limits) -> Answer:
    """Build the model, solve it by the named solver, and claim no more than is certain.

    Parameters
    ----------
    instance : CompressionInstance
    name : {'cbc', 'highs'}
    limits : Limits
        Building counts; CBC and HiGHS keep what is left of the time only roughly.

    Returns
    -------
    Answer
    """
    started = time.perf_counter()
    if instance.num_edges == 0:
        levels = np.zeros(instance.num_jobs, np.int64)
        return Answer(Claim.OPTIMAL, levels, 0, detail="no edges, no model")
    pulp = pulp_adapter.load()
    problem, variables = build(pulp, instance)
    build_s = time.perf_counter() - started
    remaining_s = None if limits.time_s is None else limits.time_s - build_s
    if remaining_s is not None and remaining_s <= 0:
        return no_answer(Termination.TIME_LIMIT, f"building the model took {build_s:.1f} s")
    interface = pulp_adapter.make_solver(pulp, name, limits, remaining_s)
    if interface is None:
        return no_answer(Termination.SKIPPED, f"{name} is not installed")
    numbers = np.zeros(instance.num_jobs)
    incumbents: list[Incumbent] = []

    def tell(values: NDArray[np.float64]) -> None:
        numbers[list(variables)] = values
        levels = check_levels(instance, numbers, proven=False).levels
        if levels is not None:
            limits.on_incumbent(levels)
            seconds = time.perf_counter() - started
            incumbents.append(Incumbent(seconds, cut_value(instance, levels)))

    pulp_adapter.tell_incumbents(pulp, interface, list(variables.values()), tell)
    outcome = pulp_adapter.run(pulp, problem, interface)
    termination = Termination.TIME_LIMIT if outcome.stopped else Termination.FINISHED
    if not outcome.found:
        ended = termination if outcome.stopped else Termination.CRASHED
        return replace(no_answer(ended, outcome.detail), build_s=build_s)
    for job, variable in variables.items():
        numbers[job] = np.nan if variable.varValue is None else variable.varValue
    checked = check_levels(instance, numbers, outcome.proven)
    return Answer(
        checked.claim,
        checked.levels,
        cut_bound(instance, outcome.bound),
        checked.cover,
        termination,
        "; ".join(filter(None, (outcome.detail, checked.note))),
        tuple(incumbents),
        build_s=build_s,
    )
