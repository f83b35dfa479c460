"""From a cluster to the arrays of the fluid model: one set for each group of contending jobs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster
from kcut.fluid import INF, Model, Scratch, State
from kcut.intensity import Traffic

EPS = 1e-13
"""Events closer than this share of the time, and rates closer than this share, are equal."""

SLACK = 1e-9
"""States are equal up to this share of a job's iteration time alone."""

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
    jobs, flows, links : ndarray of int64
        What job, flow and link 0, 1, ... of the model are in the cluster.
    model, state, saved, scratch
        See `kcut.fluid`.
    """

    jobs: Indices
    flows: Indices
    links: Indices
    model: Model
    state: State
    saved: State
    scratch: Scratch


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
    of_group = np.isin(cluster.flow_job, jobs) & (cluster.flow_bytes > 0)
    flows = np.flatnonzero(of_group)
    length = np.diff(scenario.path_start)
    crossed = scenario.path_link[np.repeat(of_group, length)].astype(np.int64)
    links, path_link = np.unique(crossed, return_inverse=True)
    path_start = np.concatenate([[0], np.cumsum(length[flows])])
    flow_job = np.searchsorted(jobs, cluster.flow_job[flows])
    by_link = np.argsort(path_link, kind="stable")
    on_flow = np.repeat(np.arange(len(flows)), length[flows])[by_link]
    on_start = np.searchsorted(path_link[by_link], np.arange(len(links) + 1))
    numbers = _exact if exact else _floats
    slack = 0 * scenario.period[jobs] if exact else SLACK * scenario.period[jobs]
    model = Model(
        compute=numbers(cluster.compute_s[jobs]),
        share=numbers(np.array([cluster.jobs[j].transfer_start for j in jobs])),
        flow_first=np.searchsorted(flow_job, np.arange(len(jobs) + 1)),
        flow_job=flow_job,
        level=scenario.levels[jobs][flow_job],
        size=numbers(cluster.flow_bytes[flows]),
        path_start=path_start,
        path_link=path_link,
        bandwidth=numbers(cluster.bandwidth[links]),
        on_start=on_start,
        on_flow=on_flow,
        slack_s=numbers(slack),
        eps=Fraction(0) if exact else EPS,
        jitter=scenario.jitter,
    )
    seeds = np.random.SeedSequence(scenario.seed).generate_state(cluster.num_jobs, np.uint64)
    state = _state(model, numbers(scenario.shifts[jobs]), numbers, seeds[jobs])
    saved = State(*[array.copy() for array in state])
    scratch = _scratch(model, numbers, _FIRST_LOG + 16 * len(jobs) + 16 * len(flows))
    if not keep_log:
        scratch = _with_log(scratch, 0)
    return Group(jobs, flows, links, model, state, saved, scratch)


def grow_log(group: Group) -> None:
    """Double the room for the time line."""
    group.scratch = _with_log(group.scratch, 2 * len(group.scratch.log_time))


def _floats(values: Array) -> Array:
    return values.astype(np.float64)


def _exact(values: Array) -> Array:
    result = np.empty(len(values), object)
    result[:] = [Fraction(repr(value)) for value in values.tolist()]
    return result


def _state(model: Model, shifts: Array, numbers: Any, seeds: Array) -> State:
    num_jobs, num_flows = len(model.compute), len(model.size)
    none = numbers(np.zeros(num_flows))
    # Before its shift a job has no event but its due time: there it begins, from iteration -1.
    idle, never = (numbers(np.ones(n)) * INF for n in (num_jobs, num_flows))
    return State(
        now=numbers(np.zeros(1)),
        begun=shifts.copy(),
        opens=idle.copy(),
        ends=idle,
        due=shifts.copy(),
        left=np.zeros(num_jobs, np.int64),
        iterations=np.full(num_jobs, -1),
        spent=numbers(np.zeros(num_jobs)),
        computed=numbers(np.zeros(num_jobs)),
        random=seeds.copy(),
        active=np.zeros(num_flows, np.int8),
        remaining=none.copy(),
        rate=none.copy(),
        since=none.copy(),
        finish=never,
        delivered=np.zeros(num_flows, np.int64),
        counter=np.array([0, 0, 1]),
    )


def _scratch(model: Model, numbers: Any, log_lines: int) -> Scratch:
    num_jobs, num_flows, num_links = len(model.compute), len(model.size), len(model.bandwidth)
    return Scratch(
        num=np.zeros(6, np.int64),
        dirty=np.zeros(num_links, np.int64),
        dirty_level=np.full(num_links, -1),
        links=np.zeros(num_links, np.int64),
        link_mark=np.zeros(num_links, np.int64),
        flows=np.zeros(num_flows, np.int64),
        flow_mark=np.zeros(num_flows, np.int64),
        touched=np.zeros(num_jobs, np.int64),
        job_mark=np.zeros(num_jobs, np.int8),
        free=numbers(np.zeros(num_links)),
        unfixed=np.zeros(num_links, np.int64).astype(numbers(np.zeros(0)).dtype),
        fair=numbers(np.zeros(num_links)),
        bottleneck=np.zeros(num_links, np.int8),
        tightest=numbers(np.zeros(num_flows)),
        target=numbers(np.zeros(num_flows)),
        log_time=np.zeros(log_lines),
        log_what=np.zeros(log_lines, np.int64),
        log_value=np.zeros(log_lines),
    )


def _with_log(scratch: Scratch, lines: int) -> Scratch:
    def resized(old: Array) -> Array:
        new = np.zeros(lines, old.dtype)
        kept = min(lines, len(old))
        new[:kept] = old[:kept]
        return new

    return scratch._replace(
        log_time=resized(scratch.log_time),
        log_what=resized(scratch.log_what),
        log_value=resized(scratch.log_value),
    )
