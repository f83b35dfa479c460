"""How fast the simulator is: events a second, ratio to pure Python, a large fabric.

Run with ``make bench``. Times are CPU seconds of the one thread that works.
"""

from __future__ import annotations

import resource
import time
from fractions import Fraction

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from kcut.cluster import Cluster, Flow, Job, Link
from kcut.intensity import intensities
from kcut.params import complete
from kcut.simulate import simulate
from kcut_instances.families.clos_jobs import PARAMS, clos_jobs
from tests.kcut.fluid_reference import reference

HORIZON_S = 20_000.0


def ten_jobs() -> Cluster:
    """Build ten jobs on one link, about as much traffic as it carries."""
    rng = np.random.default_rng(0)
    jobs = [
        Job(
            f"j{i}",
            8,
            round(float(rng.uniform(0.5, 2)), 2),
            1e15,
            (Flow("a", "b", round(float(rng.uniform(0.05, 0.2)), 2), (("e",),)),),
        )
        for i in range(10)
    ]
    return Cluster.build([Link("e", "a", "b", 1.0)], jobs, levels=10)


LEVELS = {"equal": [0] * 10, "three": [i % 3 for i in range(10)], "ten": list(range(10))}


@pytest.mark.benchmark(group="one link, ten jobs: events a second", timer=time.process_time)
@pytest.mark.parametrize("levels", LEVELS)
def test_events_a_second(benchmark: BenchmarkFixture, levels: str) -> None:
    """Time a long horizon; ``events_per_s`` stands beside it."""
    cluster = ten_jobs()
    simulate(cluster, LEVELS[levels], horizon_s=10.0)
    result = benchmark(simulate, cluster, LEVELS[levels], horizon_s=HORIZON_S)
    if benchmark.stats is not None:
        benchmark.extra_info["events_per_s"] = round(result.events / benchmark.stats.stats.min)


@pytest.mark.benchmark(
    group="one link, ten jobs, 20 s: compiled against pure Python", timer=time.process_time
)
@pytest.mark.parametrize("how", ["compiled", "reference"])
def test_against_pure_python(benchmark: BenchmarkFixture, how: str) -> None:
    """The pure-Python reference on the same cluster, for the ratio within one run."""
    cluster = ten_jobs()
    if how == "compiled":
        simulate(cluster, horizon_s=1.0)
        benchmark(simulate, cluster, horizon_s=20.0)
    else:
        arguments = (cluster, [0] * 10, [0] * 10, Fraction(20), [0.0] * 10)
        benchmark.pedantic(reference, arguments, rounds=2)


@pytest.mark.benchmark(group="one link, ten jobs: ratio to pure Python", timer=time.process_time)
def test_ratio_to_pure_python(benchmark: BenchmarkFixture) -> None:
    """At least a hundred times as many events a second as the pure-Python reference."""
    cluster = ten_jobs()
    simulate(cluster, horizon_s=1.0)
    started = time.process_time()
    reference(cluster, [0] * 10, [0] * 10, Fraction(20), [0.0] * 10)
    slow_s = time.process_time() - started
    result = benchmark(simulate, cluster, horizon_s=HORIZON_S)
    if benchmark.stats is not None:
        fast_s = benchmark.stats.stats.min * 20.0 / HORIZON_S
        benchmark.extra_info["ratio"] = round(slow_s / fast_s)
        benchmark.extra_info["events"] = result.events
        assert slow_s >= 100 * fast_s


@pytest.mark.benchmark(group="200 jobs on the 173-ToR fabric, 1,000 s", timer=time.process_time)
@pytest.mark.parametrize("levels", ["equal", "eight"])
def test_large_fabric(benchmark: BenchmarkFixture, levels: str) -> None:
    """Time 1,000 s with one level and with eight; the process stays under 1 GB."""
    params = complete(PARAMS, {"fabric": "tor-173", "num_jobs": 200})
    cluster = clos_jobs(np.random.default_rng(0), name="large", levels=8, **params)
    rank = np.argsort(np.argsort(-intensities(cluster)))
    chosen = 7 - rank * 8 // 200 if levels == "eight" else np.zeros(200, int)
    simulate(cluster, chosen, horizon_s=1.0)
    benchmark.pedantic(simulate, (cluster, chosen), {"horizon_s": 1000.0}, rounds=1)
    if benchmark.stats is not None:
        peak_bytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
        benchmark.extra_info["peak_rss_bytes"] = peak_bytes
        assert peak_bytes < 1e9
