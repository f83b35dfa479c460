"""What a level assignment is worth: simulate the fluid model on a cluster.

Jobs that share no link, directly or through others, cannot influence each other: each such group
is simulated apart, and has a steady cycle of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcut import fluid
from kcut.cluster import Cluster, PathChoice, check_number
from kcut.errors import InputError
from kcut.fluid_setup import Array, Group, Scenario, build_group, contending_groups, grow_log
from kcut.intensity import bottleneck, period_alone, traffic
from kcut.timeline import Timeline, read_log

MAX_EVENTS = 1_000_000_000
"""Most events a fixed horizon may ask for, by the jobs' iteration times alone."""

CYCLE_EVENTS = 200_000
"""Events after which the search for a steady cycle ends, in each group of contending jobs."""

EXACT_EVENTS = 500
"""Longest search for a cycle, in events, that is repeated in exact arithmetic."""

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Simulation:
    """What the jobs of a cluster did in a window of time.

    Attributes
    ----------
    utilisation : float
        Busy GPU-seconds over all GPU-seconds of the jobs: sum G_j busy_s / window_s over sum G_j.
    window_s : ndarray of float64, shape (num_jobs,)
        Length of the window the other numbers refer to; the same within a group of contending jobs.
    window : tuple of str
        For each job what its window is: ``horizon``, from a synchronised start; ``exact cycle``
        or ``cycle``, in exact or floating-point arithmetic; ``average``, a long time, because no
        cycle was found.
    iterations : ndarray of int64, shape (num_jobs,)
        Completed in the window.
    iteration_s : ndarray of float64, shape (num_jobs,)
        Mean duration of those; NaN where there are none.
    busy_s : ndarray of float64, shape (num_jobs,)
        Seconds of computation in the window.
    link_s : ndarray of float64, shape (num_jobs,)
        Bytes sent on the job's bottleneck link in the window, over that link's bandwidth.
    events : int
        Computations ended, transfers opened and flows finished while simulating.
    timeline : Timeline or None
    """

    utilisation: float
    window_s: Floats
    window: tuple[str, ...]
    iterations: NDArray[np.int64]
    iteration_s: Floats
    busy_s: Floats
    link_s: Floats
    events: int
    timeline: Timeline | None = None


def simulate(
    cluster: Cluster,
    levels: Sequence[int] | NDArray[np.integer[Any]] | None = None,
    paths: PathChoice | None = None,
    *,
    horizon_s: float | None = None,
    shifts_s: Sequence[float] | None = None,
    jitter: float = 0.0,
    seed: int = 0,
    exact: bool = True,
    timeline: bool = False,
    max_events: int = CYCLE_EVENTS,
) -> Simulation:
    """Simulate a cluster under an assignment of levels.

    Parameters
    ----------
    cluster : Cluster
    levels : sequence of int, shape (num_jobs,), optional
        0 to K-1, a larger number is served first; by default all equal.
    paths : optional
        See `Cluster.path_choice`.
    horizon_s : float, optional
        Simulate from 0 to here. Every job begins to compute at 0, or at its shift. Without it the
        window is the steady cycle that this start leads to.
    shifts_s : sequence of float, shape (num_jobs,), optional
        When each job begins its first iteration.
    jitter : float, optional
        Each computation lasts c_j (1 + jitter u), u uniform in -1..1. 0 to 1, 1 excluded.
    seed : int, optional
        Of the jitter. Each job has its own stream, whatever the levels.
    exact : bool, optional
        Repeat the search for a short cycle with fractions (numbers taken as decimals), so that
        its length is exact.
    timeline : bool, optional
        Keep the time line: from the start to the horizon, or to the end of the first cycle.
    max_events : int, optional
        Budget of the search for a cycle in each group of contending jobs. Where none is found
        (there is none with jitter), a window of as many events is averaged.

    Returns
    -------
    Simulation

    Raises
    ------
    InputError
        If a parameter is out of range or has the wrong length.

    Notes
    -----
    Flow level: strict priority between levels, max-min fairness between the flows of one, no queues
    and no flow control. An event costs the length of the paths whose rates it changes. Memory does
    not depend on the horizon, unless the time line is kept. States are compared to 1e-9 of the
    shortest iteration where arithmetic is not exact.
    """
    choice = cluster.path_choice(paths)
    sent = traffic(cluster, choice)
    scenario = Scenario(
        cluster,
        _check_levels(cluster, levels),
        *cluster.routes.chosen(choice),
        _check_shifts(cluster, shifts_s),
        period_alone(cluster, sent),
        jitter,
        seed,
    )
    _check_options(scenario, horizon_s, max_events)
    windows, groups = [], []
    for jobs in contending_groups(cluster.num_jobs, cluster.num_links, sent):
        group = build_group(scenario, jobs, exact=False, keep_log=timeline)
        if horizon_s is not None:
            window = _to_horizon(group, horizon_s)
        else:
            window = _steady(group, max_events if jitter == 0 else 0, max_events)
            if window.kind == "cycle" and exact and group.world.run[0].events <= EXACT_EVENTS:
                window = _exact_cycle(scenario, jobs) or window
        windows.append(window)
        groups.append(group)
    line = read_log(cluster.num_jobs, groups) if timeline else None
    slowest = bottleneck(cluster, sent).link
    return _summarise(scenario, slowest, list(zip(groups, windows, strict=True)), line)


def work_share(cluster: Cluster, simulation: Simulation, paths: PathChoice | None = None) -> float:
    """Return the work done per second as a share of what the jobs would do alone.

    Crux's U_T counts work (flop) where utilisation counts busy GPUs: a job whose GPUs reach fewer
    flop/s weighs less here.

    Parameters
    ----------
    cluster : Cluster
    simulation : Simulation
        Of that cluster.
    paths : optional
        Those simulated; see `Cluster.path_choice`.

    Returns
    -------
    float
        sum W_j r_j over sum W_j / T_j, with r_j the iterations a second (begun computations count
        in part) and T_j the iteration time alone; 1 where no job does work.
    """
    alone = cluster.work / period_alone(cluster, traffic(cluster, paths))
    computed = simulation.iterations.astype(np.float64)
    np.divide(simulation.busy_s, cluster.compute_s, out=computed, where=cluster.compute_s > 0)
    done = cluster.work * computed / simulation.window_s
    return float(done.sum() / alone.sum()) if alone.sum() > 0 else 1.0


class Rates(NamedTuple):
    """What the jobs of a group do in the long run.

    Attributes
    ----------
    busy : ndarray of float64, shape (num_jobs,)
        Share of the time each job computes.
    speed : ndarray of float64, shape (num_jobs,)
        Iterations per second.
    cycled : bool
        Whether it is a cycle, not an average.
    """

    busy: Floats
    speed: Floats
    cycled: bool


def steady_rates(group: Group, max_events: int) -> Rates:
    """Run a group at its start as `simulate` does without a horizon, in floating point."""
    kind, begin, end = _steady(group, max_events, max_events)
    window_s = float(end.now - begin.now)
    busy = np.minimum((end.busy - begin.busy).astype(float), window_s) / window_s
    return Rates(busy, (end.iterations - begin.iterations) / window_s, kind == "cycle")


class _Totals(NamedTuple):
    """What the jobs of a group have done since the start; fractions where arithmetic is exact."""

    now: Any
    iterations: Array
    spent: Array
    busy: Array
    sent: Array  # bytes of each flow


class _Window(NamedTuple):
    kind: str
    begin: _Totals
    end: _Totals


def _totals(jobs: Array, flows: Array, now: Any) -> _Totals:
    computing = (jobs["ends"] < fluid.INF) & (jobs["begun"] < now)
    busy = jobs["computed"] + np.where(computing, now - jobs["begun"], 0)
    left = flows["remaining"] - flows["rate"] * (now - flows["since"])
    partly = np.where(flows["open"] == 1, flows["volume"] - left, 0)
    sent = flows["delivered"] * flows["volume"] + partly
    return _Totals(now, np.maximum(jobs["iterations"], 0), jobs["spent"].copy(), busy, sent)


def _here(group: Group) -> _Totals:
    return _totals(group.world.jobs, group.world.flows, group.world.run[0].now)


def _cycle(group: Group, kind: str) -> _Window:
    saved = group.saved
    return _Window(kind, _totals(saved.jobs, saved.flows, saved.run[0].now), _here(group))


def _advance(group: Group, stop: fluid.Stop) -> int:
    """Run the compiled loop, giving the time line room as it needs it."""
    while True:
        why = fluid.advance_compiled(group.world, group.saved, stop)
        if why != fluid.LOG_FULL:
            return int(why)
        grow_log(group)


def _to_horizon(group: Group, horizon_s: float) -> _Window:
    start = _here(group)
    _advance(group, fluid.Stop(float(horizon_s), fluid.TOP, False))
    return _Window("horizon", start, _here(group))


def _steady(group: Group, search: int, average: int) -> _Window:
    """Search for a cycle for some events; average over as many where there is none."""
    if search and _advance(group, fluid.Stop(fluid.INF, search, True)) == fluid.CYCLE:
        return _cycle(group, "cycle")
    if not search:
        _advance(group, fluid.Stop(fluid.INF, average // 4, False))
    begin = _here(group)
    _advance(group, fluid.Stop(fluid.INF, int(group.world.run[0].events) + average, False))
    return _Window("average", begin, _here(group))


def _exact_cycle(scenario: Scenario, jobs: NDArray[np.int64]) -> _Window | None:
    """Search for the cycle with fractions; None where the state does not repeat exactly."""
    group = build_group(scenario, jobs, exact=True, keep_log=False)
    stop = fluid.Stop(fluid.INF, EXACT_EVENTS, True)
    if fluid.advance(group.world, group.saved, stop) != fluid.CYCLE:
        return None
    return _cycle(group, "exact cycle")


def _summarise(
    scenario: Scenario,
    slowest: NDArray[np.int64],
    results: list[tuple[Group, _Window]],
    line: Timeline | None,
) -> Simulation:
    cluster = scenario.cluster
    window_s, spent, busy_s, link_s = np.zeros((4, cluster.num_jobs))
    iterations = np.zeros(cluster.num_jobs, np.int64)
    kinds = [""] * cluster.num_jobs
    for group, (kind, begin, end) in results:
        jobs = group.jobs
        window_s[jobs] = float(end.now - begin.now)
        iterations[jobs] = end.iterations - begin.iterations
        # Within a cycle the first iteration may have begun in the transient before it.
        cyclic = kind.endswith("cycle")
        spent[jobs] = window_s[jobs] if cyclic else end.spent - begin.spent
        busy_s[jobs] = np.minimum((end.busy - begin.busy).astype(float), window_s[jobs])
        for flow, sent in zip(group.flows.tolist(), end.sent - begin.sent, strict=True):
            job = cluster.flow_job[flow]
            path = scenario.path_link[scenario.path_start[flow] : scenario.path_start[flow + 1]]
            if slowest[job] in path:
                link_s[job] += float(sent) / cluster.bandwidth[slowest[job]]
        for job in jobs:
            kinds[job] = kind
    iteration_s = np.full(cluster.num_jobs, np.nan)
    np.divide(spent, iterations, out=iteration_s, where=iterations > 0)
    gpus = cluster.gpus
    utilisation = float((gpus * (busy_s / window_s)).sum() / gpus.sum())
    events = sum(int(group.world.run[0].events) for group, _ in results)
    return Simulation(
        utilisation, window_s, tuple(kinds), iterations, iteration_s, busy_s, link_s, events, line
    )


def _check_levels(
    cluster: Cluster, levels: Sequence[int] | NDArray[np.integer[Any]] | None
) -> NDArray[np.int64]:
    if levels is None:
        return np.zeros(cluster.num_jobs, np.int64)
    if len(levels) != cluster.num_jobs:
        message = f"must give a level to each of {cluster.num_jobs} jobs"
        raise InputError(message, "levels", list(levels))
    for j, level in enumerate(levels):
        integer = isinstance(level, int | np.integer) and not isinstance(level, bool)
        if not integer or not 0 <= level < cluster.levels:
            raise InputError(f"must be between 0 and {cluster.levels - 1}", f"levels[{j}]", level)
    return np.array(levels, np.int64)


def _check_shifts(cluster: Cluster, shifts_s: Sequence[float] | None) -> NDArray[np.float64]:
    if shifts_s is None:
        return np.zeros(cluster.num_jobs)
    if len(shifts_s) != cluster.num_jobs:
        message = f"must give a shift to each of {cluster.num_jobs} jobs"
        raise InputError(message, "shifts_s", list(shifts_s))
    for j, shift in enumerate(shifts_s):
        check_number(shift, f"shifts_s[{j}]")
    return np.array(shifts_s, np.float64)


def _check_options(scenario: Scenario, horizon_s: float | None, max_events: int) -> None:
    check_number(scenario.jitter, "jitter")
    if scenario.jitter >= 1:
        raise InputError("must be below 1", "jitter", scenario.jitter)
    if isinstance(scenario.seed, bool) or not isinstance(scenario.seed, int) or scenario.seed < 0:
        raise InputError("must be an integer, not negative", "seed", scenario.seed)
    if isinstance(max_events, bool) or not isinstance(max_events, int) or max_events < 1:
        raise InputError("must be a positive integer", "max_events", max_events)
    if horizon_s is None:
        return
    check_number(horizon_s, "horizon_s", positive=True)
    flows = np.bincount(scenario.cluster.flow_job, minlength=scenario.cluster.num_jobs)
    events = float(np.sum(horizon_s * (2 + flows) / scenario.period))
    if not events <= MAX_EVENTS:
        message = f"would take more than {MAX_EVENTS:,} events"
        raise InputError(message, "horizon_s", horizon_s)
