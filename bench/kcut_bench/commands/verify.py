"""``kcut verify``: check a solution against its instance, with no solver involved."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import Json

if TYPE_CHECKING:
    from kcut import CompressionInstance
    from kcut.judge import Judgement
    from kcut.views import Stated
    from kcut_instances.readers import Solution


@dataclass(frozen=True, slots=True)
class Finding:
    """What checking a solution found.

    Attributes
    ----------
    judgement : Judgement
    false : str
        The first statement of the solution that does not hold; empty if all do.
    open : str
        What it states that may hold, but nothing in it proves; empty if all is proven.
    """

    judgement: Judgement
    false: str
    open: str = ""


def verify(
    instance: Annotated[Path, typer.Argument(metavar="INSTANCE")],
    solution: Annotated[Path, typer.Argument(metavar="SOLUTION")],
    json: Json = False,
) -> None:
    """Recompute a solution's value and what its cover proves, in exact integers.

    K is the solution's num_levels, else the instance's. Says optimal only where the value equals
    the bound of the cover. Exits 1 if the solution is infeasible or states something false; a
    claim of optimality that nothing in the solution proves makes it unverifiable.
    """
    from kcut.cluster import Cluster
    from kcut.contention import compression_of, weighed_as
    from kcut.errors import InputError
    from kcut.registry import PROBLEM_PARAMS
    from kcut_instances.readers import read_instance, read_solution

    stated = read_solution(solution)
    made = read_instance(instance, stated.num_levels)
    if isinstance(made, Cluster) and stated.problem not in PROBLEM_PARAMS:
        made = weighed_as(made, stated.instance_sha256)
    found = made if stated.problem in ("paths", "priority", "time-shifts") else compression_of(made)
    if stated.instance_sha256 != found.sha256:
        message = f"is of another instance than {instance} ({found.sha256})"
        raise InputError(message, "instance_sha256", stated.instance_sha256, str(solution))
    if stated.problem == "paths":
        shown = _verify_paths(found, stated, str(solution))
    elif stated.problem == "priority":
        shown = _verify_order(found, stated, str(solution))
    elif stated.problem == "time-shifts":
        shown = _verify_shifts(found, stated, str(solution))
    else:
        shown = _result(found, stated, check_solution(found, stated))
    if json:
        output.emit_json(shown)
    else:
        print(_line(str(solution), shown))
    if shown["verdict"] == "rejected":
        raise typer.Exit(1)


def _verify_paths(made: Any, stated: Solution, file: str) -> dict[str, Any]:
    from kcut.cluster import Cluster
    from kcut.errors import InputError
    from kcut.path_objectives import all_values
    from kcut_bench.paths_output import check_paths, read_choice

    if not isinstance(made, Cluster):
        raise InputError("states paths, but the instance is no cluster", "problem", "paths", file)
    instance, judgement, false = check_paths(made, stated, file)
    unproven = stated.claim == "optimal" and not judgement.proven
    doubt = "claims to be optimal, but nothing in it proves that" if unproven else ""
    shown = _result(instance, stated, Finding(judgement, false, doubt))
    choice = read_choice(made, stated, file)
    assert choice is not None
    return shown | {
        "objective": instance.objective,
        "objectives": all_values(instance, choice) if judgement.value is not None else None,
    }


def _verify_order(made: Any, stated: Solution, file: str) -> dict[str, Any]:
    from kcut.priority_objectives import all_values
    from kcut_bench.priority_output import check_order, read_order

    instance, judgement, false = check_order(made, stated, file)
    unproven = stated.claim == "optimal" and not judgement.proven
    doubt = "claims to be optimal, but nothing in it proves that" if unproven else ""
    shown = _result(instance, stated, Finding(judgement, false, doubt))
    fine = judgement.value is not None
    return shown | {
        "objective": instance.objective,
        "objectives": all_values(instance, read_order(stated, file)) if fine else None,
    }


def _verify_shifts(made: Any, stated: Solution, file: str) -> dict[str, Any]:
    from kcut.cluster import Cluster
    from kcut.errors import InputError
    from kcut.time_shifts import score
    from kcut_bench.shifts_output import check_shifts, link_rows

    if not isinstance(made, Cluster):
        message = "states shifts, but the instance is no cluster"
        raise InputError(message, "problem", "time-shifts", file)
    instance, judgement, false = check_shifts(made, stated, file)
    unproven = stated.claim == "optimal" and not judgement.proven
    doubt = "claims to be optimal, but nothing in it proves that" if unproven else ""
    shown = _result(instance, stated, Finding(judgement, false, doubt))
    if not isinstance(judgement.value, int) or stated.shifts is None:
        return shown
    return shown | {
        "score": score(instance, judgement.value),
        "links": link_rows(instance, stated.shifts),
    }


def check_solution(instance: CompressionInstance, stated: Solution) -> Finding:
    """Check all that a solution states against its instance."""
    from kcut.answer import Answer, Claim, Verdict
    from kcut.certificate import cover_in_units
    from kcut.errors import InputError
    from kcut.judge import judge

    if stated.levels is None:
        raise InputError("is missing", "levels")
    cover = None if stated.cover is None else cover_in_units(instance, stated.cover)
    answer = Answer(Claim.FEASIBLE, stated.levels, certificate=cover)
    judgement = judge(instance, answer, stated.problem or "compression")
    false = ""
    if judgement.verdict is Verdict.REJECTED:
        false = judgement.reason
    elif stated.value is not None and not _is_same(stated.value, judgement.value):
        false = f"states the value {stated.value}, but it is {judgement.value}"
    elif _is_below(stated.bound, judgement.value):
        false = f"states the bound {stated.bound}, below the value {judgement.value}"
    elif stated.cover is not None and _is_below(stated.bound, judgement.bound):
        false = f"states the bound {stated.bound}, but the cover proves {judgement.bound}"
    else:
        false = _false_words(stated, judgement)
    unproven = stated.claim == Claim.OPTIMAL and not judgement.proven
    doubt = "claims to be optimal, but nothing in it proves that" if unproven else ""
    return Finding(judgement, false, doubt)


def _false_words(stated: Solution, judgement: Judgement) -> str:
    """Return what a solution with right numbers says wrongly about them; empty if nothing."""
    from kcut.answer import Claim
    from kcut.judge import relative_gap

    if stated.claim in (Claim.INFEASIBLE, Claim.NONE):
        return f"claims {stated.claim}, but holds a feasible solution"
    if stated.gap is not None and stated.gap != relative_gap(judgement.value, stated.bound):
        return f"states the gap {stated.gap}, which its value and bound do not give"
    return ""


def _is_same(number: float, other: float | None) -> bool:
    """Whether a stated number is the true one; no float states an integer."""
    return number == other and not (isinstance(other, int) and isinstance(number, float))


def _is_below(number: float | None, other: float | None) -> bool:
    return number is not None and other is not None and number < other


def _result(instance: Stated, stated: Solution, finding: Finding) -> dict[str, Any]:
    judgement = finding.judgement
    return {
        "instance": instance.name,
        "instance_sha256": instance.sha256,
        "problem": stated.problem or "compression",
        "num_levels": instance.levels,
        "feasible": judgement.value is not None,
        "value": judgement.value,
        "bound": judgement.bound,
        "gap": judgement.gap,
        "optimal": judgement.proven and not finding.false,
        "verdict": _verdict(finding),
        "reason": finding.false or finding.open,
    }


def _verdict(finding: Finding) -> str:
    if finding.false:
        return "rejected"
    return "unverifiable" if finding.open else "verified"


def _line(file: str, shown: dict[str, Any]) -> str:
    if shown["verdict"] == "rejected":
        return f"{file}: rejected: {shown['reason']}"
    value, bound = output.number(shown["value"]), output.number(shown["bound"])
    of = f" for {shown['problem']}"
    if shown["problem"] != "time-shifts":
        of += f" with K = {shown['num_levels']}"
    if shown["optimal"]:
        return f"{file}: feasible, value {value} = bound {bound}: optimal{of}"
    doubt = f"; {shown['verdict']}: {shown['reason']}" if shown["reason"] else ""
    if shown["bound"] is None:
        quality = "no certificate: nothing is proven about its quality"
    else:
        quality = f"bound {bound}, gap {output.percent(shown['gap'])}"
    return f"{file}: feasible{of}, value {value}, {quality}{doubt}"
