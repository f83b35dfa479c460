"""The greedy core of Crux and TACCL*: flow by flow, the least congested candidate."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numba import njit

from kcut import Param
from kcut.paths import Choice, PathsInstance

METRICS = ("bottleneck", "sum", "flow-count", "intensity-weighted")

PARAMS = {
    "metric": Param(
        "bottleneck",
        "congestion of a path: largest link load in seconds, sum of the loads, largest number of "
        "flows on a link, or largest load weighted by intensity",
        choices=METRICS,
    ),
    "passes": Param(1, "rounds; later ones choose again what the first chose", minimum=1),
}


def least_congested(
    instance: PathsInstance, jobs: Sequence[int], metric: str, passes: int
) -> Choice:
    """Let the flows of the jobs, in this order, each take the least congested candidate.

    Parameters
    ----------
    instance : PathsInstance
    jobs : sequence of int
        All jobs, first come first.
    metric : str
        One of `METRICS`. Ties go to the path with the smaller sum (for ``sum``, the smaller
        maximum), then to the smaller index.
    passes : int
        In each further pass every flow is taken out and chooses again among all the others.

    Returns
    -------
    ndarray of int64, shape (num_flows,)

    Notes
    -----
    O(passes times the total length of all candidates).
    """
    cluster, routes = instance.cluster, instance.cluster.routes
    by_job = np.searchsorted(cluster.flow_job, np.arange(cluster.num_jobs + 1))
    order = np.concatenate([np.arange(by_job[j], by_job[j + 1]) for j in jobs]).astype(np.int64)
    amount = instance.seconds
    if metric == "flow-count":
        amount = instance.active[instance.link_flow].astype(np.float64)
    elif metric == "intensity-weighted":
        weight = instance.weight[cluster.flow_job] / max(1, int(instance.weight.max()))
        amount = instance.seconds * weight[instance.link_flow]
    choice: Choice = _assign(
        order,
        routes.first,
        routes.start,
        routes.link,
        amount,
        cluster.num_links,
        metric == "sum",
        passes,
    )
    return choice


@njit(cache=True)
def _assign(order, first, start, link, amount, num_links, by_sum, passes):  # type: ignore[no-untyped-def]
    load = np.zeros(num_links)
    choice = np.zeros(len(first) - 1, np.int64)
    for round_ in range(passes):
        for f in order:
            if round_ > 0:
                c = first[f] + choice[f]
                for k in range(start[c], start[c + 1]):
                    load[link[k]] -= amount[k]
            best, best_main, best_other = first[f], np.inf, np.inf
            for c in range(first[f], first[f + 1]):
                largest, total = 0.0, 0.0
                for k in range(start[c], start[c + 1]):
                    here = load[link[k]] + amount[k]
                    largest = max(largest, here)
                    total += here
                main, other = (total, largest) if by_sum else (largest, total)
                if main < best_main or (main == best_main and other < best_other):
                    best, best_main, best_other = c, main, other
            choice[f] = best - first[f]
            for k in range(start[best], start[best + 1]):
                load[link[k]] += amount[k]
    return choice
