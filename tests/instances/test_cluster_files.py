"""Clusters are written and read without loss; what is broken is refused in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kcut import InputError
from kcut.cluster import Cluster, Flow, Job, Link
from kcut.simulate import simulate
from kcut_instances.readers import read_cluster, read_instance, write_cluster

GOOD: dict[str, Any] = {
    "format": "kcut/cluster",
    "version": 1,
    "name": "example 1",
    "levels": 2,
    "links": [{"name": "e", "source": "a", "target": "b", "bandwidth": 1}],
    "jobs": [
        {
            "name": f"J{i}",
            "gpus": 10,
            "compute_s": seconds,
            "work": 5.0 * seconds,
            "flows": [{"source": "a", "target": "b", "bytes": seconds}],
        }
        for i, seconds in ((1, 2), (2, 1))
    ],
}


def written(tmp_path: Path, text: str) -> Path:
    """Write a file and return its path."""
    path = tmp_path / "cluster.json"
    path.write_text(text, encoding="utf-8")
    return path


def changed(where: str, value: Any) -> str:
    """Return the good document with one field replaced, such as ``jobs.0.gpus``, or removed."""
    document = json.loads(json.dumps(GOOD))
    target = document
    *parents, last = where.split(".")
    for key in parents:
        target = target[int(key)] if key.isdigit() else target[key]
    if value is None:
        del target[last]
    else:
        target[int(last) if last.isdigit() else last] = value
    return json.dumps(document)


def test_example_1_from_a_file(tmp_path: Path) -> None:
    """The paper's Example 1 as a file simulates to the paper's numbers; integers are numbers."""
    cluster = read_instance(written(tmp_path, json.dumps(GOOD)))
    assert isinstance(cluster, Cluster)
    assert simulate(cluster, [1, 0]).utilisation == pytest.approx(0.375)
    assert read_instance(written(tmp_path, json.dumps(GOOD)), levels=5).levels == 5


@pytest.mark.parametrize("suffix", [".json", ".json.gz"])
def test_round_trip(tmp_path: Path, suffix: str) -> None:
    """Names, kinds, paths, overlap and stated intensities survive; so does the digest."""
    links = [
        Link("x é", "a", "b", 1.5e9),
        Link("y", "b", "c", 2.0, "pcie"),
        Link("z", "a", "b", 1.0),
    ]
    flows = (Flow("a", "c", 3.0, (("x é", "y"), ("z", "y"))), Flow("a", "c", 0.1))
    jobs = [Job("one", 3, 0.1, 1e15, flows, 0.25, 7.5), Job("two", 1, 1.0, 0.0)]
    cluster = Cluster.build(links, jobs, levels=3, name='with "quotes"')
    path = tmp_path / f"cluster{suffix}"
    write_cluster(cluster, path)
    again = read_cluster(path)
    assert (again.name, again.levels, again.links, again.jobs) == (
        cluster.name,
        cluster.levels,
        cluster.links,
        cluster.jobs,
    )
    assert again.sha256 == cluster.sha256


@pytest.mark.parametrize(
    ("text", "field"),
    [
        (changed("jobs.0.gpus", 1.5), "jobs[0].gpus"),
        (changed("jobs.0.gpus", True), "jobs[0].gpus"),
        (changed("jobs.1.compute_s", "1"), "jobs[1].compute_s"),
        (changed("jobs.1.compute_s", None), "jobs[1].compute_s"),
        (changed("jobs.1.speed", 1), "jobs[1].speed"),
        (changed("jobs.1.flows.0.bytes", -1), "jobs[1].flows[0].bytes"),
        (changed("jobs.1.flows.0.size", 1), "jobs[1].flows[0].size"),
        (changed("jobs.0.flows.0.paths", []), "jobs[0].flows[0].paths"),
        (changed("jobs.0.flows.0.paths", [["f"]]), "jobs[0].flows[0].paths[0][0]"),
        (changed("jobs.0.flows.0.target", "c"), "jobs[0].flows[0].target"),
        (changed("jobs.0.transfer_start", 1.01), "jobs[0].transfer_start"),
        (changed("jobs.1.name", "J1"), "jobs[1].name"),
        (changed("links.0.bandwidth", 0), "links[0].bandwidth"),
        (changed("links.0.bandwidth", -5), "links[0].bandwidth"),
        (changed("links.0.bandwidth", 10**400), "links[0].bandwidth"),
        (changed("links.0.kind", "usb"), "links[0].kind"),
        (changed("levels", 0), "levels"),
        (changed("version", 2), "version"),
        (changed("format", "kcut/cloud"), "format"),
        (changed("links.0.bandwidth", 7).replace("7", "NaN"), "links[0].bandwidth"),
        (changed("links.0.bandwidth", 7).replace("7", "1e999"), "links[0].bandwidth"),
        (json.dumps(GOOD).replace('"gpus": 10', '"gpus": 10, "gpus": 11', 1), "gpus"),
    ],
)
def test_refusals(tmp_path: Path, text: str, field: str) -> None:
    """A broken file is refused in one line with the file, the field's path and the value."""
    path = written(tmp_path, text)
    with pytest.raises(InputError) as caught:
        read_instance(path)
    assert caught.value.field == field
    assert str(caught.value).startswith(f"{path}: {field}: ")
    assert "\n" not in str(caught.value)
