"""Time shifts by CP-SAT, exact on the discretised circle.

x_{j,s} = 1 if job j is shifted by s steps      sum over s of x_{j,s} = 1
u_{j,k} = 1 if j sends in step k of its turn    u_{j,k} = sum of x_{j,s}, s + begin + i = k mod P_j
o_{e,a} >= sum over j on e of r_{j,e} u_{j, a mod P_j} - C,  o_{e,a} >= 0
sum over a of o_{e,a} >= what the jobs of e leave at least by themselves
minimise  sum over e of N / N_e  sum over a of o_{e,a}
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from kcut import Answer, Claim, Incumbent, Limits, Termination, solver
from kcut.fluid_setup import contending_groups
from kcut.time_shift_bounds import certificate_of, link_optima
from kcut.time_shifts import CAPACITY, Shifts, TimeShiftsInstance, excesses, total_excess
from kcut_solvers import cp_sat as cp_sat_runner
from kcut_solvers.shift_graph import traverse
from kcut_solvers.shift_moves import LinkClass, classes, descend, set_up

_PASSES = 50


@solver("time-shifts", "cp-sat", exact=True, reference="rajasekaran2024cassini perron2023cpsat")
def cp_sat(instance: TimeShiftsInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Solve the exact model group by group of jobs that meet, from CASSINI's shifts improved.

    Parameters
    ----------
    instance : TimeShiftsInstance
    limits : Limits
        The groups take what is left of the time, one after the other. More than one thread makes
        runs unrepeatable.
    rng : numpy.random.Generator

    Returns
    -------
    Answer
        With the bounds of the links as certificate. Where the affinity graph has loops the optimum
        may be above them; a claim of optimality beyond that rests on CP-SAT's word.

    References
    ----------
    Rajasekaran, Ghobadi & Akella, CASSINI: Network-Aware Job Scheduling in Machine Learning
    Clusters, NSDI 2024.
    Perron, Didier & Gay, The CP-SAT-LP Solver, CP 2023, doi:10.4230/LIPIcs.CP.2023.3.
    """
    started = time.perf_counter()
    optima, links = link_optima(instance), classes(instance)
    least = [optimum.bound for optimum in optima]
    dial = set_up(instance, traverse(instance, links, optima).shifts, links)
    descend(dial, range(instance.num_jobs), _PASSES)
    best = dial.shifts
    value = total_excess(instance, best)
    limits.on_incumbent(best)
    incumbents = [Incumbent(time.perf_counter() - started, value)]
    total, proven, details, build_s = 0, True, set(), 0.0
    for jobs in contending_groups(instance.num_jobs, instance.cluster.num_links, instance.sent):
        inside = [link for link in links if link.point.jobs[0] in jobs]
        own = excesses(instance, best)
        floor = sum(_weight(instance, link) * least[link.index] for link in inside)
        if sum(_weight(instance, link) * own[link.index] for link in inside) == floor:
            total += floor
            continue
        left = None
        if limits.time_s is not None:
            left = max(0.0, limits.time_s - (time.perf_counter() - started))
        begun = time.perf_counter()
        problem = group_problem(instance, jobs.tolist(), inside, least, best)
        found = cp_sat_runner.solve(problem, replace(limits, time_s=left), rng, begun)
        details.add(found.detail)
        build_s += found.build_s or 0.0
        proven &= found.claim is Claim.OPTIMAL
        total += max(floor, found.bound or 0)
        if found.solution is not None and total_excess(instance, found.solution) < value:
            best = found.solution.astype(np.int64)
            value = total_excess(instance, best)
            incumbents.append(Incumbent(time.perf_counter() - started, value))
    total = min(total, value)
    optimal = proven and total == value
    return Answer(
        Claim.OPTIMAL if optimal else Claim.FEASIBLE,
        best,
        total,
        certificate_of(optima),
        termination=Termination.FINISHED if optimal else Termination.TIME_LIMIT,
        detail=", ".join(sorted(details)) or "the start meets the bounds of the links",
        incumbents=tuple(incumbents),
        build_s=build_s,
    )


def _weight(instance: TimeShiftsInstance, link: LinkClass) -> int:
    return instance.turn // link.point.turn * link.count


def group_problem(
    instance: TimeShiftsInstance,
    jobs: Sequence[int],
    links: Sequence[LinkClass],
    least: Sequence[int],
    hint: Shifts,
) -> cp_sat_runner.Problem:
    """Write the model of a group; the job of its longest period stays where the hint has it."""
    cp = cp_sat_runner.load().CpModel()
    circle = instance.circle
    still = max(jobs, key=lambda j: (int(circle.period[j]), -j))
    sending: dict[int, list[Any]] = {}
    names: list[tuple[int, int]] = []
    variables: list[Any] = []
    for j in jobs:
        period, begin, length = int(circle.period[j]), int(circle.begin[j]), int(circle.length[j])
        x = [cp.new_bool_var(f"x{j}_{s}") for s in range(period)]
        cp.add_exactly_one(x)
        for s, shifted in enumerate(x):
            cp.add_hint(shifted, s == int(hint[j]))
            names.append((j, s))
        variables += x
        if j == still:
            cp.add(x[int(hint[j])] == 1)
        sending[j] = [cp.new_bool_var(f"u{j}_{k}") for k in range(period)]
        for k, sends in enumerate(sending[j]):
            cp.add(sum(x[(k - begin - i) % period] for i in range(length)) == sends)
    cost: list[Any] = []
    weights: list[int] = []
    for link in links:
        over = _write_link(instance, cp, link, sending)
        if least[link.index] > 0:
            cp.add(sum(over) >= least[link.index])
        cost += over
        weights += [_weight(instance, link)] * len(over)
    cp.minimize(cp_sat_runner.load().LinearExpr.weighted_sum(cost, weights))

    def decode(values: cp_sat_runner.Values) -> Shifts:
        shifts = hint.copy()
        for (j, s), on in zip(names, values.tolist(), strict=True):
            if on:
                shifts[j] = s
        return shifts

    def value(shifts: Shifts) -> int:
        return total_excess(instance, shifts)

    return cp_sat_runner.Problem(cp, variables, decode, value, 0, minimise=True)


def _write_link(
    instance: TimeShiftsInstance, cp: Any, link: LinkClass, sending: dict[int, list[Any]]
) -> list[Any]:
    """Return the excess in each step of the circle of a link that can have some."""
    point, period = link.point, instance.circle.period
    most = int(point.demand.sum()) - CAPACITY
    if most <= 0:
        return []
    over = []
    jobs, demand = point.jobs.tolist(), point.demand.tolist()
    own = [(sending[j], int(period[j])) for j in jobs]
    weighted_sum = cp_sat_runner.load().LinearExpr.weighted_sum
    for a in range(point.turn):
        o = cp.new_int_var(0, most, f"o{point.link}_{a}")
        asked = [sends[a % turn] for sends, turn in own]
        cp.add(weighted_sum([*asked, o], [*demand, -1]) <= CAPACITY)
        over.append(o)
    return over
