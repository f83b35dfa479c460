"""Large-neighbourhood search: the exact model on a few jobs at a time, anytime."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from kcut import Answer, Limits, Param, Termination, solver
from kcut.contention import sharing_pairs
from kcut.intensity import traffic
from kcut.path_objectives import predict, predictor
from kcut.paths import Choice, PathsInstance
from kcut_solvers.paths.local_search import Search, start_of
from kcut_solvers.paths.local_search import local_search as search_locally
from kcut_solvers.paths_common import feasible_answer
from kcut_solvers.paths_cp_sat import solve_part
from kcut_solvers.paths_model import MODELLED, build_model
from kcut_solvers.pigeonhole_lp import Row, strengthen

PARAMS = {
    "jobs": Param(10, "jobs whose paths are free at a time", minimum=1),
    "rounds": Param(30, "neighbourhoods tried", minimum=0),
    "part_s": Param(1.0, "seconds for a neighbourhood, with a time limit", minimum=0.01),
}

_TRIES = 400
"""Joint moves of the free flows tried in a neighbourhood of an objective without a model."""


@solver("paths", "lns", exact=False, params=PARAMS, reference="shaw1998lns perron2023cpsat")
def lns(
    instance: PathsInstance,
    *,
    limits: Limits,
    rng: np.random.Generator,
    jobs: int,
    rounds: int,
    part_s: float,
) -> Answer:
    """Free the paths of a few jobs that meet, solve them exactly by CP-SAT, keep what is better.

    Parameters
    ----------
    instance : PathsInstance
        Predicted utilisation and simulation have no exact model: the free flows are drawn anew
        instead, jointly, and predicted utilisation decides which draws are evaluated.
    limits : Limits
        Checked between neighbourhoods; each gets no more time than is left.
    rng : numpy.random.Generator
    jobs, rounds : int
    part_s : float

    References
    ----------
    Shaw, Using Constraint Programming and Local Search Methods to Solve Vehicle Routing Problems,
    CP 1998, doi:10.1007/3-540-49481-2_30.
    """
    search = Search(instance, limits, rng)
    warm_s = None if limits.time_s is None else 0.2 * limits.time_s
    warm = search_locally(
        instance,
        limits=replace(limits, time_s=warm_s),
        rng=rng,
        rounds=4,
        steps=200 * max(1, instance.num_flows),
    )
    search.offer(start_of(instance) if warm.solution is None else warm.solution.astype(np.int64))
    assert search.best is not None
    if instance.infeasibility(search.best) is not None or len(search.slots.movable) == 0:
        return feasible_answer(instance, search.best)
    rows = strengthen(instance, time_s=warm_s).rows if instance.objective == "contention" else []
    for _ in range(rounds):
        if search.late():
            break
        free = _neighbourhood(search, jobs)
        if instance.objective in MODELLED:
            _solve_free(search, free, rows, part_s)
        else:
            _draw_free(search, free)
    return feasible_answer(
        instance,
        search.best,
        termination=Termination.TIME_LIMIT if search.late() else Termination.FINISHED,
        incumbents=search.incumbents,
    )


def _neighbourhood(search: Search, size: int) -> set[int]:
    """Return a random job and jobs it meets, directly or through others, in random order."""
    instance = search.instance
    assert search.best is not None
    met: dict[int, set[int]] = {}
    for i, j in sharing_pairs(instance.num_jobs, traffic(instance.cluster, search.best)).tolist():
        met.setdefault(i, set()).add(j)
        met.setdefault(j, set()).add(i)
    first = int(instance.cluster.flow_job[search.rng.choice(search.slots.movable)])
    chosen, frontier = {first}, [first]
    while frontier and len(chosen) < size:
        around = sorted(met.get(frontier.pop(0), set()) - chosen)
        for job in search.rng.permutation(np.array(around, np.int64)).tolist():
            if len(chosen) < size:
                chosen.add(job)
                frontier.append(job)
    others = [j for j in search.rng.permutation(instance.num_jobs).tolist() if j not in chosen]
    return chosen | set(others[: max(0, size - len(chosen))])


def _solve_free(search: Search, free: set[int], rows: list[Row], part_s: float) -> None:
    instance = search.instance
    assert search.best is not None
    job = instance.cluster.flow_job
    fixed = [f for f in np.flatnonzero(instance.active).tolist() if int(job[f]) not in free]
    model = build_model(
        instance, range(instance.num_jobs), search.best, fixed=fixed, symmetry=False, rows=rows
    )
    left = None
    if search.limits.time_s is not None:
        left = max(0.01, min(part_s, search.limits.time_s - search.seconds()))
    part = solve_part(model, replace(search.limits, time_s=left), search.rng)
    if part.choice is not None and instance.infeasibility(part.choice) is None:
        search.offer(part.choice)


def _draw_free(search: Search, free: set[int]) -> None:
    instance = search.instance
    assert search.best is not None
    known = predictor(instance)
    job = instance.cluster.flow_job
    flows = [f for f in search.slots.movable.tolist() if int(job[f]) in free]
    if not flows:
        return
    most = instance.cluster.routes.num_candidates
    best: tuple[float, Choice] = (-1.0, search.best)
    for _ in range(_TRIES):
        choice = search.best.copy()
        some = search.rng.choice(flows, min(len(flows), int(search.rng.integers(1, 5))), False)
        choice[some] = search.rng.integers(0, most[some])
        value = predict(known, choice)
        fine = value > best[0] and not np.array_equal(choice, search.best)
        if fine and instance.infeasibility(choice) is None:
            best = (value, choice)
    search.offer(best[1])
