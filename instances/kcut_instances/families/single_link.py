"""All jobs on one link: a complete DAG."""

from __future__ import annotations

import numpy as np

from kcut import CompressionInstance, Param, family
from kcut_instances.contention import MAX_INTENSITY_PARAM, intensity_dag

PARAMS = {
    "num_jobs": Param(100, "number of jobs", minimum=1, maximum=10_000),
    "max_intensity": MAX_INTENSITY_PARAM,
}


@family("compression", "single-link", params=PARAMS, reference="cao2024crux")
def single_link(
    rng: np.random.Generator, *, name: str, levels: int, num_jobs: int, max_intensity: int
) -> CompressionInstance:
    """Put every job on the same link, so that each pair contends.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    num_jobs : int
    max_intensity : int
        Intensities are uniform integers from 1 to this.

    Returns
    -------
    CompressionInstance
        With a single topological order, so Crux's Algorithm 1 is optimal here.
    """
    intensity = rng.integers(1, max_intensity + 1, num_jobs)
    first, second = np.triu_indices(num_jobs, 1)
    return intensity_dag(
        intensity, first.astype(np.int64), second.astype(np.int64), name=name, levels=levels
    )
