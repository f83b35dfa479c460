"""The trace's tables are read with their oddities; broken rows are refused or counted."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from kcut import InputError
from kcut.simulate import simulate
from kcut_instances.host_map import lingjun_hosts, read_host_map
from kcut_instances.readers.lingjun_trace import (
    busiest_moment,
    read_trace,
    running_at,
    trace_cluster,
)
from kcut_instances.trace_lookalike import write_lookalike

JOBS = """id,job_name,model,gmt_job_running,gmt_job_finished
1,a,bert,2023/08/01 10:00,2023/08/01 12:00
2,b,gpt3,2023/08/01 11:00,Running
3,c,x,,
4,d,x,2023/08/01 11:00,2023/08/01 11:30
"""
WORKERS = """job_name,worker_name,replica_type,host_ip,gmt_created,RES
a,a-0,Master,HOST0,2023/08/01 10:00,"{""nvidia.com/gpu"": 8}"
a,a-1,Worker,HOST1,2023/08/01 10:00,"{""nvidia.com/gpu"": ""4""}"
b,b-0,Worker,HOST1,2023/08/01 10:00,"{""nvidia.com/gpu"": 4}"
b,b-1,Worker,elsewhere,2023/08/01 10:00,"{""nvidia.com/gpu"": 4}"
d,d-0,Worker,HOST2,2023/08/01 10:00,"{""cpu"": 4}"
"""


def tables(folder: Path, jobs: str = JOBS, workers: str = WORKERS) -> tuple[Path, Path]:
    """Write both tables; HOSTn stands for hosts of the real map."""
    for n in range(3):
        workers = workers.replace(f"HOST{n}", lingjun_hosts().hosts[40 * n])
    paths = folder / "job.csv", folder / "worker.csv"
    paths[0].write_text(jobs, encoding="utf-8")
    paths[1].write_text(workers, encoding="utf-8")
    return paths


def test_reads_the_tables(tmp_path: Path) -> None:
    """Jobs that never ran or have no GPUs are counted apart; the busiest moment is found."""
    trace = read_trace(*tables(tmp_path))
    assert [(job.name, job.gpus) for job in trace.jobs] == [("a", 12), ("b", 8)]
    assert (trace.never_ran, trace.without_gpus, trace.skipped) == (1, 1, ())
    assert busiest_moment(trace) == datetime(2023, 8, 1, 11)
    assert [job.name for job in running_at(trace, datetime(2023, 8, 1, 12))] == ["b"]
    made = trace_cluster(trace, lingjun_hosts())
    assert made.unknown_hosts == 1
    assert made.cluster.gpus.tolist() == [12, 4]
    assert 0 < simulate(made.cluster, horizon_s=10.0).utilisation <= 1
    with pytest.raises(InputError, match="no job runs"):
        trace_cluster(trace, lingjun_hosts(), when=datetime(2022, 1, 1))


@pytest.mark.parametrize(
    ("old", "new", "row", "column"),
    [
        ("2023/08/01 12:00", "2023/08/0", 2, "gmt_job_finished"),
        ("2023/08/01 12:00", "2023/08/01 09:00", 2, "gmt_job_finished"),
        ("1,a,bert,2023/08/01 10:00", "1,a,bert,yesterday", 2, "gmt_job_running"),
        ("2,b,", "2,a,", 3, "job_name"),
        ("2,b,", "2,,", 3, "job_name"),
        ('{""nvidia.com/gpu"": 8}', "{8", 2, "RES"),
        ('{""nvidia.com/gpu"": 8}', "[8]", 2, "RES"),
        ('{""nvidia.com/gpu"": 8}', '{""nvidia.com/gpu"": 8.5}', 2, "RES"),
        ('{""nvidia.com/gpu"": 8}', '{""nvidia.com/gpu"": -1}', 2, "RES"),
        ("b,b-0,Worker,HOST1", "b,b-0,Worker,", 4, "host_ip"),
        ("d,d-0", "z,d-0", 6, "job_name"),
    ],
)
def test_broken_rows(tmp_path: Path, old: str, new: str, row: int, column: str) -> None:
    """A broken row is named with file, row and column, or skipped and reported."""
    paths = tables(tmp_path, JOBS.replace(old, new, 1), WORKERS.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_trace(*paths)
    assert caught.value.field == f"row {row}, column {column}"
    assert caught.value.source in {str(path) for path in paths}
    skipped = read_trace(*paths, skip_bad_rows=True).skipped
    assert caught.value.field in [error.field for error in skipped]


@pytest.mark.parametrize(
    ("old", "new", "row"),
    [
        ("1,a,bert,2023/08/01 10:00", "1,a,bert\n1,a,bert,2023/08/01 10:00", 2),  # cut off
        ("1,a,", "1,a,b,c,", 2),  # a comma in a name that is not quoted
        ('"{""nvidia.com/gpu"": 8}"', '"{"nvidia.com/gpu": 8}"', 2),  # quotes not doubled
        ('"{""nvidia.com/gpu"": 8}"', '"{""nvidia.com/gpu"": 8}",', 2),
    ],
)
def test_rows_that_are_no_rows_of_the_table(tmp_path: Path, old: str, new: str, row: int) -> None:
    """A row with more or fewer fields than the header, or none that is CSV, is a broken row."""
    assert (JOBS + WORKERS).count(old) >= 1
    paths = tables(tmp_path, JOBS.replace(old, new, 1), WORKERS.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        read_trace(*paths)
    assert caught.value.field == f"row {row}"
    assert caught.value.source in {str(path) for path in paths}
    trace = read_trace(*paths, skip_bad_rows=True)
    assert str(caught.value) in map(str, trace.skipped)
    assert "b" in [job.name for job in trace.jobs]


def test_a_column_that_occurs_twice(tmp_path: Path) -> None:
    """Which of two columns of one name is meant cannot be told."""
    jobs, workers = tables(tmp_path, JOBS.replace("id,", "job_name,", 1))
    with pytest.raises(InputError, match="column job_name: the column occurs twice"):
        read_trace(jobs, workers, skip_bad_rows=True)


@pytest.mark.parametrize("column", ["job_name", "model", "gmt_job_running", "gmt_job_finished"])
def test_missing_columns(tmp_path: Path, column: str) -> None:
    """A missing column is refused even where bad rows are skipped."""
    jobs, workers = tables(tmp_path, JOBS.replace(column, "other", 1))
    with pytest.raises(InputError, match=f"column {column}: the column is missing"):
        read_trace(jobs, workers, skip_bad_rows=True)
    with pytest.raises(InputError, match="column worker_name: the column is missing"):
        read_trace(*tables(tmp_path, workers=WORKERS.replace("worker_name", "other", 1)))


def test_lookalike(tmp_path: Path) -> None:
    """The look-alike has the trace's oddities, and gives a cluster that simulates."""
    hosts = lingjun_hosts()
    paths = write_lookalike(tmp_path, np.random.default_rng(0), hosts, num_jobs=300)
    with pytest.raises(InputError, match="column gmt_job_finished"):
        read_trace(*paths)
    trace = read_trace(*paths, skip_bad_rows=True)
    assert 20 < trace.never_ran < 80
    assert any(job.finish is None for job in trace.jobs)
    broken = [error for error in trace.skipped if error.source == str(paths[0])]
    assert 1 <= len(broken) <= 3
    made = trace_cluster(trace, hosts)
    assert made.unknown_hosts > 0
    assert made.cluster.num_jobs > 5


def test_host_map_of_any_path(tmp_path: Path) -> None:
    """A host map is read from any file; missing columns, empty fields and repeats are refused."""
    path = tmp_path / "topo.csv"
    path.write_text("ASW,ip,DSW,PSW\nS1,h1,D,P1\nS1,h2,D,P2\nS1,h3,D,P1\n", encoding="utf-8")
    found = read_host_map(path)
    assert found.hosts == ("h1", "h3", "h2")
    assert found.group.tolist() == [0, 0, 1]
    for text, field in (
        ("ip,DSW,PSW\nh1,D,P\n", "row 1, column ASW"),
        ("ip,DSW,PSW,ASW\nh1,D,P,\n", "row 2, column ASW"),
        ("ip,DSW,PSW,ASW\nh1,D,P,S\nh1,D,P,S\n", "row 3, column ip"),
        ("ip,DSW,PSW,ASW\n", ""),
        ('ip,DSW,PSW,ASW\n"h1,D,P,S\n', "row 2"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError) as caught:
            read_host_map(path)
        assert caught.value.field == field
        assert caught.value.source == str(path)
