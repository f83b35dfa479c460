"""Arrivals and departures over a long run: rescheduling exactly against starting anew each time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import CompressionInstance, Limits, reoptimise, verify
from kcut.certificate import Cover
from kcut.params import complete
from kcut.registry import get_solver
from kcut_instances.contention import intensity_dag, pairs_that_meet

Levels = NDArray[np.int64]

Policy = Callable[
    [CompressionInstance, Levels, np.random.Generator], tuple[NDArray[Any], Cover | None]
]
"""From the instance after an event and the levels before it (-1 for a new job) to levels, and the
cover that proves them if they are optimal."""


@dataclass(frozen=True, slots=True)
class Run:
    """What is simulated.

    Attributes
    ----------
    num_jobs : int
        Jobs at the start; arrivals and departures then keep the number near this.
    num_links, links_per_job : int
        As in the family ``link-cliques``.
    max_intensity : int
    levels : int
        K.
    num_events : int
        One event is an arrival or a departure.
    orders : int
        Orders that Crux draws after each event.
    seed : int
    """

    num_jobs: int = 500
    num_links: int = 150
    links_per_job: int = 2
    max_intensity: int = 1000
    levels: int = 8
    num_events: int = 200
    orders: int = 10
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What one policy did, an entry for each event.

    Attributes
    ----------
    policy : str
    seconds : list of float
        CPU time from the instance to the levels.
    gaps : list of float
        (optimum - value) / optimum, 0 where both are 0.
    changed : list of int
        Jobs running before and after the event whose level changed.
    running : list of int
        Jobs running before and after the event.
    """

    policy: str
    seconds: list[float] = field(default_factory=list)
    gaps: list[float] = field(default_factory=list)
    changed: list[int] = field(default_factory=list)
    running: list[int] = field(default_factory=list)


def follow(run: Run) -> list[Trajectory]:
    """Run every policy along the same events, each from its own levels of the moment before.

    Parameters
    ----------
    run : Run

    Returns
    -------
    list of Trajectory
        For each of `POLICIES`.

    Raises
    ------
    AssertionError
        If an optimum is not proven by its cover.
    """
    chosen = policies(run)
    found = [Trajectory(name) for name in chosen]
    rngs = [np.random.default_rng([run.seed, 1]) for _ in found]
    levels: list[Levels | None] = [None] * len(found)
    for instance, survivors in _events(run):
        optimum: int | None = None
        for i, policy in enumerate(chosen.values()):
            before = np.full(instance.num_jobs, -1, np.int64)
            last = levels[i]
            if last is not None:
                before[: len(survivors)] = last[survivors]
            started = time.process_time()
            now, cover = policy(instance, before, rngs[i])
            spent_s = time.process_time() - started
            levels[i] = now
            checked = verify(instance, now, cover)
            assert checked.value is not None
            assert checked.optimal or cover is None
            value = checked.value
            optimum = value if optimum is None else optimum  # the first policy proves its own
            if last is None:
                continue
            kept = len(survivors)
            found[i].seconds.append(spent_s)
            found[i].gaps.append((optimum - value) / optimum if optimum else 0.0)
            found[i].changed.append(int((now[:kept] != before[:kept]).sum()))
            found[i].running.append(kept)
    return found


def policies(run: Run) -> dict[str, Policy]:
    """Return the policies by name; the first is exact and proven after every event."""
    cuts = get_solver("min-cuts", ("compression",))
    crux = get_solver("crux", ("compression",))
    cuts_params = complete(cuts.params, {})
    crux_params = complete(crux.params, {"orders": run.orders})

    def again(instance, before, rng):  # type: ignore[no-untyped-def]
        step = reoptimise(instance, before)
        return step.levels, step.cover

    def few(instance, before, rng):  # type: ignore[no-untyped-def]
        step = reoptimise(instance, before, few_changes=True)
        return step.levels, step.cover

    def anew(instance, before, rng):  # type: ignore[no-untyped-def]
        answer = cuts.solve(instance, limits=Limits(), rng=rng, **cuts_params)
        return answer.solution, answer.certificate

    def crux_anew(instance, before, rng):  # type: ignore[no-untyped-def]
        answer = crux.solve(instance, limits=Limits(), rng=rng, **crux_params)
        return answer.solution, None

    return {
        "reoptimise": again,
        "reoptimise, few changes": few,
        "min-cuts anew": anew,
        "crux anew": crux_anew,
    }


def _events(run: Run) -> Iterator[tuple[CompressionInstance, NDArray[np.int64]]]:
    """Yield the instance at the start and after each event, and who of the last one still runs.

    Survivors come first, in their order. An arrival is drawn with the probability that keeps the
    number of jobs near that at the start.
    """
    rng = np.random.default_rng([run.seed, 0])
    links, intensity = _draw(run, rng, run.num_jobs)
    yield _instance(run, links, intensity), np.arange(0)
    for _ in range(run.num_events):
        n = len(intensity)
        survivors = np.arange(n)
        if n > 1 and rng.random() >= run.num_jobs / (n + run.num_jobs):
            survivors = np.delete(survivors, rng.integers(n))
            links, intensity = links[survivors], intensity[survivors]
        else:
            new_links, new_intensity = _draw(run, rng, 1)
            links = np.concatenate((links, new_links))
            intensity = np.concatenate((intensity, new_intensity))
        yield _instance(run, links, intensity), survivors


def _draw(
    run: Run, rng: np.random.Generator, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    links = [rng.choice(run.num_links, run.links_per_job, replace=False) for _ in range(count)]
    return np.array(links, np.int64), rng.integers(1, run.max_intensity + 1, count)


def _instance(
    run: Run, links: NDArray[np.int64], intensity: NDArray[np.int64]
) -> CompressionInstance:
    n = len(intensity)
    first, second = pairs_that_meet(np.repeat(np.arange(n), run.links_per_job), links.ravel(), n)
    return intensity_dag(intensity, first, second, name="online", levels=run.levels)
