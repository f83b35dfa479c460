"""Parameters of solvers and families: declared once, checked and parsed everywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kcut.errors import InputError

ParamValue = bool | int | float | str


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter: its type is the type of its default.

    Attributes
    ----------
    default : bool, int, float or str
    help : str
        What it does, with its unit.
    choices : tuple of str
        The values a text parameter may take; empty for any.
    minimum, maximum : float or None
        Inclusive range of a number.
    """

    default: ParamValue
    help: str
    choices: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None

    def parse(self, name: str, text: str) -> ParamValue:
        """Read a value from the command line; raise `InputError` if it does not fit."""
        value: ParamValue = text
        try:
            if isinstance(self.default, bool):
                value = {"true": True, "false": False}[text.lower()]
            elif isinstance(self.default, int):
                value = int(text)
            elif isinstance(self.default, float):
                value = float(text)
        except (KeyError, ValueError):
            raise InputError(f"must be {self.kind}", name, text) from None
        return self.check(name, value)

    def check(self, name: str, value: Any) -> ParamValue:
        """Return the value in the parameter's type; raise `InputError` if it does not fit."""
        wanted = type(self.default)
        if wanted is float and type(value) is int:
            value = float(value)
        if type(value) is not wanted:
            raise InputError(f"must be {self.kind}", name, value)
        if isinstance(value, float) and not math.isfinite(value):
            raise InputError("must be finite", name, value)
        if isinstance(value, str) and self.choices and value not in self.choices:
            raise InputError(f"must be one of {', '.join(self.choices)}", name, value)
        if not isinstance(value, str):
            if self.minimum is not None and value < self.minimum:
                raise InputError(f"must be at least {self.minimum:g}", name, value)
            if self.maximum is not None and value > self.maximum:
                raise InputError(f"must be at most {self.maximum:g}", name, value)
        checked: ParamValue = value
        return checked

    @property
    def kind(self) -> str:
        """The type in words."""
        if isinstance(self.default, bool):
            return "true or false"
        words = {int: "an integer", float: "a number", str: "text"}
        return words[type(self.default)]


def complete(declared: Mapping[str, Param], given: Mapping[str, Any]) -> dict[str, ParamValue]:
    """Return a value for every declared parameter: the given one, checked, or the default.

    Parameters
    ----------
    declared : mapping of str to Param
    given : mapping of str to value or str
        Values in their types.

    Returns
    -------
    dict
        In the order of `declared`.

    Raises
    ------
    InputError
        For an unknown name, a wrong type or a value out of range.
    """
    for name in given:
        if name not in declared:
            known = ", ".join(declared) or "none"
            raise InputError(f"unknown parameter (known: {known})", name, given[name])
    return {
        name: param.check(name, given[name]) if name in given else param.default
        for name, param in declared.items()
    }


def parse(declared: Mapping[str, Param], texts: Mapping[str, str]) -> dict[str, ParamValue]:
    """Like `complete`, for values given as text on the command line."""
    known = {n: declared[n].parse(n, t) if n in declared else t for n, t in texts.items()}
    return complete(declared, known)
