"""A simulation as a JSON object, for the command line and the store."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster, PathChoice
from kcut.fairness import jain_index, slowdowns
from kcut.held import simulate_shifts
from kcut.intensity import utilisation_alone
from kcut.path_objectives import best_levels
from kcut.paths import PathsInstance
from kcut.priority import PriorityInstance, levels_of
from kcut.simulate import Simulation, simulate, work_share
from kcut.time_shifts import TimeShiftsInstance
from kcut.views import Stated
from kcut_bench.cost import cost_of_loss


def simulate_cluster(cluster: Cluster, **options: Any) -> dict[str, Any]:
    """Simulate a cluster and return what ``kcut simulate --json`` prints.

    Parameters
    ----------
    cluster : Cluster
    **options
        Those of `kcut.simulate.simulate`: levels, paths, horizon_s, ...

    Returns
    -------
    dict
        See `as_json`.
    """
    return as_json(cluster, simulate(cluster, **options), options.get("paths"))


def as_json(
    cluster: Cluster, simulation: Simulation, paths: PathChoice | None = None
) -> dict[str, Any]:
    """Return a simulation as a JSON object.

    Parameters
    ----------
    cluster : Cluster
    simulation : Simulation
    paths : optional
        Those simulated; see `Cluster.path_choice`.

    Returns
    -------
    dict
        ``utilisation``, and what it falls short of ``utilisation_alone`` as ``lost_gpus`` and
        ``lost_dollars_per_day``, see `loss_of`; ``max_slowdown`` and ``jain``, see
        `kcut.fairness`; ``jobs``: for each its ``name``, ``gpus``, ``iteration_s`` (null where
        no iteration completed), ``slowdown``, ``busy_s``, ``link_s``, ``iterations``,
        ``window_s``, and what the window is, ``window``; ``window_s`` again where it is the same
        for all jobs; ``events``.
    """
    slow = slowdowns(cluster, simulation, paths)
    jobs = [
        {
            "name": job.name,
            "gpus": job.gpus,
            "iteration_s": _or_null(float(simulation.iteration_s[j])),
            "slowdown": float(slow[j]),
            "busy_s": float(simulation.busy_s[j]),
            "link_s": float(simulation.link_s[j]),
            "iterations": int(simulation.iterations[j]),
            "window_s": float(simulation.window_s[j]),
            "window": simulation.window[j],
        }
        for j, job in enumerate(cluster.jobs)
    ]
    windows = set(simulation.window_s.tolist())
    loss = loss_of(cluster, simulation.utilisation, paths)
    return {
        "utilisation": simulation.utilisation,
        "utilisation_alone": loss.alone,
        "work_share": work_share(cluster, simulation, paths),
        "max_slowdown": float(slow.max()),
        "jain": jain_index(slow),
        "lost_gpus": loss.gpus,
        "lost_dollars_per_day": loss.dollars_per_day,
        "jobs": jobs,
        "window_s": windows.pop() if len(windows) == 1 else None,
        "events": simulation.events,
    }


Solved = NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Worth:
    """What levels are worth on the cluster whose contention they order; see `RunRecord`."""

    num_gpus: int | None = None
    utilisation: float | None = None
    utilisation_tied: float | None = None
    utilisation_alone: float | None = None
    work_share: float | None = None
    work_share_tied: float | None = None
    simulate_s: float | None = None
    max_slowdown: float | None = None
    max_slowdown_tied: float | None = None
    jain: float | None = None
    utilisation_drift: float | None = None


NO_WORTH = Worth()

WORTH_EVENTS = 20_000
"""Events a group of contending jobs is simulated for in `worth_of`, where it has no short cycle.

Averages over so many stay within about half a percentage point of those over ten times as many.
"""


DRIFT = 0.05
"""By what share computations vary where shifts wear off: each lasts up to 5 % more or less."""


def worth_of(made: object, stated: Stated, solution: Solved | None) -> Worth:
    """Simulate a solution, and all jobs on one level; nothing where there is no cluster.

    Parameters
    ----------
    made : Cluster or other instance
    stated : CompressionInstance, PathsInstance or PriorityInstance
        What was solved for it.
    solution : ndarray of int or None
        Levels on the paths of the contention DAG, shape (num_jobs,); or paths, shape (num_flows,),
        which get the best levels for them; or an order of the jobs, which get a level each; or
        time shifts in steps, all jobs on one level.

    Returns
    -------
    Worth
        Of the steady cycle that a synchronised start leads to.
    """
    if not isinstance(made, Cluster) or solution is None:
        return NO_WORTH
    started = time.perf_counter()
    levels, paths = solution, None
    if isinstance(stated, PathsInstance):
        paths = solution.astype(np.int64)
        levels, _ = best_levels(stated, paths)
    if isinstance(stated, PriorityInstance):
        levels, made = levels_of(solution), made.with_levels(made.num_jobs)
    drift: float | None = None
    if isinstance(stated, TimeShiftsInstance):
        own = simulate_shifts(stated, solution, max_events=WORTH_EVENTS)
        wearing_off = simulate_shifts(stated, solution, jitter=DRIFT, max_events=WORTH_EVENTS)
        drift = wearing_off.utilisation
    else:
        own = simulate(made, levels, paths, max_events=WORTH_EVENTS)
    tied = simulate(made, None, paths, max_events=WORTH_EVENTS)
    slow = slowdowns(made, own, paths)
    return Worth(
        num_gpus=int(made.gpus.sum()),
        utilisation=own.utilisation,
        utilisation_tied=tied.utilisation,
        utilisation_alone=utilisation_alone(made, paths),
        work_share=work_share(made, own, paths),
        work_share_tied=work_share(made, tied, paths),
        simulate_s=time.perf_counter() - started,
        max_slowdown=float(slow.max()),
        max_slowdown_tied=float(slowdowns(made, tied, paths).max()),
        jain=jain_index(slow),
        utilisation_drift=drift,
    )


@dataclass(frozen=True, slots=True)
class UtilisationLoss:
    """What contention costs.

    Attributes
    ----------
    alone : float
        Utilisation if no job met another.
    gpus, dollars_per_day : float
        The share of it that is lost, in GPUs of this cluster and in money; see `cost_of_loss`.
    """

    alone: float
    gpus: float
    dollars_per_day: float


def loss_of(
    cluster: Cluster, utilisation: float, paths: PathChoice | None = None
) -> UtilisationLoss:
    """Return what a utilisation falls short of that of the jobs alone on the same paths."""
    alone = utilisation_alone(cluster, paths)
    lost = max(0.0, 1 - utilisation / alone) if alone else 0.0
    cost = cost_of_loss(lost, int(cluster.gpus.sum()))
    return UtilisationLoss(alone, cost.gpus, cost.dollars_per_day)


def _or_null(number: float) -> float | None:
    return number if math.isfinite(number) else None
