"""Many training jobs on a Clos fabric, of the paper's evaluation or of any size."""

from __future__ import annotations

import numpy as np

from kcut import Param, family
from kcut.cluster import Cluster
from kcut_instances.fabrics import PRESETS, two_layer
from kcut_instances.families.lingjun_cliques import SHARES
from kcut_instances.slots import POLICIES
from kcut_instances.workload import arrive

PARAMS = {
    "fabric": Param(
        "two-layer",
        "two-layer takes its numbers from the parameters; the others are the paper's",
        choices=("two-layer", *PRESETS),
    ),
    "num_jobs": Param(10, "number of jobs", minimum=1, maximum=100_000),
    "placement": Param("fragmented", "how jobs are placed on hosts", choices=POLICIES),
    "max_gpus": Param(64, "largest job", minimum=1, maximum=400),
    "hosts": Param(20, "hosts of a two-layer fabric, 8 GPUs each", minimum=1, maximum=10_000),
    "tors": Param(4, "its ToR switches", minimum=1, maximum=10_000),
    "aggs": Param(2, "its aggregation switches", minimum=1, maximum=1_000),
    "uplinks": Param(1, "cables from a ToR to an aggregation switch", minimum=1, maximum=64),
}


@family("cluster", "clos-jobs", params=PARAMS, reference="cao2024crux")
def clos_jobs(
    rng: np.random.Generator,
    *,
    name: str,
    levels: int,
    fabric: str,
    num_jobs: int,
    placement: str,
    max_gpus: int,
    hosts: int,
    tors: int,
    aggs: int,
    uplinks: int,
) -> Cluster:
    """Let jobs of the trace's sizes arrive on a Clos fabric.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    fabric : str
        ``two-layer``, or a key of `kcut_instances.fabrics.PRESETS`.
    num_jobs : int
    placement : {'packed', 'spread', 'fragmented'}
        See `kcut_instances.slots.FreeGpus`.
    max_gpus : int
    hosts, tors, aggs, uplinks : int
        Of ``two-layer`` alone. The defaults are the upper end of the small cases in the paper's
        micro-benchmark.

    Returns
    -------
    Cluster
        See `kcut_instances.workload.arrive`; flows may take all shortest paths.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, sections 4.4 and 6, doi:10.1145/3651890.3672239.
    """
    if fabric == "two-layer":
        built = two_layer(hosts=hosts, tors=tors, aggs=aggs, uplinks=uplinks)
    else:
        built = PRESETS[fabric]()
    return arrive(
        rng,
        built,
        SHARES,
        name=name,
        levels=levels,
        num_jobs=num_jobs,
        placement=placement,
        max_gpus=max_gpus,
    )
