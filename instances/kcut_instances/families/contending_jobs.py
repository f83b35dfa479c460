"""A few jobs that contend, by number, overlap, spread of their iteration times, and load."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcut import Param, family
from kcut.cluster import Cluster, Flow, Job, Link
from kcut_instances.fabrics import NIC_BANDWIDTH, cable

PARAMS = {
    "num_jobs": Param(6, "number of jobs", minimum=1, maximum=100_000),
    "fabric": Param(
        "one-link", "one shared link, or a star of ToR switches", choices=("one-link", "clos")
    ),
    "overlap": Param(
        0.0,
        "last share of a computation during which its transfer may run",
        minimum=0.0,
        maximum=1.0,
    ),
    "spread": Param(4.0, "longest computation over the shortest", minimum=1.0, maximum=1000.0),
    "load": Param(1.0, "of the busiest link, if all ran as alone", minimum=0.01, maximum=100.0),
    "tors": Param(4, "ToR switches of a clos", minimum=2, maximum=4096),
}

Seconds = NDArray[np.float64]

GPU_FLOPS = 1e14
"""Flop per second of a GPU that computes."""

SHORTEST_S, GRID_S = 0.5, 0.01
"""The shortest computation, and what all times are multiples of, so that cycles exist."""


@family("cluster", "contending-jobs", params=PARAMS, reference="cao2024crux")
def contending_jobs(
    rng: np.random.Generator,
    *,
    name: str,
    levels: int,
    num_jobs: int,
    fabric: str,
    overlap: float,
    spread: float,
    load: float,
    tors: int,
) -> Cluster:
    """Put jobs on one link, or rings of two or three ToR switches on a star.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    num_jobs : int
    fabric : {'one-link', 'clos'}
        In the latter, every ToR switch has one cable to one aggregation switch.
    overlap : float
        Transfers may begin after ``1 - overlap`` of the computation.
    spread : float
        Computations are log-uniform between `SHORTEST_S` and this times as much.
    load : float
        Transfers are 0.5 to 1.5 times a common share of the computations, chosen so that the
        busiest link would have this load.
    tors : int

    Returns
    -------
    Cluster
        Work is proportional to GPU-seconds, so intensity ranks jobs by what utilisation counts.
    """
    links = [Link("a>b", "a", "b", NIC_BANDWIDTH)]
    rings: list[tuple[str, ...]] = [("a", "b")] * num_jobs
    if fabric == "clos":
        links = [link for t in range(tors) for link in cable(f"t{t}", "core", NIC_BANDWIDTH)]
        rings = []
        for _ in range(num_jobs):
            size = min(tors, int(rng.integers(2, 4)))
            rings.append(tuple(f"t{t}" for t in rng.choice(tors, size, replace=False).tolist()))
    compute_s = _on_grid(SHORTEST_S * spread ** rng.random(num_jobs))
    shape = rng.uniform(0.5, 1.5, num_jobs)
    transfer_s = _loaded(compute_s, shape, overlap, load, fabric, rings)
    gpus = 8 * rng.choice([1, 2, 4, 8], num_jobs)
    jobs = []
    for j, ring in enumerate(rings):
        sent = float(round(transfer_s[j] * NIC_BANDWIDTH))
        pairs = list(zip(ring, [*ring[1:], ring[0]], strict=True))
        pairs = pairs[:1] if fabric == "one-link" else pairs
        jobs.append(
            Job(
                f"job-{j}",
                int(gpus[j]),
                float(compute_s[j]),
                float(gpus[j] * compute_s[j] * GPU_FLOPS),
                tuple(Flow(source, target, sent) for source, target in pairs),
                1.0 - overlap,
            )
        )
    return Cluster.build(links, jobs, levels=levels, name=name)


def _on_grid(seconds: Seconds) -> Seconds:
    """Round to multiples of `GRID_S`, at least one, as the nearest decimals."""
    steps = np.maximum(1, np.rint(seconds / GRID_S))
    decimals: Seconds = np.round(steps * GRID_S, 6)
    return decimals


def _loaded(
    compute_s: Seconds,
    shape: Seconds,
    overlap: float,
    load: float,
    fabric: str,
    rings: list[tuple[str, ...]],
) -> Seconds:
    """Return transfers with the load that is asked for, or as near as jobs can come to it."""
    low, high = 1e-3, 1e3
    for _ in range(60):
        share = (low * high) ** 0.5
        transfer_s = share * shape * compute_s
        period = np.maximum(compute_s, (1.0 - overlap) * compute_s + transfer_s)
        each = transfer_s / period
        most = each.sum()
        if fabric == "clos":
            most = max(
                sum(each[j] for j, ring in enumerate(rings) if tor in ring)
                for tor in {tor for ring in rings for tor in ring}
            )
        low, high = (share, high) if most < load else (low, share)
    return _on_grid(low * shape * compute_s)
