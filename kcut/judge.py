"""The judge: recompute what an answer is worth, trust nothing it says."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kcut.answer import Answer, Claim, Verdict
from kcut.certificate import bound, meets, original_bound
from kcut.compression import (
    CompressionInstance,
    cut_value,
    infeasibility,
    max_k_cut_value,
    original_weight,
    out_of_range,
)
from kcut.errors import InputError


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer turned out to be.

    Attributes
    ----------
    verdict : Verdict
    value : int, float or None
        In the unit of the weights as given; None without a feasible solution.
    bound : int, float or None
        The best upper bound: proven by the certificate, else as claimed by the solver.
    gap : float or None
        ``(bound - value) / bound``; 0 where both are 0; None where either is missing.
    proven : bool
        Whether value equals a checked bound in exact integers, and no rounding of float weights
        that is worth mentioning stands between the two (see `kcut.certificate.meets`).
    reason : str
        Why the verdict is not ``verified``; empty if it is.
    """

    verdict: Verdict
    value: int | float | None = None
    bound: int | float | None = None
    gap: float | None = None
    proven: bool = False
    reason: str = ""


def relative_gap(value: float | None, upper: float | None) -> float | None:
    """Return ``(upper - value) / upper``, 0 where both are 0, None where either is missing."""
    if value is None or upper is None:
        return None
    if upper == 0:
        return 0.0 if value == 0 else None
    return (upper - value) / upper


def judge(instance: CompressionInstance, answer: Answer, problem: str = "compression") -> Judgement:
    """Check an answer to an instance.

    Parameters
    ----------
    instance : CompressionInstance
    answer : Answer
        For compression its ``certificate`` is a cover, from the solver or made afterwards.
    problem : {'compression', 'max-k-cut'}
        What was to be solved.

    Returns
    -------
    Judgement
        ``rejected`` if the levels are infeasible, the cover is malformed, the claimed bound lies
        below the value, or no solution is claimed to exist (equal levels are always feasible).
        ``unverifiable`` without a solution, or if optimality is claimed and nothing proves it.
        Max K-Cut has no certificate but its trivial bound, the total weight.

    Notes
    -----
    O(num_jobs + num_edges).
    """
    if answer.claim is Claim.INFEASIBLE:
        reason = "claims that no solution exists, but equal levels are one"
        return Judgement(Verdict.REJECTED, reason=reason)
    if answer.solution is None:
        return Judgement(Verdict.UNVERIFIABLE, reason=answer.detail or "no solution")
    relaxed = problem == "max-k-cut"
    violation = (out_of_range if relaxed else infeasibility)(instance, answer.solution)
    if violation is not None:
        return Judgement(Verdict.REJECTED, reason=violation)
    above, below = answer.solution[instance.upper], answer.solution[instance.lower]
    value = (max_k_cut_value if relaxed else cut_value)(instance, answer.solution)
    found = Judgement(
        Verdict.VERIFIED,
        value=original_weight(instance, above != below if relaxed else above > below),
        bound=_claimed_bound(instance, answer),
        proven=relaxed and value == instance.total_weight,
    )
    if answer.certificate is not None and not relaxed:
        try:
            shown = original_bound(instance, answer.certificate)
            assert found.value is not None
            proven = meets(value, bound(instance, answer.certificate), found.value, shown)
        except InputError as error:
            return replace(found, verdict=Verdict.REJECTED, reason=str(error))
        found = replace(found, bound=shown, proven=proven)
    found = replace(found, gap=relative_gap(found.value, found.bound))
    if answer.bound is not None and answer.bound < value:
        reason = f"claims a bound of {answer.bound}, below its own value {value}"
        return replace(found, verdict=Verdict.REJECTED, reason=reason)
    if answer.claim is Claim.OPTIMAL and not found.proven:
        reason = "claims to be optimal, but no certificate proves it"
        return replace(found, verdict=Verdict.UNVERIFIABLE, reason=reason)
    return found


def _claimed_bound(instance: CompressionInstance, answer: Answer) -> int | float | None:
    if answer.bound is None or instance.is_integer:
        return answer.bound
    return answer.bound / instance.scale
