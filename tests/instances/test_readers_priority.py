"""Matrices of gains in files: what is written is read again, and what is wrong is named."""

from __future__ import annotations

import gzip
import json

import numpy as np
import pytest

from kcut import InputError
from kcut.linear_order import Gains
from kcut.priority import PriorityInstance
from kcut.registry import families
from kcut_instances.readers import (
    read_instance,
    read_lolib,
    read_priority,
    write_priority,
)

GOOD = {"format": "kcut/priority", "version": 1, "name": "m", "gains": [[0, 1], [2, 0]]}


def test_round_trip(tmp_path):
    """Integers and floats come back with the same digest, plain and compressed."""
    rng = np.random.default_rng(0)
    for t, matrix in enumerate((rng.integers(-9, 2**50, (5, 5)), rng.normal(size=(4, 4)))):
        instance = PriorityInstance(matrix=Gains.from_matrix(matrix), title=f"m{t}")
        for name in ("m.json", "m.json.gz"):
            write_priority(instance, tmp_path / name)
            again = read_priority(tmp_path / name)
            assert (again.sha256, again.name) == (instance.sha256, f"m{t}")
            assert read_instance(tmp_path / name, levels=3).sha256 == instance.sha256


@pytest.mark.parametrize(
    "text",
    [
        "3\n0 5 2\n1 0 7\n3 2 0\n",
        "a title\n3\n0 5 2\n1 0 7\n3 2 0\n",
        "\n\n3 sectors of 1970\n 3\n0 5\n2 1 0 7\n3 2 0",
        "3 0 5 2 1 0 7 3 2 0",
    ],
)
def test_plain_text(tmp_path, text):
    """A title or none, whatever the line breaks: the same matrix."""
    path = tmp_path / "m.mat"
    path.write_text(text)
    expected = Gains.from_matrix([[0, 5, 2], [1, 0, 7], [3, 2, 0]])
    assert read_instance(path).sha256 == expected.sha256
    packed = tmp_path / "m.lop.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_instance(packed).sha256 == expected.sha256


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        (" \n \n", "holds nothing"),
        ("a title\n", "n: must be the number of rows"),
        ("0\n", "n: must be 1 to"),
        ("5001\n1\n", "n: must be 1 to"),
        ("2\n0 1\n2\n", "must hold 4 numbers"),
        ("2\n0 1\n2 0 5\n", "must hold 4 numbers"),
        ("2\n0 x\n2 0\n", r"gains\[0\]\[1\]: must be a finite number .*'x'"),
        ("2\n0 1\nnan 0\n", r"gains\[1\]\[0\]: must be a finite number"),
        ("2\n0 1\n1e999 0\n", r"gains\[1\]\[0\]: must be a finite number"),
        ("2\n0 1_0\n1 0\n", r"gains\[0\]\[1\]: must be a number"),
        ("2\n0 1\n" + "9" * 50 + " 0\n", r"gains\[1\]\[0\]: must be a number"),
    ],
)
def test_bad_plain_text_is_refused(tmp_path, text, words):
    """The message names the file, the place and the word."""
    path = tmp_path / "bad.mat"
    path.write_text(text)
    with pytest.raises(InputError, match=words) as caught:
        read_lolib(path)
    assert "bad.mat" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"gains": [[0, 1]]}, r"gains\[0\]: must have 1 numbers"),
        ({"gains": []}, "gains: must have 1 to"),
        ({"gains": [[0, True], [1, 0]]}, r"gains\[0\]\[1\]"),
        ({"gains": [[0, "1"], [1, 0]]}, r"gains\[0\]\[1\]"),
        ({"gains": [[0, None], [1, 0]]}, r"gains\[0\]\[1\]"),
        ({"gains": [[0, 10**30], [1, 0]]}, "gains: the absolute values sum"),
        ({"gains": [[0, 2**60], [0.5, 0]]}, r"gains\[0\]\[1\]: an integer beyond"),
        ({"levels": 3}, "levels: unknown key"),
        ({"version": 2}, "version: unknown version"),
        ({"name": 3}, "name: must be text"),
    ],
)
def test_bad_json_is_refused(tmp_path, change, words):
    """The message names the field and the value."""
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(GOOD | change))
    with pytest.raises(InputError, match=words):
        read_priority(path)


def test_nan_in_json_is_refused(tmp_path):
    """NaN is no JSON, and named as what it is."""
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(GOOD).replace("2", "NaN"))
    with pytest.raises(InputError, match="NaN"):
        read_priority(path)


def test_families_of_matrices_are_reproducible(generate):
    """The same seed gives the same matrix, another seed another, and digests stay as they are."""
    digests = {}
    for family in families("priority"):
        first, again = generate(family.name, 1), generate(family.name, 1)
        assert first.sha256 == again.sha256 != generate(family.name, 2).sha256
        digests[family.name] = first.sha256[:12]
    assert digests == {"io-like": IO_LIKE, "random-lop": RANDOM_LOP}


IO_LIKE, RANDOM_LOP = "c8144d9ff842", "59656441114c"
"""The first digits of the digests at seed 1; a change makes earlier results incomparable."""
