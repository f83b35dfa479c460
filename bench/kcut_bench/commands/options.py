"""Options that several commands share, and the checks a type cannot express."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kcut_bench import MAX_MEMORY_MB, MAX_THREADS, MEGABYTE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kcut.answer import Limits
    from kcut.params import Param, ParamValue

Json = Annotated[bool, typer.Option("--json", help="One JSON object per line, alone on stdout.")]
Params = Annotated[
    list[str] | None,
    typer.Option("--param", "-p", metavar="KEY=VALUE", help="A parameter; may be repeated."),
]
Levels = Annotated[int | None, typer.Option("--levels", help="K, in place of the file's.")]
StoreDir = Annotated[Path, typer.Argument(metavar="STORE", help="Directory of a sweep's results.")]


def split_params(pairs: list[str] | None) -> dict[str, str]:
    """Split ``key=value`` pairs.

    Raises
    ------
    InputError
        If one has no ``=``, or a key occurs twice.
    """
    from kcut.errors import InputError

    texts: dict[str, str] = {}
    for pair in pairs or []:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise InputError("must be key=value", "-p", pair)
        if key in texts:
            raise InputError("is given twice", f"-p {key}", value)
        texts[key] = value
    return texts


def parse_params(declared: Mapping[str, Param], pairs: list[str] | None) -> dict[str, ParamValue]:
    """Return all parameters: those given, checked, and the defaults of the others."""
    from kcut.errors import InputError
    from kcut.params import parse

    texts = split_params(pairs)
    try:
        return parse(declared, texts)
    except InputError as error:
        raise error.within("-p") from None


def check_levels(levels: int | None, option: str = "--levels") -> None:
    """Refuse a number of levels out of range."""
    from kcut.compression import MAX_LEVELS
    from kcut.errors import InputError

    if levels is not None and not 1 <= levels <= MAX_LEVELS:
        raise InputError(f"must be between 1 and {MAX_LEVELS:,}", option, levels)


def check_seed(seed: int) -> None:
    """Refuse a negative seed."""
    from kcut.errors import InputError

    if seed < 0:
        raise InputError("must not be negative", "--seed", seed)


def make_limits(time_limit: float | None, memory_limit: float | None, threads: int = 1) -> Limits:
    """Return the limits of a run; refuse those that are not positive and finite."""
    from kcut.answer import Limits
    from kcut.errors import InputError

    for option, limit in (("--time-limit", time_limit), ("--memory-limit", memory_limit)):
        if limit is not None and not (math.isfinite(limit) and limit > 0):
            raise InputError("must be positive and finite", option, limit)
    if memory_limit is not None and memory_limit > MAX_MEMORY_MB:
        raise InputError(f"must be at most {MAX_MEMORY_MB:,}", "--memory-limit", memory_limit)
    if not 1 <= threads <= MAX_THREADS:
        raise InputError(f"must be between 1 and {MAX_THREADS:,}", "--threads", threads)
    memory_bytes = None if memory_limit is None else int(memory_limit * MEGABYTE)
    return Limits(time_limit, memory_bytes, threads)
