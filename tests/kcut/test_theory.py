"""What docs/theory proves about the ascent, on instances small enough to enumerate."""

from itertools import pairwise

import numpy as np
import pytest

from kcut import CompressionInstance, cut_value, verify
from kcut.ascent import ascend, improve
from tests.contract.instances import feasible_assignments, random_dag


def small(seed):
    """Return an instance of 2 to 5 jobs and 2 to 4 levels, and all its feasible levels."""
    rng = np.random.default_rng([3, seed])
    num_jobs, levels = int(rng.integers(2, 6)), int(rng.integers(2, 5))
    instance = random_dag(
        rng,
        num_jobs,
        int(rng.integers(1, 10)),
        levels,
        lambda m: rng.integers(0, 6, m),
        name=f"small-{seed}",
    )
    every = feasible_assignments(instance)
    return instance, every, every[rng.integers(len(every))]


def distance(instance: CompressionInstance, allowed, start):
    """Return how far the nearest of the best allowed levels are, by their farthest job."""
    values = np.array([cut_value(instance, levels) for levels in allowed])
    best = allowed[values == values.max()]
    return int(np.abs(best - start).max(axis=1).min())


@pytest.mark.parametrize("seed", range(40))
def test_number_of_steps_is_the_distance_to_the_nearest_best_levels(seed):
    """Steps up are as many as the nearest best levels above are away, then likewise down."""
    instance, every, start = small(seed)
    steps = list(improve(instance, start))
    path = [start, *(step.levels for step in steps[:-1])]
    moves = [after - before for before, after in pairwise(path)]
    num_up = sum(int(move.max()) for move in moves)
    top = path[num_up]
    assert all((np.abs(move) <= 1).all() and move.any() for move in moves)
    assert all(move.min() >= 0 for move in moves[:num_up])
    assert all(move.max() <= 0 for move in moves[num_up:])
    assert num_up == distance(instance, every[(every >= start).all(axis=1)], start)
    assert len(moves) - num_up == distance(instance, every[(every <= top).all(axis=1)], top)
    assert steps[-1].num_cuts <= len(moves) + 2


@pytest.mark.parametrize("seed", range(40))
def test_ascent_ends_with_an_empty_cover(seed):
    """Once more levels bring nothing, the cover is 0 and so proves it for every K beyond."""
    instance, _, _ = small(seed)
    *_, last = ascend(instance, instance.num_jobs + 1)
    assert last.finished
    assert not last.cover.any()
    assert verify(instance.with_levels(1000), last.levels, last.cover).optimal


def with_implied(seed):
    """Return an instance, its last step, and which edges within a level a path there implies."""
    rng = np.random.default_rng([5, seed])
    instance = random_dag(
        rng, 6, int(rng.integers(5, 15)), 2 + seed % 2, lambda m: rng.integers(0, 6, m), name="x"
    )
    *_, last = ascend(instance, instance.levels)
    tied = last.levels[instance.upper] == last.levels[instance.lower]
    reach = np.zeros((6, 6), int)
    reach[instance.upper[tied], instance.lower[tied]] = 1
    longer = sum(np.linalg.matrix_power(reach, power) for power in range(2, 6)) > 0
    return instance, last, tied & longer[instance.upper, instance.lower]


@pytest.mark.parametrize("seed", range(30))
def test_an_optimal_cover_needs_only_weights_on_implied_edges(seed):
    """With b = w forced on edges within a level that a path there implies, bound == optimum."""
    from scipy.optimize import linprog

    instance, last, implied = with_implied(seed)
    n, m = 6, instance.num_edges
    # Minimise the sum of uncovered u_e >= w_e - b_e and (K-1) x_v, x_v >= out_v - in_v.
    cost = np.concatenate((np.zeros(m), np.ones(m), np.full(n, instance.levels - 1)))
    rows = np.zeros((m + n, 2 * m + n))
    rows[np.arange(m), np.arange(m)] = rows[np.arange(m), m + np.arange(m)] = -1
    np.add.at(rows, (m + instance.upper, np.arange(m)), 1)
    np.add.at(rows, (m + instance.lower, np.arange(m)), -1)
    rows[m + np.arange(n), 2 * m + np.arange(n)] = -1
    limits = np.concatenate((-instance.weight, np.zeros(n)))
    forced = [
        (w, w) if fixed else (0, None)
        for w, fixed in zip(instance.weight.tolist(), implied.tolist(), strict=True)
    ]
    found = linprog(cost, A_ub=rows, b_ub=limits, bounds=[*forced, *[(0, None)] * (m + n)])
    assert found.fun == pytest.approx(cut_value(instance, last.levels))


def test_many_of_these_instances_have_implied_edges():
    """At least eight of the thirty do, so the test above is about something."""
    assert sum(with_implied(seed)[2].any() for seed in range(30)) >= 8
