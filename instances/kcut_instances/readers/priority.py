"""Matrices of gains: the JSON format ``kcut/priority``, and the plain text of public libraries."""

from __future__ import annotations

import math
import os
from pathlib import Path

import msgspec
from msgspec import Struct

from kcut import InputError
from kcut.linear_order import MAX_JOBS, Gains
from kcut.priority import PriorityInstance
from kcut_instances.readers.document import Format, read_document
from kcut_instances.readers.files import read_bytes, write_bytes

LOLIB_SUFFIXES = (".mat", ".mat.gz", ".lop", ".lop.gz")
"""Names of plain text matrices end so."""

_LONGEST_NUMBER = 40
Number = int | float


class Body(Struct, forbid_unknown_fields=True, kw_only=True):
    """All fields of a file."""

    format: str
    version: int
    name: str
    gains: list[list[Number]]


def read_priority(path: str | os.PathLike[str]) -> PriorityInstance:
    """Read a matrix of gains.

    Parameters
    ----------
    path : str or path-like
        A JSON file, or one compressed with gzip.

    Returns
    -------
    PriorityInstance

    Raises
    ------
    InputError
        Names the file, the field (such as ``gains[0][2]``) and the value.
    """
    instance: PriorityInstance = read_document(path, {PRIORITY.name: PRIORITY})
    return instance


def write_priority(instance: PriorityInstance, path: str | os.PathLike[str]) -> None:
    """Write a matrix of gains, that of a cluster as well; one row a line.

    Parameters
    ----------
    instance : PriorityInstance
    path : str or path-like
        Compressed if it ends in ``.gz``.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    head = {"format": PRIORITY.name, "version": PRIORITY.version, "name": instance.name}
    try:
        fields = [msgspec.json.encode(k) + b": " + msgspec.json.encode(v) for k, v in head.items()]
    except UnicodeEncodeError as error:
        raise InputError("the name is not valid Unicode", "name", error.object) from None
    rows = b",\n  ".join(map(msgspec.json.encode, instance.gains.as_given()))
    fields.append(b'"gains": [\n  ' + rows + b"]")
    write_bytes(path, b"{" + b",\n ".join(fields) + b"}\n")


def read_lolib(path: str | os.PathLike[str]) -> PriorityInstance:
    """Read a matrix in plain text: n, then n rows of n numbers, white space between.

    Parameters
    ----------
    path : str or path-like
        May be gzip. A first line that is not n alone is a title. Line breaks mean nothing else.

    Returns
    -------
    PriorityInstance
        Named by the title, else by the file.

    Raises
    ------
    InputError
        Names the file, the place and the word.
    """
    source = str(path)
    try:
        text = read_bytes(path).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 at byte {error.start}", source=source) from None
    try:
        title, words = _split_title(text)
        size = _size(words)
        gains = [_number(word, t, size) for t, word in enumerate(words[1 : 1 + size * size])]
        if len(words) != 1 + size * size:
            message = f"must hold {size * size:,} numbers after n = {size}"
            raise InputError(message, "gains", len(words) - 1)
        rows = [gains[i * size : (i + 1) * size] for i in range(size)]
        name = title or Path(path).name.removesuffix(".gz").rpartition(".")[0]
        return PriorityInstance(matrix=Gains.from_matrix(rows), title=name)
    except InputError as error:
        raise error.within(source) from None


def _split_title(text: str) -> tuple[str, list[str]]:
    """Return the title and the words after it."""
    lines = text.split("\n")
    first = next((i for i, line in enumerate(lines) if line.strip()), None)
    if first is None:
        raise InputError("holds nothing")
    words = lines[first].split()
    if _is_size(words[0]) and (len(words) == 1 or not _is_size_line(lines[first + 1 :])):
        return "", text.split()
    return lines[first].strip(), "\n".join(lines[first + 1 :]).split()


def _is_size_line(lines: list[str]) -> bool:
    """Whether the next line that is not empty is a size alone, and numbers follow."""
    filled = [line.split() for line in lines if line.strip()]
    return len(filled) > 1 and len(filled[0]) == 1 and _is_size(filled[0][0])


def _is_size(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < _LONGEST_NUMBER


def _size(words: list[str]) -> int:
    if not words or not _is_size(words[0]):
        raise InputError("must be the number of rows", "n", words[0] if words else "")
    size = int(words[0])
    if not 1 <= size <= MAX_JOBS:
        raise InputError(f"must be 1 to {MAX_JOBS:,}", "n", size)
    return size


def _number(word: str, place: int, size: int) -> int | float:
    """Read a number; integers stay integers."""
    field = f"gains[{place // size}][{place % size}]"
    if len(word) > _LONGEST_NUMBER or "_" in word:
        raise InputError("must be a number", field, word)
    try:
        return int(word)
    except ValueError:
        pass
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError("must be a finite number", field, word)
    return number


def _build(body: Body) -> PriorityInstance:
    return PriorityInstance(matrix=Gains.from_matrix(body.gains), title=body.name)


PRIORITY = Format("kcut/priority", 1, Body, _build)
