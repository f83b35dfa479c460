"""An instance as a problem states it: a cluster may stand for several problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kcut.cluster import Cluster
from kcut.compression import CompressionInstance
from kcut.contention import compression_of
from kcut.errors import InputError
from kcut.params import ParamValue
from kcut.paths import PathsInstance
from kcut.registry import PROBLEM_PARAMS


def state(
    made: CompressionInstance | Cluster, problem: str, params: Mapping[str, ParamValue]
) -> CompressionInstance | PathsInstance:
    """Return the instance of a problem that a read or generated instance states.

    Parameters
    ----------
    made : CompressionInstance or Cluster
    problem : str
    params : mapping of str to value
        A solver's, complete; those of the problem are taken.

    Raises
    ------
    InputError
        If it states none.
    """
    if problem != "paths":
        return compression_of(made)
    if not isinstance(made, Cluster):
        raise InputError("holds no cluster", "problem", problem)
    given: dict[str, Any] = {name: params[name] for name in PROBLEM_PARAMS[problem]}
    return PathsInstance(made, **given)


def own_params(problem: str, params: Mapping[str, ParamValue]) -> dict[str, ParamValue]:
    """Return the parameters that a solver's function takes: all but those of the problem."""
    shared = PROBLEM_PARAMS.get(problem, {})
    return {name: value for name, value in params.items() if name not in shared}
