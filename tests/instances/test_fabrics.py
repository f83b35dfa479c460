"""Fabrics have the paper's numbers, flows their collective's volumes, placements their shape."""

from __future__ import annotations

import sys
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest

from kcut import InputError, KcutError
from kcut.cluster import Cluster, Flow, Job
from kcut_instances.collectives import Slot, all_to_all, hierarchical, ring
from kcut_instances.fabrics import PRESETS, Fabric, three_layer, two_layer
from kcut_instances.host_fabric import host_map_fabric
from kcut_instances.host_map import lingjun_hosts
from kcut_instances.models import MODELS, fitting_models, guess_model
from kcut_instances.slots import POLICIES, FreeGpus
from kcut_instances.topologies import topohub_fabric


def switches(fabric: Fabric, letter: str) -> set[str]:
    """Return the switches whose name begins with a letter and goes on with a number."""
    ends = {link.source for link in fabric.links}
    return {end for end in ends if end[0] == letter and end[1:].isdigit()}


def num_candidates(fabric: Fabric, source: str, target: str) -> int:
    """Return how many shortest paths a flow has."""
    job = Job("one", 1, 1.0, 1.0, (Flow(source, target, 1.0),))
    return int(Cluster.build(fabric.links, [job], levels=1).routes.num_candidates[0])


@pytest.mark.parametrize(
    ("name", "hosts", "tors", "aggs", "cores"),
    [("testbed-96", 12, 6, 8, 0), ("tor-173", 346, 173, 16, 0), ("three-layer", 24, 6, 12, 32)],
)
def test_presets(name: str, hosts: int, tors: int, aggs: int, cores: int) -> None:
    """The paper's fabrics have its numbers of hosts and switches, eight GPUs a host."""
    fabric = PRESETS[name]()
    assert len(fabric.hosts) == hosts
    assert fabric.gpus == 8 * hosts
    assert [len(switches(fabric, letter)) for letter in "tac"] == [tors, aggs, cores]
    names = [link.name for link in fabric.links]
    assert len(set(names)) == len(names)


def test_ecmp_candidates() -> None:
    """Hosts below one ToR have one path, others one for each aggregation switch and cable."""
    fabric = two_layer(hosts=4, tors=2, aggs=3, uplinks=2)
    assert num_candidates(fabric, "h0/p0", "h1/p0") == 1
    assert num_candidates(fabric, "h0/p0", "h2/p0") == 3 * 2 * 2
    assert num_candidates(fabric, "h0/p0", "h0/p1") == 1
    assert num_candidates(PRESETS["testbed-96"](), "h0/p0", "h11/p3") == 8
    deep = three_layer()
    assert num_candidates(deep, "h0/p0", "h1/p0") == 1
    assert num_candidates(deep, "h0/p0", "h23/p0") == 2 * 8


def test_lingjun_fabric() -> None:
    """The real map becomes 847 hosts below 119 access switches in 3 pods."""
    fabric = host_map_fabric(lingjun_hosts())
    ends = {link.target for link in fabric.links}
    assert len(fabric.hosts) == 847
    assert sum(end.startswith("asw") for end in ends) == 119
    assert len({end.split(".")[0] for end in ends if end.startswith("psw")}) == 3


@pytest.mark.parametrize(
    ("numbers", "field"),
    [
        ({"hosts": 0, "tors": 1, "aggs": 1}, "hosts"),
        ({"hosts": 1, "tors": 1, "aggs": 1, "uplinks": 0}, "uplinks"),
        ({"hosts": 1, "tors": 1, "aggs": 1, "ports": 3}, "ports"),
    ],
)
def test_bad_fabrics(numbers: dict[str, int], field: str) -> None:
    """Numbers that make no fabric are refused."""
    with pytest.raises(InputError) as caught:
        two_layer(**numbers)
    assert caught.value.field == field
    with pytest.raises(InputError, match="aggs"):
        three_layer(aggs=10)
    with pytest.raises(InputError, match="cores"):
        three_layer(cores=30)


SLOTS = [Slot(h, f"h{h}/p{p}", 2) for h in range(3) for p in range(4)]


def test_volumes_of_collectives() -> None:
    """Every GPU group sends what the algorithm says, and receives as much."""
    for flows, each, count in (
        (ring(SLOTS, 24e6), 2 * 23 / 24 * 24e6, 12),
        (hierarchical(SLOTS, 24e6), 2 * 2 / 3 * 24e6 / 4, 12),
        (all_to_all(SLOTS, 24e6), 8e6, 6),
    ):
        assert [flow.bytes for flow in flows] == [pytest.approx(each)] * count
        assert Counter(flow.source for flow in flows) == Counter(flow.target for flow in flows)
    assert all(f.source.split("/")[1] == f.target.split("/")[1] for f in hierarchical(SLOTS, 1.0))
    for collective in (ring, hierarchical, all_to_all):
        assert collective([Slot(0, "h0/p0", 2)], 1.0) == ()
    assert hierarchical(SLOTS[:4], 1.0) == ()
    assert len(ring(SLOTS[:4], 1.0)) == 4


@pytest.mark.parametrize("policy", POLICIES)
def test_placement(policy: str) -> None:
    """Every GPU is given away once, whatever the policy, until none is left."""
    fabric = PRESETS["testbed-96"]()
    free = FreeGpus(fabric, policy, np.random.default_rng(0))
    taken: Counter[str] = Counter()
    for gpus in (1, 8, 3, 24, 16, 2, 32, 8, 1, 1):
        slots = free.take(gpus)
        assert sum(slot.gpus for slot in slots) == gpus
        taken.update({slot.port: slot.gpus for slot in slots})
    assert free.total == 0
    assert set(taken.values()) == {2}
    assert len(taken) == 48


def test_policies_differ_as_their_names_say() -> None:
    """Packed uses fewest hosts, spread most switch groups, fragmented shares hosts."""
    fabric = two_layer(hosts=16, tors=8, aggs=2)
    placed = {}
    for policy in POLICIES:
        free = FreeGpus(fabric, policy, np.random.default_rng(1))
        placed[policy] = [{slot.host for slot in free.take(16)} for _ in range(4)]
    assert all(len(hosts) == 2 for hosts in placed["packed"] + placed["spread"])
    groups = [len({fabric.hosts[h].group for h in hosts}) for hosts in placed["packed"]]
    assert groups == [1] * 4
    groups = [len({fabric.hosts[h].group for h in hosts}) for hosts in placed["spread"]]
    assert groups == [2] * 4
    everywhere = [h for hosts in placed["fragmented"] for h in hosts]
    assert len(everywhere) > len(set(everywhere))


def test_models() -> None:
    """Every trace size has a model, and a name in the trace finds its own."""
    for gpus in (1, 2, 4, 6, 8, 16, 24, 32, 48, 64, 72, 80, 256, 400):
        assert fitting_models(gpus)
    assert guess_model("my-BERT-large", 400).name == "bert"
    assert [guess_model("?", n).name for n in (2, 8, 64)] == ["resnet", "bert", "gpt"]
    gpt = MODELS["gpt"]
    assert gpt.compute_s + 2 * gpt.exchanged_bytes * 25 / 26 / 4 / 25e9 == pytest.approx(1.53)


def test_topohub(monkeypatch: pytest.MonkeyPatch) -> None:
    """A topology's nodes become switches with hosts; without the package a message says so."""
    topology = {
        "nodes": [{"id": 0}, {"id": 1}, {"id": 2}],
        "edges": [{"source": 0, "target": 1}, {"source": 2, "target": 1}],
    }

    def get(key: str) -> dict[str, object]:
        if key != "topozoo/Line":
            raise KeyError(key)
        return topology

    monkeypatch.setitem(sys.modules, "topohub", SimpleNamespace(get=get))
    fabric = topohub_fabric("topozoo/Line", hosts_per_node=2)
    assert len(fabric.hosts) == 6
    assert num_candidates(fabric, "s0.h0/p0", "s2.h1/p0") == 1
    with pytest.raises(InputError, match="topozoo/Nowhere"):
        topohub_fabric("topozoo/Nowhere")
    monkeypatch.setitem(sys.modules, "topohub", None)
    with pytest.raises(KcutError, match="pip install"):
        topohub_fabric("topozoo/Line")
