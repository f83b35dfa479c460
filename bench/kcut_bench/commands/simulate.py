"""``kcut simulate``: what an assignment of levels is worth in GPU utilisation."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import Json, check_seed

if TYPE_CHECKING:
    from kcut.cluster import Cluster
    from kcut.errors import InputError
    from kcut.paths import Choice
    from kcut.simulate import Simulation
    from kcut_bench.shifts_output import Shifted

Number = TypeVar("Number", int, float)


def simulate(
    file: Annotated[Path, typer.Argument(metavar="CLUSTER", help="A cluster.")],
    *,
    levels: Annotated[
        str | None,
        typer.Option("--levels", metavar="L,L,..", help="Level of each job. [default: all equal]"),
    ] = None,
    solution: Annotated[
        Path | None,
        typer.Option("--solution", metavar="FILE", help="Take levels, paths or shifts from here."),
    ] = None,
    horizon: Annotated[
        float | None,
        typer.Option(
            "--horizon",
            metavar="S",
            help="From a synchronised start to S seconds. [default: the steady cycle]",
        ),
    ] = None,
    shifts: Annotated[
        str | None,
        typer.Option("--shifts", metavar="S,S,..", help="When each job begins, in seconds."),
    ] = None,
    jitter: Annotated[
        float,
        typer.Option("--jitter", metavar="X", help="Vary computations by up to +-X < 1."),
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", help="Of the jitter.")] = 0,
    json: Json = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="PLOT", help="Time line: .png, .svg or .pdf")
    ] = None,
) -> None:
    """Simulate the jobs of a cluster: strict priority between levels, max-min fairness within."""
    from kcut.errors import InputError
    from kcut.held import simulate_shifts
    from kcut.simulate import simulate as simulate_levels
    from kcut_bench.frontier_plot import check_path
    from kcut_bench.simulation import as_json

    check_seed(seed)
    if plot is not None:
        check_path(plot)
    cluster, chosen, paths, shifted = _read(file, levels, solution)
    begins = None if shifts is None else _numbers(shifts, "--shifts", float)
    if shifted is not None and begins is not None:
        raise InputError("the solution gives shifts already", "--shifts", shifts)

    def run(until: float | None, timeline: bool = False) -> Simulation:
        try:
            if shifted is not None:
                instance, steps = shifted
                return simulate_shifts(
                    instance, steps, horizon_s=until, jitter=jitter, seed=seed, timeline=timeline
                )
            return simulate_levels(
                cluster,
                chosen,
                paths,
                horizon_s=until,
                shifts_s=begins,
                jitter=jitter,
                seed=seed,
                timeline=timeline,
            )
        except InputError as error:
            raise _of_option(error, solution) from None

    found = run(horizon)
    if plot is not None:
        from kcut_bench.timeline import plot_timeline

        drawn = run(_default_plot_s(found) if horizon is None else horizon, timeline=True)
        title = f"{cluster.name}: utilisation {output.percent(found.utilisation)}"
        plot_timeline(cluster, drawn, plot, title=title if len(title) < 90 else "")
    if json:
        shown = {"instance": cluster.name, "instance_sha256": cluster.sha256, "levels": chosen}
        output.emit_json({**shown, **as_json(cluster, found, paths), "seed": seed})
    else:
        _print(cluster, found, chosen, paths)


OPTION_OF = {
    "levels": "--levels",
    "horizon_s": "--horizon",
    "shifts_s": "--shifts",
    "jitter": "--jitter",
    "seed": "--seed",
}


def _of_option(error: InputError, solution: Path | None) -> InputError:
    """Return an error of the simulator with the option in place of the argument's name."""
    name, bracket, rest = error.field.partition("[")
    if name == "levels" and solution is not None:
        return replace(error, source=str(solution))
    return replace(error, field=OPTION_OF.get(name, name) + bracket + rest)


def _default_plot_s(found: Simulation) -> float:
    """Return how much to draw where no horizon is given: three of the longest iterations."""
    durations = found.iteration_s[found.iterations > 0]
    return 3 * float(durations.max()) if len(durations) else float(found.window_s.max())


def _read(
    file: Path, levels: str | None, solution: Path | None
) -> tuple[Cluster, list[int] | None, Choice | None, Shifted | None]:
    """Return the cluster, the level of each job, the path of each flow, and time shifts."""
    from kcut.cluster import Cluster
    from kcut.contention import compression_of, weighed_as
    from kcut.errors import InputError
    from kcut.priority import levels_of
    from kcut_bench.paths_output import read_choice
    from kcut_bench.priority_output import read_order
    from kcut_bench.shifts_output import read_shifts
    from kcut_instances.readers import read_instance, read_solution

    if levels is not None and solution is not None:
        raise InputError("give either --levels or --solution", "--levels", levels)
    cluster = read_instance(file)
    if not isinstance(cluster, Cluster):
        raise InputError("holds no cluster", "format", type(cluster).__name__, str(file))
    if levels is not None:
        return cluster, _numbers(levels, "--levels", int), None, None
    if solution is None:
        return cluster, None, None, None
    stated = read_solution(solution)
    whole = stated.problem in ("paths", "priority", "time-shifts")
    if not whole:
        cluster = weighed_as(cluster, stated.instance_sha256)
    sha256 = cluster.sha256 if whole else compression_of(cluster).sha256
    if stated.instance_sha256 != sha256:
        message = f"is of another instance than {file}"
        raise InputError(message, "instance_sha256", stated.instance_sha256, str(solution))
    if stated.problem == "priority":
        cluster = cluster.with_levels(cluster.num_jobs)
        by_order = levels_of(read_order(stated, str(solution), cluster.num_jobs))
        return cluster, by_order.tolist(), None, None
    if stated.problem == "time-shifts":
        return cluster, None, None, read_shifts(cluster, stated, str(solution))
    if stated.num_levels is not None:
        cluster = cluster.with_levels(stated.num_levels)
    chosen: list[int] | None = None if stated.levels is None else stated.levels.tolist()
    return cluster, chosen, read_choice(cluster, stated, str(solution)), None


def _numbers(text: str, option: str, kind: type[Number]) -> list[Number]:
    """Read numbers separated by commas."""
    from kcut.errors import InputError

    numbers = []
    for i, part in enumerate(text.split(",")):
        try:
            numbers.append(kind(part))
        except ValueError:
            words = "an integer" if kind is int else "a number"
            raise InputError(f"must be {words}", f"{option}[{i}]", part) from None
    return numbers


def _print(
    cluster: Cluster, found: Simulation, levels: list[int] | None, paths: Choice | None
) -> None:
    from kcut.fairness import slowdowns
    from kcut_bench.simulation import loss_of

    slow = slowdowns(cluster, found, paths)
    header = ("job", "gpus", "level", "iteration", "slowdown", "busy", "link", "window")
    rows = [
        (
            job.name,
            str(job.gpus),
            str(levels[j] if levels else 0),
            output.seconds(float(found.iteration_s[j])),
            f"{slow[j]:.4g}",
            output.percent(float(found.busy_s[j] / found.window_s[j])),
            output.percent(float(found.link_s[j] / found.window_s[j])),
            f"{output.seconds(float(found.window_s[j]))} ({found.window[j]})",
        )
        for j, job in enumerate(cluster.jobs)
    ]
    output.emit_table(header, rows)
    loss = loss_of(cluster, found.utilisation, paths)
    print(
        f"utilisation {output.percent(found.utilisation)}, {output.percent(loss.alone)} if no job"
        f" met another: worth {loss.gpus:.4g} of {int(cluster.gpus.sum()):,} GPUs,"
        f" {loss.dollars_per_day:,.0f} dollars a day"
    )
