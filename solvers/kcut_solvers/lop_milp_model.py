"""The MILP of linear ordering in PuLP: rows of the linear program, and more as orders need them."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from kcut import Limits
from kcut.linear_order import Order
from kcut_solvers import pulp_adapter
from kcut_solvers.lop_lp import CycleProgram, violated

_ROUNDS = 50


@dataclass(frozen=True, slots=True)
class Found:
    """What HiGHS found.

    Attributes
    ----------
    order : Order or None
    proven : bool
        HiGHS says that no order is better.
    detail : str
    """

    order: Order | None
    proven: bool
    detail: str


def solve_milp(
    program: CycleProgram, start: Order, limits: Limits, deadline: float | None
) -> Found:
    """Solve the MILP, and again with the 3-cycles of its solution, until that is an order.

    Parameters
    ----------
    program : CycleProgram
        Gives the rows to begin with.
    start : Order
        A bound from below, as a row.
    limits : Limits
    deadline : float or None
        In `time.perf_counter`.
    """
    pulp = pulp_adapter.load()
    weight = program.gains.weight
    n = program.num_jobs
    net = weight - weight.T
    unit = float(max(1, int(np.abs(net).max(initial=1))))
    problem = pulp.LpProblem("linear_ordering", pulp.LpMinimize)
    x = {
        (i, j): problem.add_variable(f"x{i}_{j}", 0, 1, cat="Integer")
        for i in range(n)
        for j in range(i + 1, n)
    }
    problem += pulp.lpSum(-float(net[i, j]) / unit * x[i, j] for i, j in x)
    place = np.argsort(start)
    known = sum(float(net[i, j]) / unit for i, j in x if place[i] < place[j])
    slack = 1e-6 * max(1.0, abs(known))
    problem += pulp.lpSum(float(net[i, j]) / unit * x[i, j] for i, j in x) >= known - slack
    rows = program.triples
    detail = "no round"
    for _ in range(_ROUNDS):
        for i, j, k in rows.tolist():
            total = x[i, j] + x[j, k] - x[i, k]
            problem += total <= 1
            problem += total >= 0
        left = None if deadline is None else deadline - time.perf_counter()
        if left is not None and left <= 0:
            return Found(None, False, "MILP: time is over")
        interface = pulp_adapter.make_solver(pulp, "highs", limits, left)
        if interface is None:
            return Found(None, False, "HiGHS is not installed")
        outcome = pulp_adapter.run(pulp, problem, interface)
        detail = f"MILP: {outcome.detail}"
        if not outcome.found:
            return Found(None, False, detail)
        chosen = np.zeros((n, n))
        for (i, j), variable in x.items():
            chosen[i, j] = round(float(variable.varValue or 0.0))
            chosen[j, i] = 1.0 - chosen[i, j]
        rows = violated(chosen)
        if len(rows) == 0:
            order = np.argsort(-chosen.sum(axis=1), kind="stable").astype(np.int64)
            return Found(order, outcome.proven, detail)
    return Found(None, False, detail)
