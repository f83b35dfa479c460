"""Instances of the speed targets, built once; everything compiled before a clock starts."""

import functools

import numpy as np
import pytest

from kcut.registry import get_family

SIZES = {
    "n=200, m=2.0k": (200, 2_000),
    "n=1,000, m=9.9k": (1_000, 9_900),
    "n=2,000, m=100k": (2_000, 100_000),
}


@functools.cache
def random_dag(num_jobs, num_edges, levels=8, seed=1):
    """Return the instance of the family `random-dag` of this size."""
    params = {"num_jobs": num_jobs, "num_edges": num_edges, "weights": "intensity"}
    instance = get_family("random-dag").generate({**params, "max_weight": 1000}, levels, seed)
    assert instance.num_edges == num_edges
    return instance


@pytest.fixture(params=SIZES, ids=list(SIZES))
def instance(request):
    """Return one instance a size."""
    return random_dag(*SIZES[request.param])


@pytest.fixture
def largest():
    """Return the instance of the targets: 2,000 jobs, 100,000 edges, 8 levels."""
    return random_dag(*SIZES["n=2,000, m=100k"])


@pytest.fixture
def rng():
    """Return a seeded generator."""
    return np.random.default_rng(1)


def fresh(instance):
    """Return the instance without anything derived from it before (adjacency, order, depth)."""
    return type(instance).from_edges(
        instance.num_jobs,
        instance.upper,
        instance.lower,
        instance.weight,
        levels=instance.levels,
        name=instance.name,
    )


def pytest_terminal_summary(terminalreporter, config):
    """Print what benchmarks measured beside times: ratios, events a second, memory."""
    session = getattr(config, "_benchmarksession", None)
    noted = [b for b in getattr(session, "benchmarks", ()) if b.extra_info and b.stats]
    for group in sorted({b.group or "" for b in noted}):
        terminalreporter.write_sep("-", f"beside times: {group}")
        for benchmark in (b for b in noted if (b.group or "") == group):
            facts = ", ".join(f"{name} {fact:,}" for name, fact in benchmark.extra_info.items())
            terminalreporter.write_line(f"{benchmark.name}: {facts}")
