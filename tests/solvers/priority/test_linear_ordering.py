"""Linear ordering: solvers against enumeration and against each other, with proofs."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kcut import Limits, Verdict, judge
from kcut.linear_order import Gains
from kcut.order_certificate import BRANCH
from kcut.priority import PriorityInstance
from kcut.registry import get_family
from kcut_solvers.lop_dual import ascend
from kcut_solvers.lop_proof import Proof, good_order
from kcut_solvers.priority_subsets import best_order
from tests.contract.priority_instances import run


def matrix(rng, num_jobs, kind):
    """Draw gains: small integers with ties, negative ones, large ones, floats."""
    shape = (num_jobs, num_jobs)
    draw = (
        lambda: rng.integers(0, 4, shape),
        lambda: rng.integers(-50, 50, shape),
        lambda: rng.integers(0, 2**40, shape),
        lambda: rng.normal(size=shape),
    )
    return PriorityInstance(matrix=Gains.from_matrix(draw[kind % 4]()))


def test_200_matrices_against_enumeration():
    """The MILP and the dynamic program reach the best of all permutations, up to 7 jobs; proven."""
    rng = np.random.default_rng(0)
    permutations = {n: np.array(list(itertools.permutations(range(n)))) for n in range(1, 8)}
    for t in range(200):
        instance = matrix(rng, int(rng.integers(1, 8)), t)
        gains = instance.gains
        n = gains.num_jobs
        i, j = np.triu_indices(n, 1)
        every = permutations[n]
        best = (
            int(gains.weight[every[:, i], every[:, j]].sum(axis=1).max(initial=0)) if n > 1 else 0
        )
        if n > 1:
            best = int(gains.weight[every[:, i], every[:, j]].sum(axis=1).max())
        assert gains.value(best_order(gains.weight)) == best
        answer = run("lop-milp", instance)
        found = judge(instance, answer, "priority")
        assert (gains.value(answer.solution), found.proven) == (best, True), t
        assert found.verdict is Verdict.VERIFIED


def test_cp_sat_against_enumeration():
    """CP-SAT reaches the same optimum, and its claim is proven by the certificate."""
    rng = np.random.default_rng(1)
    for t in range(24):
        instance = matrix(rng, int(rng.integers(1, 8)), t)
        answer = run("lop-cp-sat", instance)
        assert instance.gains.value(answer.solution) == instance.gains.value(
            best_order(instance.gains.weight)
        )
        assert judge(instance, answer, "priority").proven, t


def test_50_larger_matrices_agree():
    """On matrices of 8 to 20 jobs the exact solvers prove one value; insertion beats none."""
    rng = np.random.default_rng(2)
    for t in range(50):
        instance = matrix(rng, int(rng.integers(8, 21)), t)
        milp = run("lop-milp", instance, limits=Limits(20.0))
        quick = run("lop-local-search", instance, rounds=100)
        value = instance.gains.value(milp.solution)
        assert judge(instance, milp, "priority").proven, t
        assert instance.gains.value(quick.solution) <= value
        if t % 2 == 0:
            other = run("lop-cp-sat", instance, limits=Limits(20.0))
            assert instance.gains.value(other.solution) == value
            assert judge(instance, other, "priority").proven, t


def test_a_tree_closes_what_3_cycles_leave_open():
    """Where the linear program is not tight a tree of decisions proves the optimum."""
    family = get_family("random-lop")
    branched = 0
    for seed in range(8):
        instance = family.generate({"num_jobs": 26, "max_gain": 100}, 1, seed)
        gains = instance.gains
        proof = Proof(gains, good_order(gains, np.random.default_rng(0), 300, None))
        proof.relax()
        before = proof.bound
        proof.branch()
        assert proof.closed
        assert proof.bound <= before
        branched += proof.certificate[1] == BRANCH
    assert branched


def test_a_tree_that_is_cut_short_still_proves_its_bound():
    """With few leaves the bound is above the value, and the judge confirms it."""
    instance = get_family("random-lop").generate({"num_jobs": 34, "max_gain": 100}, 1, 1)
    gains = instance.gains
    proof = Proof(gains, good_order(gains, np.random.default_rng(0), 50, None))
    proof.relax()
    root = proof.bound
    proof.branch(4)
    assert proof.value < proof.bound <= root


@pytest.mark.parametrize("num_jobs", [44, 60])
def test_tables_like_those_of_economies_are_proven(num_jobs):
    """Matrices in the manner of input-output tables are solved to proven optimality in seconds."""
    params = {name: p.default for name, p in get_family("io-like").params.items()}
    instance = get_family("io-like").generate(params | {"num_jobs": num_jobs}, 1, 0)
    answer = run("lop-milp", instance, limits=Limits(30.0))
    assert judge(instance, answer, "priority").proven


def test_subgradients_bound_and_approach_the_optimum():
    """The ascent's bound holds, and is within two per cent on a matrix without structure."""
    instance = get_family("random-lop").generate({"num_jobs": 18, "max_gain": 100}, 1, 3)
    gains = instance.gains
    best = gains.value(best_order(gains.weight))
    proof = Proof(gains, np.arange(18))
    proof.take(*ascend(gains, best))
    assert best <= proof.bound <= 1.02 * best


def test_another_objective_gets_no_bound_on_gains():
    """Where the order is judged by utilisation, a bound on gains would be a lie."""
    params = {name: p.default for name, p in get_family("contending-jobs").params.items()}
    cluster = get_family("contending-jobs").generate(params, 8, 0)
    answer = run("lop-milp", PriorityInstance(cluster))
    assert (answer.bound, answer.certificate) == (None, None)
    exact = run("lop-milp", PriorityInstance(cluster, "gains"))
    assert judge(PriorityInstance(cluster, "gains"), exact, "priority").proven
    assert np.array_equal(answer.solution, exact.solution)
