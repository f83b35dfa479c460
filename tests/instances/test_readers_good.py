"""What is written can be read again, and is the same."""

from __future__ import annotations

import gzip
import json
import os

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcut import CompressionInstance
from kcut_instances.readers import (
    Solution,
    from_networkx,
    read_compression,
    read_instance,
    read_solution,
    to_networkx,
    write_compression,
    write_graphml,
    write_solution,
)

INTEGERS = st.integers(0, 2**52)
FLOATS = st.floats(0, 1e12, allow_nan=False)
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@st.composite
def instances(draw: st.DrawFn) -> CompressionInstance:
    """Draw small instances, of integer or float weights, with and without labels and order."""
    n = draw(st.integers(1, 8))
    order = draw(st.permutations(range(n)))
    pairs = [(order[i], order[j]) for j in range(n) for i in range(j)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    weight = st.one_of(st.just(INTEGERS), st.just(FLOATS))
    weights = draw(st.lists(draw(weight), min_size=len(edges), max_size=len(edges)))
    return CompressionInstance.from_edges(
        n,
        [u for u, _ in edges],
        [v for _, v in edges],
        weights,
        levels=draw(st.integers(1, 9)),
        name=draw(TEXT),
        labels=tuple(draw(st.lists(TEXT, min_size=n, max_size=n, unique=True)))
        if draw(st.booleans())
        else None,
        order=order if draw(st.booleans()) else None,
    )


@settings(max_examples=100, deadline=None)
@given(instance=instances())
def test_json_round_trip(instance, tmp_path_factory):
    """Writing and reading keeps digest, name, levels and labels; writing again keeps the bytes."""
    folder = tmp_path_factory.mktemp("round")
    write_compression(instance, folder / "a.json")
    again = read_instance(folder / "a.json")
    assert again.sha256 == instance.sha256
    assert (again.name, again.levels, again.labels) == (
        instance.name,
        instance.levels,
        instance.labels,
    )
    write_compression(again, folder / "b.json")
    assert (folder / "a.json").read_bytes() == (folder / "b.json").read_bytes()


@settings(max_examples=60, deadline=None)
@given(instance=instances())
def test_networkx_round_trip(instance):
    """Through networkx come the same weighted edges, the same order and the same levels."""
    again = from_networkx(to_networkx(instance), instance.levels)
    assert again.num_jobs == instance.num_jobs

    def triples(i: CompressionInstance) -> list[tuple[int, int, float]]:
        weight = i.weight / i.scale if i.original is None else i.original
        return sorted(zip(i.upper.tolist(), i.lower.tolist(), weight.tolist(), strict=True))

    assert triples(again) == triples(instance)
    assert (again.given_order is None) == (instance.given_order is None)
    assert instance.given_order is None or np.array_equal(again.order, instance.order)


@pytest.mark.parametrize("family", ["fig13", "fifo-counterexample", "link-cliques", "windows"])
@pytest.mark.parametrize("suffix", [".json", ".json.gz", ".graphml", ".graphml.gz"])
def test_families_round_trip(generate, tmp_path, family, suffix):
    """Digest, name and levels of the families survive JSON and GraphML, compressed or not."""
    instance = generate(family)
    path = tmp_path / f"instance{suffix}"
    write = write_graphml if "graphml" in suffix else write_compression
    write(instance, path)
    again = read_instance(path)
    assert again.num_edges == instance.num_edges
    assert (again.name, again.levels) == (instance.name, instance.levels)
    if family != "windows" or "json" in suffix:
        # networkx groups the edges by node; the families but for windows sort them so anyway.
        assert again.sha256 == instance.sha256


def test_gzip_is_found_by_its_first_bytes(generate, tmp_path):
    """A compressed file is read whatever its name."""
    path = tmp_path / "instance.json"
    write_compression(generate("fig13"), tmp_path / "a.json.gz")
    path.write_bytes((tmp_path / "a.json.gz").read_bytes())
    assert path.read_bytes()[:2] == b"\x1f\x8b"
    assert read_compression(path).sha256 == generate("fig13").sha256


def test_files_are_deterministic_and_documented(generate, tmp_path):
    """The text is the documented JSON, with one edge a line, and gzip holds no time and no name."""
    instance = generate("fig13")
    for name in ("a.json", "b.json.gz", "c.json.gz"):
        write_compression(instance, tmp_path / name)
    assert (tmp_path / "b.json.gz").read_bytes() == (tmp_path / "c.json.gz").read_bytes()
    text = (tmp_path / "a.json").read_bytes()
    assert gzip.decompress((tmp_path / "b.json.gz").read_bytes()) == text
    assert json.loads(text) == {
        "format": "kcut/compression",
        "version": 1,
        "name": "fig13,seed=0",
        "levels": 2,
        "num_jobs": 4,
        "edges": [[0, 1, 3], [2, 3, 1]],
        "labels": ["J1", "J2", "J3", "J4"],
        "order": [0, 1, 2, 3],
    }
    assert b"\n  [2,3,1]" in text


def test_writing_leaves_no_other_file(generate, tmp_path):
    """A file is replaced as a whole, through a link too, and nothing temporary stays."""
    (tmp_path / "real.json").write_text("old", encoding="utf-8")
    (tmp_path / "link.json").symlink_to(tmp_path / "real.json")
    write_compression(generate("fig13"), tmp_path / "link.json")
    assert sorted(os.listdir(tmp_path)) == ["link.json", "real.json"]
    assert (tmp_path / "link.json").is_symlink()
    assert read_compression(tmp_path / "real.json").num_jobs == 4


def test_integers_stay_integers(tmp_path):
    """Integer weights up to 2^62 are read without rounding; 3.0 is a float of the same value."""
    path = tmp_path / "a.json"
    instance = CompressionInstance.from_edges(3, [0, 1], [1, 2], [2**61 + 1, 2**61 - 1], levels=2)
    write_compression(instance, path)
    assert read_compression(path).weight.tolist() == [2**61 + 1, 2**61 - 1]
    path.write_text(path.read_text().replace(str(2**61 + 1), "3").replace(str(2**61 - 1), "0.5"))
    mixed = read_compression(path)
    assert (mixed.weight / mixed.scale).tolist() == [3.0, 0.5]


@pytest.mark.parametrize("weights", [[5e-324, 5e-324], [1e-310, 1.0], [1e18, 1e-18], [2.0, 0.0]])
def test_floats_of_any_size_round_trip(tmp_path, weights):
    """Weights come back as they were, from the smallest float to the largest sum."""
    instance = CompressionInstance.from_edges(3, [0, 1], [1, 2], weights, levels=2)
    write_compression(instance, tmp_path / "a.json")
    again = read_compression(tmp_path / "a.json")
    assert again.sha256 == instance.sha256
    found = again.weight / again.scale if again.original is None else again.original
    assert found.tolist() == weights


def test_text_with_colons_and_quotes_is_no_key(tmp_path):
    """Text that looks like a key neither hides nor feigns a duplicate key."""
    labels = ('": ', ':"x":', '\\":', "edges", '"edges":')
    instance = CompressionInstance.from_edges(5, [0], [1], [1], levels=2, name='":"', labels=labels)
    write_compression(instance, tmp_path / "a.json")
    assert read_compression(tmp_path / "a.json").labels == labels


def test_levels_replace_those_of_the_file(generate, tmp_path):
    """A number of levels given to the reader goes before the file's, in both formats."""
    for name, write in (("a.json", write_compression), ("a.graphml", write_graphml)):
        write(generate("fig13"), tmp_path / name)
        assert read_instance(tmp_path / name).levels == 2
        assert read_instance(tmp_path / name, levels=5).levels == 5


def test_graphml_of_others(tmp_path):
    """GraphML without attributes of ours is read in the order of its nodes."""
    graph = nx.DiGraph()
    graph.add_nodes_from(["b", "a", "c"])
    graph.add_edge("a", "c", weight=2)
    graph.add_edge("b", "a", weight=1)
    nx.write_graphml_xml(graph, tmp_path / "g.graphml")
    instance = read_instance(tmp_path / "g.graphml", levels=3)
    assert instance.labels == ("b", "a", "c")
    assert instance.upper.tolist() == [0, 1]
    assert instance.weight.tolist() == [1, 2]


def test_networkx_takes_numpy_numbers():
    """Weights may be NumPy numbers, under any attribute name."""
    graph = nx.DiGraph()
    graph.add_edge("x", "y", load=np.int64(7))
    graph.add_edge("y", "z", load=np.float64(0.5))
    instance = from_networkx(graph, 2, weight="load", name="np")
    assert (instance.weight / instance.scale).tolist() == [7.0, 0.5]


def test_solution_round_trip(generate, tmp_path):
    """A solution comes back as it was written; what was not given is not there."""
    instance = generate("fig13")
    solution = Solution(
        instance.sha256,
        np.array([1, 0, 1, 0]),
        cover=np.array([0, 0]),
        num_levels=2,
        solver="min-cuts",
        params={"orders": 10, "sampler": "bfs", "x": 0.5, "warm": True},
        seed=3,
        claim="optimal",
        value=4,
        bound=4,
        gap=0.0,
    )
    write_solution(solution, tmp_path / "s.json.gz")
    again = read_solution(tmp_path / "s.json.gz")
    for name in Solution.__slots__:
        assert np.array_equal(getattr(again, name), getattr(solution, name)), name
    assert type(again.value) is int
    write_solution(Solution(instance.sha256, np.array([1, 0, 1, 0])), tmp_path / "t.json")
    assert list(json.loads((tmp_path / "t.json").read_bytes())) == [
        "format",
        "version",
        "instance_sha256",
        "solver",
        "params",
        "levels",
    ]
    assert read_solution(tmp_path / "t.json").cover is None
