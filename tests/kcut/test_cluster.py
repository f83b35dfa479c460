"""A cluster is checked when it is built; traffic, intensity and contention follow from it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcut import InputError, cut_value
from kcut.cluster import Cluster, Flow, Job, Link
from kcut.contention import contention_dag, weight_unit
from kcut.intensity import (
    bottleneck,
    even_split_traffic,
    exposure,
    intensities,
    link_loads,
    period_alone,
    traffic,
)
from tests.kcut.clusters import example1, random_cluster

LINKS = (
    Link("a-s", "a", "s", 10.0),
    Link("a-t", "a", "t", 5.0),
    Link("s-b", "s", "b", 10.0),
    Link("t-b", "t", "b", 5.0),
    Link("a-p", "a", "p", 1.0, "pcie"),
)
FLOW = Flow("a", "b", 20.0)
JOB = Job("one", 8, 1.0, 40.0, (FLOW,))


def build(
    links: tuple[Link, ...] = LINKS, jobs: tuple[Job, ...] = (JOB,), levels: Any = 2
) -> Cluster:
    """Build a cluster from the good parts, with some of them replaced."""
    return Cluster.build(links, jobs, levels=levels, name="good")


def with_flow(**changes: Any) -> tuple[Job, ...]:
    """Return the good job with a changed flow."""
    return (replace(JOB, flows=(replace(FLOW, **changes),)),)


NAN, INF = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("parts", "field", "value"),
    [
        ({"links": (replace(LINKS[0], bandwidth=0.0),)}, "links[0].bandwidth", 0.0),
        ({"links": (*LINKS, Link("x", "a", "b", -1.0))}, "links[5].bandwidth", -1.0),
        ({"links": (Link("x", "a", "b", INF),)}, "links[0].bandwidth", INF),
        ({"links": (Link("x", "a", "b", 10**400),)}, "links[0].bandwidth", 10**400),
        ({"links": (Link("x", "a", "b", True),)}, "links[0].bandwidth", True),
        ({"links": (Link("", "a", "b", 1.0),)}, "links[0].name", ""),
        ({"links": (Link("x", "a", "a", 1.0),)}, "links[0].target", "a"),
        ({"links": (Link("x", "a", "b", 1.0, "usb"),)}, "links[0].kind", "usb"),
        ({"links": (*LINKS, LINKS[0])}, "links[5].name", "a-s"),
        ({"jobs": ()}, "jobs", []),
        ({"jobs": (JOB, JOB)}, "jobs[1].name", "one"),
        ({"jobs": (replace(JOB, gpus=0),)}, "jobs[0].gpus", 0),
        ({"jobs": (replace(JOB, gpus=2.0),)}, "jobs[0].gpus", 2.0),
        ({"jobs": (replace(JOB, gpus=True),)}, "jobs[0].gpus", True),
        ({"jobs": (replace(JOB, compute_s=-1.0),)}, "jobs[0].compute_s", -1.0),
        ({"jobs": (replace(JOB, work=INF),)}, "jobs[0].work", INF),
        ({"jobs": (replace(JOB, transfer_start=1.5),)}, "jobs[0].transfer_start", 1.5),
        ({"jobs": (replace(JOB, transfer_start=-0.5),)}, "jobs[0].transfer_start", -0.5),
        ({"jobs": (replace(JOB, intensity=-1.0),)}, "jobs[0].intensity", -1.0),
        ({"jobs": (Job("idle", 1, 0.0, 0.0),)}, "jobs[0].compute_s", 0.0),
        ({"jobs": with_flow(bytes=-1.0)}, "jobs[0].flows[0].bytes", -1.0),
        ({"jobs": with_flow(bytes="many")}, "jobs[0].flows[0].bytes", "many"),
        ({"jobs": with_flow(source="z")}, "jobs[0].flows[0].source", "z"),
        ({"jobs": with_flow(target="z")}, "jobs[0].flows[0].target", "z"),
        ({"jobs": with_flow(target="a")}, "jobs[0].flows[0].target", "a"),
        ({"jobs": with_flow(source="b", target="a")}, "jobs[0].flows[0].target", "a"),
        ({"jobs": with_flow(paths=())}, "jobs[0].flows[0].paths", ()),
        ({"jobs": with_flow(paths=(("a-s",),))}, "jobs[0].flows[0].paths[0]", ["a-s"]),
        ({"jobs": with_flow(paths=((),))}, "jobs[0].flows[0].paths[0]", []),
        ({"jobs": with_flow(paths=(("a-s", "t-b"),))}, "jobs[0].flows[0].paths[0][1]", "t-b"),
        ({"jobs": with_flow(paths=(("a-x",),))}, "jobs[0].flows[0].paths[0][0]", "a-x"),
        (
            {"links": (Link("x", "a", "b", 1e-300),), "jobs": with_flow(bytes=1e300)},
            "jobs[0].flows[0].bytes",
            1e300,
        ),
        ({"jobs": with_flow(bytes=1e-300)}, "jobs[0].flows[0].bytes", 1e-300),
        ({"jobs": (replace(JOB, compute_s=1e-300),)}, "jobs[0].compute_s", 1e-300),
        ({"jobs": (replace(JOB, compute_s=1e300),)}, "jobs[0].compute_s", 1e300),
        ({"jobs": (replace(JOB, work=1e300),)}, "jobs[0].work", 1e300),
        ({"levels": 0}, "levels", 0),
        ({"levels": 2.0}, "levels", 2.0),
        ({"levels": True}, "levels", True),
    ],
)
def test_refusals(parts: dict[str, Any], field: str, value: Any) -> None:
    """What cannot be meant is refused with the field's path and the value."""
    with pytest.raises(InputError) as caught:
        build(**parts)
    assert caught.value.field == field
    assert caught.value.value == value


def test_shortest_paths_are_the_candidates() -> None:
    """Without paths of its own a flow may take every shortest path, parallel links apart."""
    parallel = Link("a-s#1", "a", "s", 10.0)
    cluster = build(links=(*LINKS, parallel, Link("a-b", "a", "q", 1.0), Link("q", "q", "t", 1.0)))
    names = [link.name for link in cluster.links]
    routes = cluster.routes
    found = {
        tuple(names[e] for e in routes.link[routes.start[c] : routes.start[c + 1]])
        for c in range(routes.first[0], routes.first[1])
    }
    assert found == {("a-s", "s-b"), ("a-s#1", "s-b"), ("a-t", "t-b")}


def test_traffic_and_intensity() -> None:
    """M, t and I by hand: 20 bytes over 10 B/s or 5 B/s, 40 flop; a stated intensity wins."""
    cluster = build()
    names = [link.name for link in cluster.links]
    for choice, slow, seconds in ((0, "a-s", 2.0), (1, "a-t", 4.0)):
        sent = traffic(cluster, [choice])
        found = bottleneck(cluster, sent)
        assert found.seconds.tolist() == [seconds]
        assert names[found.link[0]] == slow
        assert intensities(cluster, [choice]).tolist() == [40 / seconds]
        assert period_alone(cluster, sent).tolist() == [1 + seconds]
        loads = link_loads(cluster, [[choice]])
        assert loads.max() == pytest.approx(seconds / (1 + seconds))
    split = even_split_traffic(cluster)
    assert split.bytes.tolist() == [10.0] * 4
    assert intensities(cluster, split=True).tolist() == [20.0]
    stated = build(jobs=(replace(JOB, intensity=7.0),))
    assert intensities(stated).tolist() == [7.0]
    assert np.isinf(intensities(build(jobs=(Job("quiet", 1, 1.0, 1.0),)))[0])


def test_integers_are_floats_inside() -> None:
    """A bandwidth of 10 and one of 10.0 are the same cluster."""
    links = tuple(replace(link, bandwidth=int(link.bandwidth)) for link in LINKS)
    assert build(links=links).sha256 == build().sha256


def test_exposure_splits_network_and_pcie() -> None:
    """A job is exposed where another could use one of its links, on the network or on PCIe."""
    inside = Flow("a", "p", 1.0)
    jobs = (
        JOB,
        Job("pcie only", 4, 1.0, 1.0, (inside,)),
        Job("both", 2, 1.0, 1.0, (inside, FLOW)),
        Job("alone", 2, 1.0, 1.0),
    )
    found = exposure(build(jobs=jobs))
    assert (found.jobs, found.gpus) == (3 / 4, 14 / 16)
    assert (found.network_jobs, found.network_gpus) == (2 / 4, 10 / 16)
    assert (found.pcie_jobs, found.pcie_gpus) == (2 / 4, 6 / 16)
    apart = exposure(build(jobs=(JOB, replace(JOB, name="two"))), [0, 1])
    assert apart.jobs == 0.0


def test_contention_dag_of_four_jobs() -> None:
    """The paper's Figure 13 as a cluster: J1, J2 share a link, J3, J4 another."""
    links = [Link("A", "a", "b", 1.0), Link("B", "c", "d", 1.0)]
    ends = [("a", "b"), ("a", "b"), ("c", "d"), ("c", "d")]
    jobs = [Job(f"J{i + 1}", 1, 1.0, 8.0 - i, (Flow(s, t, 1.0),)) for i, (s, t) in enumerate(ends)]
    dag = contention_dag(Cluster.build(links, jobs, levels=2, name="fig13"))
    assert list(zip(dag.upper, dag.lower, dag.weight, strict=True)) == [(0, 1, 8), (2, 3, 6)]
    assert dag.is_integer
    assert dag.labels == ("J1", "J2", "J3", "J4")
    assert dag.order.tolist() == [0, 1, 2, 3]
    assert cut_value(dag, np.array([1, 0, 1, 0])) == dag.total_weight == 14
    other = contention_dag(Cluster.build(links, jobs, levels=2), order=[3, 2, 1, 0])
    assert list(zip(other.upper, other.lower, other.weight, strict=True)) == [(1, 0, 7), (3, 2, 5)]
    with pytest.raises(InputError, match="order"):
        contention_dag(example1(), order=[0, 0])
    with pytest.raises(InputError, match="weights"):
        contention_dag(example1(), weights="guess")


@pytest.mark.parametrize("intensity", [3e15, 1e18, 1e30, 1e199])
def test_weights_always_fit(intensity: float) -> None:
    """Large intensities are stated in a power of 1000, so that their sum fits 53 bits."""
    jobs = [
        replace(JOB, name=f"j{i}", intensity=intensity * (1 + i / 100), flows=(FLOW,))
        for i in range(60)
    ]
    cluster = build(jobs=tuple(jobs))
    dag = contention_dag(cluster, np.zeros(60, int))
    assert dag.num_edges == 60 * 59 // 2
    unit = weight_unit(np.full(dag.num_edges, 1.6 * intensity))
    assert dag.total_weight < 2**53 + dag.num_edges
    heaviest = dag.weight.max() / dag.scale
    assert heaviest * unit == pytest.approx(intensity * 1.59, rel=1e-6)


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_pairs_are_those_that_share_a_link(seed: int) -> None:
    """Edges join exactly the pairs of jobs with a common link, from the more intensive one down."""
    rng = np.random.default_rng(seed)
    cluster = random_cluster(rng, max_jobs=6)
    choice = rng.integers(0, 2, cluster.num_flows)
    used: list[set[int]] = [set() for _ in cluster.jobs]
    start, link = cluster.routes.chosen(choice)
    for f, job in enumerate(cluster.flow_job):
        if cluster.flow_bytes[f] > 0:
            used[job] |= set(link[start[f] : start[f + 1]].tolist())
    dag = contention_dag(cluster, choice)
    pairs = {tuple(sorted(p)) for p in zip(dag.upper.tolist(), dag.lower.tolist(), strict=True)}
    assert pairs == {(i, j) for j in range(len(used)) for i in range(j) if used[i] & used[j]}
    intensity = intensities(cluster, choice)
    assert (intensity[dag.upper] >= intensity[dag.lower]).all()


def test_jobs_that_send_nothing_rank_last():
    """They share no link, so they come after all that a level can help."""
    silent = Job("silent", gpus=8, compute_s=1.0, work=1e15)
    cluster = example1()
    jobs = (silent, *cluster.jobs)
    order = contention_dag(Cluster.build(cluster.links, jobs, levels=2)).order
    assert order[-1] == 0
