"""``kcut solvers``, ``families`` and ``studies``: what there is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kcut_bench.commands import output
from kcut_bench.commands.options import Json

if TYPE_CHECKING:
    from kcut.params import Param

Problem = Annotated[str | None, typer.Option("--problem", help="Only those of this problem.")]


def solvers(problem: Problem = None, json: Json = False) -> None:
    """List the solvers, their parameters and defaults."""
    from kcut import registry

    known = sorted({entry.problem for entry in registry.solvers()})
    _check_problem(problem, known)
    entries = registry.solvers(problem)
    if json:
        for entry in entries:
            shown = _describe(entry.problem, entry.name, entry.params, entry.summary)
            output.emit_json({**shown, "exact": entry.exact, "reference": entry.reference})
        return
    rows = [
        (e.problem, e.name, "yes" if e.exact else "no", _defaults(e.params), e.summary)
        for e in entries
    ]
    output.emit_table(("problem", "solver", "exact", "parameters", "what it does"), rows)


def families(problem: Problem = None, json: Json = False) -> None:
    """List the instance families, their parameters and defaults."""
    from kcut import registry

    known = sorted({entry.problem for entry in registry.families()})
    _check_problem(problem, known)
    entries = registry.families(problem)
    if json:
        for entry in entries:
            shown = _describe(entry.problem, entry.name, entry.params, entry.summary)
            output.emit_json({**shown, "levels": entry.levels, "reference": entry.reference})
        return
    rows = [(e.problem, e.name, _defaults(e.params), e.summary) for e in entries]
    output.emit_table(("problem", "family", "parameters", "what it makes"), rows)


def studies(json: Json = False) -> None:
    """List the named studies and how many runs each has."""
    from kcut_bench.plan import expand
    from kcut_bench.studies import find_spec, study_names

    found = []
    for name in study_names():
        spec, _, base = find_spec(name)
        found.append((name, spec.description, len(expand(spec, base, name))))
    if json:
        for name, description, runs in found:
            output.emit_json({"name": name, "description": description, "runs": runs})
        return
    rows = [(name, str(runs), description) for name, description, runs in found]
    output.emit_table(("study", "runs", "what it measures"), rows)


def _check_problem(problem: str | None, known: list[str]) -> None:
    from kcut.errors import InputError

    if problem is not None and problem not in known:
        raise InputError(f"unknown problem (known: {', '.join(known)})", "--problem", problem)


def _describe(problem: str, name: str, params: Mapping[str, Param], summary: str) -> dict[str, Any]:
    declared = {
        key: {
            "default": param.default,
            "help": param.help,
            "choices": list(param.choices),
            "minimum": param.minimum,
            "maximum": param.maximum,
        }
        for key, param in params.items()
    }
    return {"problem": problem, "name": name, "summary": summary, "params": declared}


def _defaults(params: Mapping[str, Param]) -> str:
    return " ".join(f"{key}={param.default}" for key, param in params.items()) or "-"
