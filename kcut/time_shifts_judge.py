"""The judge of time shifts: feasibility, the total excess, and what a certificate proves."""

from __future__ import annotations

from dataclasses import replace

from kcut.answer import Answer, Claim, Verdict
from kcut.errors import InputError
from kcut.judgement import Judgement, relative_gap
from kcut.time_shift_bounds import proven_bound
from kcut.time_shifts import TimeShiftsInstance, total_excess


def judge_time_shifts(instance: TimeShiftsInstance, answer: Answer) -> Judgement:
    """Check an answer to a time shift problem.

    Parameters
    ----------
    instance : TimeShiftsInstance
    answer : Answer
        Its ``certificate`` is one of `kcut.time_shift_bounds`.

    Returns
    -------
    Judgement
        The gap is ``(value - bound) / value``. A bound is the certificate's or the solver's,
        whichever is larger; ``proven`` rests on the former alone, and no excess at all needs no
        proof. ``rejected`` if the shifts are infeasible, the certificate is wrong, or a bound
        excludes the answer's own value.
    """
    if answer.claim is Claim.INFEASIBLE:
        reason = "claims that no solution exists, but shifting nobody is one"
        return Judgement(Verdict.REJECTED, reason=reason)
    if answer.solution is None:
        return Judgement(Verdict.UNVERIFIABLE, reason=answer.detail or "no solution")
    violation = instance.infeasibility(answer.solution)
    if violation is not None:
        return Judgement(Verdict.REJECTED, reason=violation)
    value = total_excess(instance, answer.solution)
    found = Judgement(Verdict.VERIFIED, value=value, proven=value == 0)
    bounds = [] if answer.bound is None else [answer.bound]
    if value == 0:
        bounds.append(0)
    if answer.certificate is not None:
        try:
            bounds.append(proven_bound(instance, answer.certificate))
        except InputError as error:
            return replace(found, verdict=Verdict.REJECTED, proven=False, reason=str(error))
        found = replace(found, proven=found.proven or bounds[-1] == value)
    if bounds:
        best = max(bounds)
        found = replace(found, bound=best, gap=relative_gap(best, value))
        if best > value:
            reason = f"claims a bound of {best}, better than its own value {value}"
            return replace(found, verdict=Verdict.REJECTED, proven=False, reason=reason)
    if answer.claim is Claim.OPTIMAL and not found.proven:
        reason = "claims to be optimal, but no certificate proves it"
        return replace(found, verdict=Verdict.UNVERIFIABLE, reason=reason)
    return found
