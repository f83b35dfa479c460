"""Exact path solvers against enumeration and each other; bounds against optima."""

from __future__ import annotations

import itertools
import os

import numpy as np
import pytest

from kcut import Answer, Claim, InputError, Limits, Verdict, judge
from kcut.params import complete
from kcut.path_objectives import evaluate
from kcut.paths import MINIMISED, OBJECTIVES, PathsInstance
from kcut.pigeonhole_proof import proven_bound
from kcut.registry import get_family, get_solver
from kcut_bench.run import run_solver
from kcut_solvers.pigeonhole_lp import strengthen
from kcut_solvers.pigeonhole_tree import prove_by_cases
from tests.kcut.path_clusters import all_choices, clos, tiny

NUM_TINY = int(os.environ.get("KCUT_TINY", "40"))
"""How many tiny instances are enumerated for each objective; 200 take about a minute."""
NUM_MIDDLING = NUM_TINY // 4


def run(name, instance, time_s=20.0, **params):
    """Run a path solver through the harness and return its answer and the judgement."""
    solver = get_solver(name, ("paths",))
    given = {"objective": instance.objective, "stretch": instance.stretch, **params}
    answer, judgement, _ = run_solver(
        instance, solver, complete(solver.params, given), Limits(time_s), 1
    )
    assert judgement.verdict is not Verdict.REJECTED, judgement.reason
    return answer, judgement


def optimum(instance):
    """Return the best value over all feasible choices."""
    best = max if instance.maximise else min
    return best(
        evaluate(instance, choice)
        for choice in all_choices(instance)
        if instance.infeasibility(choice) is None
    )


def reached(instance, answer):
    """Return the exact value of an answer."""
    return evaluate(instance, answer.solution)


@pytest.mark.slow
@pytest.mark.parametrize("objective", MINIMISED)
@pytest.mark.parametrize("block", range(4))
def test_exact_solvers_equal_enumeration(objective, block):
    """On tiny instances CP-SAT is exactly the optimum, MILP too, and both state it as the bound.

    MILP runs on every fifth of them; on loads it may be off by its tolerance.
    """
    for seed in range(block * NUM_TINY // 4, (block + 1) * NUM_TINY // 4):
        instance = tiny(seed, objective, stretch=1.0 if seed % 4 == 0 else 0.0)
        best = optimum(instance)
        answer, _ = run("cp-sat", instance)
        assert answer.claim is Claim.OPTIMAL
        assert reached(instance, answer) == answer.bound == best
        if seed % 5 == 0:
            answer, _ = run("milp-highs", instance)
            assert answer.bound <= best
            assert reached(instance, answer) == pytest.approx(best, rel=1e-5)
            if objective != "max-load" and instance.scale == 1.0:
                assert answer.claim is Claim.OPTIMAL
                assert reached(instance, answer) == answer.bound == best


@pytest.mark.parametrize("objective", ["predicted-utilisation", "simulated"])
def test_enumeration_of_the_other_objectives(objective):
    """The solver `enumerate` finds the best choice, and local search finds none better."""
    for seed in range(0, 12):
        instance = tiny(seed, objective)
        if objective == "simulated" and seed > 2:
            break
        answer, _ = run("enumerate", instance)
        assert reached(instance, answer) == optimum(instance)
        found, _ = run("local-search", instance)
        assert reached(instance, found) <= reached(instance, answer)


def middling(seed, objective="contention"):
    """Draw an instance too large to enumerate."""
    rng = np.random.default_rng(seed)
    cluster = clos(rng, jobs=7, flows=3, tors=3, aggs=3, levels=2, stated=True)
    return PathsInstance(cluster, objective, stretch=float(rng.choice([0.0, 1.0])))


@pytest.mark.slow
@pytest.mark.parametrize("block", range(5))
def test_milp_and_cp_sat_agree(block):
    """On middling instances both prove the same optimum, and the certified bound is not above."""
    for seed in range(block * NUM_MIDDLING // 5, (block + 1) * NUM_MIDDLING // 5):
        instance = middling(seed, "contention" if seed % 3 else "residual")
        first, _ = run("cp-sat", instance)
        second, judged = run("milp-highs", instance)
        assert first.claim is second.claim is Claim.OPTIMAL
        assert reached(instance, first) == reached(instance, second)
        assert first.bound == second.bound == reached(instance, first)
        assert judged.gap == 0
        if first.certificate is not None:
            assert proven_bound(instance, first.certificate) <= first.bound


@pytest.mark.parametrize("block", range(4))
def test_pigeonhole_bound_never_exceeds_the_optimum(block):
    """The linear program's certificate proves its bound, and no choice is below it."""
    for seed in range(block * 25, (block + 1) * 25):
        instance = tiny(seed)
        found = strengthen(instance)
        assert proven_bound(instance, found.certificate) == found.bound
        assert found.bound <= optimum(instance)


def test_proof_is_the_certificate_alone():
    """Verified optimal exactly where the certificate reaches the value; else unverifiable."""
    proven = 0
    for seed in range(30):
        instance = tiny(seed)
        answer, judged = run("cp-sat", instance)
        certified = proven_bound(instance, answer.certificate)
        assert judged.proven == (certified == reached(instance, answer))
        assert judged.verdict == (Verdict.VERIFIED if judged.proven else Verdict.UNVERIFIABLE)
        proven += judged.proven
    assert proven > 10


@pytest.mark.parametrize("name", ["cp-sat", "milp-highs"])
@pytest.mark.parametrize("objective", sorted(set(OBJECTIVES) - set(MINIMISED)))
def test_objectives_without_a_model_are_skipped(name, objective):
    """No exact model of utilisation exists, and the solver says so."""
    answer, _ = run(name, tiny(1, objective))
    assert answer.solution is None
    assert "no exact model" in answer.detail


@pytest.mark.slow
def test_cases_never_exceed_the_optimum():
    """Trees prove what they state, and no choice is below, even where they want more."""
    for seed in range(30):
        instance = tiny(seed)
        found = prove_by_cases(instance, 2 * optimum(instance), max_cases=20)
        assert proven_bound(instance, found.certificate) == found.bound
        assert strengthen(instance).bound <= found.bound <= optimum(instance)


def test_cases_prove_what_one_list_does_not():
    """With 40 jobs on 16 ToR the linear program stops short of the optimum, four cases reach it."""
    family = get_family("clos-paths")
    params = complete(family.params, {"num_jobs": 40, "tors": 16})
    instance = PathsInstance(family.generate(params, 8, 1))
    answer, _ = run("local-search", instance, time_s=None, rounds=4)
    value = reached(instance, answer)
    assert strengthen(instance).bound < value
    cases = prove_by_cases(instance, value)
    assert cases.num_cases < 20
    proof = Answer(Claim.OPTIMAL, answer.solution, certificate=cases.certificate)
    assert judge(instance, proof, "paths").proven


def test_broken_trees_of_cases_are_refused():
    """Cut short, prolonged, split on no pair, or with a case of another length."""
    for seed in itertools.count():
        instance = middling(seed)
        whole = prove_by_cases(instance, 10**9, max_cases=3).certificate
        if whole[0] < 0:
            break
    assert proven_bound(instance, whole) >= strengthen(instance).bound
    swapped = whole.copy()
    swapped[1:3] = whole[2], whole[1]
    longer = whole.copy()
    longer[np.flatnonzero(whole == -1)[0] + 1] += 1
    for wrong in (whole[:-1], whole[:2], np.append(whole, 1), swapped, longer):
        with pytest.raises(InputError):
            proven_bound(instance, wrong)
        answer = Answer(Claim.FEASIBLE, np.zeros(instance.num_flows, int), certificate=wrong)
        unlimited = PathsInstance(instance.cluster)
        assert judge(unlimited, answer, "paths").verdict is Verdict.REJECTED
