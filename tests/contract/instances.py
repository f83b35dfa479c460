"""Small seeded instances, their optima by enumeration, and how to run a solver on them."""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace

import numpy as np
import pytest

from kcut import Answer, Claim, CompressionInstance, Limits, cut_value
from kcut.compression import max_k_cut_value
from kcut.params import complete
from kcut.registry import Solver, solvers
from kcut_solvers.certify import cover_from_levels
from kcut_solvers.pulp_adapter import find_cbc
from kcut_solvers.pulp_adapter import load as load_pulp

NUM_TINY = 300
NUM_MIDDLING = 100

# The dummies of the bench tests may be on the path.
SOLVERS = {s.name: s for s in solvers("compression") if not s.name.startswith("dummy-")}
EXACT = sorted(name for name, s in SOLVERS.items() if s.exact)
MISSING = (
    {} if find_cbc(load_pulp()) else {"milp-cbc": "PuLP 4 brings no CBC, and none is installed"}
)
FAST_EXACT = sorted(set(EXACT) - {"milp-cbc", "milp-highs", "cp-sat"})


def each(names):
    """Return solver names as test parameters; those that cannot run here are skipped."""
    return [
        pytest.param(name, marks=pytest.mark.skip(reason=MISSING[name]))
        if name in MISSING
        else name
        for name in sorted(names)
    ]


def random_dag(rng, num_jobs, num_edges, levels, weights, *, name, order=False):
    """Return a DAG of random edges between jobs in a hidden random order."""
    pairs = np.array(list(itertools.combinations(range(num_jobs), 2)), int).reshape(-1, 2)
    chosen = pairs[rng.choice(len(pairs), size=min(num_edges, len(pairs)), replace=False)]
    hidden = rng.permutation(num_jobs)
    ends = hidden[chosen]
    return CompressionInstance.from_edges(
        num_jobs,
        ends[:, 0],
        ends[:, 1],
        weights(len(chosen)),
        levels=levels,
        name=name,
        order=hidden if order else None,
    )


@functools.cache
def tiny(seed):
    """Return an instance small enough to enumerate; every fourth has float weights."""
    rng = np.random.default_rng([1, seed])
    num_jobs = int(rng.integers(1, 7))
    num_edges = int(rng.integers(0, num_jobs * (num_jobs - 1) // 2 + 1))
    kinds = (
        lambda m: rng.integers(0, 4, m),
        lambda m: rng.integers(1, 100, m),
        lambda m: rng.integers(0, 2**30, m),
        lambda m: rng.random(m) * 10.0,
    )
    levels = int(rng.integers(1, 5))
    weights = kinds[seed % 4]
    return random_dag(
        rng, num_jobs, num_edges, levels, weights, name=f"tiny-{seed}", order=seed % 3 == 0
    )


@functools.cache
def middling(seed):
    """Return an instance of 30 to 60 jobs with two to three edges a job."""
    rng = np.random.default_rng([2, seed])
    num_jobs = int(rng.integers(30, 61))
    num_edges = int(num_jobs * rng.uniform(2.0, 3.0))
    levels = int(rng.integers(2, 6))
    name = f"middling-{seed}"
    return random_dag(
        rng, num_jobs, num_edges, levels, lambda m: rng.integers(0, 100, m), name=name
    )


def assignments(instance):
    """Return all assignments of levels, feasible or not, shape (K^n, n)."""
    shape = (instance.levels,) * instance.num_jobs
    return np.indices(shape).reshape(instance.num_jobs, -1).T


def feasible_assignments(instance):
    """Return all feasible assignments of levels."""
    every = assignments(instance)
    return every[(every[:, instance.upper] >= every[:, instance.lower]).all(axis=1)]


def optimum(instance):
    """Return the largest cut by enumeration, exact, in units of ``1 / scale``."""
    return max(cut_value(instance, levels) for levels in feasible_assignments(instance))


@functools.cache
def tiny_optimum(seed):
    """Return the optimum of ``tiny(seed)``."""
    return optimum(tiny(seed))


def max_k_cut_optimum(instance):
    """Return the largest cut without the order, by enumeration."""
    return max(max_k_cut_value(instance, levels) for levels in assignments(instance))


def run(solver: Solver | str, instance, *, seed=0, limits=None, **params) -> Answer:
    """Run a compression solver with its default parameters but for those given."""
    entry = SOLVERS[solver] if isinstance(solver, str) else solver
    given = complete(entry.params, params)
    rng = np.random.default_rng(seed)
    return entry.solve(instance, limits=limits or Limits(), rng=rng, **given)


def certified(instance, answer):
    """Add a cover to an answer that claims to be optimal without one, as the harness does."""
    if answer.claim is not Claim.OPTIMAL or answer.certificate is not None:
        return answer
    return replace(answer, certificate=cover_from_levels(instance, answer.solution))


def edge_cases():
    """Return the instances at the borders of what is allowed, with their optima, by name."""
    build = CompressionInstance.from_edges
    half, most = 2**61, 2**62
    chain = ([0, 1, 2], [1, 2, 3])
    return {
        "no-edges": (build(3, [], [], [], levels=4), 0),
        "one-job": (build(1, [], [], [], levels=1), 0),
        "one-job-many-levels": (build(1, [], [], [], levels=1000), 0),
        "one-level": (build(4, *chain, [5, 6, 7], levels=1), 0),
        "levels-as-path": (build(4, *chain, [5, 6, 7], levels=4), 18),
        "levels-above-path": (build(4, *chain, [5, 6, 7], levels=9), 18),
        "most-levels": (build(4, *chain, [5, 6, 7], levels=1_000_000), 18),
        "zero-weights": (build(4, *chain, [0, 0, 0], levels=2), 0),
        "some-zero-weights": (build(4, *chain, [0, 3, 0], levels=2), 3),
        "isolated-jobs": (build(9, [7, 2], [2, 5], [4, 9], levels=2), 9),
        "huge-edge": (build(3, [0, 1], [1, 2], [most - 1, 1], levels=2), most - 1),
        "huge-tie": (build(3, [0, 1], [1, 2], [half - 1, half], levels=2), half),
        "huge-total": (
            build(4, *chain, [most // 4, most // 2, most // 4], levels=3),
            3 * (most // 4),
        ),
        "huge-in-degree": (
            build(4, [0, 1, 2], [3, 3, 3], [most // 2, most // 4, most // 4], levels=2),
            most,
        ),
        "huge-odd": (
            build(4, *chain, [2**58 + 1, 2**58 + 2, 2**58 + 3], levels=3),
            2 * 2**58 + 5,
        ),
        "huge-range": (build(4, *chain, [1, 2**60, 2], levels=3), 2**60 + 2),
        "floats": (build(4, *chain, [0.5, 0.25, 0.125], levels=3), 6),
    }
