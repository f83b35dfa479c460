"""The judge of path selection: feasibility, the value, and what certificate and solver prove."""

from __future__ import annotations

from dataclasses import replace

from kcut.answer import Answer, Claim, Verdict
from kcut.errors import InputError
from kcut.judgement import Judgement, relative_gap
from kcut.path_objectives import as_shown, evaluate
from kcut.paths import PathsInstance
from kcut.pigeonhole_proof import proven_bound


def judge_paths(instance: PathsInstance, answer: Answer) -> Judgement:
    """Check an answer to a path selection problem.

    Parameters
    ----------
    instance : PathsInstance
    answer : Answer
        Its ``certificate``, for contention alone, is one of `kcut.pigeonhole`.

    Returns
    -------
    Judgement
        The gap is ``(value - bound) / value`` for objectives that are minimised. A bound is the
        certificate's or the solver's, whichever says more; ``proven`` rests on the former alone.
        ``rejected`` if the choice is infeasible, the certificate is wrong, or a bound excludes
        the answer's own value.
    """
    if answer.claim is Claim.INFEASIBLE:
        reason = "claims that no solution exists, but spreading each job's flows is one"
        return Judgement(Verdict.REJECTED, reason=reason)
    if answer.solution is None:
        return Judgement(Verdict.UNVERIFIABLE, reason=answer.detail or "no solution")
    violation = instance.infeasibility(answer.solution)
    if violation is not None:
        return Judgement(Verdict.REJECTED, reason=violation)
    value = evaluate(instance, answer.solution)
    found = Judgement(Verdict.VERIFIED, value=as_shown(instance, value))
    sign = -1 if instance.maximise else 1
    bounds = [] if answer.bound is None else [answer.bound]
    if answer.certificate is not None:
        try:
            bounds.append(_certified(instance, answer))
        except InputError as error:
            return replace(found, verdict=Verdict.REJECTED, reason=str(error))
        found = replace(found, proven=bounds[-1] == value)
    if bounds:
        best = max(bounds, key=lambda bound: sign * bound)
        found = replace(found, bound=as_shown(instance, best), gap=_gap(sign, value, best))
        if sign * best > sign * value:
            reason = f"claims a bound of {best}, better than its own value {value}"
            return replace(found, verdict=Verdict.REJECTED, reason=reason)
    if answer.claim is Claim.OPTIMAL and not found.proven:
        reason = "claims to be optimal, but no certificate proves it"
        return replace(found, verdict=Verdict.UNVERIFIABLE, reason=reason)
    return found


def _certified(instance: PathsInstance, answer: Answer) -> int:
    if instance.objective != "contention":
        raise InputError("is for contention alone", "certificate", instance.objective)
    assert answer.certificate is not None
    return proven_bound(instance, answer.certificate)


def _gap(sign: int, value: int, bound: int) -> float | None:
    return relative_gap(value, bound) if sign < 0 else relative_gap(bound, value)
