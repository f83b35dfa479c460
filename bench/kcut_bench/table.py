"""A table and its four forms: LaTeX (booktabs), Markdown, CSV, HTML."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

Cell = str | int | float | bool | None
"""None is "not known", shown as a dash; it is never zero."""

DASH = "–"
LONG_NAME = 28
NBSP = "\u00a0"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table.

    Attributes
    ----------
    key : str
        Its name in the CSV, with the unit as suffix.
    heading : str
        Its heading for people.
    show : function of Cell to str
        How a cell reads; the CSV holds the cell itself.
    numeric : bool
        Whether to align it to the right.
    paper_cm : float or None
        Width in LaTeX of a column whose text is broken into lines; 0 leaves the column out.
    """

    key: str
    heading: str
    show: Callable[[Cell], str]
    numeric: bool = True
    paper_cm: float | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of plain values and how they are shown.

    Attributes
    ----------
    name : str
        File name without its ending.
    title, caption : str
    columns : tuple of Column
    rows : tuple of tuple of Cell
    """

    name: str
    title: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]


def text(cell: Cell) -> str:
    """Show a cell as it is."""
    return DASH if cell is None else str(cell)


def text_column(key: str, heading: str, paper_cm: float | None = None) -> Column:
    """Return a column of text, aligned to the left."""
    return Column(key, heading, text, numeric=False, paper_cm=paper_cm)


def integer(cell: Cell) -> str:
    """Show an integer with thousands separated; other numbers with six digits."""
    if isinstance(cell, float):
        return f"{cell:,.6g}"
    return DASH if cell is None else f"{cell:,}"


def percent(cell: Cell) -> str:
    """Show a share in percent, with three digits; what is not zero never reads 0."""
    if not isinstance(cell, int | float):
        return text(cell)
    number = 100 * cell
    if math.isnan(number):
        return DASH
    if number == 0:
        return f"0{NBSP}%"
    if abs(number) < 0.001:
        return f"{number:.0e}{NBSP}%".replace("e-0", "e-")
    return f"{number:.{_decimals(number)}f}{NBSP}%"


def seconds(cell: Cell) -> str:
    """Show a time in milliseconds or seconds, with three digits."""
    if not isinstance(cell, int | float) or math.isnan(cell):
        return DASH
    if abs(cell) < 1:
        return f"{1000 * cell:.{_decimals(1000 * cell)}f}{NBSP}ms"
    return f"{cell:,.{_decimals(cell)}f}{NBSP}s"


def ratio(cell: Cell) -> str:
    """Show a factor with three digits."""
    if not isinstance(cell, int | float) or math.isnan(cell):
        return DASH
    return f"{cell:,.{_decimals(cell)}f}"


def probability(cell: Cell) -> str:
    """Show a p-value."""
    if not isinstance(cell, int | float):
        return DASH
    return f"{cell:.3f}" if cell >= 0.001 else f"{cell:.0e}"


def _decimals(number: float) -> int:
    if number == 0:
        return 0
    return min(3, max(0, 2 - math.floor(math.log10(abs(number)))))


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    NBSP: "~",
    "–": "--",
    "“": "``",
    "”": "''",
    "→": r"\(\to\)",
    "Σ": r"\(\sum\)",
    "·": r"\(\cdot\)",
    "≤": r"\(\leq\)",
    "≥": r"\(\geq\)",
    "×": r"\(\times\)",
    "−": r"\(-\)",
}


def escape_latex(words: str) -> str:
    """Return text in which LaTeX reads every character as itself."""
    return "".join(_LATEX.get(character, character) for character in words)


def to_latex(table: Table) -> str:
    """Return the table for LaTeX; it needs the package booktabs."""
    table = without(table, {column.key for column in table.columns if column.paper_cm == 0})
    align = "".join(
        f"p{{{column.paper_cm:g}cm}}" if column.paper_cm else "r" if column.numeric else "l"
        for column in table.columns
    )
    headings = " & ".join(escape_latex(column.heading) for column in table.columns)
    lines = [
        r"\begin{table}",
        r"  \centering\small",
        rf"  \caption{{{escape_latex(table.caption)}}}",
        rf"  \label{{tab:{table.name}}}",
        rf"  \begin{{tabular}}{{@{{}}{align}@{{}}}}",
        r"    \toprule",
        rf"    {headings} \\",
        r"    \midrule",
    ]
    lines += ["    " + " & ".join(map(escape_latex, row)) + r" \\" for row in _shown(table)]
    lines += [r"    \bottomrule", r"  \end{tabular}", r"\end{table}", ""]
    return "\n".join(lines)


def without(table: Table, keys: Collection[str]) -> Table:
    """Return the table without some of its columns."""
    kept = [i for i, column in enumerate(table.columns) if column.key not in keys]
    return replace(
        table,
        columns=tuple(table.columns[i] for i in kept),
        rows=tuple(tuple(row[i] for i in kept) for row in table.rows),
    )


def to_markdown(table: Table) -> str:
    """Return the table for Markdown."""
    lines = [[column.heading for column in table.columns]]
    lines.append(["---:" if column.numeric else "---" for column in table.columns])
    lines += _shown(table)
    return "".join(f"| {' | '.join(_escape_markdown(c) for c in line)} |\n" for line in lines)


def _escape_markdown(cell: str) -> str:
    escaped = cell.replace("\\", "\\\\").replace("|", "\\|")
    return escaped.replace("<", "&lt;").replace("\n", " ")


def to_text(table: Table) -> str:
    """Return the table for a terminal: aligned columns, without caption."""
    lines = [[column.heading for column in table.columns], *_shown(table)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.columns))]
    shown = ""
    for line in lines:
        cells = [
            cell.rjust(width) if column.numeric else cell.ljust(width)
            for cell, width, column in zip(line, widths, table.columns, strict=True)
        ]
        shown += "  ".join(cells).rstrip() + "\n"
    return shown.replace(NBSP, " ")


def to_csv(table: Table, mode: str) -> str:
    """Return the table as CSV: cells unrounded, nothing where a value is not known.

    CSV has no caption, so that the sweep's mode stands in each row.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*(column.key for column in table.columns), "mode"])
    for row in table.rows:
        writer.writerow([*("" if cell is None else cell for cell in row), mode])
    return buffer.getvalue()


def to_html(table: Table, code: tuple[str, ...] = ()) -> str:
    """Return the table for a page; columns named in `code` are set as commands."""
    parts = [f'<div class="scroll"><table><caption>{html.escape(table.caption)}</caption>']
    parts.append("<thead><tr>")
    for column in table.columns:
        kind = "" if column.numeric else ' class="text"'
        parts.append(f'<th scope="col"{kind}>{html.escape(column.heading)}</th>')
    parts.append("</tr></thead>\n<tbody>")
    for row in _shown(table):
        parts.append("<tr>")
        for i, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            shown = html.escape(cell) if column.numeric else _breakable(cell, column.key in code)
            if i == 0:
                kind = ' class="long"' if len(cell) > LONG_NAME else ""
                parts.append(f'<th scope="row"{kind}>{shown}</th>')
            else:
                word = " word" if len(cell) <= LONG_NAME and not set(cell) & set(" ,") else ""
                kind = "" if column.numeric else f' class="text{word}"'
                parts.append(f"<td{kind}>{shown}</td>")
        parts.append("</tr>\n")
    parts.append("</tbody></table></div>")
    return "".join(parts)


def _breakable(cell: str, is_code: bool) -> str:
    """Escape a cell; commands break between words only, names after commas."""
    if is_code:
        return (
            f"<code>{' '.join(f'<span>{html.escape(word)}</span>' for word in cell.split())}</code>"
        )
    return html.escape(cell).replace(",", ",<wbr>") if " " not in cell else html.escape(cell)


def _shown(table: Table) -> list[list[str]]:
    return [
        [column.show(cell) for column, cell in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
