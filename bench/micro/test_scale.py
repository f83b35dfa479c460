"""The targets of scale, each as a ratio within one run: CPU time, minima."""

import resource
import time

import numpy as np
import pytest

from bench.micro.conftest import fresh, random_dag
from bench.micro.test_exact import run
from kcut import verify
from kcut.ascent import ascend
from kcut.blocks import DP, cut_order
from kcut.frontier import frontier
from kcut.orders import bfs_order
from kcut.prefix import Workspace
from kcut.reoptimise import reoptimise

SPARSE = (100_000, 1_000_000)


def least_s(call, rounds=3):
    """Return the least CPU time of a few calls."""
    times = []
    for _ in range(rounds):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return min(times)


def note_ratio(benchmark, yardstick_s):
    """Put the ratio of the minimum to a yardstick beside the times."""
    if benchmark.stats is not None:
        benchmark.extra_info["ratio"] = round(benchmark.stats.stats.min / yardstick_s, 2)


@pytest.mark.benchmark(
    group="large: build and solve over numpy.lexsort of the edges", timer=time.process_time
)
@pytest.mark.parametrize("seed", [1, 2])
def test_large_solve_over_lexsort(benchmark, seed):
    """Target: at most 3, from an instance whose edges were just read to the proven optimum."""
    instance = random_dag(*SPARSE, seed=seed)
    sort_s = least_s(lambda: np.lexsort((instance.lower, instance.upper)), rounds=5)
    answer = benchmark.pedantic(
        lambda: run("min-cuts", {}, fresh(instance)), rounds=5, warmup_rounds=1
    )
    note_ratio(benchmark, sort_s)
    assert verify(instance, answer.solution, answer.certificate).optimal


@pytest.mark.benchmark(group="frontier to K=16 over K=16 alone", timer=time.process_time)
@pytest.mark.parametrize("checked", [False, True], ids=["with covers", "with covers, checked"])
@pytest.mark.parametrize(
    "size", [(2_000, 20_000), (2_000, 100_000), SPARSE], ids=["20k", "100k", "large"]
)
def test_frontier_over_one(benchmark, size, checked):
    """Target: at most 1.2. Both start from zero."""
    instance = random_dag(*size, levels=16)
    rounds = 2 if size == SPARSE else 10
    alone_s = least_s(lambda: list(ascend(fresh(instance), 16, covers=False)), rounds)
    if checked:
        found = benchmark.pedantic(
            lambda given: frontier(given, 16), setup=lambda: ((fresh(instance),), {}), rounds=rounds
        )
        assert all(found.proven)
    else:
        benchmark.pedantic(
            lambda given: list(ascend(given, 16)),
            setup=lambda: ((fresh(instance),), {}),
            rounds=rounds,
        )
    note_ratio(benchmark, alone_s)


@pytest.mark.benchmark(
    group="one order, n=5,000, over a fresh matrix of ones", timer=time.process_time
)
@pytest.mark.parametrize("dp", DP)
@pytest.mark.parametrize("num_edges", [50_000, 2_670_000], ids=["50k", "large 2.67M"])
def test_order_over_fill(benchmark, num_edges, dp):
    """Target: at most 0.5, the prefix matrix filled and cut."""
    instance = random_dag(5_000, num_edges)
    ones_s = least_s(lambda: np.ones((5_001, 5_001)), rounds=5)
    order = bfs_order(instance, np.random.default_rng(1))
    workspace = Workspace.of(instance)
    benchmark.pedantic(
        cut_order, (instance, order, dp, workspace), rounds=5, warmup_rounds=1, iterations=1
    )
    note_ratio(benchmark, ones_s)


@pytest.mark.benchmark(group="reoptimise after one arrival, 5,000 jobs", timer=time.process_time)
def test_arrival(benchmark):
    """Target: under 20 ms, adjacency of the new instance included."""
    whole = random_dag(5_000, 33_000)
    newcomer = int(np.argmax(np.bincount(whole.upper, minlength=5_000)))
    before = run("min-cuts", {}, whole).solution
    before[newcomer] = -1
    step = benchmark.pedantic(lambda: reoptimise(whole, before), rounds=10, warmup_rounds=1)
    assert verify(whole, step.levels, step.cover).optimal


@pytest.mark.benchmark(group="large: 100,000 jobs, 5 M edges", timer=time.process_time)
def test_large_five_million(benchmark):
    """Target: solved and checked, the whole process under 4 GB."""
    instance = random_dag(100_000, 5_000_000)
    answer = benchmark.pedantic(lambda: run("min-cuts", {}, fresh(instance)), rounds=1)
    assert verify(instance, answer.solution, answer.certificate).optimal
    peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    benchmark.extra_info["peak_rss_bytes"] = peak_bytes
    assert peak_bytes < 4e9
