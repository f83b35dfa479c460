"""The fast simulator against the exact reference, the paper's numbers, and conservation."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from kcut.simulate import simulate
from tests.kcut.clusters import random_cluster
from tests.kcut.fluid_reference import reference


@pytest.mark.parametrize("seed", range(200))
def test_agrees_with_the_exact_reference(seed: int) -> None:
    """Iterations, busy seconds and bytes equal those of the exact simulator, to 1e-9."""
    rng = np.random.default_rng(seed)
    cluster = random_cluster(rng)
    levels = rng.integers(0, 4, cluster.num_jobs)
    choice = rng.integers(0, 2, cluster.num_flows)
    shifts = rng.integers(0, 20, cluster.num_jobs) / 10 * (seed % 2)
    horizon = Fraction(int(rng.integers(100, 300)), 10)
    expected = reference(
        cluster, levels.tolist(), choice.tolist(), horizon, [float(s) for s in shifts]
    )
    got = simulate(cluster, levels, choice, horizon_s=float(horizon), shifts_s=shifts.tolist())
    assert got.iterations.tolist() == [len(job.finished) for job in expected]
    np.testing.assert_allclose(got.busy_s, [float(j.busy) for j in expected], rtol=1e-9, atol=1e-9)
    for j, job in enumerate(expected):
        on_link = {
            e: sum(s for s, (_, path) in zip(job.sent, job.flows, strict=True) if e in path)
            / Fraction(cluster.links[e].bandwidth)
            for e in range(cluster.num_links)
        }
        assert min(abs(float(s) - got.link_s[j]) for s in on_link.values()) < 1e-9
        if job.finished:
            mean = float(job.finished[-1] - Fraction(repr(float(shifts[j])))) / len(job.finished)
            assert got.iteration_s[j] == pytest.approx(mean, rel=1e-9)
