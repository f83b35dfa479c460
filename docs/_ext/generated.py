"""Directives that write tables from the code itself: solvers, families, statuses, commands."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import kcut
from kcut import registry
from kcut.params import Param

WIDTH = "92"


def _params(params: Mapping[str, Param]) -> list[str]:
    rows = []
    for name, param in params.items():
        allowed = ""
        if param.choices:
            allowed = ", one of " + ", ".join(f"``{choice}``" for choice in param.choices)
        elif param.minimum is not None and param.maximum is not None:
            allowed = f", {param.minimum:,} to {param.maximum:,}"
        elif param.minimum is not None:
            allowed = f", at least {param.minimum:,}"
        rows.append(f"* ``{name}`` = ``{param.default}``: {param.help}{allowed}")
    return rows


def _solvers() -> list[str]:
    lines: list[str] = []
    for entry in registry.solvers():
        kind = "exact" if entry.exact else "heuristic"
        lines += [f"``{entry.name}`` ({entry.problem}, {kind})", f"   {entry.summary}"]
        if entry.reference and not entry.reference.startswith("@"):
            keys = ", ".join(f"``{key}``" for key in entry.reference.split())
            lines += ["", f"   Cited as {keys}."]
        lines += ["", *(f"   {row}" for row in _params(entry.params)), ""]
    return lines


def _families() -> list[str]:
    lines: list[str] = []
    for entry in registry.families():
        lines += [f"``{entry.name}`` ({entry.problem}, K = {entry.levels} unless given)"]
        lines += [f"   {entry.summary}"]
        lines += ["", *(f"   {row}" for row in _params(entry.params)), ""]
    return lines


def _prose(members: type[StrEnum]) -> dict[str, str]:
    """Return the text that follows each member in the source."""
    body = ast.parse(inspect.getsource(members)).body[0]
    assert isinstance(body, ast.ClassDef)
    prose = {}
    for statement, after in zip(body.body, body.body[1:], strict=False):
        if isinstance(statement, ast.Assign) and isinstance(after, ast.Expr):
            assert isinstance(statement.targets[0], ast.Name)
            prose[statement.targets[0].id] = ast.literal_eval(after.value)
    return prose


def _statuses() -> list[str]:
    lines: list[str] = []
    for members in (kcut.Termination, kcut.Claim, kcut.Verdict):
        prose = _prose(members)
        title = members.__name__.lower()
        lines += [f".. rubric:: {title}", "", inspect.getdoc(members) or "", ""]
        for member in members:
            lines += [f"``{member.value}``", f"   {prose[member.name]}", ""]
    return lines


TABLES: dict[str, Callable[[], list[str]]] = {
    "solvers": _solvers,
    "families": _families,
    "statuses": _statuses,
}


class Table(SphinxDirective):
    """``{kcut-table} solvers``: a list made from the registry, or from the enums."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Parse the lines as reStructuredText, with the code as their source."""
        from docutils.frontend import get_default_settings
        from docutils.parsers.rst import Parser
        from docutils.utils import new_document

        document = new_document("kcut", get_default_settings(Parser))
        text = "\n".join(StringList(TABLES[self.arguments[0]](), source="kcut"))
        Parser().parse(text, document)
        return document.children


class Help(SphinxDirective):
    """``{kcut-help} solve``: what ``kcut solve --help`` prints."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Run the command line and show its output as it is."""
        command = [sys.executable, "-m", "kcut_bench.cli", *self.arguments, "--help"]
        shown = subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
            env={**os.environ, "COLUMNS": WIDTH, "TERMINAL_WIDTH": WIDTH, "NO_COLOR": "1"},
        )
        return [nodes.literal_block(shown.stdout, shown.stdout.rstrip(), language="text")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directives."""
    app.add_directive("kcut-table", Table)
    app.add_directive("kcut-help", Help)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
