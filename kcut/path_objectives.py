"""What a choice of paths is worth under each objective, in exact integers.

contention             sum over the pairs of jobs that share a link of max(I_i, I_j)
residual               contention less the best K-level cut of the contention DAG
max-load               max over e of sum over j of M_{j,e} / (B_e period_j)
predicted-utilisation  jobs by falling intensity, T_j = max(c_j, s_j c_j + max over e of
                       M_{j,e} / (B_e (1 - load of the higher jobs on e))), a job's load on e being
                       M_{j,e} / (B_e T_j);  sum G_j c_j / T_j over sum G_j
simulated              utilisation in the fluid model, on the levels of the best K-level cut
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.ascent import ascend
from kcut.compression import CompressionInstance, cut_value
from kcut.contention import sharing_pairs
from kcut.errors import InputError
from kcut.intensity import Traffic, traffic
from kcut.paths import SHARE_SCALE, Choice, PathsInstance, chosen_entries
from kcut.simulate import CYCLE_EVENTS, simulate

FULL = 1.0 - 1e-9
"""A link with this much of higher jobs is closed to lower ones."""


def evaluate(
    instance: PathsInstance, choice: NDArray[np.integer[Any]], objective: str | None = None
) -> int:
    """Return the value of a choice of paths under an objective.

    Parameters
    ----------
    instance : PathsInstance
    choice : ndarray of int64, shape (num_flows,)
        Within range.
    objective : str, optional
        In place of the instance's.

    Returns
    -------
    int
        In units of ``1 / scale_of(instance, objective)``.
    """
    return EVALUATORS[objective or instance.objective](instance, choice.astype(np.int64))


def scale_of(instance: PathsInstance, objective: str | None = None) -> float:
    """Return what to divide an integer value by: 1 for contention of integer intensities."""
    objective = objective or instance.objective
    if objective in ("contention", "residual"):
        return instance.scale
    return instance.load_scale if objective == "max-load" else SHARE_SCALE


def as_shown(
    instance: PathsInstance, value: int | None, objective: str | None = None
) -> int | float | None:
    """Return a value for people and files: an int where its unit is 1."""
    scale = scale_of(instance, objective)
    return value if value is None or scale == 1.0 else value / scale


def all_values(instance: PathsInstance, choice: Choice) -> dict[str, int | float | None]:
    """Return a choice's value under every objective, as shown."""
    return {
        name: as_shown(instance, evaluator(instance, choice), name)
        for name, evaluator in EVALUATORS.items()
    }


def contention(instance: PathsInstance, choice: Choice) -> int:
    """Return the weight of the pairs of jobs that share a link."""
    pairs = _pairs(instance, choice)
    return int(instance.weight[pairs].max(axis=1).sum()) if len(pairs) else 0


def most_contention(instance: PathsInstance) -> int:
    """Return the contention if all jobs met."""
    falling = np.sort(instance.weight)[::-1]
    return int((falling * np.arange(instance.num_jobs - 1, -1, -1)).sum())


def contention_of(instance: PathsInstance, choice: Choice) -> CompressionInstance:
    """Return the contention DAG of a choice, jobs ranked by the fixed intensities.

    Its weights are the integers of `PathsInstance.weight`.
    """
    pairs = _pairs(instance, choice)
    position = np.empty(instance.num_jobs, np.int64)
    position[instance.ranking] = np.arange(instance.num_jobs)
    swap = position[pairs[:, 0]] > position[pairs[:, 1]]
    pairs[swap] = pairs[swap, ::-1]
    return CompressionInstance.from_edges(
        instance.num_jobs,
        pairs[:, 0],
        pairs[:, 1],
        instance.weight[pairs[:, 0]],
        levels=instance.levels,
        name=f"{instance.name}/contention",
        order=instance.ranking,
    )


def best_levels(instance: PathsInstance, choice: Choice) -> tuple[NDArray[np.int64], int]:
    """Return optimal levels of the contention DAG of a choice, and what they leave uncut."""
    dag = contention_of(instance, choice)
    *_, last = ascend(dag, dag.levels, covers=False)
    return last.levels, dag.total_weight - cut_value(dag, last.levels)


def residual(instance: PathsInstance, choice: Choice) -> int:
    """Return the contention that the best K levels leave uncut."""
    return best_levels(instance, choice)[1]


def max_load(instance: PathsInstance, choice: Choice) -> int:
    """Return the largest link load."""
    entry = chosen_entries(instance, choice)
    total = np.zeros(instance.cluster.num_links, np.int64)
    np.add.at(total, instance.cluster.routes.link[entry], instance.load[entry])
    return int(total.max(initial=0))


def predicted_utilisation(instance: PathsInstance, choice: Choice) -> int:
    """Return the utilisation that link loads in order of priority predict."""
    share = predict(predictor(instance), choice)
    return int(share * SHARE_SCALE)


def simulated(instance: PathsInstance, choice: Choice, max_events: int = CYCLE_EVENTS) -> int:
    """Return the utilisation in the fluid model."""
    levels, _ = best_levels(instance, choice)
    found = simulate(instance.cluster, levels, choice, exact=False, max_events=max_events)
    return int(found.utilisation * SHARE_SCALE)


EVALUATORS: dict[str, Callable[[PathsInstance, Choice], int]] = {
    "contention": contention,
    "max-load": max_load,
    "predicted-utilisation": predicted_utilisation,
    "residual": residual,
    "simulated": simulated,
}
"""Objectives by name; a function of the instance and a choice."""


def _pairs(instance: PathsInstance, choice: Choice) -> NDArray[np.int64]:
    sent: Traffic = traffic(instance.cluster, choice)
    return sharing_pairs(instance.num_jobs, sent)


Predictor = tuple[Any, ...]
"""Plain arrays `predict` works on."""


def predictor(instance: PathsInstance) -> Predictor:
    """Return what `predict` needs to know of an instance."""
    cluster = instance.cluster
    first_flow = np.searchsorted(cluster.flow_job, np.arange(cluster.num_jobs + 1))
    share = np.array([job.transfer_start for job in cluster.jobs])
    routes = cluster.routes
    return (
        np.array(instance.ranking, np.int64),
        first_flow.astype(np.int64),
        routes.first,
        routes.start,
        routes.link,
        instance.seconds,
        cluster.compute_s,
        share * cluster.compute_s,
        cluster.gpus / cluster.gpus.sum(),
        cluster.num_links,
    )


def predict(known: Predictor, choice: Choice) -> float:
    """Return the predicted utilisation. O(total length of the chosen paths)."""
    if len(choice) != known[1][-1]:
        raise InputError("must list all flows", "paths", len(choice))
    share: float = _predict(*known, choice)  # type: ignore[call-arg]
    return share


@njit(cache=True)
def _predict(  # type: ignore[no-untyped-def]
    ranking, first_flow, first, start, link, seconds, compute, opens, gpus, num_links, choice
):
    free = np.ones(num_links)
    own = np.zeros(num_links)
    total = 0.0
    for j in ranking:
        slowest = 0.0
        for f in range(first_flow[j], first_flow[j + 1]):
            c = first[f] + choice[f]
            for k in range(start[c], start[c + 1]):
                own[link[k]] += seconds[k]
        for f in range(first_flow[j], first_flow[j + 1]):
            c = first[f] + choice[f]
            for k in range(start[c], start[c + 1]):
                e = link[k]
                if own[e] > 0.0:
                    took = own[e] / free[e] if free[e] > 1.0 - FULL else np.inf
                    slowest = max(slowest, took)
        period = max(compute[j], opens[j] + slowest)
        total += gpus[j] * compute[j] / period
        for f in range(first_flow[j], first_flow[j + 1]):
            c = first[f] + choice[f]
            for k in range(start[c], start[c + 1]):
                e = link[k]
                free[e] -= own[e] / period
                own[e] = 0.0
    return total
