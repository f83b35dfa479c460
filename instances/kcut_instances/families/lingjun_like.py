"""Training jobs of the trace's sizes on the real host map, with models from the table."""

from __future__ import annotations

import numpy as np

from kcut import Param, family
from kcut.cluster import Cluster
from kcut_instances.families.lingjun_cliques import SHARES
from kcut_instances.host_fabric import host_map_fabric
from kcut_instances.host_map import lingjun_hosts
from kcut_instances.slots import POLICIES
from kcut_instances.workload import arrive

PARAMS = {
    "num_jobs": Param(30, "number of jobs; the paper saw more than 30 at once", minimum=1),
    "placement": Param("fragmented", "how jobs are placed on hosts", choices=POLICIES),
    "max_gpus": Param(256, "largest job", minimum=1, maximum=400),
}


@family("cluster", "lingjun-like", params=PARAMS, reference="cao2024crux")
def lingjun_like(
    rng: np.random.Generator,
    *,
    name: str,
    levels: int,
    num_jobs: int,
    placement: str,
    max_gpus: int,
) -> Cluster:
    """Let jobs of the trace's sizes arrive on the cluster of its host map.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    num_jobs : int
    placement : {'packed', 'spread', 'fragmented'}
        See `kcut_instances.slots.FreeGpus`.
    max_gpus : int

    Returns
    -------
    Cluster
        Real are the map and the set of sizes; the shares of the sizes, the numbers of switches
        (see `kcut_instances.host_fabric`), the placement and the models are ours.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, doi:10.1145/3651890.3672239 (the data set alibaba-lingjun-dataset-2023).
    """
    return arrive(
        rng,
        host_map_fabric(lingjun_hosts()),
        SHARES,
        name=name,
        levels=levels,
        num_jobs=num_jobs,
        placement=placement,
        max_gpus=max_gpus,
    )
