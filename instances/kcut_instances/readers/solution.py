"""The JSON format ``kcut/solution``: levels or paths, what proves them, their origin."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, Struct, UnsetType
from numpy.typing import NDArray

from kcut import Claim, InputError, Termination, Verdict
from kcut.params import ParamValue
from kcut_instances.readers.document import Format, int64_array, read_document
from kcut_instances.readers.files import write_bytes

_WORDS = {
    "problem": ("compression", "max-k-cut", "paths", "priority", "time-shifts"),
    "termination": tuple(map(str, Termination)),
    "claim": tuple(map(str, Claim)),
    "verdict": tuple(map(str, Verdict)),
}
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A solution as a file states it: nothing in it has been checked against an instance.

    Attributes
    ----------
    instance_sha256 : str
        ``sha256`` of what was solved.
    levels : ndarray of int64, shape (num_jobs,), or None
        A larger number is a higher priority.
    paths : list of list of int, or None
        For each job the candidate index of each flow.
    objective : str or None
        What the paths or the order were chosen for.
    stretch : float or None
        Their limit on bottleneck times, see `kcut.paths.PathsInstance`.
    order : ndarray of int64, shape (num_jobs,), or None
        Job indices, highest priority first.
    shifts : ndarray of int64, shape (num_jobs,), or None
        In steps. Levels, paths, an order or shifts are there.
    step_s : float or None
        Length of a step in seconds.
    max_steps : int or None
    hold : float or None
        Limits on circles and on stretching periods, see `kcut.time_shifts.TimeShiftsInstance`.
    certificate : ndarray of int64, or None
        Of the paths, see `kcut.pigeonhole`, of the order, see `kcut.order_certificate`, or
        of the shifts, see `kcut.time_shift_bounds`.
    cover : ndarray of int64 or float64, shape (num_edges,), or None
        In the unit of the weights as given, in the order of the instance's edges.
    num_levels : int or None
        K it was solved for; None for that of the instance.
    solver : str
    params : mapping
    seed : int or None
    problem, instance, termination, claim, verdict : str or None
    value, bound, gap : int, float or None
        In the unit of the weights as given.
    """

    instance_sha256: str
    levels: NDArray[np.int64] | None = None
    paths: list[list[int]] | None = None
    order: NDArray[np.int64] | None = None
    shifts: NDArray[np.int64] | None = None
    step_s: float | None = None
    max_steps: int | None = None
    hold: float | None = None
    objective: str | None = None
    stretch: float | None = None
    certificate: NDArray[np.int64] | None = None
    cover: NDArray[np.int64] | NDArray[np.float64] | None = None
    num_levels: int | None = None
    solver: str = ""
    params: Mapping[str, ParamValue] = field(default_factory=dict)
    seed: int | None = None
    problem: str | None = None
    instance: str | None = None
    termination: str | None = None
    claim: str | None = None
    verdict: str | None = None
    value: int | float | None = None
    bound: int | float | None = None
    gap: int | float | None = None


class Body(Struct, forbid_unknown_fields=True, kw_only=True):
    """All fields of a file, in the order they are written."""

    format: str
    version: int
    instance_sha256: str
    problem: str | UnsetType = UNSET
    instance: str | UnsetType = UNSET
    solver: str | UnsetType = UNSET
    params: dict[str, bool | int | float | str] | UnsetType = UNSET
    seed: int | UnsetType = UNSET
    num_levels: int | UnsetType = UNSET
    termination: str | UnsetType = UNSET
    claim: str | UnsetType = UNSET
    verdict: str | UnsetType = UNSET
    value: int | float | UnsetType = UNSET
    bound: int | float | UnsetType = UNSET
    gap: int | float | UnsetType = UNSET
    objective: str | UnsetType = UNSET
    stretch: float | UnsetType = UNSET
    levels: list[int] | UnsetType = UNSET
    paths: list[list[int]] | UnsetType = UNSET
    order: list[int] | UnsetType = UNSET
    step_s: float | UnsetType = UNSET
    max_steps: int | UnsetType = UNSET
    hold: float | UnsetType = UNSET
    shifts: list[int] | UnsetType = UNSET
    certificate: list[int] | UnsetType = UNSET
    cover: list[int | float] | UnsetType = UNSET


def read_solution(path: str | os.PathLike[str]) -> Solution:
    """Read a solution.

    Parameters
    ----------
    path : str or path-like
        A JSON file, or one compressed with gzip.

    Returns
    -------
    Solution
        Well-formed; whether it is feasible is for `kcut.verify` to say.

    Raises
    ------
    InputError
        Names the file, the field and the value.
    """
    solution: Solution = read_document(path, {SOLUTION.name: SOLUTION})
    return solution


def write_solution(solution: Solution, path: str | os.PathLike[str]) -> None:
    """Write a solution, one field a line; what is None is left out.

    Parameters
    ----------
    solution : Solution
    path : str or path-like
        Compressed if it ends in ``.gz``.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    lines = []
    for name in Body.__struct_fields__:
        value = {"format": SOLUTION.name, "version": SOLUTION.version}.get(name)
        if value is None:
            value = getattr(solution, name)
        if isinstance(value, np.ndarray):
            value = value.tolist()
        if value is not None:
            lines.append(msgspec.json.encode(name) + b": " + msgspec.json.encode(value))
    write_bytes(path, b"{" + b",\n ".join(lines) + b"}\n")


def _build(body: Body) -> Solution:
    if not _SHA256.fullmatch(body.instance_sha256):
        message = "must be 64 hexadecimal digits, in lower case"
        raise InputError(message, "instance_sha256", body.instance_sha256)
    for name, least in (("seed", 0), ("num_levels", 1)):
        number = getattr(body, name)
        if number is not UNSET and number < least:
            raise InputError(f"must be at least {least}", name, number)
    for name, known in _WORDS.items():
        word = getattr(body, name)
        if word is not UNSET and word not in known:
            raise InputError(f"must be one of {', '.join(known)}", name, word)
    given: dict[str, Any] = {
        name: getattr(body, name)
        for name in Body.__struct_fields__
        if name not in {"format", "version"} and getattr(body, name) is not UNSET
    }
    if not given.keys() & {"levels", "paths", "order", "shifts"}:
        raise InputError("is missing", "levels")
    for name in given.keys() & {"levels", "order", "shifts", "certificate"}:
        given[name] = int64_array(given[name], name)
    for j, row in enumerate(given.get("paths", [])):
        int64_array(row, f"paths[{j}]")
    if "cover" in given:
        whole = float not in set(map(type, given["cover"]))
        given["cover"] = (
            int64_array(given["cover"], "cover") if whole else np.array(given["cover"], np.float64)
        )
    return Solution(**given)


SOLUTION = Format("kcut/solution", 1, Body, _build)
