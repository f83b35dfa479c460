"""The judge of priority orders: feasibility, the value, and what certificate and solver prove."""

from __future__ import annotations

from dataclasses import replace

from kcut.answer import Answer, Claim, Verdict
from kcut.errors import InputError
from kcut.judgement import Judgement, relative_gap
from kcut.order_certificate import proven_bound
from kcut.priority import PriorityInstance
from kcut.priority_objectives import as_shown, evaluate


def judge_priority(instance: PriorityInstance, answer: Answer) -> Judgement:
    """Check an answer to a priority problem.

    Parameters
    ----------
    instance : PriorityInstance
    answer : Answer
        Its ``certificate``, for gains alone, is one of `kcut.order_certificate`.

    Returns
    -------
    Judgement
        The gap is ``(value - bound) / value`` for slowdown, which is minimised. A bound is the
        certificate's or the solver's, whichever says more; ``proven`` rests on the former alone.
        ``rejected`` if the order is none, the certificate is wrong, or a bound excludes the
        answer's own value.
    """
    if answer.claim is Claim.INFEASIBLE:
        reason = "claims that no solution exists, but every permutation is one"
        return Judgement(Verdict.REJECTED, reason=reason)
    if answer.solution is None:
        return Judgement(Verdict.UNVERIFIABLE, reason=answer.detail or "no solution")
    violation = instance.infeasibility(answer.solution)
    if violation is not None:
        return Judgement(Verdict.REJECTED, reason=violation)
    value = evaluate(instance, answer.solution)
    found = Judgement(Verdict.VERIFIED, value=as_shown(instance, value))
    sign = 1 if instance.maximise else -1
    bounds = [] if answer.bound is None else [answer.bound]
    if answer.certificate is not None:
        try:
            bounds.append(_certified(instance, answer))
        except InputError as error:
            return replace(found, verdict=Verdict.REJECTED, reason=str(error))
        found = replace(found, proven=bounds[-1] == value)
    if bounds:
        best = min(bounds, key=lambda bound: sign * bound)
        gap = relative_gap(value, best) if instance.maximise else relative_gap(best, value)
        found = replace(found, bound=as_shown(instance, best), gap=gap)
        if sign * best < sign * value:
            reason = f"claims a bound of {best}, worse than its own value {value}"
            return replace(found, verdict=Verdict.REJECTED, reason=reason)
    if answer.claim is Claim.OPTIMAL and not found.proven:
        reason = "claims to be optimal, but no certificate proves it"
        return replace(found, verdict=Verdict.UNVERIFIABLE, reason=reason)
    return found


def _certified(instance: PriorityInstance, answer: Answer) -> int:
    if instance.objective != "gains":
        raise InputError("is for gains alone", "certificate", instance.objective)
    assert answer.certificate is not None
    return proven_bound(instance.gains, answer.certificate)
