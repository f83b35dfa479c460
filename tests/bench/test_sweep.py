"""Tests of sweeps: resumed without loss or repetition, split into shards, summed up."""

from pathlib import Path

import pytest

from kcut import InputError
from kcut_bench.plan import expand
from kcut_bench.spec import parse_spec
from kcut_bench.store import create_store, open_store
from kcut_bench.sweep import Shard, begin_manifest, run_sweep
from tests.bench.plans import InProcess

VOLATILE = {"started_at", "incumbents", "peak_rss_bytes"}


def planned(text):
    """Return specification and plan."""
    spec = parse_spec(text, "small.toml")
    return spec, expand(spec, Path(), "small.toml")


def results(directory):
    """Return the rows without what differs from one execution to the next."""
    rows = {}
    with open_store(directory) as store:
        for row in store.records():
            stable = {
                name: getattr(row, name)
                for name in row.__slots__
                if not name.endswith("_s") and name not in VOLATILE
            }
            rows[row.key] = stable
    return rows


def test_interrupted_sweep_resumes_to_the_same_rows(tmp_path, small_spec):
    """Interrupted twice and resumed, a sweep has the rows of an undisturbed one, each once."""
    _, runs = planned(small_spec)
    with create_store(tmp_path / "whole") as store:
        whole = run_sweep(store, runs, InProcess(), 1)
    news = []
    for after in (4, 3, None):
        with create_store(tmp_path / "parts") as store:
            before = store.finished()
            try:
                run_sweep(store, runs, InProcess(interrupt_after=after), 1)
            except KeyboardInterrupt:
                assert after is not None
            news.append(len(store.finished() - before))
    assert news == [4, 3, len(runs) - 7]
    assert results(tmp_path / "parts") == results(tmp_path / "whole")
    assert (whole.done, whole.new, whole.good) == (len(runs), len(runs), True)


def test_finished_sweep_does_nothing_again(tmp_path, small_spec):
    """A second sweep of the same plan runs nothing and reports the same."""
    _, runs = planned(small_spec)
    with create_store(tmp_path) as store:
        first = run_sweep(store, runs, InProcess(), 1)
        again = run_sweep(store, runs, InProcess(interrupt_after=0), 1)
    assert (again.done, again.new, again.verdicts) == (first.done, 0, first.verdicts)


def test_shards_part_the_plan(tmp_path, small_spec):
    """Every run belongs to exactly one shard, and a shard runs its own alone."""
    _, runs = planned(small_spec)
    shards = [Shard(i, 3) for i in (1, 2, 3)]
    assert all(sum(shard.has(run) for shard in shards) == 1 for run in runs)
    with create_store(tmp_path) as store:
        summary = run_sweep(store, runs, InProcess(), 1, shard=shards[0])
        assert summary.planned == summary.new == len(store.finished())
        assert summary.planned < len(store.planned()) == len(runs)


def test_a_shard_with_nothing_to_do_is_done(tmp_path, small_spec):
    """More shards than runs is no failure of those that get none."""
    runs = expand(parse_spec(small_spec, "s.toml"), tmp_path, "s.toml")[:1]
    count = 1000
    empty = next(s for s in (Shard(1, count), Shard(2, count)) if not s.has(runs[0]))
    with create_store(tmp_path / "store") as store:
        summary = run_sweep(store, runs, InProcess(), 1, shard=empty)
    assert (summary.planned, summary.good) == (0, True)


@pytest.mark.parametrize("text", ["", "1", "0/2", "3/2", "a/b", "1/2/3", "-1/2", "1/0"])
def test_wrong_shard_is_refused(text):
    """A shard is i/n with 1 <= i <= n."""
    with pytest.raises(InputError, match="--shard"):
        Shard.parse(text)


def test_manifest_tells_where_results_come_from(tmp_path, small_spec):
    """The manifest holds command, specification, environment and the hash of every instance."""
    spec, runs = planned(small_spec)
    with create_store(tmp_path) as store:
        for command in (["kcut", "sweep", "a"], ["kcut", "sweep", "b"]):
            begin_manifest(store, spec, small_spec, command)
            run_sweep(store, runs, InProcess(), 1)
        manifest, rows = store.manifest(), list(store.records())
    assert [s["command"][-1] for s in manifest["sessions"]] == ["a", "b"]
    assert manifest["spec"] == small_spec
    assert {"python", "packages", "cpu", "commit", "dirty"} <= manifest.keys()
    assert set(manifest["instances"].values()) == {row.instance_sha256 for row in rows}


def test_store_of_another_study_is_refused(tmp_path, small_spec):
    """Two studies do not share a store, so that neither loses its plan."""
    spec, _ = planned(small_spec)
    other, _ = planned(small_spec.replace('"small"', '"other"'))
    with create_store(tmp_path) as store:
        begin_manifest(store, spec, small_spec, [])
        with pytest.raises(InputError, match="holds the study small, not other"):
            begin_manifest(store, other, small_spec, [])


def test_size_beyond_a_solvers_limit_is_skipped_with_the_reason(tmp_path):
    """max_edges makes a row that says so, and a sweep that solved nothing is not good."""
    text = (
        'name = "s"\n[[instances]]\nfamily = "fig13"\n[[solvers]]\nname = "crux"\nmax_edges = 1\n'
    )
    _, runs = planned(text)
    with create_store(tmp_path) as store:
        summary = run_sweep(store, runs, InProcess(), 1)
        (row,) = store.records()
    assert (row.termination, row.claim, row.value) == ("skipped", "none", None)
    assert "2 edges, more than max_edges = 1" in row.detail
    assert not summary.good
