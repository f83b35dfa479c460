"""The paper's testbed fabric with more jobs than its figures have, each of several hosts."""

from __future__ import annotations

import numpy as np

from kcut import Param, family
from kcut.cluster import Cluster
from kcut_instances.fabrics import testbed_96
from kcut_instances.workload import arrive

PARAMS = {
    "num_jobs": Param(6, "number of jobs", minimum=1, maximum=96),
    "max_gpus": Param(32, "largest job", minimum=16, maximum=96),
}

SHARES = {8: 1, 16: 3, 24: 2, 32: 2}
"""Weights of the sizes in GPUs: most jobs span hosts, so that they choose paths."""


@family("cluster", "testbed-paths", params=PARAMS, reference="cao2024crux")
def testbed_paths(
    rng: np.random.Generator, *, name: str, levels: int, num_jobs: int, max_gpus: int
) -> Cluster:
    """Let jobs of several hosts arrive fragmented on the 96-GPU testbed.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    num_jobs, max_gpus : int

    Returns
    -------
    Cluster
        12 hosts, 6 ToR and 8 aggregation switches; see `kcut_instances.workload.arrive`.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, section 6.1, doi:10.1145/3651890.3672239.
    """
    return arrive(
        rng,
        testbed_96(),
        SHARES,
        name=name,
        levels=levels,
        num_jobs=num_jobs,
        placement="fragmented",
        max_gpus=max_gpus,
    )
