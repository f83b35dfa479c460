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
