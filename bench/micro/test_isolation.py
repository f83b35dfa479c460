"""What isolation costs: a run in a process of its own against the call of its solver."""

import pytest

from kcut_bench.isolate import LocalProcesses
from tests.bench.plans import one_run

RUNS = 50


@pytest.mark.benchmark(group="isolation: 50 runs of crux on 8 jobs; at most 40 ms a run")
@pytest.mark.parametrize("workers", [1, 2])
def test_overhead_of_a_run(benchmark, workers):
    """Time 50 isolated runs; what is beyond the solvers' own time is overhead."""
    runs = [one_run(key=f"run {i}") for i in range(RUNS)]
    rows = []

    def carry_out():
        rows.clear()
        LocalProcesses().run_all(runs, workers, lambda run, row: rows.append(row))

    benchmark.pedantic(carry_out, rounds=3, warmup_rounds=1)
    assert all(row.verdict == "verified" for row in rows)
    if benchmark.enabled:
        took = benchmark.stats.stats.median
        solvers = sum(row.solve_s for row in rows) / workers
        benchmark.extra_info["overhead_ms"] = round(1000 * (took - solvers) / RUNS, 1)
