"""Exports of a store: all columns but the blobs, numbers in full precision."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import TextIO

from kcut_bench.record import RunRecord
from kcut_bench.store import BLOBS, COLUMNS


def write_csv(rows: Iterable[RunRecord], file: TextIO) -> int:
    """Write rows as CSV with a header; a missing value is an empty cell.

    Parameters
    ----------
    rows : iterable of RunRecord
    file : text file
        Opened with ``newline=""``.

    Returns
    -------
    int
        Number of rows written.

    Notes
    -----
    Floats are written as the shortest text that reads back as the same float, flags as 0 and 1.
    """
    names = [name for name in COLUMNS if name not in BLOBS]
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    count = 0
    for row in rows:
        writer.writerow([_cell(getattr(row, name)) for name in names])
        count += 1
    return count


def _cell(value: object) -> object:
    return int(value) if isinstance(value, bool) else value
