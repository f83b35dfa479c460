"""CSV files with a header: rows whose errors name the file, the row and the column."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
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


def read_table(path: str | os.PathLike[str], columns: Sequence[str]) -> list[Row]:
    """Read a CSV file.

    Parameters
    ----------
    path : str or path-like
        UTF-8, may be gzip.
    columns : sequence of str
        Columns that have to be there; others are ignored.

    Returns
    -------
    list of Row
        Fields stripped of surrounding spaces; a row that is too short has empty fields.

    Raises
    ------
    InputError
        If the file cannot be read, is not UTF-8 or not CSV, or lacks a column.
    """
    source = str(path)
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", source=source) from None
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader, [])]
        for column in columns:
            if column not in header:
                raise InputError("the column is missing", f"row 1, column {column}", header, source)
        rows = []
        for fields in reader:
            if fields:
                padded = [*fields, *[""] * (len(header) - len(fields))]
                values = {name: padded[i].strip() for i, name in enumerate(header)}
                rows.append(Row(source, reader.line_num, values))
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", f"row {reader.line_num}", source=source) from None
    return rows
