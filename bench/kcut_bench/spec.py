"""The specification of a sweep: TOML, typed, refused with the path of the offending field."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, Literal

import msgspec

from kcut.compression import MAX_LEVELS
from kcut.errors import MISSING, InputError
from kcut_bench import MAX_MEMORY_MB, MAX_THREADS

Scalar = bool | int | float | str
Positive = Annotated[int, msgspec.Meta(ge=1)]
Natural = Annotated[int, msgspec.Meta(ge=0)]
MAX_SEEDS = 1_000_000


class _Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of the file: immutable, and unknown keys are refused."""


class LimitsSpec(_Table, frozen=True, kw_only=True):
    """Limits of a run: seconds, megabytes (2^20 bytes), threads; see `kcut.Limits`."""

    time_s: float | None = None
    effort_s: float | None = None
    memory_mb: Annotated[int, msgspec.Meta(ge=1, le=MAX_MEMORY_MB)] | None = None
    threads: Annotated[int, msgspec.Meta(ge=1, le=MAX_THREADS)] = 1


class SeedRange(_Table, frozen=True, kw_only=True):
    """The seeds start, start + 1, ..., start + count - 1."""

    start: Natural = 0
    count: Annotated[int, msgspec.Meta(ge=1, le=MAX_SEEDS)]


Seeds = list[Natural] | SeedRange


class InstancesSpec(_Table, frozen=True, kw_only=True):
    """Instances of one family, or files.

    Attributes
    ----------
    family : str
        Empty where `files` are given.
    files : list of str
        Paths, relative to the specification.
    params : dict
        A list is a dimension of the grid.
    mode : {'cross', 'zip'}
        All combinations, or the lists taken in step.
    levels : list of int
        K; empty for the default of the family or of the file.
    seeds : list of int, or SeedRange
    """

    family: str = ""
    files: list[str] = []
    params: dict[str, Scalar | list[Scalar]] = {}
    mode: Literal["cross", "zip"] = "cross"
    levels: list[Annotated[int, msgspec.Meta(ge=1, le=MAX_LEVELS)]] = []
    seeds: Seeds = msgspec.field(default_factory=lambda: [0])


class SolverSpec(_Table, frozen=True, kw_only=True):
    """A solver and its grid.

    Attributes
    ----------
    name : str
    params : dict
        A list is a dimension of the grid.
    mode : {'cross', 'zip'}
    limits : LimitsSpec or None
        In place of those of the sweep.
    seeds : list of int, SeedRange or None
        In place of those of the sweep.
    max_jobs, max_edges : int or None
        Larger instances are recorded as skipped, with this reason.
    """

    name: str
    params: dict[str, Scalar | list[Scalar]] = {}
    mode: Literal["cross", "zip"] = "cross"
    limits: LimitsSpec | None = None
    seeds: Seeds | None = None
    max_jobs: Positive | None = None
    max_edges: Positive | None = None


class Spec(_Table, frozen=True, kw_only=True):
    """A sweep: every solver on every instance, with every seed, so often.

    Attributes
    ----------
    mode : {'performance', 'reproducible'}
        ``performance``: solvers are told the wall-clock limit, their order is shuffled on each
        instance, and a reference run measures the noise of the machine now and then.
        ``reproducible``: one thread, limits that no clock decides (`effort_s`), and what had to be
        killed has no solution, so that two sweeps give the same values, bounds and levels.
    """

    name: str
    description: str = ""
    problem: Literal["compression", "paths", "priority", "time-shifts"] = "compression"
    mode: Literal["performance", "reproducible"] = "performance"
    limits: LimitsSpec = LimitsSpec()
    repetitions: Positive = 1
    seeds: Seeds = msgspec.field(default_factory=lambda: [0])
    instances: Annotated[list[InstancesSpec], msgspec.Meta(min_length=1)]
    solvers: Annotated[list[SolverSpec], msgspec.Meta(min_length=1)]


def seed_list(seeds: Seeds) -> list[int]:
    """Return the seeds one by one."""
    if isinstance(seeds, SeedRange):
        return list(range(seeds.start, seeds.start + seeds.count))
    return seeds


def parse_spec(text: str, source: str) -> Spec:
    """Read a specification.

    Parameters
    ----------
    text : str
        TOML.
    source : str
        The name of the file in errors.

    Raises
    ------
    InputError
        If it is not TOML, or has an unknown key, a wrong type or a value out of range; names the
        file and the field.
    """
    try:
        spec = msgspec.toml.decode(text, type=Spec)
    except msgspec.ValidationError as error:
        raise _field_error(str(error), text, source) from error
    except msgspec.DecodeError as error:
        raise InputError(f"is not TOML: {error}", source=source) from error
    _check(spec, source)
    return spec


def _field_error(message: str, text: str, source: str) -> InputError:
    """Turn "Expected `int`, got `str` - at `$.limits.time_s`" into field, value and message."""
    what, _, where = message.partition(" - at ")
    field = where.strip("`").removeprefix("$").removeprefix(".")
    unknown = re.fullmatch(r"Object contains unknown field `(.*)`", what)
    if unknown:
        field = f"{field}.{unknown[1]}".lstrip(".")
        return InputError("unknown key", field, _lookup(text, field), source)
    missing = re.fullmatch(r"Object missing required field `(.*)`", what)
    if missing:
        return InputError("is missing", f"{field}.{missing[1]}".lstrip("."), source=source)
    return InputError(what[:1].lower() + what[1:], field, _lookup(text, field), source)


def _lookup(text: str, field: str) -> Any:
    """Return what stands at a field's path; `MISSING` where it cannot be followed."""
    value = msgspec.toml.decode(text)
    for step in re.findall(r"[^.\[\]]+", field):
        try:
            value = value[int(step) if isinstance(value, list) else step]
        except (KeyError, IndexError, ValueError, TypeError):
            return MISSING
    return value


def _check(spec: Spec, source: str) -> None:
    """Check what types cannot say."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]*", spec.name):
        message = "must consist of letters, digits, '.', '_' and '-'"
        raise InputError(message, "name", spec.name, source)
    reproducible = spec.mode == "reproducible"
    _check_limits(spec.limits, "limits", source, reproducible)
    _check_seeds(spec.seeds, "seeds", source)
    for i, group in enumerate(spec.instances):
        where = f"instances[{i}]"
        if bool(group.family) == bool(group.files):
            raise InputError("needs either family or files", where, source=source)
        if group.files and group.params:
            raise InputError("files have no parameters", f"{where}.params", group.params, source)
        _check_seeds(group.seeds, f"{where}.seeds", source)
        _check_grid(group.params, group.mode, f"{where}.params", source)
    for i, solver in enumerate(spec.solvers):
        where = f"solvers[{i}]"
        if solver.limits is not None:
            _check_limits(solver.limits, f"{where}.limits", source, reproducible)
        if solver.seeds is not None:
            _check_seeds(solver.seeds, f"{where}.seeds", source)
        _check_grid(solver.params, solver.mode, f"{where}.params", source)


def _check_limits(limits: LimitsSpec, where: str, source: str, reproducible: bool) -> None:
    for name in ("time_s", "effort_s"):
        seconds = getattr(limits, name)
        if seconds is not None and not (math.isfinite(seconds) and seconds > 0):
            raise InputError("must be positive and finite", f"{where}.{name}", seconds, source)
    if reproducible and limits.threads != 1:
        message = "must be 1 in mode reproducible"
        raise InputError(message, f"{where}.threads", limits.threads, source)


def _check_seeds(seeds: Seeds, where: str, source: str) -> None:
    if not seeds:
        raise InputError("must not be empty", where, seeds, source)


def _check_grid(
    params: dict[str, Scalar | list[Scalar]], mode: str, where: str, source: str
) -> None:
    lists = {name: values for name, values in params.items() if isinstance(values, list)}
    for name, values in lists.items():
        if not values:
            raise InputError("must not be empty", f"{where}.{name}", values, source)
    lengths = {name: len(values) for name, values in lists.items()}
    if mode == "zip" and len(set(lengths.values())) > 1:
        raise InputError("mode zip needs lists of one length", where, lengths, source)
