"""The judge: recompute what an answer is worth, trust nothing it says."""

from __future__ import annotations

from dataclasses import replace

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
from kcut.judgement import Judgement, relative_gap
from kcut.paths import PathsInstance
from kcut.paths_judge import judge_paths
from kcut.priority import PriorityInstance
from kcut.priority_judge import judge_priority
from kcut.time_shifts import TimeShiftsInstance
from kcut.time_shifts_judge import judge_time_shifts

__all__ = ["Judgement", "judge", "relative_gap"]


def judge(
    instance: CompressionInstance | PathsInstance | PriorityInstance | TimeShiftsInstance,
    answer: Answer,
    problem: str = "compression",
) -> Judgement:
    """Check an answer to an instance.

    Parameters
    ----------
    instance : CompressionInstance, PathsInstance, PriorityInstance or TimeShiftsInstance
        See `kcut.paths_judge` for path selection, `kcut.priority_judge` for priority orders,
        `kcut.time_shifts_judge` for time shifts.
    answer : Answer
        For compression its ``certificate`` is a cover, from the solver or made afterwards.
    problem : {'compression', 'max-k-cut', 'paths', 'priority', 'time-shifts'}
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
    if isinstance(instance, PathsInstance):
        return judge_paths(instance, answer)
    if isinstance(instance, PriorityInstance):
        return judge_priority(instance, answer)
    if isinstance(instance, TimeShiftsInstance):
        return judge_time_shifts(instance, answer)
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
