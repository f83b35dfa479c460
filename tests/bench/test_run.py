"""Tests of a run: a solver is believed nothing, and nothing it does ends in a traceback."""

import numpy as np
import pytest

from kcut import Answer, Claim, CompressionInstance, Incumbent, Limits, Termination, Verdict
from kcut.registry import Solver, get_solver
from kcut_bench.run import run_solver

CHAIN = CompressionInstance.from_edges(
    6, [0, 1, 2, 3, 0], [1, 2, 3, 4, 5], [5, 1, 4, 2, 3], levels=2, name="chain"
)


def run(answer, instance=CHAIN, problem="compression"):
    """Run a solver that answers what it is told, or raises it."""

    def solve(instance, *, limits, rng):
        if isinstance(answer, BaseException):
            raise answer
        return answer

    return run_solver(instance, Solver(problem, "told", solve, True, {}, ""), {}, Limits(), 0)


def best_levels():
    """Return an optimal assignment."""
    exact = get_solver("min-cuts", ("compression",))
    defaults = {name: param.default for name, param in exact.params.items()}
    return exact.solve(CHAIN, limits=Limits(), rng=np.random.default_rng(0), **defaults).solution


def test_true_claim_of_optimality_is_proven_outside_the_solver():
    """Optimal levels without a certificate get one, and it proves them."""
    answer, judgement, timings = run(Answer(Claim.OPTIMAL, best_levels()))
    assert (judgement.verdict, judgement.proven) == (Verdict.VERIFIED, True)
    assert judgement.value == judgement.bound
    assert answer.certificate is not None
    assert timings.certify_s is not None


def test_useless_certificate_does_not_spoil_a_true_claim():
    """A cover that proves less than claimed is replaced by one that proves it."""
    useless = 2 * CHAIN.weight
    _, judgement, _ = run(Answer(Claim.OPTIMAL, best_levels(), certificate=useless))
    assert judgement.proven


def test_false_claim_of_optimality_is_refuted_by_a_better_solution():
    """A suboptimal assignment that is claimed optimal is rejected, and the reason says why."""
    _, judgement, _ = run(Answer(Claim.OPTIMAL, np.zeros(6, np.int64)))
    assert judgement.verdict is Verdict.REJECTED
    assert "min-cuts finds" in judgement.reason
    assert not judgement.proven


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (None, "NoneType"),
        ("text", "str"),
        (Answer("optimal", np.zeros(6, np.int64)), "claim"),
        (Answer(Claim.FEASIBLE, [0] * 6), "solution is list"),
        (Answer(Claim.FEASIBLE, np.zeros(6)), "solution is float64"),
        (Answer(Claim.FEASIBLE, np.zeros((6, 1), np.int64)), "solution has the shape (6, 1)"),
        (Answer(Claim.FEASIBLE), "gives no solution"),
        (Answer(Claim.OPTIMAL, np.zeros(6, np.int64), bound=1.5), "bound"),
        (Answer(Claim.OPTIMAL, np.zeros(6, np.int64), certificate=np.zeros(5)), "certificate"),
        (Answer(Claim.FEASIBLE, np.full(6, 2**63, np.uint64)), "solution"),
        (Answer(Claim.FEASIBLE, np.zeros(6, np.int64), termination="done"), "termination"),
        (Answer(Claim.FEASIBLE, np.zeros(6, np.int64), build_s=float("nan")), "build_s"),
        (Answer(Claim.FEASIBLE, np.zeros(6, np.int64), detail=7), "detail"),
        (
            Answer(Claim.FEASIBLE, np.zeros(6, np.int64), incumbents=(Incumbent(1.0, 1.5),)),
            "incumbents",
        ),
    ],
)
def test_malformed_answer_is_rejected(answer, words):
    """Whatever is no Answer, or has a field of a wrong type, is rejected by the field's name."""
    _, judgement, _ = run(answer)
    assert judgement.verdict is Verdict.REJECTED
    assert words in judgement.reason
    assert judgement.value is None


@pytest.mark.parametrize(
    "levels", [np.zeros(5, np.int64), np.full(6, 2), np.full(6, -1), np.array([0, 1, 0, 0, 0, 0])]
)
def test_infeasible_levels_are_rejected(levels):
    """A wrong length, levels out of range and an edge that runs upward are each refused."""
    _, judgement, _ = run(Answer(Claim.FEASIBLE, levels))
    assert (judgement.verdict, judgement.value) == (Verdict.REJECTED, None)


def test_exception_becomes_a_crash_in_one_line():
    """A solver that raises has crashed, and the detail holds its message without line breaks."""
    answer, judgement, _ = run(ValueError("two\nlines"))
    assert answer.termination is Termination.CRASHED
    assert answer.detail == "ValueError: two lines"
    assert judgement.verdict is Verdict.UNVERIFIABLE


def test_lack_of_memory_is_a_memory_limit():
    """MemoryError is a termination of its own."""
    answer, _, _ = run(MemoryError())
    assert answer.termination is Termination.MEMORY_LIMIT


def test_optimal_without_order_is_not_said_to_be_proven():
    """Max K-Cut has no certificate, so its claim stays unverifiable unless all is cut."""
    _, judgement, _ = run(Answer(Claim.OPTIMAL, np.zeros(6, np.int64)), problem="max-k-cut")
    assert (judgement.verdict, judgement.proven) == (Verdict.UNVERIFIABLE, False)


def test_call_that_compiles_is_made_again():
    """What the warm-up did not compile is compiled in a first call, and the second one counts."""
    from numba import njit

    calls = []

    @njit
    def total(weight):
        return weight.sum()

    def solve(instance, *, limits, rng):
        if instance.name == "chain":
            calls.append(total(instance.weight))
        return Answer(Claim.FEASIBLE, np.zeros(instance.num_jobs, np.int64))

    entry = Solver("compression", "compiles", solve, False, {}, "")
    phases = []
    run_solver(CHAIN, entry, {}, Limits(), 0, on_phase=phases.append)
    assert (calls, phases) == ([15, 15], ["solve", "solve", "check"])
    run_solver(CHAIN, entry, {}, Limits(), 0)
    assert len(calls) == 3
