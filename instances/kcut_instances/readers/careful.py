"""The slow pass over a document that the fast decoder refused: which element is at fault."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

import msgspec.inspect as kinds
from msgspec import Struct

from kcut import InputError

Formats = Mapping[str, tuple[int, type[Struct]]]

# The digits up to which msgspec and Python read an integer.
_LONGEST_INTEGER = 4300
_KIND_NAMES = (
    (kinds.IntType, "an integer"),
    (kinds.FloatType, "a number"),
    (kinds.StrType, "text"),
    (kinds.BoolType, "true or false"),
    (kinds.ListType, "a list"),
    (kinds.DictType, "an object"),
)


class _Odd:
    """A number that JSON, or the reader, does not have: NaN, Infinity, 1e400, endless digits."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def check(data: bytes, formats: Formats) -> None:
    """Raise for the first element that departs from its format; return if there is none.

    Parameters
    ----------
    data : bytes
        The whole document.
    formats : mapping of str to (int, type of Struct)
        Version and fields of each format, by name.

    Raises
    ------
    InputError
        Names the field and the value.

    Notes
    -----
    O(size), at some microseconds an element.
    """
    document = _parse(data)
    if not isinstance(document, dict):
        raise InputError("must be an object", "", _shown(document))
    for key in ("format", "version"):
        if key not in document:
            raise InputError("is missing", key)
    _walk(document["format"], kinds.StrType(), "format")
    if document["format"] not in formats:
        known = ", ".join(formats)
        raise InputError(f"unknown format (known: {known})", "format", document["format"])
    version, body = formats[document["format"]]
    _walk(document["version"], kinds.IntType(), "version")
    if document["version"] != version:
        message = f"unknown version (known: {version})"
        raise InputError(message, "version", document["version"])
    _walk(document, kinds.type_info(body), "")


def _parse(data: bytes) -> Any:
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_constant=_Odd,
            parse_float=_float,
            parse_int=_integer,
        )
    except UnicodeDecodeError as error:
        wrong = data[error.start : error.start + 1]
        raise InputError(f"not UTF-8 at byte {error.start}", value=wrong) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        found = error.doc[error.pos : error.pos + 20]
        raise InputError(f"not JSON: {error.msg} at {where}", value=found) from None
    except RecursionError:
        raise InputError("not a known format: nested too deeply") from None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result:
            raise InputError("the key occurs twice", _key(key), _shown(value))
        result[key] = value
    return result


def _float(text: str) -> float | _Odd:
    number = float(text)
    return number if math.isfinite(number) else _Odd(text)


def _integer(text: str) -> int | _Odd:
    return int(text) if len(text) <= _LONGEST_INTEGER else _Odd(text)


def _walk(value: Any, kind: kinds.Type, path: str) -> None:  # noqa: PLR0912
    match kind:
        case kinds.StructType(array_like=True):
            _walk_row(value, kind, path)
        case kinds.StructType():
            _walk_struct(value, kind, path)
        case kinds.ListType(item_type=item) if type(value) is list:
            for i, element in enumerate(value):
                _walk(element, item, f"{path}[{i}]")
        case kinds.DictType(value_type=item) if type(value) is dict:
            for key, element in value.items():
                _walk(element, item, f"{path}.{_key(key)}")
        case kinds.IntType() if type(value) is int:
            pass
        case kinds.FloatType() if type(value) in {int, float}:
            pass
        case kinds.BoolType() if type(value) is bool:
            pass
        case kinds.StrType() if type(value) is str:
            if not _is_unicode(value):
                raise InputError("not valid Unicode", path, value)
        case kinds.UnionType(types=options):
            if not any(_accepts(option, value) for option in options):
                raise _wrong(kind, path, value)
        case _:
            raise _wrong(kind, path, value)


def _walk_row(value: Any, kind: kinds.StructType, path: str) -> None:
    names = [field.encode_name for field in kind.fields]
    if type(value) is not list or len(value) != len(names):
        raise InputError(f"must be [{', '.join(names)}]", path, _shown(value))
    for i, field in enumerate(kind.fields):
        _walk(value[i], field.type, f"{path}[{i}]")


def _walk_struct(value: Any, kind: kinds.StructType, path: str) -> None:
    if type(value) is not dict:
        raise InputError("must be an object", path, _shown(value))
    fields = {field.encode_name: field for field in kind.fields}
    prefix = f"{path}." if path else ""
    for key, element in value.items():
        if key not in fields:
            known = ", ".join(fields)
            raise InputError(f"unknown key (known: {known})", prefix + _key(key), _shown(element))
        _walk(element, fields[key].type, prefix + key)
    for name, field in fields.items():
        if field.required and name not in value:
            raise InputError("is missing", prefix + name)


def _accepts(kind: kinds.Type, value: Any) -> bool:
    try:
        _walk(value, kind, "")
    except InputError:
        return False
    return True


def _wrong(kind: kinds.Type, path: str, value: Any) -> InputError:
    size = ", finite and not beyond all range" if isinstance(value, _Odd) else ""
    return InputError(f"must be {_words(kind)}{size}", path, _shown(value))


def _words(kind: kinds.Type) -> str:
    """Say what a kind is; the words of an integer go without saying beside those of a number."""
    if isinstance(kind, kinds.UnionType):
        words = dict.fromkeys(_words(option) for option in kind.types)
        if "a number" in words:
            words.pop("an integer", None)
        return " or ".join(words)
    return next(
        (words for known, words in _KIND_NAMES if isinstance(kind, known)), "something else"
    )


def _shown(value: Any) -> Any:
    """Return a value to show: itself, or its size where it is long or nested."""
    if isinstance(value, list) and (len(value) > 8 or any(map(_is_nested, value))):
        return _Odd(f"a list of {len(value)}")
    if isinstance(value, dict):
        return _Odd(f"an object of {len(value)} keys")
    return value


def _is_nested(value: Any) -> bool:
    return isinstance(value, list | dict)


def _is_unicode(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _key(key: str) -> str:
    """Return a key as a part of a path: as it is where it is plain, else quoted and short."""
    if key.isidentifier():
        return key[:60]
    return repr(key[:60])
