"""Jobs placed on the real 847-host map: those that cross the same switch group contend.

Real are the map (which hosts stand below which switches) and the set of job sizes. Ours are the
shares of the sizes, the placement, and the intensities; the public data has no bytes and no
iteration times. There is no path choice here: the uplinks of a switch group count as one, so two
jobs contend where ECMP could make them meet.
"""

from __future__ import annotations

import numpy as np

from kcut import CompressionInstance, Param, family
from kcut_instances.contention import intensity_dag, pairs_that_meet
from kcut_instances.host_map import lingjun_hosts
from kcut_instances.placement import GPUS_PER_HOST, PLACEMENTS, place_jobs

SHARES = {
    1: 8,
    2: 4,
    4: 4,
    6: 1,
    8: 30,
    16: 10,
    24: 3,
    32: 22,
    48: 4,
    64: 6,
    72: 1,
    80: 2,
    256: 3,
    400: 2,
}
"""Per cent of the jobs by number of GPUs: the trace's sizes, 8 and 32 dominant; the shares ours."""

MAX_WORK = 100

PARAMS = {
    "num_jobs": Param(100, "number of jobs", minimum=1, maximum=847 * GPUS_PER_HOST),
    "placement": Param("fragmented", "how jobs are placed on hosts", choices=PLACEMENTS),
}


@family("compression", "lingjun-cliques", params=PARAMS, reference="cao2024crux")
def lingjun_cliques(
    rng: np.random.Generator, *, name: str, levels: int, num_jobs: int, placement: str
) -> CompressionInstance:
    """Place jobs of the trace's sizes on its hosts; jobs contend where both leave a switch group.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    num_jobs : int
        About 190 fill the cluster; what no longer fits is shrunk to a smaller size.
    placement : {'packed', 'fragmented', 'spread'}
        See `kcut_instances.placement.place_jobs`.

    Returns
    -------
    CompressionInstance
        Jobs below one access switch are in it, without an edge.

    Notes
    -----
    A job whose hosts stand in several switch groups (ASW) uses the uplinks of each of them; one
    whose hosts stand in several pods (PSW) uses the uplinks of each pod too.

    Intensity is work over bottleneck time. Work grows with the GPUs, while a ring all-reduce
    sends about the same bytes over its slowest link whatever the number of GPUs; so a job's
    intensity is its GPUs times an integer from 1 to 100, drawn uniformly, for what differs from
    model to model.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, doi:10.1145/3651890.3672239 (the data set alibaba-lingjun-dataset-2023).
    """
    hosts = lingjun_hosts()
    dice = rng.integers(0, 100, num_jobs)
    sizes = np.array(list(SHARES))
    wanted = sizes[np.searchsorted(np.cumsum(list(SHARES.values())), dice, side="right")]
    gpus, placed = place_jobs(rng, hosts, wanted.tolist(), placement)
    intensity = np.array(gpus, np.int64) * rng.integers(1, MAX_WORK + 1, num_jobs)
    num_groups = int(hosts.group.max()) + 1
    uses: list[tuple[int, int]] = []
    for job, chosen in enumerate(placed):
        for switches in (np.unique(hosts.group[chosen]), num_groups + np.unique(hosts.pod[chosen])):
            if len(switches) > 1:
                uses += [(job, switch) for switch in switches.tolist()]
    memberships = np.array(uses, np.int64).reshape(-1, 2)
    first, second = pairs_that_meet(memberships[:, 0], memberships[:, 1], num_jobs)
    return intensity_dag(intensity, first, second, name=name, levels=levels)
