"""The judge believes nothing: false claims are rejected, unproven ones stay unverifiable."""

import numpy as np
import pytest

from kcut import Answer, Claim, CompressionInstance, Termination, Verdict, judge, no_answer
from kcut.certificate import ROUNDING_GAP
from kcut.frontier import frontier
from kcut.judge import relative_gap

PAIR = CompressionInstance.from_edges(3, [0, 1], [1, 2], [5, 3], levels=2)
BEST = np.array([1, 0, 0])
COVER = np.array([3, 3])


@pytest.mark.parametrize(
    ("answer", "verdict", "reason"),
    [
        (Answer(Claim.FEASIBLE, BEST), Verdict.VERIFIED, ""),
        (Answer(Claim.OPTIMAL, BEST, certificate=COVER), Verdict.VERIFIED, ""),
        (Answer(Claim.OPTIMAL, BEST), Verdict.UNVERIFIABLE, "no certificate"),
        (Answer(Claim.OPTIMAL, np.array([1, 1, 0]), certificate=COVER), Verdict.UNVERIFIABLE, ""),
        (Answer(Claim.OPTIMAL, np.array([0, 1, 0])), Verdict.REJECTED, "outranks"),
        (Answer(Claim.FEASIBLE, np.array([2, 1, 0])), Verdict.REJECTED, "outside"),
        (Answer(Claim.FEASIBLE, BEST, bound=4), Verdict.REJECTED, "below its own value"),
        (Answer(Claim.FEASIBLE, BEST, certificate=np.array([-1, 0])), Verdict.REJECTED, "negative"),
        (Answer(Claim.INFEASIBLE), Verdict.REJECTED, "equal levels"),
        (no_answer(Termination.SKIPPED, "no library"), Verdict.UNVERIFIABLE, "no library"),
    ],
)
def test_verdicts(answer, verdict, reason):
    """Each kind of answer gets the verdict it deserves, with the reason."""
    found = judge(PAIR, answer)
    assert found.verdict is verdict
    assert reason in found.reason


def test_optimal_is_said_only_where_value_equals_bound():
    """`proven` needs a checked cover that meets the value exactly."""
    assert judge(PAIR, Answer(Claim.FEASIBLE, BEST, certificate=COVER)).proven
    loose = judge(PAIR, Answer(Claim.FEASIBLE, BEST, certificate=np.array([0, 3])))
    assert not loose.proven
    assert loose.gap == pytest.approx((loose.bound - 5) / loose.bound)
    assert not judge(PAIR, Answer(Claim.OPTIMAL, BEST, bound=5)).proven


def test_the_relaxation_has_its_own_rules():
    """In Max K-Cut an upward edge counts, and cutting everything is proof by itself."""
    upward = np.array([0, 1, 0])
    found = judge(PAIR, Answer(Claim.OPTIMAL, upward), "max-k-cut")
    assert (found.verdict, found.value, found.proven) == (Verdict.VERIFIED, 8, True)
    part = judge(PAIR, Answer(Claim.OPTIMAL, np.array([1, 1, 0]), bound=3), "max-k-cut")
    assert part.verdict is Verdict.UNVERIFIABLE


def test_gaps_at_zero():
    """0 of 0 is no gap, a missing value or bound is a missing gap."""
    assert relative_gap(0, 0) == 0.0
    assert relative_gap(None, 3) is None
    assert relative_gap(3, None) is None
    assert relative_gap(3, 4) == 0.25


@pytest.mark.parametrize(
    ("weights", "optimal"),
    [
        ([0.7, 0.1], True),
        ([1.0, 5e-324], True),
        ([5e-324, 5e-324], False),
        ([3e-320, 2e-320], False),
    ],
)
def test_the_optimum_of_rounded_weights_is_not_called_that_of_the_given_ones(weights, optimal):
    """What a cover proves for weights that scaling had to distort is no proof for those given."""
    chain = CompressionInstance.from_edges(3, [0, 1], [1, 2], weights, levels=2)
    cover = np.full(2, chain.weight[1])
    found = judge(chain, Answer(Claim.OPTIMAL, BEST, certificate=cover))
    assert found.proven == optimal == (found.gap <= ROUNDING_GAP)
    assert (found.verdict is Verdict.VERIFIED) == optimal
    curve = frontier(chain)
    for value, upper, proven in zip(curve.values, curve.bounds, curve.proven, strict=True):
        assert proven == (relative_gap(value, upper) <= ROUNDING_GAP)
