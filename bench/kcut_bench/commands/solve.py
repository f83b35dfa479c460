"""``kcut solve``: run a solver on instance files and check what it answers."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import (
    Json,
    Levels,
    Params,
    check_levels,
    check_seed,
    make_limits,
    parse_params,
)

if TYPE_CHECKING:
    from kcut import Answer, CompressionInstance, Judgement
    from kcut.registry import Solver
    from kcut.views import Stated


def solve(
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="Instances.")],
    solver: Annotated[str, typer.Option("--solver", help="See kcut solvers.")],
    *,
    param: Params = None,
    levels: Levels = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the solver's random numbers.")] = 0,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", metavar="S", help="Seconds of wall-clock time.")
    ] = None,
    memory_limit: Annotated[
        float | None, typer.Option("--memory-limit", metavar="MB", help="Megabytes (2^20 bytes).")
    ] = None,
    threads: Annotated[
        int, typer.Option("--threads", metavar="N", help="Threads a solver may use.")
    ] = 1,
    problem: Annotated[
        str | None, typer.Option("--problem", help="Where a file allows several.")
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option("--weights", help="Of a cluster's contention DAG: intensity or replay."),
    ] = None,
    json: Json = False,
    out: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="OUT", help="Where solutions go."),
    ] = None,
) -> None:
    """Solve instances and verify the answers, one line each, in order.

    All files are read and checked before the first is solved, so that nothing is solved in vain.
    OUT is a file for one instance and a directory for several (NAME.solution.json each). Exits 1
    if an answer is rejected, 3 if an instance has no solution within the limits.
    """
    from kcut.cluster import Cluster
    from kcut.views import state
    from kcut_bench.run import run_solver
    from kcut_bench.simulation import worth_of
    from kcut_instances.readers import read_instance

    check_levels(levels)
    check_seed(seed)
    limits = make_limits(time_limit, memory_limit, threads)
    instances = [_weighed(read_instance(path, levels), weights, path) for path in files]
    chosen = [_solver_for(solver, instance, problem) for instance in instances]
    params = [parse_params(entry.params, param) for entry in chosen]
    targets = _targets(files, out)
    verdicts = []
    for path, instance, entry, values, target in zip(
        files, instances, chosen, params, targets, strict=True
    ):
        with output.stdout_kept_clean():
            stated = state(instance, entry.problem, values)
            answer, judgement, timings = run_solver(stated, entry, values, limits, seed)
        shown = {
            "solver": entry.name,
            "problem": entry.problem,
            **describe(stated, answer, judgement, entry.problem),
            **dataclasses.asdict(timings),
            "seed": seed,
            "params": values,
        }
        if shown["value"] is not None and isinstance(instance, Cluster):
            shown |= dataclasses.asdict(worth_of(instance, stated, answer.solution))
        if target is not None and shown["value"] is not None:
            _write(target, shown)
        if json:
            output.emit_json({"file": str(path), **shown})
        else:
            print(_line(str(path), shown), flush=True)
        verdicts.append((shown["verdict"], shown["value"]))
    if any(verdict == "rejected" for verdict, _ in verdicts):
        raise typer.Exit(1)
    if any(value is None for _, value in verdicts):
        raise typer.Exit(3)


def _weighed(instance: Any, weights: str | None, path: Path) -> Any:
    from kcut.cluster import Cluster
    from kcut.errors import InputError

    if weights is None:
        return instance
    if not isinstance(instance, Cluster):
        raise InputError("is for clusters", "--weights", weights, str(path))
    try:
        return instance.with_weights(weights)
    except InputError as error:
        raise InputError(error.message, "--weights", weights) from None


def _solver_for(name: str, instance: Any, problem: str | None) -> Solver:
    from kcut.errors import InputError
    from kcut.registry import PROBLEMS_OF, get_solver

    problems = PROBLEMS_OF[type(instance)]
    if problem is None:
        return get_solver(name, problems)
    if problem not in problems:
        raise InputError(f"must be one of {', '.join(problems)}", "--problem", problem)
    return get_solver(name, (problem,))


def _targets(files: list[Path], out: Path | None) -> list[Path | None]:
    """Return where each solution goes."""
    from kcut.errors import InputError

    if out is None:
        return [None] * len(files)
    if len(files) == 1 and not out.is_dir():
        if not out.parent.is_dir():
            raise InputError("no such directory", "-o", str(out.parent))
        return [out]
    if out.exists() and not out.is_dir():
        raise InputError("must be a directory, for several instances", "-o", str(out))
    names = [_stem(path) for path in files]
    for name in names:
        if names.count(name) > 1:
            raise InputError("several instances have this name", "-o", name)
    out.mkdir(parents=True, exist_ok=True)
    return [out / f"{name}.solution.json" for name in names]


def _stem(path: Path) -> str:
    name = path.name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def describe(
    instance: Stated,
    answer: Answer,
    judgement: Judgement,
    problem: str,
) -> dict[str, Any]:
    """Return what ``--json`` prints about an answer."""
    from kcut.certificate import cover_as_given
    from kcut.paths import PathsInstance
    from kcut.priority import PriorityInstance
    from kcut.time_shifts import TimeShiftsInstance
    from kcut_bench.paths_output import describe_paths
    from kcut_bench.priority_output import describe_order
    from kcut_bench.shifts_output import describe_shifts

    shown = _describe_any(instance, answer, judgement)
    if isinstance(instance, PathsInstance):
        return shown | describe_paths(instance, answer, judgement)
    if isinstance(instance, PriorityInstance):
        return shown | describe_order(instance, answer, judgement)
    if isinstance(instance, TimeShiftsInstance):
        return shown | describe_shifts(instance, answer, judgement)
    shown["residual"] = _residual(instance, problem, answer.solution, judgement.value)
    if answer.solution is not None:
        shown["levels"] = answer.solution.tolist()
    if answer.certificate is not None:
        shown["cover"] = cover_as_given(instance, answer.certificate)
    return shown


def _describe_any(instance: Stated, answer: Answer, judgement: Judgement) -> dict[str, Any]:
    return {
        "instance": instance.name,
        "instance_sha256": instance.sha256,
        "num_levels": instance.levels,
        "scale": instance.scale,
        "termination": answer.termination.value,
        "claim": answer.claim.value,
        "verdict": judgement.verdict.value,
        "value": judgement.value,
        "bound": judgement.bound,
        "gap": judgement.gap,
        "proven": judgement.proven,
        "detail": answer.detail,
        "reason": judgement.reason,
    }


def _residual(
    instance: CompressionInstance, problem: str, levels: Any, value: float | None
) -> int | float | None:
    """Return the weight that stays uncut, in the unit of the weights as given."""
    from kcut.compression import original_weight

    if value is None:
        return None
    above, below = levels[instance.upper], levels[instance.lower]
    return original_weight(instance, above == below if problem == "max-k-cut" else above <= below)


def _line(file: str, shown: dict[str, Any]) -> str:
    """Return what is printed for people."""
    if shown["value"] is None:
        answer = f"no solution ({shown['reason'] or shown['termination']})"
    else:
        quality = "optimal" if shown["proven"] else f"gap {output.percent(shown['gap'])}"
        answer = f"value {output.number(shown['value'])}, bound {output.number(shown['bound'])}"
        answer += f", {quality}"
        if "residual" in shown:
            answer += f", residual {output.number(shown['residual'])}"
        if "objective" in shown:
            answer = f"{shown['objective']} {answer}"
        if "score" in shown:
            answer += f", score {shown['score']:.4g}"
    if "utilisation" in shown:
        answer += f", utilisation {output.percent(shown['utilisation'])}"
    status = f"{shown['termination']}, {shown['verdict']}"
    if shown["verdict"] != "verified" and shown["value"] is not None:
        status += f" ({shown['reason']})"
    if shown["problem"] == "time-shifts" and shown["detail"]:
        status += f"; {shown['detail']}"
    return f"{file}: {shown['solver']}: {answer}; {status}; {shown['solve_s']:.3g} s"


def _write(target: Path, shown: dict[str, Any]) -> None:
    import numpy as np

    from kcut_instances.readers import Solution, write_solution

    fields = {field.name for field in dataclasses.fields(Solution)} & shown.keys()
    stated = {name: shown[name] for name in fields}
    for name in stated.keys() & {"levels", "cover", "certificate", "order", "shifts"}:
        stated[name] = np.array(stated[name]) if stated[name] else np.zeros(0, np.int64)
    write_solution(Solution(**stated), target)
