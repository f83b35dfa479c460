"""The exact model of path selection written for CP-SAT."""

from __future__ import annotations

import itertools
import time
from dataclasses import replace
from typing import Any

import numpy as np

from kcut import Claim, Limits
from kcut.path_objectives import evaluate
from kcut.paths import Choice
from kcut_solvers import cp_sat
from kcut_solvers.paths_exact import Part
from kcut_solvers.paths_model import PathsModel, Taken

EASY_SHARE, EASY_EFFORT_S = 0.4, 10.0
"""So much of the time, and no more deterministic time, may looking for the bound's value take."""


def solve_part(model: PathsModel, limits: Limits, rng: np.random.Generator) -> Part:
    """Solve a model by CP-SAT, from its hint.

    A choice whose contention is the proven bound is looked for first: without an objective that is
    often ten times as fast, and where there is one, nothing has to be proven any more.
    """
    if model.least is None:
        return _solve(model, limits, rng, None)
    started = time.perf_counter()
    most_s = None if limits.time_s is None else EASY_SHARE * limits.time_s
    effort_s = min(EASY_EFFORT_S, limits.effort_s or EASY_EFFORT_S)
    found = _solve(model, replace(limits, time_s=most_s, effort_s=effort_s), rng, model.least)
    if found.proven:
        return found
    took = time.perf_counter() - started
    left = None if limits.time_s is None else max(0.01, limits.time_s - took)
    part = _solve(model, replace(limits, time_s=left), rng, None)
    return replace(part, incumbents=tuple((took + s, choice) for s, choice in part.incumbents))


def _solve(
    model: PathsModel, limits: Limits, rng: np.random.Generator, at_most: int | None
) -> Part:
    """Minimise, or find a choice of at most so much contention."""
    started = time.perf_counter()
    cp, x = _write(model, at_most)
    taken = list(x)

    def decode(values: cp_sat.Values) -> Choice:
        choice = model.hint.copy()
        for (f, c), on in zip(taken, values.tolist(), strict=True):
            if on:
                choice[f] = c
        return choice

    found: list[tuple[float, Choice]] = []

    def value(choice: Choice) -> int:
        found.append((time.perf_counter() - started, choice))
        return evaluate(model.instance, choice)

    problem = cp_sat.Problem(cp, list(x.values()), decode, value, 0, minimise=True)
    answer = cp_sat.solve(problem, limits, rng, started)
    return Part(
        None if answer.solution is None else answer.solution.astype(np.int64),
        (answer.bound or 0) if at_most is None else at_most,
        answer.claim is Claim.OPTIMAL,
        answer.detail,
        tuple(found),
    )


def _write(model: PathsModel, at_most: int | None = None) -> tuple[Any, dict[Taken, Any]]:
    cp_model = cp_sat.load()
    cp = cp_model.CpModel()
    x: dict[Taken, Any] = {}
    for f, options in model.candidates.items():
        for c in options:
            x[f, c] = cp.new_bool_var(f"x{f}_{c}")
            cp.add_hint(x[f, c], int(model.hint[f]) == c)
        cp.add_exactly_one(x[f, c] for c in options)
    for now, before in model.precedence:
        cp.add_bool_or([~x[now], *(x[taken] for taken in before)])
    if model.instance.time_limit is not None:
        for (j, link), groups in model.uses.items():
            terms = [
                int(model.instance.time[model.entry(t, link)]) * x[t] for g in groups for t in g
            ]
            cp.add(sum(terms) <= int(model.instance.time_limit[j]))
    if model.instance.objective == "max-load":
        _minimise_load(model, cp, x)
    else:
        met = _write_meetings(model, cp, x)
        if model.instance.objective == "residual":
            _minimise_residual(model, cp, met)
        else:
            _minimise_contention(model, cp, met, at_most)
    return cp, x


def _write_meetings(model: PathsModel, cp: Any, x: dict[Taken, Any]) -> dict[tuple[int, int], Any]:
    z: dict[tuple[int, int], Any] = {}

    def uses(job: int, link: int) -> Any:
        if (job, link) not in z:
            groups = model.uses[job, link]
            z[job, link] = cp.new_bool_var(f"z{job}_{link}")
            for group in groups:
                for taken in group:
                    cp.add_implication(x[taken], z[job, link])
        return z[job, link]

    met = {}
    for (i, j), links in model.meet.items():
        met[i, j] = cp.new_bool_var(f"c{i}_{j}")
        for link in links:
            cp.add_bool_or([~uses(i, link), ~uses(j, link), met[i, j]])
    return met


def _minimise_contention(
    model: PathsModel, cp: Any, met: dict[tuple[int, int], Any], at_most: int | None
) -> None:
    weight = model.instance.weight.tolist()
    for row in model.rows:
        # A pair that cannot meet, other flows being held, pays nothing.
        pairs = [pair for pair in itertools.combinations(row.jobs, 2) if pair in met]
        cost = [max(weight[i], weight[j]) if row.weighted else 1 for i, j in pairs]
        cp.add(sum(v * met[p] for v, p in zip(cost, pairs, strict=True)) >= row.least)
    total = sum(max(weight[i], weight[j]) * c for (i, j), c in met.items())
    if at_most is None:
        cp.minimize(total)
    else:
        cp.add(total <= at_most)


def _minimise_residual(model: PathsModel, cp: Any, met: dict[tuple[int, int], Any]) -> None:
    instance = model.instance
    position = {job: k for k, job in enumerate(instance.ranking)}
    level = {j: cp.new_int_var(0, instance.levels - 1, f"L{j}") for j in model.jobs}
    cost = []
    for (i, j), c in met.items():
        upper, lower = (i, j) if position[i] < position[j] else (j, i)
        above = cp.new_bool_var(f"b{i}_{j}")
        left = cp.new_bool_var(f"r{i}_{j}")
        cp.add(level[upper] >= level[lower]).only_enforce_if(c)
        cp.add(level[upper] >= level[lower] + 1).only_enforce_if(above)
        cp.add_bool_or([~c, above, left])
        cost.append(instance.pair_weight(i, j) * left)
    cp.minimize(sum(cost))


def _minimise_load(model: PathsModel, cp: Any, x: dict[Taken, Any]) -> None:
    load = model.instance.load
    most = int(load.sum()) + 1 if len(load) else 1
    peak = cp.new_int_var(0, min(most, 2**53), "T")
    for link, groups in model.by_link().items():
        terms = [int(load[model.entry(t, link)]) * x[t] for group in groups for t in group]
        cp.add(sum(terms) <= peak)
    cp.minimize(peak)
