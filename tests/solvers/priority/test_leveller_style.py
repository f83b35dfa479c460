"""The fair order: its largest slowdown against the orders it starts from and the optimum."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kcut import Limits, Termination, Verdict, judge
from kcut.linear_order import Gains
from kcut.priority import PriorityInstance
from kcut.priority_objectives import evaluate
from kcut.registry import get_solver
from tests.kcut.clusters import example1, on_one_link, sender

SOLVER = get_solver("leveller-style", ("priority",))


def several(seed):
    """Draw four jobs of periods with a small common multiple on one link."""
    rng = np.random.default_rng([9, seed])
    jobs = []
    for j in range(4):
        period, sent = float(rng.choice([4, 6, 12])), float(rng.integers(1, 4))
        jobs.append(sender(f"J{j}", int(rng.integers(1, 9)), period - sent, 1.0, sent))
    return PriorityInstance(on_one_link(*jobs), "slowdown")


def run(instance, rounds=50, time_s=None):
    """Run it and return its answer, which the judge has verified."""
    rng = np.random.default_rng(0)
    answer = SOLVER.solve(instance, limits=Limits(time_s), rng=rng, rounds=rounds)
    assert judge(instance, answer, "priority").verdict is Verdict.VERIFIED
    return answer


@pytest.mark.parametrize("seed", range(12))
def test_no_less_fair_than_by_intensity_and_mostly_best(seed):
    """Its largest slowdown lies between the optimum and that of the order by intensity."""
    instance = several(seed)
    value = evaluate(instance, run(instance).solution)
    every = [np.array(order) for order in itertools.permutations(range(4))]
    assert min(evaluate(instance, order) for order in every) <= value
    assert value <= evaluate(instance, np.array(instance.ranking))


def test_mostly_reaches_the_optimum():
    """On at least three of four instances of four jobs no order is fairer."""
    best = 0
    for seed in range(12):
        instance = several(seed)
        every = [np.array(order) for order in itertools.permutations(range(4))]
        optimum = min(evaluate(instance, order) for order in every)
        best += evaluate(instance, run(instance).solution) == optimum
    assert best >= 9


def test_incumbents_end_with_the_answer():
    """Incumbents fall to the value of the answer; another objective has none."""
    instance = several(3)
    answer = run(instance)
    values = [incumbent.value for incumbent in answer.incumbents]
    assert values == sorted(values, reverse=True)
    assert values[-1] == evaluate(instance, answer.solution)
    other = run(instance.with_objective("utilisation"))
    assert (other.incumbents, other.solution.tolist()) == ((), answer.solution.tolist())


def test_limits_and_a_matrix():
    """Without time or rounds the better start is answered; a matrix has nothing to simulate."""
    instance = PriorityInstance(example1(), "slowdown")
    assert run(instance, time_s=0.0).termination is Termination.TIME_LIMIT
    assert run(instance, rounds=0).termination is Termination.FINISHED
    matrix = PriorityInstance(matrix=Gains.from_matrix(np.array([[0.0, 1.0], [0.0, 0.0]])))
    rng = np.random.default_rng(0)
    answer = SOLVER.solve(matrix, limits=Limits(), rng=rng, rounds=5)
    assert answer.termination is Termination.SKIPPED
