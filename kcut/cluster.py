"""The cluster Crux schedules: directed links, jobs, their flows and the paths these may take.

Every link e has a bandwidth B_e. Job j computes for c_j seconds on G_j GPUs (W_j work), and sends
the bytes of its flows once an iteration, each flow on one of its candidate paths.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.compression import MAX_LEVELS
from kcut.errors import InputError
from kcut.routes import Routes, RouteTable, ecmp

KINDS = ("network", "pcie")
"""Kinds of links."""

EDGE_WEIGHTS = ("intensity", "replay")
"""What an edge of the contention DAG may weigh."""

MAX_GPUS = 1_000_000_000
"""Most GPUs of a job."""

MAX_WORK = 1e200
"""Most work of an iteration, and largest stated intensity, so that sums of them are finite."""

MIN_SECONDS, MAX_SECONDS = 1e-12, 1e12
"""Shortest and longest computation or transfer, so that sums of times are finite and change."""

PathChoice = Sequence[int] | Sequence[Sequence[int]] | NDArray[np.integer[Any]]


@dataclass(frozen=True, slots=True)
class Link:
    """A directed link.

    Attributes
    ----------
    name, source, target : str
        Nodes are what links name as their ends.
    bandwidth : float
        Bytes per second, positive and finite.
    kind : {'network', 'pcie'}
        Whether it lies between or inside hosts.
    """

    name: str
    source: str
    target: str
    bandwidth: float
    kind: str = "network"


@dataclass(frozen=True, slots=True)
class Flow:
    """Bytes a job sends from one node to another in each iteration.

    Attributes
    ----------
    source, target : str
    bytes : float
        Not negative.
    paths : tuple of tuple of str, or None
        Candidate paths as link names; None stands for all shortest paths.
    """

    source: str
    target: str
    bytes: float
    paths: tuple[tuple[str, ...], ...] | None = None


@dataclass(frozen=True, slots=True)
class Job:
    """A training job.

    Attributes
    ----------
    name : str
    gpus : int
        G_j.
    compute_s : float
        c_j, seconds of computation in an iteration.
    work : float
        W_j, flop in an iteration, over all its GPUs.
    flows : tuple of Flow
    transfer_start : float
        Share of the computation after which the transfer may begin, 0 to 1; 1 = no overlap.
    intensity : float or None
        I_j where it is stated rather than derived from the traffic.
    """

    name: str
    gpus: int
    compute_s: float
    work: float
    flows: tuple[Flow, ...] = ()
    transfer_start: float = 1.0
    intensity: float | None = None


@dataclass(frozen=True, eq=False)
class Cluster:
    """A fabric and its jobs; valid once it exists. Build one with `build`, which checks all.

    Attributes
    ----------
    name : str
    levels : int
        K, the number of priority levels.
    links : tuple of Link
    jobs : tuple of Job
    bandwidth : ndarray of float64, shape (num_links,)
        B_e in bytes per second.
    flow_job : ndarray of int32, shape (num_flows,)
        The job of each flow; flows are numbered job by job.
    flow_bytes : ndarray of float64, shape (num_flows,)
    routes : Routes
        The candidate paths of all flows.
    weights : {'intensity', 'replay'}
        What the edges of the contention DAG weigh, see `kcut.contention.contention_dag`.
    """

    name: str
    levels: int
    links: tuple[Link, ...]
    jobs: tuple[Job, ...]
    bandwidth: NDArray[np.float64]
    flow_job: NDArray[np.int32]
    flow_bytes: NDArray[np.float64]
    routes: Routes
    weights: str = EDGE_WEIGHTS[0]

    @classmethod
    def build(
        cls, links: Iterable[Link], jobs: Iterable[Job], *, levels: int, name: str = "unnamed"
    ) -> Cluster:
        """Check the parts of a cluster and build it.

        Parameters
        ----------
        links : iterable of Link
        jobs : iterable of Job
            At least one.
        levels : int
            K, 1 to `kcut.compression.MAX_LEVELS`.
        name : str, optional

        Returns
        -------
        Cluster

        Raises
        ------
        InputError
            Names the field and the value: a number that is NaN, infinite, of the wrong type or
            out of range (bandwidths must be positive), duplicate names, a flow between unknown
            nodes, a flow without a path, a path that names no link, does not connect or repeats
            a link, a computation or a transfer outside `MIN_SECONDS` to `MAX_SECONDS` (0 is none),
            a job that neither computes nor sends, too many candidate paths.

        Notes
        -----
        Shortest paths are found once for each pair of nodes.
        """
        links, jobs = tuple(links), tuple(jobs)
        _check_num_levels(levels)
        links = tuple(_checked_link(link, f"links[{i}]") for i, link in enumerate(links))
        _check_names([link.name for link in links], "links")
        if not jobs:
            raise InputError("must not be empty", "jobs", [])
        jobs = tuple(_checked_job(job, f"jobs[{j}]") for j, job in enumerate(jobs))
        _check_names([job.name for job in jobs], "jobs")
        flows = [(j, i, flow) for j, job in enumerate(jobs) for i, flow in enumerate(job.flows)]
        table = RouteTable([(link.name, link.source, link.target) for link in links])
        candidates = [
            table.candidates(flow.source, flow.target, flow.paths, f"jobs[{j}].flows[{i}]")
            for j, i, flow in flows
        ]
        bandwidth = np.array([link.bandwidth for link in links], np.float64)
        flow_job = np.array([j for j, _, _ in flows], np.int32)
        flow_bytes = np.array([flow.bytes for _, _, flow in flows], np.float64)
        for array in (bandwidth, flow_job, flow_bytes):
            array.flags.writeable = False
        routes = Routes.pack(candidates)
        _check_durations(flows, routes, bandwidth)
        return cls(name, levels, links, jobs, bandwidth, flow_job, flow_bytes, routes)

    @property
    def num_links(self) -> int:
        """Number of links."""
        return len(self.links)

    @property
    def num_jobs(self) -> int:
        """Number of jobs."""
        return len(self.jobs)

    @property
    def num_flows(self) -> int:
        """Number of flows of all jobs."""
        return len(self.flow_job)

    @cached_property
    def gpus(self) -> NDArray[np.int64]:
        """G_j, shape (num_jobs,)."""
        return np.array([job.gpus for job in self.jobs], np.int64)

    @cached_property
    def compute_s(self) -> NDArray[np.float64]:
        """c_j in seconds, shape (num_jobs,)."""
        return np.array([job.compute_s for job in self.jobs], np.float64)

    @cached_property
    def work(self) -> NDArray[np.float64]:
        """W_j in flop, shape (num_jobs,)."""
        return np.array([job.work for job in self.jobs], np.float64)

    @cached_property
    def sha256(self) -> str:
        """Digest of links, jobs, flows and stated paths, not of name, K and weights."""
        digest = hashlib.sha256(b"kcut/cluster/1")
        for link in self.links:
            digest.update(repr(link).encode())
        for job in self.jobs:
            digest.update(repr(job).encode())
        return digest.hexdigest()

    def path_choice(self, paths: PathChoice | None) -> NDArray[np.int64]:
        """Check a choice of a candidate for each flow.

        Parameters
        ----------
        paths : sequence of int, or a sequence of them for each job, or None
            Candidate indices, 0-based, for all flows in a row or job by job. None draws them by
            ECMP hashing with seed 0, see `kcut.routes.ecmp`.

        Returns
        -------
        ndarray of int64, shape (num_flows,)

        Raises
        ------
        InputError
            If the shape is wrong or an index names no candidate of its flow.
        """
        if paths is None:
            return ecmp(self.routes, np.random.default_rng(0))
        return _check_choice(self, paths)

    def with_levels(self, levels: int) -> Cluster:
        """Return the same cluster with another number of levels."""
        _check_num_levels(levels)
        return replace(self, levels=levels)

    def with_weights(self, weights: str) -> Cluster:
        """Return the same cluster with other weights of the contention DAG."""
        if weights not in EDGE_WEIGHTS:
            raise InputError(f"must be one of {', '.join(EDGE_WEIGHTS)}", "weights", weights)
        return replace(self, weights=weights)


def _check_num_levels(levels: Any) -> None:
    if isinstance(levels, bool) or not isinstance(levels, int):
        raise InputError("must be an integer", "levels", levels)
    if not 1 <= levels <= MAX_LEVELS:
        raise InputError(f"must be between 1 and {MAX_LEVELS:,}", "levels", levels)


def _checked_link(link: Link, field: str) -> Link:
    for part in ("name", "source", "target"):
        _check_text(getattr(link, part), f"{field}.{part}")
    if link.source == link.target:
        raise InputError("joins a node to itself", f"{field}.target", link.target)
    if link.kind not in KINDS:
        raise InputError(f"must be one of {', '.join(KINDS)}", f"{field}.kind", link.kind)
    bandwidth = check_number(link.bandwidth, f"{field}.bandwidth", positive=True)
    return replace(link, bandwidth=bandwidth)


def _checked_job(job: Job, field: str) -> Job:
    _check_text(job.name, f"{field}.name")
    integer = isinstance(job.gpus, int) and not isinstance(job.gpus, bool)
    if not integer or not 1 <= job.gpus <= MAX_GPUS:
        message = f"must be an integer between 1 and {MAX_GPUS:,}"
        raise InputError(message, f"{field}.gpus", job.gpus)
    start = check_number(job.transfer_start, f"{field}.transfer_start")
    if start > 1:
        raise InputError("must be between 0 and 1", f"{field}.transfer_start", job.transfer_start)
    stated = job.intensity
    flows = tuple(
        replace(flow, bytes=check_number(flow.bytes, f"{field}.flows[{i}].bytes"))
        for i, flow in enumerate(job.flows)
    )
    compute_s = check_number(job.compute_s, f"{field}.compute_s", most=MAX_SECONDS)
    if 0 < compute_s < MIN_SECONDS:
        raise InputError(f"must be 0 or at least {MIN_SECONDS:g}", f"{field}.compute_s", compute_s)
    if stated is not None:
        stated = check_number(stated, f"{field}.intensity", most=MAX_WORK)
    work = check_number(job.work, f"{field}.work", most=MAX_WORK)
    checked = replace(
        job,
        compute_s=compute_s,
        work=work,
        transfer_start=start,
        intensity=stated,
        flows=flows,
    )
    if checked.compute_s == 0 and not any(flow.bytes > 0 for flow in flows):
        raise InputError("neither computes nor sends", f"{field}.compute_s", job.compute_s)
    return checked


def _check_durations(
    flows: list[tuple[int, int, Flow]], routes: Routes, bandwidth: NDArray[np.float64]
) -> None:
    """Refuse a flow that takes less than `MIN_SECONDS` or more than `MAX_SECONDS` on a link."""
    for f, (j, i, flow) in enumerate(flows):
        first, last = routes.start[routes.first[f]], routes.start[routes.first[f + 1]]
        crossed = bandwidth[routes.link[first:last]]
        slowest, fastest = float(crossed.min()), float(crossed.max())
        takes = flow.bytes / fastest >= MIN_SECONDS and flow.bytes / MAX_SECONDS <= slowest
        if flow.bytes and not takes:
            message = f"takes not 1e-12 to 1e12 s at {slowest:g} to {fastest:g} bytes a second"
            raise InputError(message, f"jobs[{j}].flows[{i}].bytes", flow.bytes)


def _check_text(text: Any, field: str) -> None:
    if not isinstance(text, str) or not text:
        raise InputError("must be a text that is not empty", field, text)


def check_number(
    number: Any, field: str, *, positive: bool = False, most: float = math.inf
) -> float:
    """Return a number as a float; raise `InputError` unless finite, not negative (or positive)."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise InputError("must be a number", field, number)
    least = "positive" if positive else "not negative"
    try:
        checked = float(number)
    except OverflowError:
        raise InputError(f"must be finite and {least}", field, number) from None
    if not math.isfinite(checked) or checked < 0 or (positive and checked == 0):
        raise InputError(f"must be finite and {least}", field, number)
    if checked > most:
        raise InputError(f"must be at most {most:g}", field, number)
    return checked


def _check_names(names: list[str], field: str) -> None:
    seen: set[str] = set()
    for i, name in enumerate(names):
        if name in seen:
            raise InputError("a duplicate name", f"{field}[{i}].name", name)
        seen.add(name)


def _check_choice(cluster: Cluster, paths: PathChoice) -> NDArray[np.int64]:
    rows: list[Any] = list(paths)
    flat = rows
    if any(isinstance(row, list | tuple | np.ndarray) for row in rows):
        if len(rows) != cluster.num_jobs:
            raise InputError(f"must list all {cluster.num_jobs} jobs", "paths", len(rows))
        for j, (row, job) in enumerate(zip(rows, cluster.jobs, strict=True)):
            if len(row) != len(job.flows):
                message = f"must list a candidate for each of {len(job.flows)} flows"
                raise InputError(message, f"paths[{j}]", list(row))
        flat = [choice for row in rows for choice in row]
    if len(flat) != cluster.num_flows:
        message = f"must list a candidate for each of {cluster.num_flows} flows"
        raise InputError(message, "paths", len(flat))
    for f, (choice, most) in enumerate(zip(flat, cluster.routes.num_candidates, strict=True)):
        integer = isinstance(choice, int | np.integer) and not isinstance(choice, bool)
        if not integer or not 0 <= choice < most:
            raise InputError(f"no candidate of 0..{most - 1}", f"paths (flow {f})", choice)
    return np.array(flat, np.int64)
