"""Exports of a store: all columns but the blobs and the mode, numbers in full precision."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, TextIO

from kcut.errors import InputError
from kcut_bench.record import RunRecord
from kcut_bench.store import BLOBS, COLUMNS, Store

NAMES = tuple(name for name in COLUMNS if name not in BLOBS)
_EXACT_IN_FLOAT = 2**53
_EXACT_IN_INT64 = 2**63


def mode_of(store: Store) -> str:
    """Return how the runs of a store were limited: ``performance`` or ``reproducible``."""
    return str(store.manifest().get("mode", "performance"))


def write_csv(
    rows: Iterable[RunRecord], file: TextIO, mode: str, names: Sequence[str] = NAMES
) -> int:
    """Write rows as CSV with a header; a missing value is an empty cell.

    Parameters
    ----------
    rows : iterable of RunRecord
    file : text file
        Opened with ``newline=""``.
    mode : str
        The last column of every row.
    names : sequence of str, optional
        The other columns.

    Returns
    -------
    int
        Number of rows written.

    Notes
    -----
    Floats are written as the shortest text that reads back as the same float, flags as 0 and 1.
    """
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow([*names, "mode"])
    count = 0
    for row in rows:
        writer.writerow([*(_cell(getattr(row, name)) for name in names), mode])
        count += 1
    return count


def write_parquet(rows: Iterable[RunRecord], path: Path, mode: str) -> int:
    """Write rows as one Parquet file; missing values are nulls.

    Parameters
    ----------
    rows : iterable of RunRecord
    path : Path
    mode : str
        The last column of every row.

    Returns
    -------
    int
        Number of rows written.

    Raises
    ------
    InputError
        If pyarrow is not installed.
    OSError
        If the file cannot be written.

    Notes
    -----
    A column has one type. Where it holds integers and floats, they are floats if no integer loses
    by it; integers that no type of Parquet holds exactly make a column of decimal text.
    """
    arrow = _pyarrow("pyarrow", path)
    parquet = _pyarrow("pyarrow.parquet", path)
    columns: dict[str, list[Any]] = {name: [] for name in NAMES}
    for row in rows:
        for name in NAMES:
            columns[name].append(getattr(row, name))
    count = len(columns[NAMES[0]])
    arrays = {name: arrow.array(_of_one_type(values)) for name, values in columns.items()}
    arrays["mode"] = arrow.array([mode] * count, arrow.string())
    parquet.write_table(arrow.table(arrays), path)
    return count


def _pyarrow(name: str, path: Path) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        message = "Parquet needs pyarrow: pip install 'kcut[parquet]', or end the name in .csv"
        raise InputError(message, "-o", str(path)) from None


def _of_one_type(values: list[Any]) -> list[Any]:
    """Return values that one type holds without loss."""
    integers = [v for v in values if isinstance(v, int) and not isinstance(v, bool)]
    largest = max(map(abs, integers), default=0)
    if any(isinstance(v, float) for v in values):
        if largest <= _EXACT_IN_FLOAT:
            return [float(v) if isinstance(v, int) else v for v in values]
        return [None if v is None else repr(v) for v in values]
    if largest >= _EXACT_IN_INT64:
        return [None if v is None else str(v) for v in values]
    return values


def _cell(value: object) -> object:
    return int(value) if isinstance(value, bool) else value
