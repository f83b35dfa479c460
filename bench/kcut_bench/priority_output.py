"""What the commands print about orders of jobs, and how they check a file that states one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kcut.answer import Answer, Claim, Verdict
from kcut.cluster import Cluster
from kcut.errors import InputError
from kcut.judge import Judgement, judge
from kcut.linear_order import Order, infeasibility
from kcut.priority import AUTO, PriorityInstance
from kcut.priority_objectives import all_values

if TYPE_CHECKING:
    from kcut_instances.readers import Solution

_SAME = 1e-9
"""Values that are no integers may differ this much between machines, relatively."""


def describe_order(
    instance: PriorityInstance, answer: Answer, judgement: Judgement
) -> dict[str, Any]:
    """Return what ``kcut solve --json`` prints about an order beyond what it prints of any answer.

    Returns
    -------
    dict
        ``objective``; ``order``, the jobs, highest priority first; their value under every
        objective as ``objectives``; ``certificate`` and ``incumbents`` where there are any.
    """
    shown: dict[str, Any] = {"objective": instance.objective}
    if answer.solution is not None and judgement.value is not None:
        shown["order"] = answer.solution.tolist()
        shown["objectives"] = all_values(instance, answer.solution)
    if answer.certificate is not None:
        shown["certificate"] = answer.certificate.tolist()
    if answer.incumbents:
        shown["incumbents"] = [[i.seconds, i.value] for i in answer.incumbents]
    return shown


def read_order(stated: Solution, file: str, num_jobs: int | None = None) -> Order:
    """Return the order a solution states; checked where the number of jobs is given."""
    if stated.order is None:
        raise InputError("is missing", "order", source=file)
    wrong = None if num_jobs is None else infeasibility(num_jobs, stated.order)
    if wrong is not None:
        raise InputError(wrong, "order", stated.order.tolist(), file)
    return stated.order.astype(np.int64)


def check_order(made: Any, stated: Solution, file: str) -> tuple[PriorityInstance, Judgement, str]:
    """Check all that a solution of a priority problem states.

    Returns
    -------
    instance : PriorityInstance
    judgement : Judgement
        With the bound that the certificate proves, if there is one.
    false : str
        The first statement that does not hold; empty if all do.
    """
    if isinstance(made, Cluster):
        instance = PriorityInstance(made, stated.objective or AUTO)
    elif isinstance(made, PriorityInstance):
        instance = made
    else:
        message = "states an order, but the instance is no cluster and no matrix"
        raise InputError(message, "problem", "priority", file)
    order = read_order(stated, file)
    answer = Answer(Claim.FEASIBLE, order, certificate=stated.certificate)
    judgement = judge(instance, answer, "priority")
    false = ""
    if judgement.verdict is Verdict.REJECTED:
        false = judgement.reason
    elif stated.value is not None and not _same(stated.value, judgement.value):
        false = f"states the value {stated.value}, but it is {judgement.value}"
    elif stated.bound is not None and judgement.value is not None:
        beyond = judgement.value - stated.bound
        if (beyond if instance.maximise else -beyond) > _SAME * abs(judgement.value):
            false = f"states the bound {stated.bound}, worse than the value {judgement.value}"
    return instance, judgement, false


def _same(stated: float, value: float | None) -> bool:
    if value is None or (isinstance(stated, int) and isinstance(value, int)):
        return stated == value
    return math.isclose(stated, value, rel_tol=_SAME)
