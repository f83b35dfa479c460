"""Errors: everything kcut raises on purpose derives from `KcutError`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_LONGEST_REPR = 80


class KcutError(Exception):
    """Base of all errors that kcut raises on purpose."""


class SolverError(KcutError):
    """A solver cannot be found, or a plug-in broke the solver contract."""


class _Missing:
    """Marks an error without an offending value (None is a value)."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()


@dataclass(eq=False)
class InputError(KcutError):
    """Input that kcut refuses, with where it stands and what stood there.

    Parameters
    ----------
    message : str
        What is wrong, in words a user understands.
    field : str, optional
        Path of the field inside the input, such as ``edges[3][2]``.
    value : object, optional
        The offending value.
    source : str, optional
        The file (or option) it came from; readers add it.

    Notes
    -----
    ``str(error)`` is one line: ``source: field: message (got value)``.
    """

    message: str
    field: str = ""
    value: Any = MISSING
    source: str = ""

    def __str__(self) -> str:
        """Join source, field, message and value in one line."""
        parts = [part for part in (self.source, self.field, self.message) if part]
        line = ": ".join(parts)
        if not isinstance(self.value, _Missing):
            shown = repr(self.value)
            if len(shown) > _LONGEST_REPR:
                shown = shown[: _LONGEST_REPR - 3] + "..."
            line += f" (got {shown})"
        return " ".join(line.split())

    def within(self, source: str) -> InputError:
        """Return the same error with `source` named, unless one is named already."""
        return InputError(self.message, self.field, self.value, self.source or source)
