"""The job and worker tables of the Lingjun trace: who ran where and when, and a cluster of it.

The trace has neither bytes nor iteration times: a job's model is guessed from its name and size and
takes both from `kcut_instances.models`.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kcut import InputError
from kcut.cluster import Cluster
from kcut_instances.collectives import Slot
from kcut_instances.host_fabric import host_map_fabric
from kcut_instances.host_map import HostMap
from kcut_instances.models import guess_model
from kcut_instances.readers.table import Row, read_table, refuse
from kcut_instances.workload import training_job

JOB_COLUMNS = ("job_name", "model", "gmt_job_running", "gmt_job_finished")
WORKER_COLUMNS = ("job_name", "worker_name", "host_ip", "RES")
DATE = "%Y/%m/%d %H:%M"
RUNNING = ("", "Running")
"""What stands for the end of a job that has none yet."""

MAX_GPUS_OF_WORKER = 64


@dataclass(frozen=True, slots=True)
class TraceJob:
    """A job of the trace.

    Attributes
    ----------
    name, model : str
    start : datetime
    finish : datetime or None
        None while it runs.
    workers : tuple of (str, int)
        Host address and GPUs of each worker that has GPUs.
    """

    name: str
    model: str
    start: datetime
    finish: datetime | None
    workers: tuple[tuple[str, int], ...]

    @property
    def gpus(self) -> int:
        """GPUs of all workers."""
        return sum(gpus for _, gpus in self.workers)


@dataclass(frozen=True, slots=True)
class Trace:
    """What the two tables tell.

    Attributes
    ----------
    jobs : tuple of TraceJob
        Those that ran and have a worker with GPUs, in the order of the table.
    never_ran : int
        Jobs without a start.
    without_gpus : int
        Jobs that ran but have no worker with GPUs.
    skipped : tuple of InputError
        What was wrong with each row that was skipped.
    """

    jobs: tuple[TraceJob, ...]
    never_ran: int
    without_gpus: int
    skipped: tuple[InputError, ...]


def read_trace(
    job_csv: str | os.PathLike[str],
    worker_csv: str | os.PathLike[str],
    *,
    skip_bad_rows: bool = False,
) -> Trace:
    """Read the job and worker tables of the trace.

    Parameters
    ----------
    job_csv, worker_csv : str or path-like
        CSV with a header; other columns than `JOB_COLUMNS` and `WORKER_COLUMNS` are ignored.
    skip_bad_rows : bool, optional
        Leave out rows that are broken, and report them, instead of refusing the file.

    Returns
    -------
    Trace

    Raises
    ------
    InputError
        Names the file, the row and the column: a missing column (whatever `skip_bad_rows`), a row
        that is not CSV or has not as many fields as the header, an empty name, a job that occurs
        twice or ends before it starts, a broken date, a worker of an unknown job or without a host,
        RES that is no JSON object or has a broken number of GPUs.
    """
    skipped: list[InputError] = []
    on_bad_row = skipped.append if skip_bad_rows else refuse
    jobs: dict[str, tuple[Row, datetime | None, datetime | None]] = {}
    for row in read_table(job_csv, JOB_COLUMNS, on_bad_row):
        try:
            name = row.text("job_name")
            if name in jobs:
                raise row.error("the job occurs twice", "job_name")
            jobs[name] = (row, *_times(row))
        except InputError as error:
            on_bad_row(error)
    workers: dict[str, list[tuple[str, int]]] = {name: [] for name in jobs}
    for row in read_table(worker_csv, WORKER_COLUMNS, on_bad_row):
        try:
            if row.text("job_name") not in jobs:
                raise row.error("no such job", "job_name")
            gpus = _gpus(row)
            if gpus:
                workers[row["job_name"]].append((row.text("host_ip"), gpus))
        except InputError as error:
            on_bad_row(error)
    ran = [
        TraceJob(name, row["model"], start, finish, tuple(workers[name]))
        for name, (row, start, finish) in jobs.items()
        if start is not None
    ]
    with_gpus = tuple(job for job in ran if job.workers)
    never_ran = len(jobs) - len(ran)
    return Trace(with_gpus, never_ran, len(ran) - len(with_gpus), tuple(skipped))


def running_at(trace: Trace, when: datetime) -> list[TraceJob]:
    """Return the jobs that run at a moment."""
    return [
        job for job in trace.jobs if job.start <= when and (job.finish is None or when < job.finish)
    ]


def busiest_moment(trace: Trace) -> datetime:
    """Return the first moment at which most GPUs are in use; there must be a job."""
    changes = [(job.start, job.gpus) for job in trace.jobs]
    changes += [(job.finish, -job.gpus) for job in trace.jobs if job.finish is not None]
    # At the same minute jobs end before others start.
    used, most, moment = 0, -1, trace.jobs[0].start
    for when, gpus in sorted(changes):
        used += gpus
        if used > most:
            most, moment = used, when
    return moment


@dataclass(frozen=True, slots=True)
class TraceCluster:
    """A cluster made from a trace.

    Attributes
    ----------
    cluster : Cluster
    when : datetime
    unknown_hosts : int
        Workers left out because the map does not have their host.
    """

    cluster: Cluster
    when: datetime
    unknown_hosts: int


def trace_cluster(
    trace: Trace, hosts: HostMap, *, when: datetime | None = None, levels: int = 8
) -> TraceCluster:
    """Build the cluster of the jobs that run at a moment.

    Parameters
    ----------
    trace : Trace
    hosts : HostMap
    when : datetime, optional
        By default the busiest moment.
    levels : int, optional

    Returns
    -------
    TraceCluster
        A worker's GPUs take the PCIe switches of its host one after the other, from the one after
        those of earlier workers, around and again where a host has more GPUs in use than it has.

    Raises
    ------
    InputError
        If no job runs then on a host of the map.
    """
    if not trace.jobs:
        raise InputError("no job ran", "job_csv")
    moment = busiest_moment(trace) if when is None else when
    fabric = host_map_fabric(hosts)
    index = {address: h for h, address in enumerate(hosts.hosts)}
    used = dict.fromkeys(range(len(fabric.hosts)), 0)
    unknown = 0
    jobs = []
    for job in running_at(trace, moment):
        placed: dict[tuple[int, str], int] = {}
        for address, gpus in job.workers:
            if address not in index:
                unknown += 1
                continue
            host = index[address]
            for _ in range(gpus):
                ports = fabric.hosts[host].ports
                port = ports[used[host] // fabric.hosts[host].gpus_per_port % len(ports)]
                used[host] += 1
                placed[host, port] = placed.get((host, port), 0) + 1
        if placed:
            slots = [Slot(host, port, gpus) for (host, port), gpus in sorted(placed.items())]
            model = guess_model(job.model, sum(placed.values()))
            jobs.append(training_job(job.name, model, slots))
    if not jobs:
        raise InputError("no job runs then on a host of the map", "when", f"{moment:{DATE}}")
    name = f"lingjun-trace,{moment:%Y-%m-%dT%H:%M}"
    cluster = Cluster.build(fabric.links, jobs, levels=levels, name=name)
    return TraceCluster(cluster, moment, unknown)


def _times(row: Row) -> tuple[datetime | None, datetime | None]:
    if not row["gmt_job_running"]:
        return None, None
    start = _date(row, "gmt_job_running")
    if row["gmt_job_finished"] in RUNNING:
        return start, None
    finish = _date(row, "gmt_job_finished")
    if finish < start:
        raise row.error("ends before it starts", "gmt_job_finished")
    return start, finish


def _date(row: Row, column: str) -> datetime:
    try:
        return datetime.strptime(row[column], DATE)
    except ValueError:
        raise row.error(f"must be a date like 2023/08/01 12:00 ({DATE})", column) from None


def _gpus(row: Row) -> int:
    try:
        resources: Any = json.loads(row["RES"])
    except (ValueError, RecursionError):
        raise row.error("must be JSON", "RES") from None
    if not isinstance(resources, dict):
        raise row.error("must be a JSON object", "RES")
    count = resources.get("nvidia.com/gpu", 0)
    if isinstance(count, str) and count.isascii() and count.isdigit() and len(count) < 10:
        count = int(count)
    if isinstance(count, bool) or not isinstance(count, int):
        raise row.error("nvidia.com/gpu must be an integer", "RES")
    if not 0 <= count <= MAX_GPUS_OF_WORKER:
        raise row.error(f"nvidia.com/gpu must be between 0 and {MAX_GPUS_OF_WORKER}", "RES")
    return count
