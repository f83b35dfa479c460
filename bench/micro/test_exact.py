"""Heuristic against exact, from an instance whose edges were just read to the answer."""

import numpy as np
import pytest

from bench.micro.conftest import fresh, random_dag
from kcut import Limits, cut_value, verify
from kcut.params import complete
from kcut.registry import get_solver

RUNS = {
    "crux": ("crux", {}),
    "min-cuts": ("min-cuts", {}),
    "min-cuts from zero": ("min-cuts", {"start": "zero"}),
    "min-cuts or-tools": ("min-cuts", {"flow": "or-tools"}),
    "min-cost-flow": ("min-cost-flow", {}),
}


def run(name, params, instance):
    """Solve with a fixed seed."""
    entry = get_solver(name, ("compression",))
    return entry.solve(
        instance, limits=Limits(), rng=np.random.default_rng(1), **complete(entry.params, params)
    )


@pytest.mark.parametrize("label", RUNS)
def test_solve(benchmark, instance, label):
    """Time build and solve, ten orders for crux."""
    name, params = RUNS[label]
    benchmark.group = f"heuristic and exact, {instance.num_jobs:,} jobs, K=8"
    answer = benchmark.pedantic(
        lambda given: run(name, params, given),
        setup=lambda: ((fresh(instance),), {}),
        rounds=max(3, 20_000 // instance.num_jobs),
        warmup_rounds=1,
    )
    value = cut_value(instance, answer.solution)
    if answer.certificate is not None:
        assert verify(instance, answer.solution, answer.certificate).optimal
    assert value <= cut_value(instance, run("min-cuts", {}, instance).solution)


@pytest.mark.benchmark(group="large: min-cuts")
@pytest.mark.parametrize(
    ("num_jobs", "num_edges"), [(5_000, 2_700_000), (100_000, 1_000_000)], ids=["dense", "sparse"]
)
def test_large(benchmark, num_jobs, num_edges):
    """Time n = 5,000 with 2.7 M edges and n = 100,000 with 1 M edges, proof included."""
    instance = random_dag(num_jobs, num_edges)
    answer = benchmark.pedantic(
        lambda given: run("min-cuts", {}, given),
        setup=lambda: ((fresh(instance),), {}),
        rounds=2,
        warmup_rounds=1,
    )
    assert verify(instance, answer.solution, answer.certificate).optimal
