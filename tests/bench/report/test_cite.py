"""Citations: entries are sound, keys are known, the methods sentence follows from the store."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kcut.errors import InputError
from kcut.registry import families, solvers
from kcut_bench.cite import bibliography, citation, entries, plain_reference, version

WANTED = {
    "article": {"author", "title", "journal", "year"},
    "inproceedings": {"author", "title", "booktitle", "year"},
    "incollection": {"author", "title", "booktitle", "year"},
    "book": {"author", "title", "publisher", "year"},
    "techreport": {"author", "title", "institution", "year"},
    "misc": {"author", "title", "howpublished"},
}


@pytest.mark.parametrize(("key", "entry"), bibliography().items())
def test_entries_are_sound(key: str, entry: str) -> None:
    """Braces balance, the fields of its kind are there, a year in the key is the year."""
    assert entry.count("{") == entry.count("}")
    kind = re.match(r"@(\w+)", entry)
    assert kind is not None
    fields = dict(re.findall(r"^\s*(\w+)\s*=\s*\{(.*)\}", entry, re.MULTILINE))
    assert fields.keys() >= WANTED[kind[1]]
    year = re.search(r"\d{4}", key)
    assert year is None or fields["year"] == year[0]
    doi = fields.get("doi", "10.1/x")
    assert re.fullmatch(r"10\.\d+/\S+", doi)


def test_every_entry_is_read() -> None:
    """The parser finds as many entries as the file begins."""
    import kcut_bench

    text = (Path(kcut_bench.__file__).parent / "references.bib").read_text("utf-8")
    assert len(bibliography()) == len(re.findall(r"^@", text, re.MULTILINE))


def test_every_key_in_use_is_known() -> None:
    """Solvers and families refer to entries there are, or bring their own."""
    known = bibliography()
    for entry in [*solvers(), *families()]:
        if not entry.reference.startswith("@"):
            assert set(entry.reference.split()) <= known.keys(), entry.name


def test_references_come_once_in_order() -> None:
    """Keys may repeat; a whole entry passes through; an unknown key becomes a comment."""
    own = "@misc{mine,\n  title = {Mine}\n}"
    found = entries(["yao1980 cao2024crux", own, "cao2024crux nobody2020"])
    assert [entry.split(",")[0] for entry in found[:3]] == [
        "@inproceedings{yao1980",
        "@inproceedings{cao2024crux",
        "@misc{mine",
    ]
    assert found[3].startswith("% nobody2020")
    assert len(found) == 4


def test_citation_of_a_store(store_dir: Path) -> None:
    """The suite, its version, the papers behind every solver used, and how many instances."""
    text = citation(store_dir, [])
    assert f"version = {{{version()}}}" in text
    for key in ("cao2024crux", "yao1980", "murota2014", "chowdhury2014varys", "perron2023cpsat"):
        assert text.count(f"{{{key},") == 1
    first = text.splitlines()[0]
    assert first.startswith("% We ran the study “small” of kcut")
    for part in (
        "84 of 84 planned runs, 14 instances",
        "crux, max-k-cut-cp-sat, min-cost-flow",
        "time limit 5 s",
    ):
        assert part in first
    outside = re.sub(r"^%.*$", "", text, flags=re.MULTILINE)
    assert outside.count("{") == outside.count("}")


def test_citation_of_solvers() -> None:
    """Without a store there is no sentence; an unknown solver is bad input."""
    text = citation(None, ["sincronia"])
    assert "%" not in text
    assert "agarwal2018sincronia" in text
    with pytest.raises(InputError, match="unknown solver"):
        citation(None, ["nobody"])


def test_plain_reference() -> None:
    """An entry reads as a line of text."""
    assert plain_reference(bibliography()["dolan2002"]) == (
        "Elizabeth D. Dolan, Jorge J. Moré. Benchmarking Optimization Software with Performance "
        "Profiles. Mathematical Programming 91(2), 2002. doi:10.1007/s101070100263"
    )
