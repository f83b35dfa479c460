"""What every registered solver for compression must do."""

import numpy as np
import pytest

from kcut import Claim, Limits, Termination, Verdict, bound, cut_value, infeasibility, judge
from tests.contract.instances import (
    EXACT,
    MISSING,
    NUM_MIDDLING,
    NUM_TINY,
    SOLVERS,
    certified,
    each,
    edge_cases,
    middling,
    run,
    tiny,
    tiny_optimum,
)

EDGE_CASES = edge_cases()


def test_all_names_are_registered():
    """Every compression solver the command line promises is there."""
    promised = (
        "crux min-cuts min-cost-flow milp-cbc milp-highs lp-highs cp-sat varys sincronia "
        "longest-path"
    )
    assert set(promised.split()) <= set(SOLVERS)
    assert all(s.reference and s.summary.endswith(".") for s in SOLVERS.values())


@pytest.mark.parametrize("name", each(EXACT))
def test_exact_solvers_equal_enumeration(name):
    """An exact solver finds the enumerated optimum of 300 tiny instances, and it is proven."""
    for seed in range(NUM_TINY):
        instance = tiny(seed)
        answer = run(name, instance, seed=seed)
        assert answer.claim is Claim.OPTIMAL, (instance.name, answer)
        assert cut_value(instance, answer.solution) == tiny_optimum(seed), (instance.name, answer)
        judgement = judge(instance, certified(instance, answer))
        assert judgement.verdict is Verdict.VERIFIED, (instance.name, judgement)
        assert judgement.proven
        # Float weights are judged as given, with the bound rounded upward.
        rounding = 0.0 if instance.is_integer else 1e-12 * instance.total_weight / instance.scale
        assert judgement.bound - judgement.value <= rounding


@pytest.mark.parametrize("name", each(set(SOLVERS) - set(EXACT)))
def test_heuristics_are_feasible_and_never_above_the_optimum(name):
    """A heuristic's answer to 300 tiny instances is feasible and at most the optimum."""
    for seed in range(NUM_TINY):
        instance = tiny(seed)
        answer = run(name, instance, seed=seed)
        assert infeasibility(instance, answer.solution) is None
        assert cut_value(instance, answer.solution) <= tiny_optimum(seed)
        assert judge(instance, answer).verdict is Verdict.VERIFIED


@pytest.mark.parametrize(
    ("name", "param", "choice"),
    [
        (name, param, choice)
        for name, entry in SOLVERS.items()
        for param, declared in entry.params.items()
        for choice in declared.choices
        if choice != declared.default
    ],
)
def test_every_choice_keeps_the_contract(name, param, choice):
    """A parameter with choices changes how a solver works, not what it may answer."""
    for seed in range(0, NUM_TINY, 3):
        instance = tiny(seed)
        answer = run(name, instance, seed=seed, **{param: choice})
        value = cut_value(instance, answer.solution)
        assert value <= tiny_optimum(seed)
        assert judge(instance, certified(instance, answer)).verdict is Verdict.VERIFIED
        if SOLVERS[name].exact:
            assert answer.claim is Claim.OPTIMAL
            assert value == tiny_optimum(seed)


@pytest.mark.parametrize("first", range(0, NUM_MIDDLING, 10))
def test_exact_solvers_agree_on_middling_instances(first):
    """All exact solvers find the same value, proven by a cover, on 100 middling instances."""
    for seed in range(first, first + 10):
        instance = middling(seed)
        values = {}
        for name in set(EXACT) - set(MISSING):
            answer = certified(instance, run(name, instance, seed=seed))
            judgement = judge(instance, answer)
            assert judgement.verdict is Verdict.VERIFIED, (instance.name, name, judgement)
            assert judgement.proven, (instance.name, name)
            values[name] = judgement.value
        assert len(set(values.values())) == 1, (instance.name, values)


@pytest.mark.parametrize("case", sorted(EDGE_CASES))
@pytest.mark.parametrize("name", each(SOLVERS))
def test_edge_cases(name, case):
    """At the borders of the input a solver answers rightly or declines with a reason."""
    instance, best = EDGE_CASES[case]
    answer = run(name, instance)
    if answer.solution is None:
        assert case.startswith("huge"), answer
        assert answer.termination is Termination.SKIPPED
        assert answer.detail
        return
    judgement = judge(instance, certified(instance, answer))
    assert judgement.verdict is Verdict.VERIFIED, judgement
    value = cut_value(instance, answer.solution)
    assert value <= best
    if answer.claim is Claim.OPTIMAL:
        assert value == best
    if name in EXACT and not case.startswith("huge"):
        assert answer.claim is Claim.OPTIMAL
    if answer.certificate is not None:
        assert bound(instance, answer.certificate) >= best
    assert answer.bound is None or answer.bound >= best


@pytest.mark.parametrize("name", each(SOLVERS))
def test_same_seed_same_answer(name):
    """Two runs with one seed give the same levels."""
    instance = middling(0)
    first, second = run(name, instance, seed=7), run(name, instance, seed=7)
    assert np.array_equal(first.solution, second.solution)
    assert first.claim is second.claim


@pytest.mark.parametrize("name", each(SOLVERS))
@pytest.mark.parametrize("time_s", [0.0, 1e-3, 0.05])
def test_no_time_is_no_excuse(name, time_s):
    """With next to no time a solver still answers truthfully, and does not raise."""
    instance = middling(1)
    best = cut_value(instance, run("min-cost-flow", instance).solution)
    answer = run(name, instance, limits=Limits(time_s=time_s))
    assert judge(instance, certified(instance, answer)).verdict is not Verdict.REJECTED
    if answer.claim is Claim.OPTIMAL:
        assert cut_value(instance, answer.solution) == best
    if answer.solution is None:
        assert answer.claim is Claim.NONE
        assert answer.termination is Termination.TIME_LIMIT
    assert answer.bound is None or answer.bound >= best


@pytest.mark.parametrize("name", each(SOLVERS))
def test_incumbents_rise_to_the_answer(name):
    """Incumbents are in order of time, get better, and end with the value of the answer."""
    instance = middling(2)
    answer = run(name, instance)
    values = [incumbent.value for incumbent in answer.incumbents]
    seconds = [incumbent.seconds for incumbent in answer.incumbents]
    assert values == sorted(values)
    assert seconds == sorted(seconds)
    assert not values or values[-1] == cut_value(instance, answer.solution)


@pytest.mark.parametrize("name", ["crux", "min-cuts", "cp-sat", "milp-highs"])
def test_incumbents_are_reported_as_they_are_found(name):
    """Whoever listens is told every incumbent: feasible levels, the last those answered."""
    instance = middling(2)
    told = []
    limits = Limits(time_s=60, on_incumbent=lambda levels: told.append(np.array(levels)))
    answer = run(name, instance, limits=limits)
    assert len(told) == len(answer.incumbents) > 0
    assert all(infeasibility(instance, levels) is None for levels in told)
    values = [cut_value(instance, levels) for levels in told]
    assert values == [incumbent.value for incumbent in answer.incumbents]
    assert np.array_equal(told[-1], answer.solution)
