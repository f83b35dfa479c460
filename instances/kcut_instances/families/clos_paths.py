"""Jobs that choose paths through a two-layer Clos, by number, flows and scarcity of links."""

from __future__ import annotations

import numpy as np

from kcut import InputError, Param, family
from kcut.cluster import Cluster, Flow, Job, Link
from kcut_instances.fabrics import NIC_BANDWIDTH, cable

PARAMS = {
    "num_jobs": Param(20, "number of jobs", minimum=1, maximum=100_000),
    "flows": Param(2.75, "flows of a job, on average", minimum=2.0, maximum=64.0),
    "tors": Param(6, "ToR switches: the fewer, the scarcer their uplinks", minimum=2, maximum=4096),
    "aggs": Param(8, "aggregation switches: candidates of a flow", minimum=1, maximum=1024),
    "transfer": Param(0.5, "mean t_j alone over c_j", minimum=0.01, maximum=100.0),
}

WORK_SHARE = 1e14
"""Flop per second of a GPU that computes."""

INTENSITY_UNIT = 1e12
"""Stated intensities are whole Tflop per second of transfer."""


@family("cluster", "clos-paths", params=PARAMS, reference="cao2024crux")
def clos_paths(
    rng: np.random.Generator,
    *,
    name: str,
    levels: int,
    num_jobs: int,
    flows: float,
    tors: int,
    aggs: int,
    transfer: float,
) -> Cluster:
    """Send rings of flows between ToR switches; below these, every job has ports of its own.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    num_jobs : int
    flows : float
        A job is a ring over as many ToR switches as it has flows: the whole part of `flows`, or one
        more, so that the mean is `flows`; no more than there are switches.
    tors, aggs : int
        Every ToR switch has one cable to each aggregation switch.
    transfer : float
        A job's flows take 0.5 to 1.5 times this share of its computation, alone.

    Returns
    -------
    Cluster
        Intensities are stated in whole units of `INTENSITY_UNIT`, so that contention is an integer.
        Flows begin and end at the switches: nothing below them is shared.

    Raises
    ------
    InputError
        If a job would need more ToR switches than there are.

    Notes
    -----
    On average num_jobs * flows / tors flows leave a ToR switch over its `aggs` cables: their ratio
    is the scarcity.
    """
    if int(flows) > tors:
        raise InputError(f"must be at most the {tors} ToR switches", "flows", flows)
    links: list[Link] = []
    for t in range(tors):
        for a in range(aggs):
            links += cable(f"t{t}", f"a{a}", NIC_BANDWIDTH)
    jobs = []
    for j in range(num_jobs):
        size = min(tors, int(flows) + int(rng.random() < flows - int(flows)))
        switches = [f"t{t}" for t in rng.choice(tors, size, replace=False).tolist()]
        compute_s = round(float(rng.uniform(0.2, 2.0)), 3)
        transfer_s = compute_s * transfer * float(rng.uniform(0.5, 1.5))
        sent = float(round(transfer_s * NIC_BANDWIDTH))
        gpus = 8 * size
        work = round(gpus * compute_s * WORK_SHARE * float(rng.uniform(0.5, 1.5)))
        intensity = max(1, round(work / (sent / NIC_BANDWIDTH) / INTENSITY_UNIT))
        ring = zip(switches, [*switches[1:], switches[0]], strict=True)
        jobs.append(
            Job(
                f"job-{j}",
                gpus,
                compute_s,
                float(work),
                tuple(Flow(source, target, sent) for source, target in ring),
                float(rng.choice([0.5, 1.0])),
                float(intensity),
            )
        )
    return Cluster.build(links, jobs, levels=levels, name=name)
