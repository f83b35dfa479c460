"""Tests of ``kcut trace``: the tables of the Lingjun trace become a cluster like others."""

import json

import numpy as np
import pytest

from kcut_instances.host_map import lingjun_hosts
from kcut_instances.readers import read_cluster
from kcut_instances.trace_lookalike import write_lookalike

TRACE = ("trace", "job.csv", "worker.csv", "-o", "t.json")
SKIP = (*TRACE, "--skip-bad-rows")


@pytest.fixture(autouse=True)
def lookalike(tmp_path):
    """Write a look-alike of the trace: its hundredth job has a corrupt time."""
    write_lookalike(tmp_path, np.random.default_rng(1), lingjun_hosts(), num_jobs=120)


def test_broken_rows_are_refused_or_counted(kcut_here, tmp_path):
    """A corrupt time ends the command, naming row and column, or is skipped and told."""
    code, out, err = kcut_here(*TRACE)
    assert (code, out) == (2, "")
    assert err.startswith("kcut: job.csv: row 101, column gmt_job_finished: must be a date")
    assert not (tmp_path / "t.json").exists()
    code, out, err = kcut_here(*SKIP, "--json")
    told = json.loads(out)
    skipped = [line for line in err.splitlines() if line.startswith("kcut: skipped: ")]
    assert code == 0
    assert told["bad_rows_skipped"] == len(skipped) > 0
    assert "row 101, column gmt_job_finished" in err


def test_the_cluster_simulates(kcut_here, tmp_path):
    """What is written is read back with the digest told, and simulates."""
    _, out, _ = kcut_here(*SKIP, "--levels", 4, "--json")
    told = json.loads(out)
    cluster = read_cluster(tmp_path / "t.json")
    assert (cluster.sha256, cluster.levels) == (told["instance_sha256"], 4)
    assert (cluster.num_jobs, cluster.gpus.sum()) == (told["num_jobs"], told["num_gpus"])
    code, out, _ = kcut_here("simulate", "t.json", "--horizon", 5, "--json")
    assert code == 0
    assert 0 < json.loads(out)["utilisation"] <= 1


def test_another_moment_and_another_map(kcut_here, tmp_path):
    """``--at`` chooses the moment, ``--hosts`` the map; workers elsewhere are counted."""
    _, out, _ = kcut_here(*SKIP, "--json")
    busiest = json.loads(out)
    _, out, _ = kcut_here(*SKIP, "--at", busiest["at"], "--json")
    assert json.loads(out) == busiest
    rows = [f"{host},D,P,S" for host in lingjun_hosts().hosts[:400]]
    (tmp_path / "topo.csv").write_text("\n".join(["ip,DSW,PSW,ASW", *rows, ""]))
    _, out, _ = kcut_here(*SKIP, "--hosts", "topo.csv", "--json")
    assert json.loads(out)["workers_on_unknown_hosts"] > busiest["workers_on_unknown_hosts"]
    code, out, _ = kcut_here(*SKIP)
    assert code == 0
    assert f"{busiest['bad_rows_skipped']} bad rows skipped" in out


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--at", "noon"), "--at: must be a time like 2023-08-01T12:00 (got 'noon')"),
        (("--at", "2023-08-01T12:00+02:00"), "--at: must be a time without a zone"),
        (("--at", "1999-01-01"), "when: no job runs then on a host of the map"),
        (("--levels", "0"), "--levels: must be between 1 and"),
        (("--hosts", "missing.csv"), "missing.csv: "),
        (("--hosts", "job.csv"), "job.csv: row 1, column ip: the column is missing"),
        (("-o", "t.csv"), "-o: must end in .json or .json.gz (got 't.csv')"),
    ],
)
def test_bad_usage(kcut_here, words, complaint):
    """One line on standard error says what is wrong where, and nothing is written."""
    code, out, err = kcut_here(*SKIP, *words)
    assert (code, out) == (2, "")
    assert complaint in err
    assert err.count("\n") == 1


def test_missing_column(kcut_here, tmp_path):
    """A missing column is an error whether bad rows are skipped or not."""
    text = (tmp_path / "worker.csv").read_text().replace("host_ip", "host", 1)
    (tmp_path / "worker.csv").write_text(text)
    code, _, err = kcut_here(*SKIP)
    assert (code, "worker.csv: row 1, column host_ip: the column is missing" in err) == (2, True)
