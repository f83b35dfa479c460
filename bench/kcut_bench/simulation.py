"""A simulation as a JSON object, for the command line and the store."""

from __future__ import annotations

import math
from typing import Any

from kcut.cluster import Cluster
from kcut.simulate import Simulation, simulate


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
    return as_json(cluster, simulate(cluster, **options))


def as_json(cluster: Cluster, simulation: Simulation) -> dict[str, Any]:
    """Return a simulation as a JSON object.

    Parameters
    ----------
    cluster : Cluster
    simulation : Simulation

    Returns
    -------
    dict
        ``utilisation``; ``jobs``: for each its ``name``, ``gpus``, ``iteration_s`` (null where no
        iteration completed), ``busy_s``, ``link_s``, ``iterations``, ``window_s``, and what the
        window is, ``window``; ``window_s`` again where it is the same for all jobs; ``events``.
    """
    jobs = [
        {
            "name": job.name,
            "gpus": job.gpus,
            "iteration_s": _or_null(float(simulation.iteration_s[j])),
            "busy_s": float(simulation.busy_s[j]),
            "link_s": float(simulation.link_s[j]),
            "iterations": int(simulation.iterations[j]),
            "window_s": float(simulation.window_s[j]),
            "window": simulation.window[j],
        }
        for j, job in enumerate(cluster.jobs)
    ]
    windows = set(simulation.window_s.tolist())
    return {
        "utilisation": simulation.utilisation,
        "jobs": jobs,
        "window_s": windows.pop() if len(windows) == 1 else None,
        "events": simulation.events,
    }


def _or_null(number: float) -> float | None:
    return None if math.isnan(number) else number
