"""Pair replays at the sizes that a cluster scheduler has to answer for, and linear ordering."""

import numpy as np
import pytest

from kcut import Limits
from kcut.contention import sharing_pairs
from kcut.corrections import corrections
from kcut.intensity import traffic
from kcut.pair_gains import ordered_gains
from kcut.params import complete
from kcut.registry import get_family, get_solver


def generated(name, **params):
    """Return the instance of a family at seed 1."""
    family = get_family(name)
    return family.generate(complete(family.params, params), 8, 1)


@pytest.mark.benchmark(group="priority: all k_j of 5,000 jobs, target 5 s")
def test_corrections(benchmark):
    """Replay each of 5,000 jobs against the reference."""
    cluster = generated("contending-jobs", num_jobs=5_000, load=50.0)
    corrections(generated("contending-jobs"))
    found = benchmark(corrections, cluster)
    assert len(found.k) == 5_000


@pytest.mark.benchmark(group="priority: gains of all pairs of 200 jobs, target 10 s")
@pytest.mark.parametrize("overlap", [0.0, 0.5])
def test_pair_matrix(benchmark, overlap):
    """Replay 19,900 pairs in both orders and on one level."""
    cluster = generated("contending-jobs", num_jobs=200, load=10.0, overlap=overlap)
    pairs = sharing_pairs(200, traffic(cluster))
    ordered_gains(cluster, pairs[:10])
    first, _ = benchmark(ordered_gains, cluster, pairs)
    assert len(first) == 19_900


@pytest.mark.benchmark(group="priority: linear ordering, targets 10 s, at 150 jobs 60 s")
@pytest.mark.parametrize("num_jobs", [44, 60, 150])
def test_linear_ordering(benchmark, num_jobs):
    """Solve matrices in the manner of input-output tables to proven optimality."""
    instance = generated("io-like", num_jobs=num_jobs)
    solve = get_solver("lop-milp", ("priority",)).solve

    def run(chosen):
        return solve(chosen, limits=Limits(60.0), rng=np.random.default_rng(1))

    run(generated("random-lop", num_jobs=26))
    answer = benchmark.pedantic(run, (instance,), rounds=1)
    assert answer.bound - instance.gains.value(answer.solution) <= 0.005 * answer.bound
