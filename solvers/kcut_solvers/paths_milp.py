"""The exact model of path selection written for PuLP.

z, c and r need not be declared integer: they are where the x and the levels are.
"""

from __future__ import annotations

import itertools
import math
import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import Answer, Limits, Termination, no_answer
from kcut.paths import Choice, PathsInstance
from kcut_solvers import pulp_adapter
from kcut_solvers.floats import TOLERANCE, unit_of
from kcut_solvers.paths_exact import Part, solve_exactly
from kcut_solvers.paths_model import PathsModel, Taken


def solve(instance: PathsInstance, name: str, limits: Limits, rng: np.random.Generator) -> Answer:
    """Solve by the named solver behind PuLP, from the best of a local search.

    Parameters
    ----------
    instance : PathsInstance
    name : {'cbc', 'highs'}
    limits : Limits
    rng : numpy.random.Generator
        Of the local search.
    """
    pulp = pulp_adapter.load()
    if pulp_adapter.make_solver(pulp, name, limits, None) is None:
        return no_answer(Termination.SKIPPED, f"{name} is not installed")

    def part(model: PathsModel, left: Limits, _: np.random.Generator) -> Part:
        return solve_part(pulp, name, model, left)

    return solve_exactly(instance, limits, rng, part)


def solve_part(pulp: Any, name: str, model: PathsModel, limits: Limits) -> Part:
    """Solve a model; its bound gives the solver's tolerance away and is rounded to an integer."""
    started = time.perf_counter()
    problem, x, unit = _write(pulp, model)
    left = None
    if limits.time_s is not None:
        left = limits.time_s - (time.perf_counter() - started)
        if left <= 0:
            return Part(None, 0, False, "no time left after building")
    interface = pulp_adapter.make_solver(pulp, name, limits, left)

    def tell(values: NDArray[np.float64]) -> None:
        limits.on_incumbent(_choice(model, list(x), values.tolist()))

    if model.candidates:
        pulp_adapter.tell_incumbents(pulp, interface, list(x.values()), tell)
    outcome = pulp_adapter.run(pulp, problem, interface)
    bound = 0
    if outcome.bound is not None and abs(outcome.bound) < 1e30:
        loosened = outcome.bound - TOLERANCE * (1.0 + abs(outcome.bound))
        bound = max(0, math.ceil(loosened * unit))
    elif outcome.proven:
        reached = float(pulp.value(problem.objective) or 0.0)
        bound = max(0, math.ceil((reached - TOLERANCE * (1.0 + abs(reached))) * unit))
    if not outcome.found:
        return Part(None, bound, False, outcome.detail)
    choice = _choice(model, list(x), [variable.varValue or 0.0 for variable in x.values()])
    return Part(choice, bound, outcome.proven, outcome.detail)


def _choice(model: PathsModel, taken: list[Taken], values: list[float]) -> Choice:
    choice = model.hint.copy()
    for (f, c), value in zip(taken, values, strict=True):
        if value > 0.5:
            choice[f] = c
    return choice


def _write(pulp: Any, model: PathsModel) -> tuple[Any, dict[Taken, Any], float]:
    """Return the problem, its x, and the unit of its objective."""
    instance = model.instance
    problem = pulp.LpProblem("paths", pulp.LpMinimize)
    x = {
        (f, c): problem.add_variable(f"x{f}_{c}", 0, 1, pulp.LpInteger)
        for f, options in model.candidates.items()
        for c in options
    }
    for f, options in model.candidates.items():
        problem += pulp.lpSum(x[f, c] for c in options) == 1
    for now, before in model.precedence:
        problem += pulp.lpSum(x[taken] for taken in before) >= x[now]
    if instance.time_limit is not None:
        for (j, link), groups in model.uses.items():
            limit = max(1, int(instance.time_limit[j]))
            terms = [
                int(instance.time[model.entry(t, link)]) / limit * x[t] for g in groups for t in g
            ]
            problem += pulp.lpSum(terms) <= 1
    if instance.objective == "max-load":
        return problem, x, _minimise_load(pulp, problem, model, x)
    unit = unit_of(instance.weight)
    met = _write_meetings(pulp, problem, model, x)
    if instance.objective == "contention":
        _add_rows(pulp, problem, model, met)
        charged = met
    else:
        charged = _write_levels(problem, model, met)
    problem += pulp.lpSum(instance.pair_weight(i, j) / unit * c for (i, j), c in charged.items())
    return problem, x, unit


def _write_meetings(
    pulp: Any, problem: Any, model: PathsModel, x: dict[Taken, Any]
) -> dict[tuple[int, int], Any]:
    z: dict[tuple[int, int], Any] = {}

    def uses(job: int, link: int) -> Any:
        if (job, link) not in z:
            z[job, link] = problem.add_variable(f"z{job}_{link}", 0, 1)
            for group in model.uses[job, link]:
                problem.__iadd__(z[job, link] >= pulp.lpSum(x[taken] for taken in group))
        return z[job, link]

    met = {}
    for (i, j), links in model.meet.items():
        met[i, j] = problem.add_variable(f"c{i}_{j}", 0, 1)
        for link in links:
            problem.__iadd__(met[i, j] >= uses(i, link) + uses(j, link) - 1)
    return met


def _add_rows(pulp: Any, problem: Any, model: PathsModel, met: dict[tuple[int, int], Any]) -> None:
    weight = model.instance.weight
    for row in model.rows:
        pairs = [pair for pair in itertools.combinations(row.jobs, 2) if pair in met]
        if not row.weighted:
            problem.__iadd__(pulp.lpSum(met[pair] for pair in pairs) >= row.least)
            continue
        cost = [int(max(weight[i], weight[j])) / row.least for i, j in pairs]
        problem.__iadd__(pulp.lpSum(v * met[p] for v, p in zip(cost, pairs, strict=True)) >= 1)


def _write_levels(
    problem: Any, model: PathsModel, met: dict[tuple[int, int], Any]
) -> dict[tuple[int, int], Any]:
    """Return what is left uncut of each pair."""
    pulp = pulp_adapter.load()
    instance, top = model.instance, model.instance.levels - 1
    position = {job: k for k, job in enumerate(instance.ranking)}
    level = {j: problem.add_variable(f"L{j}", 0, top, pulp.LpInteger) for j in model.jobs}
    uncut = {}
    for (i, j), c in met.items():
        upper, lower = (i, j) if position[i] < position[j] else (j, i)
        above = problem.add_variable(f"b{i}_{j}", 0, 1, pulp.LpInteger)
        uncut[i, j] = problem.add_variable(f"r{i}_{j}", 0, 1)
        problem.__iadd__(level[upper] - level[lower] >= top * c - top)
        problem.__iadd__(level[upper] - level[lower] >= (top + 1) * above - top)
        problem.__iadd__(uncut[i, j] >= c - above)
    return uncut


def _minimise_load(pulp: Any, problem: Any, model: PathsModel, x: dict[Taken, Any]) -> float:
    load = model.instance.load
    unit = float(max(1, int(load.max(initial=0))))
    peak = problem.add_variable("T", 0)
    problem += peak
    for link, groups in model.by_link().items():
        terms = [int(load[model.entry(t, link)]) / unit * x[t] for g in groups for t in g]
        problem += pulp.lpSum(terms) <= peak
    return unit
