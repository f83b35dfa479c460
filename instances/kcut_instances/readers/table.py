"""CSV files with a header: rows whose errors name the file, the row and the column."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kcut import InputError
from kcut_instances.readers.files import read_bytes


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table.

    Attributes
    ----------
    source : str
        The file.
    number : int
        Line of the file on which the row ends; the header is line 1.
    values : dict of str to str
        By column.
    """

    source: str
    number: int
    values: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.values[column]

    def text(self, column: str) -> str:
        """Return a field that may not be empty."""
        if not self.values[column]:
            raise self.error("must not be empty", column)
        return self.values[column]

    def error(self, message: str, column: str) -> InputError:
        """Return an error that names the file, the row, the column and what stands there."""
        field = f"row {self.number}, column {column}"
        return InputError(message, field, self.values[column], self.source)


def refuse(error: InputError) -> None:
    """Raise an error: what readers do with a broken row unless told otherwise."""
    raise error


def read_table(
    path: str | os.PathLike[str],
    columns: Sequence[str],
    on_bad_row: Callable[[InputError], None] = refuse,
) -> list[Row]:
    """Read a CSV file.

    Parameters
    ----------
    path : str or path-like
        UTF-8, may be gzip.
    columns : sequence of str
        Columns that have to be there; others are ignored.
    on_bad_row : callable, optional
        Told of each row that is not CSV or has not as many fields as the header, which is then
        left out.

    Returns
    -------
    list of Row
        Fields stripped of surrounding spaces.

    Raises
    ------
    InputError
        If the file cannot be read, is not UTF-8 or lacks a column, or for a broken row.
    """
    source = str(path)
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", source=source) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    header: list[str] | None = None
    rows: list[Row] = []
    while True:
        try:
            fields = next(reader, None)
        except csv.Error as error:
            bad = InputError(f"not CSV: {error}", f"row {reader.line_num}", source=source)
            if header is None:
                raise bad from None
            on_bad_row(bad)
            continue
        if header is None:
            header = _header(fields or [], columns, source)
        elif fields is None:
            return rows
        elif len(fields) == len(header):
            values = dict(zip(header, map(str.strip, fields), strict=True))
            rows.append(Row(source, reader.line_num, values))
        elif fields:
            message = f"must have {len(header)} fields like the header"
            on_bad_row(InputError(message, f"row {reader.line_num}", len(fields), source))


def _header(fields: list[str], columns: Sequence[str], source: str) -> list[str]:
    """Return the names of the columns, if all that are needed are among them, each once."""
    header = [name.strip() for name in fields]
    for column in columns:
        if column not in header:
            raise InputError("the column is missing", f"row 1, column {column}", header, source)
        if header.count(column) > 1:
            raise InputError("the column occurs twice", f"row 1, column {column}", header, source)
    return header
