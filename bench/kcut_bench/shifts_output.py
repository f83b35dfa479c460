"""What the commands print about time shifts, and how they check a file that states some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kcut.answer import Answer, Claim, Verdict
from kcut.cluster import Cluster
from kcut.errors import InputError
from kcut.judge import Judgement, judge
from kcut.time_shifts import Shifts, TimeShiftsInstance, excesses, link_score, score

if TYPE_CHECKING:
    from kcut_instances.readers import Solution


def describe_shifts(
    instance: TimeShiftsInstance, answer: Answer, judgement: Judgement
) -> dict[str, Any]:
    """Return what ``kcut solve --json`` prints about time shifts beyond what it prints always.

    Returns
    -------
    dict
        ``step_s``, ``max_steps``, ``hold``; ``circle_steps``: after which all repeats;
        ``period_steps`` and ``hold_s``: what it waits in each iteration, by job; ``error``, see
        `kcut.circle.Circle`; ``shifts`` in steps and ``shifts_s`` by job, ``score``; ``links``:
        for each contended link its ``name``, the names of its ``jobs``, ``steps``, ``excess`` and
        ``score``; ``certificate`` and ``incumbents`` where there are any.
    """
    circle = instance.circle
    shown: dict[str, Any] = {
        "step_s": circle.step_s,
        "max_steps": instance.max_steps,
        "hold": instance.hold,
        "circle_steps": instance.turn,
        "period_steps": circle.period.tolist(),
        "hold_s": circle.hold_s.tolist(),
        "error": circle.error,
    }
    if answer.solution is not None and isinstance(judgement.value, int):
        shown["shifts"] = answer.solution.tolist()
        shown["shifts_s"] = instance.seconds(answer.solution).tolist()
        shown["score"] = score(instance, judgement.value)
        shown["links"] = link_rows(instance, answer.solution.astype(np.int64))
    if answer.certificate is not None:
        shown["certificate"] = answer.certificate.tolist()
    if answer.incumbents:
        shown["incumbents"] = [[i.seconds, i.value] for i in answer.incumbents]
    return shown


def link_rows(instance: TimeShiftsInstance, shifts: Shifts) -> list[dict[str, Any]]:
    """Return the excess and the score of every contended link."""
    cluster = instance.cluster
    return [
        {
            "name": cluster.links[point.link].name,
            "jobs": [cluster.jobs[j].name for j in point.jobs],
            "steps": point.turn,
            "excess": excess,
            "score": link_score(point, excess),
        }
        for point, excess in zip(instance.points, excesses(instance, shifts), strict=True)
    ]


def scores_of(
    instance: TimeShiftsInstance, answer: Answer, judgement: Judgement
) -> dict[str, int | float | None] | None:
    """Return the score and the error of the circle, for a row of the store."""
    if answer.solution is None or not isinstance(judgement.value, int):
        return None
    return {"score": score(instance, judgement.value), "error": instance.circle.error}


def stated_instance(cluster: Cluster, stated: Solution, file: str) -> TimeShiftsInstance:
    """Return the instance whose shifts a file states; refuse a file that states none."""
    if stated.shifts is None:
        raise InputError("is missing", "shifts", source=file)
    given = {"step_s": stated.step_s, "max_steps": stated.max_steps, "hold": stated.hold}
    params: dict[str, Any] = {name: value for name, value in given.items() if value is not None}
    try:
        return TimeShiftsInstance(cluster, **params)
    except InputError as error:
        raise error.within(file) from None


Shifted = tuple[TimeShiftsInstance, Shifts]


def read_shifts(cluster: Cluster, stated: Solution, file: str) -> Shifted:
    """Return the instance and the shifts that a solution states, checked."""
    instance = stated_instance(cluster, stated, file)
    shifts = np.asarray(stated.shifts, np.int64)
    wrong = instance.infeasibility(shifts)
    if wrong is not None:
        raise InputError(wrong, "shifts", shifts.tolist(), file)
    return instance, shifts


def check_shifts(
    cluster: Cluster, stated: Solution, file: str
) -> tuple[TimeShiftsInstance, Judgement, str]:
    """Check all that a solution of the time shift problem states.

    Returns
    -------
    instance : TimeShiftsInstance
    judgement : Judgement
        With the bound that the certificate proves, if there is one.
    false : str
        The first statement that does not hold; empty if all do.
    """
    instance = stated_instance(cluster, stated, file)
    shifts = np.asarray(stated.shifts, np.int64)
    answer = Answer(Claim.FEASIBLE, shifts, certificate=stated.certificate)
    judgement = judge(instance, answer, "time-shifts")
    false = ""
    if judgement.verdict is Verdict.REJECTED:
        false = judgement.reason
    elif stated.value is not None and stated.value != judgement.value:
        false = f"states the value {stated.value}, but it is {judgement.value}"
    elif stated.bound is not None and stated.bound > (judgement.value or 0):
        false = f"states the bound {stated.bound}, better than the value {judgement.value}"
    return instance, judgement, false
