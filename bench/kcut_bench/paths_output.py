"""What the commands print about paths, and how they check a file that states some."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from kcut.answer import Answer, Claim, Verdict
from kcut.cluster import Cluster
from kcut.errors import InputError
from kcut.judge import Judgement, judge
from kcut.path_objectives import all_values, best_levels
from kcut.paths import Choice, PathsInstance, own_times
from kcut.time_shifts import TimeShiftsInstance
from kcut.views import Stated
from kcut_bench.shifts_output import scores_of

if TYPE_CHECKING:
    from kcut_instances.readers import Solution

_SAME = 1e-9
"""Values that are no integers may differ this much between machines, relatively."""


def objectives_of(
    instance: Stated, answer: Answer, judgement: Judgement
) -> dict[str, int | float | None] | None:
    """Return what an answer is worth under every objective; None where that is nothing.

    Printed by ``kcut solve --json``, stored in a row, and evaluated again by ``kcut check``.
    """
    if isinstance(instance, TimeShiftsInstance):
        return scores_of(instance, answer, judgement)
    if not isinstance(instance, PathsInstance):
        return None
    if answer.solution is None or judgement.value is None:
        return None
    return all_values(instance, answer.solution.astype(np.int64))


def describe_paths(instance: PathsInstance, answer: Answer, judgement: Judgement) -> dict[str, Any]:
    """Return what ``kcut solve --json`` prints about paths beyond what it prints of any answer.

    Returns
    -------
    dict
        ``objective``, ``stretch``; ``paths`` by job, their value under every objective as
        ``objectives``, the best ``levels`` for them, ``own_s``: t_j by job; ``certificate`` and
        ``incumbents`` where there are any.
    """
    shown: dict[str, Any] = {"objective": instance.objective, "stretch": instance.stretch}
    if answer.solution is not None and judgement.value is not None:
        choice = answer.solution.astype(np.int64)
        shown["paths"] = by_job(instance.cluster, choice)
        shown["objectives"] = objectives_of(instance, answer, judgement)
        shown["levels"] = best_levels(instance, choice)[0].tolist()
        shown["own_s"] = (own_times(instance, choice) / instance.time_scale).tolist()
    if answer.certificate is not None:
        shown["certificate"] = answer.certificate.tolist()
    if answer.incumbents:
        shown["incumbents"] = [[i.seconds, i.value] for i in answer.incumbents]
    return shown


def by_job(cluster: Cluster, choice: Choice) -> list[list[int]]:
    """Return the candidate of each flow, as a list for each job."""
    ends = np.searchsorted(cluster.flow_job, np.arange(1, cluster.num_jobs))
    return [part.tolist() for part in np.split(choice, ends)]


def read_choice(cluster: Cluster, stated: Solution, file: str) -> Choice | None:
    """Return the paths a solution states, checked against the cluster; None if it states none."""
    if stated.paths is None:
        return None
    try:
        return cluster.path_choice(stated.paths)
    except InputError as error:
        raise error.within(file) from None


def check_paths(
    cluster: Cluster, stated: Solution, file: str
) -> tuple[PathsInstance, Judgement, str]:
    """Check all that a solution of path selection states.

    Returns
    -------
    instance : PathsInstance
    judgement : Judgement
        With the bound that the certificate proves, if there is one.
    false : str
        The first statement that does not hold; empty if all do.
    """
    instance = PathsInstance(cluster, stated.objective or "contention", stated.stretch or 0.0)
    choice = read_choice(cluster, stated, file)
    if choice is None:
        raise InputError("is missing", "paths", source=file)
    answer = Answer(Claim.FEASIBLE, choice, certificate=stated.certificate)
    judgement = judge(instance, answer, "paths")
    false = ""
    if judgement.verdict is Verdict.REJECTED:
        false = judgement.reason
    elif stated.value is not None and not _same(stated.value, judgement.value):
        false = f"states the value {stated.value}, but it is {judgement.value}"
    elif stated.bound is not None and judgement.value is not None:
        beyond = stated.bound - judgement.value
        if (-beyond if instance.maximise else beyond) > _SAME * abs(judgement.value):
            false = f"states the bound {stated.bound}, better than the value {judgement.value}"
    return instance, judgement, false


def _same(stated: float, value: float | None) -> bool:
    if value is None or (isinstance(stated, int) and isinstance(value, int)):
        return stated == value
    return math.isclose(stated, value, rel_tol=_SAME)
