"""What to cite: the suite, the papers behind the solvers of a store, a sentence of methods."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterable
from importlib import resources
from pathlib import Path

from kcut.errors import InputError
from kcut.registry import solvers
from kcut_bench.headline import commit_of, study_name
from kcut_bench.results import Results, instance_key, load_results

ALWAYS = ("cao2024crux",)
"""Cited whatever was run: the heuristic that everything is measured against."""

_ENTRY = re.compile(r"@(\w+)\s*\{\s*([^,\s]+)\s*,.*?\n\}", re.DOTALL)
_FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\},?\s*$", re.MULTILINE)


def citation(store_dir: Path | None, solver_names: list[str]) -> str:
    """Return BibTeX for the suite and the solvers, and with a store a sentence of methods text.

    Parameters
    ----------
    store_dir : Path or None
        Its solvers are cited too.
    solver_names : list of str

    Returns
    -------
    str
        The sentence stands in BibTeX comments (``%``), before the entries.

    Raises
    ------
    InputError
        For an unknown solver, or a directory without a store.
    """
    results = None if store_dir is None else load_results(store_dir)
    known = solvers()
    names = list(dict.fromkeys(solver.name for solver in known))
    for name in solver_names:
        if name not in names:
            raise InputError(f"unknown solver (known: {', '.join(names)})", "solver", name)
    cited = [solver for name in solver_names for solver in known if solver.name == name]
    if results is not None:
        used = {(record.problem, record.solver) for record in results.records}
        cited += sorted(
            (solver for solver in known if (solver.problem, solver.name) in used),
            key=lambda solver: solver.name,
        )
    references = [solver.reference for solver in cited]
    parts = [suite_entry(), *entries([" ".join(ALWAYS), *references])]
    if results is not None:
        parts.insert(0, "\n".join(f"% {line}" for line in methods_text(results).splitlines()))
    return "\n\n".join(parts) + "\n"


def version() -> str:
    """Return the version of the installed suite, or of none."""
    try:
        return importlib.metadata.version("kcut")
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


def suite_entry() -> str:
    """Return the BibTeX entry of the suite at its version."""
    return (
        "@software{kcut,\n"
        "  author  = {{The kcut developers}},\n"
        "  title   = {kcut: how far communication scheduling for {GPU} clusters is from optimal},\n"
        f"  version = {{{version()}}}\n"
        "}"
    )


def bibliography() -> dict[str, str]:
    """Return the entries of ``references.bib`` by key."""
    text = resources.files("kcut_bench").joinpath("references.bib").read_text("utf-8")
    return {match[2]: match[0] for match in _ENTRY.finditer(text)}


def entries(references: Iterable[str]) -> list[str]:
    """Return the BibTeX entries that solvers refer to, each once, in the order of mention.

    Parameters
    ----------
    references : iterable of str
        Per solver: keys separated by spaces, or whole entries, the first character being ``@``.

    Returns
    -------
    list of str
        A key that the bibliography lacks, such as a plug-in's, becomes a comment that says so.
    """
    known = bibliography()
    found: dict[str, str] = {}
    for reference in references:
        if reference.lstrip().startswith("@"):
            found[reference.strip()] = reference.strip()
            continue
        for key in reference.split():
            found[key] = known.get(key, f"% {key}: no such entry in the bibliography of kcut")
    return list(found.values())


def plain_reference(entry: str) -> str:
    """Return a BibTeX entry as a line of text: authors, title, venue, year, DOI."""
    fields = {name.lower(): _plain(value) for name, value in _FIELD.findall(entry)}
    authors = [_first_last(name) for name in fields.get("author", "").split(" and ") if name]
    shown = ", ".join(authors[:3]) + (" et al." if len(authors) > 3 else "")
    venue = next(
        (fields[n] for n in ("journal", "booktitle", "publisher", "institution", "howpublished")
         if n in fields), ""
    )  # fmt: skip
    if "volume" in fields and "journal" in fields:
        venue += f" {fields['volume']}"
        venue += f"({fields['number']})" if "number" in fields else ""
    year, doi = fields.get("year", ""), fields.get("doi", "")
    parts = [shown, fields.get("title", ""), ", ".join(filter(None, (venue, year)))]
    line = ". ".join(part.rstrip(".") for part in parts if part) + "."
    return f"{line} doi:{doi}" if doi else line


def _plain(value: str) -> str:
    value = re.sub(r"\\url\{(.*?)\}", r"\1", value)
    value = value.replace(r"{\'e}", "é").replace("--", "–")
    return re.sub(r"[{}]", "", value)


def _first_last(name: str) -> str:
    last, comma, first = name.partition(", ")
    return f"{first} {last}" if comma else name


def methods_text(results: Results) -> str:
    """Return a sentence for a methods section: study, commit, instances, solvers, limits."""
    records = results.records
    name, commit = study_name(results.manifest), commit_of(results.manifest)
    study = f"study “{name}” of kcut {version()}" if name else f"kcut {version()}"
    at = f" (commit {commit})" if commit else ""
    num_instances = len({instance_key(r)[1:] for r in records})
    names = sorted({r.solver for r in records})
    done = f"{len(records):,} of {len(results.planned):,} planned runs"
    return (
        f"We ran the {study}{at}: {done}, {num_instances:,} instances (a contention DAG and its "
        f"number of levels), solvers {', '.join(names) or 'none'}, {limits_text(results)}. "
        "Optimality is claimed only where a certificate, checked in exact integers, equals the "
        "value."
    )


def limits_text(results: Results) -> str:
    """Return the limits of the runs in words."""
    times = sorted({r.time_limit_s for r in results.records if r.time_limit_s is not None})
    sizes = sorted({r.memory_limit_bytes for r in results.records if r.memory_limit_bytes})
    threads = sorted({r.threads for r in results.records})
    unlimited = any(r.time_limit_s is None for r in results.records)
    time = " or ".join(f"{seconds:g} s" for seconds in times)
    if unlimited:
        time = f"{time} or none" if time else "none"
    memory = " or ".join(f"{size / 2**20:,.0f} MB" for size in sizes) or "none"
    return (
        f"time limit {time or 'none'} a run, memory limit {memory}, "
        f"threads {' or '.join(map(str, threads)) or 'none'}"
    )
