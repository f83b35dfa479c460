"""Whether what a solver returned is an answer at all: types, before anything is judged."""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.answer import Answer, Claim, Incumbent, Termination

_INT64 = np.iinfo(np.int64)


def malformation(returned: Any) -> str | None:
    """Say what makes a returned object no valid `Answer`; None if it is one.

    Parameters
    ----------
    returned : object
        Whatever a solver returned.

    Returns
    -------
    str or None
        Names the field. Lengths, ranges and feasibility are left to `kcut.judge`.
    """
    return next(_malformations(returned), None)


def _malformations(returned: Any) -> Iterator[str]:
    """Yield what is wrong; later checks rely on earlier ones."""
    if not isinstance(returned, Answer):
        yield f"returned {type(returned).__name__}, not an Answer"
    if not isinstance(returned.claim, Claim):
        yield f"claim is {returned.claim!r}, not a Claim"
    if not isinstance(returned.termination, Termination):
        yield f"termination is {returned.termination!r}, not a Termination"
    if not isinstance(returned.detail, str):
        yield f"detail is {type(returned.detail).__name__}, not text"
    if returned.claim in (Claim.OPTIMAL, Claim.FEASIBLE) and returned.solution is None:
        yield f"claims {returned.claim.value}, but gives no solution"
    for name in ("solution", "certificate"):
        array = getattr(returned, name)
        if array is not None and not _is_integer_array(array):
            kind = getattr(array, "dtype", type(array).__name__)
            yield f"{name} is {kind}, not an array of integers"
        if array is not None and array.ndim != 1:
            yield f"{name} has the shape {array.shape}, not one dimension"
    if returned.bound is not None and not _is_integer(returned.bound):
        yield f"bound is {returned.bound!r}, not an integer"
    if returned.build_s is not None and not _is_duration(returned.build_s):
        yield f"build_s is {returned.build_s!r}, not a number of seconds"
    incumbents = returned.incumbents
    if not isinstance(incumbents, tuple) or not all(map(_is_incumbent, incumbents)):
        yield "incumbents are not a tuple of Incumbent with finite seconds and integer values"


def normalised(answer: Answer) -> Answer:
    """Return a well-formed answer with int64 arrays and Python integers."""
    return replace(
        answer,
        solution=_as_int64(answer.solution),
        certificate=_as_int64(answer.certificate),
        bound=None if answer.bound is None else int(answer.bound),
        incumbents=tuple(Incumbent(float(i.seconds), int(i.value)) for i in answer.incumbents),
    )


def _as_int64(array: NDArray[Any] | None) -> NDArray[np.int64] | None:
    return None if array is None else array.astype(np.int64)


def _is_integer(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _is_integer_array(array: Any) -> bool:
    if not isinstance(array, np.ndarray) or not np.issubdtype(array.dtype, np.integer):
        return False
    return array.size == 0 or int(array.max()) <= _INT64.max


def _is_duration(seconds: Any) -> bool:
    number = isinstance(seconds, numbers.Real) and not isinstance(seconds, bool)
    return number and math.isfinite(seconds) and seconds >= 0


def _is_incumbent(entry: Any) -> bool:
    return isinstance(entry, Incumbent) and _is_duration(entry.seconds) and _is_integer(entry.value)
