"""Jobs on random links of a fabric: the jobs on one link all contend with each other."""

from __future__ import annotations

import numpy as np

from kcut import CompressionInstance, InputError, Param, family
from kcut_instances.contention import (
    MAX_INTENSITY_PARAM,
    Indices,
    intensity_dag,
    pairs_that_meet,
)

PARAMS = {
    "num_jobs": Param(200, "number of jobs", minimum=1, maximum=1_000_000),
    "num_links": Param(60, "number of links", minimum=1, maximum=10_000_000),
    "links_per_job": Param(2, "links each job uses", minimum=1, maximum=100),
    "max_intensity": MAX_INTENSITY_PARAM,
}


@family("compression", "link-cliques", params=PARAMS, reference="cao2024crux")
def link_cliques(
    rng: np.random.Generator,
    *,
    name: str,
    levels: int,
    num_jobs: int,
    num_links: int,
    links_per_job: int,
    max_intensity: int,
) -> CompressionInstance:
    """Put each job on random links; jobs that share a link contend, weighed as Crux weighs them.

    Parameters
    ----------
    rng : numpy.random.Generator
    name : str
    levels : int
    num_jobs, num_links : int
    links_per_job : int
        Distinct links for each job, every set of that size equally likely.
    max_intensity : int
        Intensities are uniform integers from 1 to this.

    Returns
    -------
    CompressionInstance
        The upper job of an edge has the higher intensity, or the smaller index among equals.

    Raises
    ------
    InputError
        If a job is to use more links than there are, or the jobs meet in too many pairs.
    """
    if links_per_job > num_links:
        raise InputError(f"at most num_links = {num_links}", "links_per_job", links_per_job)
    intensity = rng.integers(1, max_intensity + 1, num_jobs)
    link = _draw_subsets(rng, num_jobs, num_links, links_per_job)
    job = np.repeat(np.arange(num_jobs), links_per_job)
    first, second = pairs_that_meet(job, link.ravel(), num_jobs)
    return intensity_dag(intensity, first, second, name=name, levels=levels)


def _draw_subsets(rng: np.random.Generator, rows: int, population: int, size: int) -> Indices:
    """Draw for each row a uniform random subset, with Floyd's algorithm on all rows at once."""
    chosen = np.full((rows, size), -1, np.int64)
    for i, top in enumerate(range(population - size, population)):
        drawn = rng.integers(0, top + 1, rows)
        taken = (chosen[:, :i] == drawn[:, None]).any(axis=1)
        chosen[:, i] = np.where(taken, top, drawn)
    return chosen
