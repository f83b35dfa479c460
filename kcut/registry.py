"""The registry: solvers and instance families, ours and those of plug-ins, by one door.

A distribution adds solvers and families by naming a module in the entry-point groups
``kcut.solvers`` and ``kcut.families``; importing that module must run its decorators.
"""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import entry_points
from types import ModuleType
from typing import Any, Protocol, TypeVar

import numpy as np

from kcut.answer import Answer, Limits
from kcut.circle import FITTING_STEPS, HOLD, MOST_STEPS
from kcut.cluster import EDGE_WEIGHTS, Cluster
from kcut.compression import CompressionInstance
from kcut.errors import InputError, SolverError
from kcut.params import Param, ParamValue
from kcut.paths import OBJECTIVES
from kcut.priority import AUTO, PriorityInstance
from kcut.priority import OBJECTIVES as ORDER_OBJECTIVES


class SolveFunction(Protocol):
    """A solver: ``f(instance, *, limits, rng, **params) -> Answer``."""

    def __call__(
        self, instance: Any, /, *, limits: Limits, rng: np.random.Generator, **params: Any
    ) -> Answer:
        """Solve one instance; never raise for "no solution"."""
        ...


class GenerateFunction(Protocol):
    """A family: ``f(rng, *, name, levels, **params) -> instance``."""

    def __call__(
        self, rng: np.random.Generator, /, *, name: str, levels: int, **params: Any
    ) -> Any:
        """Generate one instance; the same seed and parameters give the same instance."""
        ...


PROBLEM_PARAMS: dict[str, dict[str, Param]] = {
    "paths": {
        "objective": Param("contention", "what paths are chosen for", choices=OBJECTIVES),
        "stretch": Param(
            0.0,
            "most a job's bottleneck time may be, times its best alone; 0 for no limit",
            minimum=0.0,
        ),
    },
    "priority": {
        "objective": Param(
            AUTO,
            "what the order is chosen for; auto: utilisation on a cluster, gains on a matrix",
            choices=(AUTO, *ORDER_OBJECTIVES),
        ),
    },
    "time-shifts": {
        "step_s": Param(0.0, "seconds of a step of the circle; 0 to choose it", minimum=0.0),
        "max_steps": Param(
            FITTING_STEPS, "most steps of a link's circle", minimum=1, maximum=MOST_STEPS
        ),
        "hold": Param(
            HOLD,
            "most a period may be stretched, as a share, to keep in step; 0: jobs run free",
            minimum=0.0,
            maximum=1.0,
        ),
    },
}
"""Parameters of a problem itself: every solver of it has them, and the instance carries them."""


WEIGHTS_PARAM = "weights"
CLUSTER_PARAMS: dict[str, Param] = {
    WEIGHTS_PARAM: Param(
        EDGE_WEIGHTS[0],
        "what an edge of the contention DAG weighs: the upper job's intensity, or what is lost"
        " where the pair shares a level, by replay",
        choices=EDGE_WEIGHTS,
    )
}
"""Parameters of every family of clusters; its function does not see them."""


@dataclass(frozen=True, slots=True)
class Solver:
    """A registered solver.

    Attributes
    ----------
    problem : str
        ``compression``, ``max-k-cut``, ``paths``, ``priority``, ``joint`` ...
    name : str
        Kebab-case, the same in code, command line, store, table and plot.
    solve : SolveFunction
    exact : bool
        Whether it claims optimality when it finishes.
    params : mapping of str to Param
        Those of the problem, see `PROBLEM_PARAMS`, and those of the function.
    reference : str
        Keys of the bibliography, separated by spaces, or a whole BibTeX entry.
    """

    problem: str
    name: str
    solve: SolveFunction
    exact: bool
    params: Mapping[str, Param]
    reference: str

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return _first_line(self.solve)


@dataclass(frozen=True, slots=True)
class Family:
    """A registered instance family.

    Attributes
    ----------
    problem : str
        The problem its instances state.
    name : str
        Kebab-case.
    make : GenerateFunction
    params : mapping of str to Param
        Without ``levels``, which every family takes.
    reference : str
    levels : int
        Default number of levels.
    """

    problem: str
    name: str
    make: GenerateFunction
    params: Mapping[str, Param]
    reference: str
    levels: int = 8

    @property
    def summary(self) -> str:
        """First line of the docstring."""
        return _first_line(self.make)

    def title(self, params: Mapping[str, ParamValue], seed: int) -> str:
        """Return the name of the instance of these parameters and this seed."""
        plain = (WEIGHTS_PARAM, EDGE_WEIGHTS[0])
        shown = "".join(f",{key}={value}" for key, value in params.items() if (key, value) != plain)
        return f"{self.name}{shown},seed={seed}"

    def generate(self, params: Mapping[str, ParamValue], levels: int, seed: int) -> Any:
        """Generate the instance of these parameters and this seed; its name tells both."""
        name = self.title(params, seed)
        rng = np.random.default_rng(seed)
        if self.problem != "cluster":
            return self.make(rng, name=name, levels=levels, **params)
        own = {key: value for key, value in params.items() if key not in CLUSTER_PARAMS}
        made: Cluster = self.make(rng, name=name, levels=levels, **own)
        return made.with_weights(str(params.get(WEIGHTS_PARAM, made.weights)))


@dataclass(slots=True)
class _Registry:
    solvers: dict[tuple[str, str], Solver] = field(default_factory=dict)
    families: dict[str, Family] = field(default_factory=dict)


_registry = _Registry()

S = TypeVar("S", bound=Callable[..., Answer])
G = TypeVar("G", bound=Callable[..., Any])


def solver(
    problem: str,
    name: str,
    *,
    exact: bool,
    params: Mapping[str, Param] | None = None,
    reference: str = "",
) -> Callable[[S], S]:
    """Register the decorated function as a solver; see `Solver` for the parameters.

    Raises
    ------
    SolverError
        If another function has that problem and name.

    Examples
    --------
    >>> from kcut import Answer, Claim, solver
    >>> import numpy as np
    >>> @solver("compression", "all-equal", exact=False)
    ... def all_equal(instance, *, limits, rng):
    ...     "Give every job the same level."
    ...     return Answer(Claim.FEASIBLE, np.zeros(instance.num_jobs, np.int64))
    """

    def register(function: S) -> S:
        declared = {**PROBLEM_PARAMS.get(problem, {}), **(params or {})}
        entry = Solver(problem, name, function, exact, declared, reference)
        _add(_registry.solvers, (problem, name), entry, entry.solve)
        return function

    return register


def family(
    problem: str,
    name: str,
    *,
    params: Mapping[str, Param] | None = None,
    reference: str = "",
    levels: int = 8,
) -> Callable[[G], G]:
    """Register the decorated function as an instance family; see `Family`.

    Raises
    ------
    SolverError
        If another function has that name.
    """

    def register(function: G) -> G:
        shared = CLUSTER_PARAMS if problem == "cluster" else {}
        declared = {**(params or {}), **shared}
        entry = Family(problem, name, function, declared, reference, levels)
        _add(_registry.families, name, entry, entry.make)
        return function

    return register


def _add(table: dict[Any, Any], key: Any, entry: Any, function: Any) -> None:
    if key in table:
        old = table[key].solve if isinstance(entry, Solver) else table[key].make
        if (old.__module__, old.__qualname__) != (function.__module__, function.__qualname__):
            raise SolverError(f"{key} is registered by {old.__module__} already")
    table[key] = entry


def _first_line(function: Any) -> str:
    return (function.__doc__ or "").strip().split("\n")[0]


@functools.cache
def _load(group: str) -> None:
    for entry in sorted(entry_points(group=group), key=lambda e: e.value):
        try:
            entry.load()
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            raise SolverError(f"plug-in {entry.value} cannot be loaded: {problem}") from error


def import_submodules(package: ModuleType) -> None:
    """Import every module below a package, so that being there is enough to be registered."""
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)


def solvers(problem: str | None = None) -> list[Solver]:
    """Return the registered solvers, of one problem or of all, sorted by problem and name."""
    _load("kcut.solvers")
    entries = sorted(_registry.solvers.items())
    return [entry for (p, _), entry in entries if problem in (None, p)]


def families(problem: str | None = None) -> list[Family]:
    """Return the registered families, of one problem or of all, sorted by name."""
    _load("kcut.families")
    entries = sorted(_registry.families.items())
    return [entry for _, entry in entries if problem in (None, entry.problem)]


def get_solver(name: str, problems: tuple[str, ...]) -> Solver:
    """Return the solver of that name for the first problem that has one.

    Raises
    ------
    InputError
        If none has; the message lists the names there are.
    """
    _load("kcut.solvers")
    for problem in problems:
        if (problem, name) in _registry.solvers:
            return _registry.solvers[problem, name]
    known = ", ".join(s.name for p in problems for s in solvers(p))
    raise InputError(f"unknown solver for {problems[0]} (known: {known})", "solver", name)


def get_family(name: str) -> Family:
    """Return the family of that name; raise `InputError`, listing all, if there is none."""
    _load("kcut.families")
    if name not in _registry.families:
        known = ", ".join(sorted(_registry.families))
        raise InputError(f"unknown family (known: {known})", "family", name)
    return _registry.families[name]


PROBLEMS_OF: dict[type, tuple[str, ...]] = {
    CompressionInstance: ("compression", "max-k-cut"),
    Cluster: ("compression", "max-k-cut", "paths", "priority", "time-shifts"),
    PriorityInstance: ("priority",),
}
"""The problems an instance states, the main one first."""
