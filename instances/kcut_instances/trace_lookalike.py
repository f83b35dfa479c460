"""A generated look-alike of the trace's two tables, with its oddities, for tests and tutorials."""

from __future__ import annotations

import csv
import json
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

from kcut_instances.families.lingjun_cliques import SHARES
from kcut_instances.host_map import HostMap
from kcut_instances.models import fitting_models
from kcut_instances.readers.lingjun_trace import DATE

FIRST_DAY = datetime(2023, 8, 1)
DAYS = 14


def write_lookalike(
    folder: Path, rng: np.random.Generator, hosts: HostMap, *, num_jobs: int = 200
) -> tuple[Path, Path]:
    """Write ``job.csv`` and ``worker.csv`` with the trace's columns and kinds of rows.

    Parameters
    ----------
    folder : Path
    rng : numpy.random.Generator
    hosts : HostMap
    num_jobs : int, optional

    Returns
    -------
    job_csv, worker_csv : Path
        About 15 % of the jobs never ran, every hundredth still runs, every hundredth has a
        corrupt time, and about 14 % of the workers stand on hosts that the map does not have.

    Notes
    -----
    Sizes are the trace's; times, hosts and models are random, so nothing else is like it.
    """
    sizes = list(SHARES)
    weight = np.array(list(SHARES.values()), float)
    job_rows, worker_rows = [], []
    for j, gpus in enumerate(rng.choice(sizes, num_jobs, p=weight / weight.sum()).tolist()):
        options = fitting_models(gpus)
        model = options[int(rng.integers(len(options)))].name if options else "unknown"
        start = FIRST_DAY + timedelta(minutes=int(rng.integers(DAYS * 24 * 60)))
        end = start + timedelta(minutes=1 + int(rng.exponential(600)))
        running, finished = f"{start:{DATE}}", f"{end:{DATE}}"
        if rng.random() < 0.15:
            running = finished = ""
        elif j % 100 == 98:
            finished = "Running"
        elif j % 100 == 99:
            finished = "2023/08/0"
        job_rows.append([str(j), f"job-{j}", model, running, finished])
        for w in range(-(-gpus // 8)):
            host = hosts.hosts[int(rng.integers(hosts.num_hosts))]
            if rng.random() < 0.14:
                host = f"gone-{host[:12]}"
            resources = json.dumps({"cpu": "64", "nvidia.com/gpu": str(min(8, gpus - 8 * w))})
            kind = "Master" if w == 0 else "Worker"
            row = [f"job-{j}", f"job-{j}-{kind.lower()}-{w}", kind, host, running, resources]
            worker_rows.append(row)
    job_header = ["id", "job_name", "model", "gmt_job_running", "gmt_job_finished"]
    worker_header = ["job_name", "worker_name", "replica_type", "host_ip", "gmt_created", "RES"]
    paths = folder / "job.csv", folder / "worker.csv"
    for path, header, rows in zip(
        paths, (job_header, worker_header), (job_rows, worker_rows), strict=True
    ):
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
    return paths
