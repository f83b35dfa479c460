"""From a cluster to the arrays of the fluid model: one set for each group of contending jobs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import fluid
from kcut.cluster import Cluster
from kcut.intensity import Traffic

EPS = 1e-13
"""Events closer than this share of the time, and rates closer than this share, are equal."""

SLACK = 1e-9
"""States are equal up to this share of the shortest iteration time alone in the group."""

_FIRST_LOG = 1 << 14

Array = np.ndarray[Any, Any]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Scenario:
    """What is simulated: a cluster, checked choices for it, and the jitter.

    Attributes
    ----------
    cluster : Cluster
    levels : ndarray of int64, shape (num_jobs,)
    path_start, path_link : ndarray of int64 and int32
        The links of each flow, see `kcut.routes.Routes.chosen`.
    shifts : ndarray of float64, shape (num_jobs,)
        In seconds.
    period : ndarray of float64, shape (num_jobs,)
        Iteration times alone, in seconds.
    jitter : float
    seed : int
    """

    cluster: Cluster
    levels: Indices
    path_start: Indices
    path_link: NDArray[np.int32]
    shifts: NDArray[np.float64]
    period: NDArray[np.float64]
    jitter: float
    seed: int


@dataclass(slots=True, eq=False)
class Group:
    """The arrays of some jobs; flows without bytes are left out.

    Attributes
    ----------
    jobs, flows : ndarray of int64
        What job and flow 0, 1, ... of the world are in the cluster.
    world, saved
        See `kcut.fluid`.
    """

    jobs: Indices
    flows: Indices
    world: fluid.World
    saved: fluid.Saved


def contending_groups(num_jobs: int, num_links: int, sent: Traffic) -> list[Indices]:
    """Split the jobs into the smallest groups that have no link in common.

    Returns
    -------
    list of ndarray of int64
        Ascending job indices, groups by their smallest job. O((num_jobs + entries) log num_jobs).
    """
    parent = list(range(num_jobs))

    def root(job: int) -> int:
        while parent[job] != job:
            parent[job] = parent[parent[job]]
            job = parent[job]
        return job

    first_on = [-1] * num_links
    for job, link in zip(sent.job.tolist(), sent.link.tolist(), strict=True):
        if first_on[link] < 0:
            first_on[link] = job
        else:
            a, b = sorted((root(first_on[link]), root(job)))
            parent[b] = a
    members: dict[int, list[int]] = {}
    for job in range(num_jobs):
        members.setdefault(root(job), []).append(job)
    return [np.array(jobs, np.int64) for jobs in members.values()]


def build_group(scenario: Scenario, jobs: Indices, *, exact: bool, keep_log: bool) -> Group:
    """Build the arrays of some jobs at the start of a simulation.

    Parameters
    ----------
    scenario : Scenario
    jobs : ndarray of int64
        Ascending.
    exact : bool
        Use fractions, each number being the decimal that it is written as.
    keep_log : bool
        Make room for a time line.
    """
    cluster = scenario.cluster
    number, numbers = ("O", _exact) if exact else ("f8", _floats)
    of_group = np.isin(cluster.flow_job, jobs) & (cluster.flow_bytes > 0)
    flows = np.flatnonzero(of_group)
    length = np.diff(scenario.path_start)
    crossed = scenario.path_link[np.repeat(of_group, length)].astype(np.int64)
    links, path = np.unique(crossed, return_inverse=True)
    level = scenario.levels[cluster.flow_job[flows]]

    flow_table = _table(fluid.flow_fields(number), len(flows), number)
    flow_table["volume"] = numbers(cluster.flow_bytes[flows])
    flow_table["last"] = np.cumsum(length[flows])
    flow_table["first"] = flow_table["last"] - length[flows]
    flow_table["job"] = np.searchsorted(jobs, cluster.flow_job[flows])
    flow_table["level"] = level
    flow_table["finish"] = fluid.INF

    on_flow = np.repeat(np.arange(len(flows)), length[flows])
    by_link = np.lexsort((on_flow, -level[on_flow], path))
    link_table = _table(fluid.link_fields(number), len(links), number)
    link_table["bandwidth"] = numbers(cluster.bandwidth[links])
    link_table["first"] = np.searchsorted(path[by_link], np.arange(len(links)))
    link_table["last"] = np.searchsorted(path[by_link], np.arange(len(links)), side="right")
    link_table["dirty"] = -1

    run = _table(fluid.run_fields(number), 1, number)
    run["eps"] = Fraction(0) if exact else EPS
    run["jitter"] = scenario.jitter
    world = fluid.World(
        run=run,
        jobs=_job_table(scenario, jobs, flow_table["job"], number, numbers),
        flows=flow_table,
        links=link_table,
        path=path,
        on=on_flow[by_link],
        log=np.zeros(_FIRST_LOG if keep_log else 0, fluid.LOG_FIELDS).view(np.recarray),
    )
    saved = fluid.Saved(
        world.jobs.copy(), world.flows.copy(), run.copy(), next_step=np.ones(1, np.int64)
    )
    return Group(jobs, flows, world, saved)


def _job_table(
    scenario: Scenario, jobs: Indices, flow_job: Array, number: str, numbers: Any
) -> Array:
    """Before its shift a job has no event but that: there it begins, from iteration -1."""
    cluster = scenario.cluster
    table = _table(fluid.job_fields(number), len(jobs), number)
    table["compute"] = numbers(cluster.compute_s[jobs])
    table["share"] = numbers(np.array([cluster.jobs[j].transfer_start for j in jobs], float))
    if number != "O":
        table["slack_s"] = SLACK * scenario.period[jobs].min()
    table["first"] = np.searchsorted(flow_job, np.arange(len(jobs)))
    table["last"] = np.searchsorted(flow_job, np.arange(len(jobs)), side="right")
    table["begun"] = table["due"] = numbers(scenario.shifts[jobs])
    table["opens"] = table["ends"] = fluid.INF
    table["iterations"] = -1
    seeds = np.random.SeedSequence(scenario.seed).generate_state(cluster.num_jobs, np.uint64)
    table["random"] = seeds[jobs]
    return table


def _table(fields: list[tuple[str, str]], length: int, number: str) -> Array:
    table = np.zeros(length, np.dtype(fields, align=True)).view(np.recarray)
    for name, kind in fields:
        if kind == "O" and number == "O":
            table[name] = Fraction(0)
    return table


def grow_log(group: Group) -> None:
    """Double the room for the time line, and make sure that one event of every flow fits."""
    old = group.world.log
    least = 16 * (len(group.world.jobs) + len(group.world.flows))
    log = np.zeros(2 * len(old) + least, fluid.LOG_FIELDS).view(np.recarray)
    log[: len(old)] = old
    group.world = group.world._replace(log=log)


def _floats(values: Array) -> Array:
    return values.astype(np.float64)


def _exact(values: Array) -> Array:
    result = np.empty(len(values), object)
    result[:] = [Fraction(repr(value)) for value in values.tolist()]
    return result
