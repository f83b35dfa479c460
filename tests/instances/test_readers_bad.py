"""What cannot be meant is refused in one line that names the file, the field and the value."""

from __future__ import annotations

import gzip
import json
import os
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from kcut import InputError
from kcut_instances.readers import (
    files,
    from_networkx,
    read_compression,
    read_instance,
    read_solution,
    write_compression,
    write_graphml,
    write_solution,
)
from kcut_instances.readers.solution import Solution

GOOD: dict[str, Any] = {
    "format": "kcut/compression",
    "version": 1,
    "name": "good",
    "levels": 3,
    "num_jobs": 5,
    "edges": [[0, 1, 3], [1, 2, 4], [0, 3, 2], [3, 4, 1]],
    "labels": ["a", "b", "c", "d", "e"],
    "order": [0, 1, 2, 3, 4],
}


def without(key: str) -> dict[str, Any]:
    """Return the good document without a key."""
    return {k: v for k, v in GOOD.items() if k != key}


def edge(e: int, place: int | None, value: Any) -> str:
    """Return the good document, without its order, with one edge or an element of it replaced."""
    edges = [list(row) for row in GOOD["edges"]]
    mark = "MARK"
    if place is None:
        edges[e] = mark
    else:
        edges[e][place] = mark
    text = json.dumps(without("order") | {"edges": edges})
    return text.replace(f'"{mark}"', value if isinstance(value, str) else json.dumps(value))


def changed(**values: Any) -> str:
    """Return the good document with other values; text in angle brackets stands as it is."""
    text = json.dumps(GOOD | values)
    return text.replace('"<', "").replace('>"', "")


# What is wrong, the document, the field that must be named, the value that must be shown.
BAD = [
    ("not JSON", "{]", "", "']'"),
    ("text", "hello", "", "'hello'"),
    ("half a document", json.dumps(GOOD)[:70], "", "line 1, column"),
    ("two documents", json.dumps(GOOD) + "{}", "", "Extra data"),
    ("trailing comma", edge(3, 2, "1,"), "", "not JSON"),
    ("a leading zero", edge(3, 2, "01"), "", "not JSON"),
    ("byte order mark", "\ufeff" + json.dumps(GOOD), "", "not JSON"),
    ("top level a list", "[1, 2]", "", "[1, 2]"),
    ("top level a number", "17", "", "17"),
    ("top level null", "null", "", "None"),
    ("top level NaN", "NaN", "", "NaN"),
    ("deep nesting", "[" * 100_000, "", "nested too deeply"),
    ("deep nesting inside", changed(name="<" + "[" * 100_000 + ">"), "", "nested too deeply"),
    ("unknown format", changed(format="kcut/nothing"), "format", "'kcut/nothing'"),
    ("format no text", changed(format=3), "format", "3"),
    ("unknown version", changed(version=2), "version", "2"),
    ("version true", changed(version=True), "version", "True"),
    ("version a float", changed(version=1.0), "version", "1.0"),
    ("version text", changed(version="1"), "version", "'1'"),
    ("unknown key", changed(weights=[1]), "weights", "[1]"),
    ("unknown odd key", changed(**{"no\nkey": 1}), "'no\\nkey'", "1"),
    *((f"missing {key}", json.dumps(without(key)), key, "is missing") for key in list(GOOD)[:6]),
    ("duplicate key", json.dumps(GOOD)[:-1] + ', "levels": 4}', "levels", "4"),
    ("duplicate key, escaped", json.dumps(GOOD)[:-1] + ', "level\\u0073": 4}', "levels", "4"),
    ("duplicate key, spaced", json.dumps(GOOD)[:-1] + ', "levels" \n : 4}', "levels", "4"),
    ("name a number", changed(name=5), "name", "5"),
    ("name half a character", json.dumps(GOOD).replace("good", "\\ud800"), "name", "ud800"),
    ("levels 0", changed(levels=0), "levels", "0"),
    ("levels negative", changed(levels=-1), "levels", "-1"),
    ("levels true", changed(levels=True), "levels", "True"),
    ("levels a float", changed(levels=2.0), "levels", "2.0"),
    ("levels text", changed(levels="2"), "levels", "'2'"),
    ("levels NaN", changed(levels=float("nan")), "levels", "NaN"),
    ("levels null", changed(levels=None), "levels", "None"),
    ("levels huge", changed(levels=10**30), "levels", "1000"),
    ("num_jobs 0", changed(num_jobs=0), "num_jobs", "0"),
    ("num_jobs over the limit", changed(num_jobs=10**7 + 1), "num_jobs", "10000001"),
    ("num_jobs huge", changed(num_jobs=10**40), "num_jobs", "1000"),
    ("num_jobs a float", changed(num_jobs=5.0), "num_jobs", "5.0"),
    ("num_jobs true", changed(num_jobs=True), "num_jobs", "True"),
    ("edges an object", changed(edges={}), "edges", "an object"),
    ("edges null", changed(edges=None), "edges", "None"),
    ("edge of two", edge(2, None, [0, 3]), "edges[2]", "[0, 3]"),
    ("edge of four", edge(2, None, [0, 3, 1, 1]), "edges[2]", "[0, 3, 1, 1]"),
    ("edge an object", edge(2, None, '{"u": 0}'), "edges[2]", "an object"),
    ("edge a number", edge(2, None, 7), "edges[2]", "7"),
    ("edge a list of lists", edge(2, None, "[[0], [1], 2]"), "edges[2][0]", "[0]"),
    ("weight NaN", edge(3, 2, "NaN"), "edges[3][2]", "NaN"),
    ("weight Infinity", edge(3, 2, "Infinity"), "edges[3][2]", "Infinity"),
    ("weight -Infinity", edge(3, 2, "-Infinity"), "edges[3][2]", "-Infinity"),
    ("weight 1e400", edge(3, 2, "1e400"), "edges[3][2]", "1e400"),
    ("weight -1", edge(3, 2, "-1"), "edges[3][2]", "-1"),
    ("weight -0.5", edge(3, 2, "-0.5"), "edges[3][2]", "-0.5"),
    ("weight below int64", edge(3, 2, -(2**70)), "edges[3][2]", str(-(2**70))),
    ("weight above 2^62", edge(3, 2, 2**62 + 1), "edges[3][2]", str(2**62 + 1)),
    ("weight 2^63", edge(3, 2, 2**63), "edges[3][2]", str(2**63)),
    ("weight above int64", edge(3, 2, 10**25), "edges[3][2]", str(10**25)),
    ("weight of 5000 digits", edge(3, 2, "9" * 5000), "edges[3][2]", "99999"),
    ("float weight above 2^62", edge(3, 2, "5e18"), "edges[3][2]", "5e+18"),
    ("sum above 2^62", edge(3, 2, 2**62 - 5), "edges[3][2]", str(2**62 - 5)),
    ("float sum above 2^62", edge(3, 2, "4.7e18"), "edges[3][2]", "4.7e+18"),
    (
        "big integer beside floats",
        edge(3, 2, "0.5").replace("[0, 1, 3]", f"[0, 1, {2**53 + 1}]"),
        "edges[0][2]",
        str(2**53 + 1),
    ),
    ("weight true", edge(3, 2, "true"), "edges[3][2]", "True"),
    ("weight text", edge(3, 2, '"5"'), "edges[3][2]", "'5'"),
    ("weight null", edge(3, 2, "null"), "edges[3][2]", "None"),
    ("index true", edge(3, 1, "true"), "edges[3][1]", "True"),
    ("index a float", edge(3, 1, "4.0"), "edges[3][1]", "4.0"),
    ("index text", edge(3, 0, '"3"'), "edges[3][0]", "'3'"),
    ("index NaN", edge(3, 0, "NaN"), "edges[3][0]", "NaN"),
    ("index out of range", edge(3, 1, "5"), "edges[3][1]", "5"),
    ("index negative", edge(3, 0, "-1"), "edges[3][0]", "-1"),
    ("index above int64", edge(3, 1, 10**22), "edges[3][1]", str(10**22)),
    ("upper index below int64", edge(3, 0, -(10**22)), "edges[3][0]", str(-(10**22))),
    ("self-loop", edge(3, 1, "3"), "edges[3]", "3"),
    ("duplicate edge", edge(3, None, [0, 1, 9]), "edges[3]", "[0, 1]"),
    ("cycle of two", edge(3, None, [1, 0, 9]), "edges", "0 -> 1 -> 0"),
    ("cycle of three", edge(3, None, [2, 0, 9]), "edges", "0 -> 1 -> 2 -> 0"),
    ("labels too few", changed(labels=["a"]), "labels", "1"),
    ("labels too many", changed(labels=list("abcdef")), "labels", "6"),
    ("labels twice", changed(labels=list("abcda")), "labels[4]", "'a'"),
    ("label a number", changed(labels=["a", "b", "c", 4, "e"]), "labels[3]", "4"),
    ("labels null", changed(labels=None), "labels", "None"),
    ("labels text", changed(labels="abcde"), "labels", "'abcde'"),
    ("order too short", changed(order=[0, 1]), "order", "[0, 1]"),
    ("order twice", changed(order=[0, 1, 2, 3, 3]), "order[4]", "3"),
    ("order out of range", changed(order=[0, 1, 2, 3, 5]), "order[4]", "5"),
    ("order above int64", changed(order=[0, 1, 2, 3, 2**64]), "order[4]", str(2**64)),
    ("order of floats", changed(order=[0.0, 1, 2, 3, 4]), "order[0]", "0.0"),
    ("order of true", changed(order=[0, True, 2, 3, 4]), "order[1]", "True"),
    ("order against an edge", changed(order=[1, 0, 2, 3, 4]), "order", "[0, 1]"),
]


@pytest.fixture
def refused(tmp_path: Path) -> Callable[..., InputError]:
    """Write a document, read it, and return the error, whose line names the file."""

    def read(text: str | bytes, reader: Any = read_instance, name: str = "bad.json") -> InputError:
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(InputError) as caught:
            reader(path)
        error = caught.value
        assert str(error).startswith(str(path))
        assert "\n" not in str(error)
        assert len(str(error)) < len(str(path)) + 400
        return error

    return read


def test_the_good_document_is_good(tmp_path):
    """The document all bad ones are made of is read."""
    (tmp_path / "good.json").write_text(json.dumps(GOOD))
    assert read_instance(tmp_path / "good.json").num_edges == 4


@pytest.mark.parametrize(("text", "field", "value"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_document(refused, text, field, value):
    """The one error names the file, the field and the value, by both readers."""
    for reader in (read_instance, read_compression):
        error = refused(text, reader)
        assert error.field == field
        assert value in str(error)
        assert str(error).startswith(f"{error.source}: {field}")


def test_bad_bytes(refused):
    """Bytes that are no UTF-8, in a text or elsewhere, are refused."""
    text = json.dumps(GOOD).encode()
    assert "not UTF-8 at byte" in str(refused(text.replace(b"good", b"go\xffd")))
    assert "not UTF-8" in str(refused(b"\xfe\xff" + text))
    assert "empty" in str(refused(b""))


def test_bad_gzip(refused, generate, tmp_path):
    """Truncated, corrupted and empty gzip files are refused."""
    write_compression(generate("link-cliques"), tmp_path / "a.json.gz")
    packed = (tmp_path / "a.json.gz").read_bytes()
    broken = bytearray(packed)
    broken[len(packed) // 2] ^= 0xFF
    for data in (packed[:-20], packed[:5], packed[:2], bytes(broken), packed + b"rest"):
        assert "gzip" in str(refused(data))
    assert "empty" in str(refused(gzip.compress(b"")))


def test_size_limit(refused, monkeypatch):
    """Files above the limit are refused, before and after decompression."""
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    for data in (b" " * 1001, gzip.compress(b" " * 1001)):
        assert "larger than 1,000 bytes" in str(refused(data))


def test_files_that_cannot_be_read(tmp_path):
    """A missing file, a folder and a name that is none are one error each."""
    for path, reason in (
        (tmp_path / "missing.json", "No such file"),
        (tmp_path, "Is a directory"),
        ("a\0b", "null"),
        (tmp_path / ("x" * 300), "too long"),
    ):
        for reader in (read_instance, read_solution):
            with pytest.raises(InputError, match=reason) as caught:
                reader(path)
            assert caught.value.source == str(path)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_files_without_permission(tmp_path, generate):
    """A file that may not be read, and a folder that may not be written, are one error each."""
    path = tmp_path / "a.json"
    write_compression(generate("fig13"), path)
    path.chmod(0)
    with pytest.raises(InputError, match="Permission denied"):
        read_instance(path)
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="Permission denied"):
        write_compression(generate("fig13"), tmp_path / "b.json")


def test_permission_error_is_refused(monkeypatch, tmp_path):
    """Whatever the system refuses becomes an error that names the file and the reason."""

    def refuse(*_: Any, **__: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(InputError, match=r"a\.json: cannot be read: Permission denied"):
        read_instance(tmp_path / "a.json")


def test_files_that_cannot_be_written(generate, tmp_path):
    """A folder that is not there, or one in the file's place, is an error; nothing is left over."""
    (tmp_path / "folder.json").mkdir()
    for path in (tmp_path / "no" / "a.json", tmp_path / "folder.json"):
        with pytest.raises(InputError, match="cannot be written") as caught:
            write_compression(generate("fig13"), path)
        assert caught.value.source == str(path)
    assert os.listdir(tmp_path) == ["folder.json"]


def test_failed_write_keeps_the_old_file(generate, tmp_path, monkeypatch):
    """If the disk fills up while writing, the old file stays and nothing temporary does."""
    path = tmp_path / "a.json"
    write_compression(generate("fig13"), path)
    old = path.read_bytes()

    def fail(self: Path, target: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(InputError, match="No space left"):
        write_compression(generate("windows"), path)
    assert path.read_bytes() == old
    assert os.listdir(tmp_path) == ["a.json"]


SOLUTION: dict[str, Any] = {
    "format": "kcut/solution",
    "version": 1,
    "instance_sha256": "0" * 64,
    "solver": "crux",
    "params": {"orders": 10},
    "levels": [1, 0],
    "cover": [0],
}


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        ({"format": "kcut/compression"}, "format", "known: kcut/solution"),
        ({"instance_sha256": "0" * 63}, "instance_sha256", "'000"),
        ({"instance_sha256": "G" * 64}, "instance_sha256", "'GGG"),
        ({"levels": [1, True]}, "levels[1]", "True"),
        ({"levels": [1, 2.0]}, "levels[1]", "2.0"),
        ({"levels": [2**63, 2]}, "levels[0]", str(2**63)),
        ({"levels": "10"}, "levels", "'10'"),
        ({"cover": [float("nan")]}, "cover[0]", "NaN"),
        ({"cover": [-(2**64)]}, "cover[0]", str(-(2**64))),
        ({"cover": None}, "cover", "None"),
        ({"value": float("inf")}, "value", "Infinity"),
        ({"value": True}, "value", "True"),
        ({"seed": -1}, "seed", "-1"),
        ({"seed": 1.5}, "seed", "1.5"),
        ({"num_levels": 0}, "num_levels", "0"),
        ({"params": {"orders": None}}, "params.orders", "None"),
        ({"params": {"orders": [1]}}, "params.orders", "[1]"),
        ({"params": []}, "params", "[]"),
        ({"proof": 1}, "proof", "1"),
    ],
)
def test_bad_solution(refused, change, field, value):
    """Solutions are read as strictly as instances."""
    error = refused(json.dumps(SOLUTION | change), read_solution)
    assert error.field == field
    assert value in str(error)


def test_bad_solution_keys(refused):
    """A missing key and a key that occurs twice, also inside params, are refused."""
    for key in ("instance_sha256", "levels"):
        document = {k: v for k, v in SOLUTION.items() if k != key}
        assert refused(json.dumps(document), read_solution).field == key
    text = json.dumps(SOLUTION).replace('"orders": 10', '"orders": 10, "orders": 11')
    assert refused(text, read_solution).field == "orders"


def test_solution_is_no_instance(refused):
    """A solution where an instance is wanted is an unknown format."""
    assert refused(json.dumps(SOLUTION)).field == "format"


def weighted(*edges: tuple[str, str, Any]) -> nx.DiGraph:
    """Return a graph of weighted edges."""
    graph = nx.DiGraph()
    for u, v, w in edges:
        graph.add_edge(u, v, weight=w)
    return graph


def duplicated() -> nx.MultiDiGraph:
    """Return a graph with an edge that occurs twice."""
    graph = nx.MultiDiGraph()
    for _ in range(2):
        graph.add_edge("a", "b", weight=1)
    return graph


def ranked(rank: Any) -> nx.DiGraph:
    """Return a graph of two nodes of which one has a rank."""
    graph = weighted(("a", "b", 1))
    graph.nodes["a"]["rank"] = rank
    return graph


@pytest.mark.parametrize(
    ("graph", "field", "value"),
    [
        (nx.Graph([("a", "b")]), "edgedefault", "undirected"),
        (duplicated(), "edges", "a -> b"),
        (nx.DiGraph([("a", "b")]), "edge a -> b: weight", "None"),
        (weighted(("a", "b", 1), ("b", "c", "3")), "edge b -> c: weight", "'3'"),
        (weighted(("a", "b", True)), "edge a -> b: weight", "True"),
        (weighted(("a", "b", 1), ("b", "c", -3)), "edge b -> c: weight", "-3"),
        (weighted(("a", "b", 1), ("b", "c", float("nan"))), "edge b -> c: weight", "nan"),
        (weighted(("a", "b", 2**80)), "edge a -> b: weight", str(2**80)),
        (weighted(("a", "b", 1), ("b", "a", 1)), "edges", "a -> b -> a"),
        (weighted(("a", "b", 1), ("c", "c", 1)), "edge c -> c", "2"),
        (nx.DiGraph(), "num_jobs", "0"),
        (ranked(1), "node b: rank", "None"),
        (ranked(2), "node a: rank", "2"),
        (ranked("first"), "node a: rank", "first"),
    ],
)
def test_bad_graph(graph, field, value):
    """Graphs are refused in terms of their nodes."""
    with pytest.raises(InputError) as caught:
        from_networkx(graph, 2)
    assert caught.value.field == field
    assert value in str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<graphml", "not GraphML"),
        ("{}", "not GraphML"),
        ("<html></html>", "not GraphML"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><graphml/>', "document type"),
        (
            '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed">'
            '<node id="a"/></graph></graphml>',
            "levels: is missing",
        ),
    ],
)
def test_bad_graphml(refused, text, words):
    """What is no GraphML, or says no number of levels, is refused with the file's name."""
    assert words in str(refused(text, name="bad.graphml"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("target='b'", "target='x'"), "edge: target: no such node (got 'x')"),
        (("source='a'", "source=''"), "edge: source: no such node (got '')"),
        (("<node id='c'/>", "<node id='a'/>"), "node: id: a duplicate name (got 'a')"),
    ],
)
def test_names_in_graphml_are_unique_and_exist(refused, change, words):
    """Networkx would merge nodes of one name, and make the nodes that only edges know."""
    text = (
        "<graphml xmlns='http://graphml.graphdrawing.org/xmlns'>"
        "<key id='w' for='edge' attr.name='weight' attr.type='int'/>"
        "<graph edgedefault='directed'><node id='a'/><node id='b'/><node id='c'/>"
        "<edge source='a' target='b'><data key='w'>1</data></edge></graph></graphml>"
    )
    assert words in str(refused(text.replace(*change), name="bad.graphml"))


def test_duplicate_edge_in_graphml(refused, tmp_path):
    """An edge that a GraphML file has twice is refused, and named."""
    graph = duplicated()
    graph.graph["levels"] = 2
    nx.write_graphml_xml(graph, tmp_path / "m.graphml")
    data = (tmp_path / "m.graphml").read_bytes()
    assert "a duplicate edge (got 'a -> b')" in str(refused(data, name="bad.graphml"))


@pytest.mark.parametrize("seed", range(4))
def test_mutated_files_raise_input_errors_only(tmp_path, seed, generate):
    """Bytes changed, cut, doubled or swapped for tokens give an instance or an `InputError`."""
    dice = random.Random(seed)
    graphml = tmp_path / "good.graphml"
    write_graphml(generate("fig13"), graphml)
    write_solution(Solution("0" * 64, generate("fig13").order.astype("int64")), tmp_path / "s.json")
    seeds = [
        (json.dumps(GOOD).encode(), "x.json", read_instance),
        (gzip.compress(json.dumps(GOOD).encode(), mtime=0), "x.json.gz", read_instance),
        (graphml.read_bytes(), "x.graphml", read_instance),
        ((tmp_path / "s.json").read_bytes(), "x.json", read_solution),
    ]
    tokens = [b"NaN", b"-1", b"1e999", b"null", b"true", b"[", b"{", b'"', b",", b"9" * 30, b"\\u"]
    good, lines = 0, []
    for _ in range(400):
        data, name, reader = dice.choice(seeds)
        mutated = bytearray(data)
        for _ in range(dice.randint(1, 3)):
            at = dice.randrange(len(mutated))
            end = at + dice.randint(0, 8)
            mutated[at:end] = dice.choice(
                [
                    bytes([dice.randrange(256)]),
                    dice.choice(tokens),
                    bytes(mutated[at:end]) * 2,
                    b"",
                ]
            )
        (tmp_path / name).write_bytes(mutated)
        try:
            reader(tmp_path / name)
            good += 1
        except InputError as error:
            lines.append(str(error))
    assert 0 < good < len(lines)
    assert all(line.startswith(str(tmp_path)) and "\n" not in line for line in lines)
