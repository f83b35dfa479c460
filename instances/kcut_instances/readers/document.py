"""JSON documents of known formats: decoded fast, and refused with the field and the value."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, Struct
from numpy.typing import NDArray

from kcut import InputError
from kcut_instances.readers import careful
from kcut_instances.readers.files import read_bytes

_KEY = re.compile(rb'"[ \t\n\r]*:')


@dataclass(frozen=True, slots=True)
class Format:
    """A format of a file: what it is called, its fields, and what is made of them.

    Attributes
    ----------
    name : str
        Value of the field ``format``.
    version : int
        Value of the field ``version``; the one version that is read.
    body : type of Struct
        All fields, ``format`` and ``version`` among them. Optional ones default to UNSET.
    build : callable
        From a body to what the reader returns; may raise `InputError`.
    """

    name: str
    version: int
    body: type[Struct]
    build: Callable[[Any], Any]


class _Header(Struct):
    format: str
    version: int


def read_document(path: str | os.PathLike[str], formats: Mapping[str, Format]) -> Any:
    """Read a JSON file of one of some formats.

    Parameters
    ----------
    path : str or path-like
        May be gzip.
    formats : mapping of str to Format
        By name.

    Returns
    -------
    object
        What the format's ``build`` makes of it.

    Raises
    ------
    InputError
        Names the file, the field and the value.
    """
    data = read_bytes(path)
    try:
        form, body = decode(data, formats)
        return form.build(body)
    except InputError as error:
        raise error.within(str(path)) from None


def decode(data: bytes, formats: Mapping[str, Format]) -> tuple[Format, Any]:
    """Decode a document of one of some formats.

    Parameters
    ----------
    data : bytes
    formats : mapping of str to Format

    Returns
    -------
    form : Format
    body : Struct
        An instance of ``form.body``.

    Raises
    ------
    InputError
        If it is not JSON, not an object, of unknown format or version, or if a field is unknown,
        missing, duplicate or of the wrong type.

    Notes
    -----
    msgspec decodes; only where it refuses, or where a key may occur twice (of which it would take
    the last), does a slow pass look for the element to name.
    """
    reason = "cannot be decoded"
    form = body = None
    try:
        header = msgspec.json.decode(data, type=_Header)
        form = formats.get(header.format)
        if form is not None and form.version == header.version:
            body = msgspec.json.decode(data, type=form.body)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        reason = str(error)
    if form is None or body is None:
        careful.check(data, {f.name: (f.version, f.body) for f in formats.values()})
        raise InputError(reason)
    if len(_KEY.findall(data)) != _num_keys(body):
        careful.check(data, {form.name: (form.version, form.body)})
    return form, body


def _num_keys(value: Any) -> int:
    """Count the keys that a decoded value shows; every key in the text counts where none repeats.

    A text that begins with a colon makes `_KEY` count too much, never too little.
    """
    if isinstance(value, Struct):
        if value.__struct_config__.array_like:
            return 0
        shown = [getattr(value, name) for name in value.__struct_fields__]
        shown = [item for item in shown if item is not UNSET]
        return len(shown) + sum(map(_num_keys, shown))
    if isinstance(value, dict):
        return len(value) + sum(map(_num_keys, value.values()))
    if isinstance(value, list) and value and _num_keys(value[0]):
        return sum(map(_num_keys, value))
    return 0


def int64_array(numbers: list[int], field: str) -> NDArray[np.int64]:
    """Convert decoded integers to int64; name the first that does not fit as ``field[i]``."""
    try:
        return np.fromiter(numbers, np.int64, len(numbers))
    except OverflowError:
        i = next(i for i, number in enumerate(numbers) if not -(2**63) <= number < 2**63)
        message = "does not fit 64 bits"
        raise InputError(message, f"{field}[{i}]", numbers[i]) from None
