"""Max K-Cut, the relaxation of compression without its order."""

import numpy as np
import pytest

from kcut import Claim, CompressionInstance, Limits, Termination, Verdict, judge
from kcut.registry import get_solver
from kcut_solvers.compression import max_k_cut_cp_sat
from tests.contract.instances import (
    certified,
    edge_cases,
    max_k_cut_optimum,
    middling,
    run,
    tiny,
    tiny_optimum,
)

SOLVER = get_solver("max-k-cut-cp-sat", ("max-k-cut",))


@pytest.mark.parametrize("first", range(0, 120, 20))
def test_equals_enumeration_and_bounds_compression(first):
    """On tiny instances it is optimal, and never below the optimum with the order."""
    for seed in range(first, first + 20):
        instance = tiny(seed)
        answer = run(SOLVER, instance, seed=seed)
        judgement = judge(instance, answer, "max-k-cut")
        assert answer.claim is Claim.OPTIMAL
        assert judgement.verdict is not Verdict.REJECTED
        assert answer.bound == max_k_cut_optimum(instance)
        assert answer.bound >= tiny_optimum(seed)
        assert answer.incumbents[-1].value == answer.bound


def test_price_of_order_is_real():
    """On a triangle with two levels the order costs: 2 of 3 units without it, 2 of 4 with."""
    instance = CompressionInstance.from_edges(3, [0, 1, 0], [1, 2, 2], [2, 2, 1], levels=2)
    without = run(SOLVER, instance)
    judgement = judge(instance, without, "max-k-cut")
    assert judgement.value == 4
    assert judge(instance, run("min-cost-flow", instance)).value == 3


@pytest.mark.parametrize("case", sorted(edge_cases()))
def test_edge_cases(case):
    """At the borders of the input it answers at least the ordered optimum, or declines."""
    instance, ordered = edge_cases()[case]
    answer = run(SOLVER, instance)
    if answer.solution is None:
        assert case.startswith("huge")
        assert answer.termination is Termination.SKIPPED
        return
    assert answer.claim is Claim.OPTIMAL
    assert judge(instance, answer, "max-k-cut").verdict is not Verdict.REJECTED
    assert answer.bound >= ordered


def test_declines_what_it_cannot_hold():
    """A model of too many literals is not built; the reason says how many."""
    chain = np.arange(2000)
    instance = CompressionInstance.from_edges(2001, chain, chain + 1, chain, levels=9)
    answer = run(SOLVER, instance)
    assert answer.termination is Termination.SKIPPED
    literals = 9 * (3 * 2000 + 2001 * 2002 // 2)
    assert literals > max_k_cut_cp_sat.MAX_LITERALS
    assert f"{literals:,}" in answer.detail


def test_stops_at_a_time_limit_with_a_true_bound():
    """Stopped early, it claims no optimum, and value and bound enclose it."""
    instance = middling(4)
    ordered = judge(instance, certified(instance, run("min-cost-flow", instance)))
    answer = run(SOLVER, instance, limits=Limits(time_s=0.3))
    judgement = judge(instance, answer, "max-k-cut")
    assert judgement.verdict is not Verdict.REJECTED
    if answer.solution is not None:
        assert answer.bound >= max(judgement.value, ordered.value)
        assert answer.claim is Claim.OPTIMAL or answer.termination is Termination.TIME_LIMIT
