"""The page of a report: its frame, its sections, its figures and tables as HTML."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import resources

from kcut_bench.figure import Figure
from kcut_bench.figures_plotly import plotly_script, to_div
from kcut_bench.table import Table, to_html

MOST_ROWS = 60
"""Longer tables are cut on the page; their files hold every row."""

PRINT_WIDTH_PX = 680

# Plotly sizes its drawings in pixels: fit them to the paper before printing and back afterwards.
_PRINT_SCRIPT = f"""
const plots = () => document.querySelectorAll('.js-plotly-plot');
const fit = width => plots().forEach(p => Plotly.relayout(p, {{width: width}}));
addEventListener('beforeprint', () => fit({PRINT_WIDTH_PX}));
addEventListener('afterprint', () => plots().forEach(p => Plotly.relayout(p, {{autosize: true, width: null}})));
matchMedia('print').addEventListener('change', e => {{ if (e.matches) fit({PRINT_WIDTH_PX}); }});
"""  # noqa: E501


@dataclass(frozen=True, slots=True)
class Section:
    """A section: a heading, an anchor and its content as HTML."""

    anchor: str
    heading: str
    body: str


def figure_html(figure: Figure) -> str:
    """Return a figure with caption, description and links, or why there is none."""
    if not figure.panels:
        return f'<p class="none">Not drawn: {html.escape(figure.caption)}</p>\n'
    links = ", ".join(
        f'<a href="figures/{figure.name}.{kind}">{kind.upper()}</a>'
        for kind in ("pdf", "svg", "csv")
    )
    alt = html.escape(figure.alt, quote=True)
    return (
        f'<figure id="figure-{figure.name}">\n'
        f'<div role="img" aria-label="{alt}">{to_div(figure)}</div>\n'
        f"<figcaption>{html.escape(figure.caption)} "
        f'<span class="files">Files: {links}.</span></figcaption>\n</figure>\n'
    )


def table_html(table: Table, empty: str, code: tuple[str, ...] = ()) -> str:
    """Return a table with links to its files, or a sentence where it has no rows."""
    if not table.rows:
        return f'<p class="none">{html.escape(empty)}</p>\n'
    shown = table
    if len(table.rows) > MOST_ROWS:
        caption = f"{table.caption} The first {MOST_ROWS} of {len(table.rows):,} rows."
        shown = replace(table, rows=table.rows[:MOST_ROWS], caption=caption)
    links = ", ".join(
        f'<a href="tables/{table.name}.{kind}">{name}</a>'
        for kind, name in (("csv", "CSV"), ("tex", "LaTeX"), ("md", "Markdown"))
    )
    return f'{to_html(shown, code)}\n<p class="files none">Files: {links}.</p>\n'


def facts_html(facts: Sequence[tuple[str, str]]) -> str:
    """Return a list of names and what they stand for."""
    items = "".join(
        f"<dt>{html.escape(name)}</dt><dd>{html.escape(value)}</dd>\n" for name, value in facts
    )
    return f'<dl class="facts">\n{items}</dl>\n'


def page_html(title: str, where: str, finding: str, top: str, sections: Sequence[Section]) -> str:
    """Return the whole page, which asks the network for nothing.

    Parameters
    ----------
    title, where, finding : str
        Text.
    top : str
        HTML of warnings that come before everything else.
    sections : sequence of Section
    """
    css = resources.files("kcut_bench").joinpath("report.css").read_text("utf-8")
    contents = "".join(
        f'<li><a href="#{s.anchor}">{html.escape(s.heading)}</a></li>\n' for s in sections
    )
    body = "".join(
        f'<section id="{s.anchor}" aria-labelledby="{s.anchor}-heading">\n'
        f'<h2 id="{s.anchor}-heading">{html.escape(s.heading)}</h2>\n{s.body}</section>\n'
        for s in sections
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="kcut">
<link rel="icon" href="data:,">
<title>{html.escape(title)}</title>
<style>
{css}</style>
<script>{plotly_script()}</script>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<header>
<h1>{html.escape(title)}</h1>
<p class="where">{html.escape(where)}</p>
{top}<p class="finding" id="finding">{html.escape(finding)}</p>
<nav aria-label="Contents"><ol>
{contents}</ol></nav>
</header>
<noscript><p class="notice">The figures on this page need JavaScript; the folder figures/ beside it
holds them as PDF and SVG.</p></noscript>
<main id="main">
{body}</main>
<footer>Made by <code>kcut report</code> from the store alone.</footer>
<script>{_PRINT_SCRIPT}</script>
</body>
</html>
"""
