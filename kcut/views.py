"""An instance as a problem states it: a cluster may stand for several problems."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kcut.cluster import Cluster
from kcut.compression import CompressionInstance
from kcut.contention import compression_of
from kcut.errors import InputError
from kcut.params import ParamValue
from kcut.paths import PathsInstance
from kcut.priority import PriorityInstance
from kcut.registry import PROBLEM_PARAMS
from kcut.time_shifts import TimeShiftsInstance

Made = CompressionInstance | Cluster | PriorityInstance
"""What files hold and families make."""

Stated = CompressionInstance | PathsInstance | PriorityInstance | TimeShiftsInstance
"""What solvers take."""

_VIEWS: dict[str, Callable[..., PathsInstance | PriorityInstance | TimeShiftsInstance]] = {
    "paths": PathsInstance,
    "priority": PriorityInstance,
    "time-shifts": TimeShiftsInstance,
}
"""What states a problem that has parameters, of a cluster and these."""


def state(made: Made, problem: str, params: Mapping[str, ParamValue]) -> Stated:
    """Return the instance of a problem that a read or generated instance states.

    Parameters
    ----------
    made : CompressionInstance, Cluster or PriorityInstance
    problem : str
    params : mapping of str to value
        A solver's, complete; those of the problem are taken.

    Raises
    ------
    InputError
        If it states none.
    """
    if problem not in PROBLEM_PARAMS:
        if isinstance(made, PriorityInstance):
            raise InputError("holds a matrix of gains alone", "problem", problem)
        return compression_of(made)
    given: dict[str, Any] = {name: params[name] for name in PROBLEM_PARAMS[problem]}
    if problem == "priority" and isinstance(made, PriorityInstance):
        return made.with_objective(**given)
    if not isinstance(made, Cluster):
        raise InputError("holds no cluster", "problem", problem)
    return _VIEWS[problem](made, **given)


def own_params(problem: str, params: Mapping[str, ParamValue]) -> dict[str, ParamValue]:
    """Return the parameters that a solver's function takes: all but those of the problem."""
    shared = PROBLEM_PARAMS.get(problem, {})
    return {name: value for name, value in params.items() if name not in shared}
