"""What an order of jobs is worth under each objective, in exact integers; see `kcut.priority`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster
from kcut.errors import InputError
from kcut.fairness import slowdowns
from kcut.paths import SHARE_SCALE
from kcut.priority import SLOWDOWN_SCALE, PriorityInstance, levels_of
from kcut.simulate import Simulation, simulate

ORDER_EVENTS = 20_000
"""Events a group of contending jobs is simulated for, where it has no shorter cycle."""


def evaluate(
    instance: PriorityInstance, order: NDArray[np.integer[Any]], objective: str | None = None
) -> int:
    """Return the value of an order under an objective.

    Parameters
    ----------
    instance : PriorityInstance
    order : ndarray of int64, shape (num_jobs,)
        A permutation.
    objective : str, optional
        In place of the instance's.

    Returns
    -------
    int
        In units of ``1 / instance.with_objective(objective).scale``.
    """
    return EVALUATORS[objective or instance.objective](instance, order)


def as_shown(
    instance: PriorityInstance, value: int | None, objective: str | None = None
) -> int | float | None:
    """Return a value for people and files: an int where its unit is 1."""
    scale = instance.with_objective(objective or instance.objective).scale
    return value if value is None or scale == 1.0 else value / scale


def all_values(
    instance: PriorityInstance, order: NDArray[np.integer[Any]]
) -> dict[str, int | float | None]:
    """Return an order's value under every objective the instance has, as shown."""
    names = ["gains"] if instance.cluster is None else list(EVALUATORS)
    return {name: as_shown(instance, evaluate(instance, order, name), name) for name in names}


def simulate_order(
    cluster: Cluster, order: NDArray[np.integer[Any]], max_events: int = ORDER_EVENTS
) -> Simulation:
    """Simulate a cluster with a level of its own for every job."""
    own_levels = cluster.with_levels(cluster.num_jobs)
    return simulate(own_levels, levels_of(order), exact=False, max_events=max_events)


def utilisation(instance: PriorityInstance, order: NDArray[np.integer[Any]]) -> int:
    """Return the utilisation in the fluid model."""
    return int(simulate_order(_cluster(instance), order).utilisation * SHARE_SCALE)


def slowdown(instance: PriorityInstance, order: NDArray[np.integer[Any]]) -> int:
    """Return the largest slowdown in the fluid model."""
    cluster = _cluster(instance)
    return int(slowdowns(cluster, simulate_order(cluster, order)).max() * SLOWDOWN_SCALE)


def gains(instance: PriorityInstance, order: NDArray[np.integer[Any]]) -> int:
    """Return the sum of the gains of the pairs."""
    return instance.gains.value(order)


EVALUATORS: dict[str, Callable[[PriorityInstance, NDArray[np.integer[Any]]], int]] = {
    "gains": gains,
    "slowdown": slowdown,
    "utilisation": utilisation,
}
"""Objectives by name; a function of the instance and an order."""


def _cluster(instance: PriorityInstance) -> Cluster:
    if instance.cluster is None:
        raise InputError("a matrix has gains alone", "objective", instance.objective)
    return instance.cluster
