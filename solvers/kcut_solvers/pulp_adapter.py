"""PuLP behind one door: version 3.3 (Python 3.11, brings CBC) and 4.x (3.12 on, brings none).

Only solving and statuses differ. 3.3 says ``status`` Optimal at a time limit, so ``sol_status`` is
read; 4.x returns statistics. Both leave numbers in the variables of a problem that was not solved.
"""

from __future__ import annotations

import importlib
import math
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import Limits
from kcut_solvers import highs

Tell = Callable[[NDArray[np.float64]], None]

# Typed in 4.x, untyped in 3.3: seen as Any in both.
Pulp = Any


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a solver behind PuLP answered.

    Attributes
    ----------
    proven : bool
        The solver says that the values are optimal, with gap 0.
    found : bool
        The solver says that the values are feasible; otherwise they mean nothing.
    stopped : bool
        It stopped at a limit.
    bound : float or None
        Its bound on the objective, where it has one.
    detail : str
        Its raw status.
    """

    proven: bool
    found: bool
    stopped: bool
    bound: float | None
    detail: str


def load() -> Pulp:
    """Import PuLP (0.2 s) when a model is about to be built."""
    return importlib.import_module("pulp")


def is_version_4(pulp: Pulp) -> bool:
    """Whether ``solve`` returns statistics instead of leaving statuses in the problem."""
    return hasattr(pulp, "LpSolveStats")


def find_cbc(pulp: Pulp) -> str | None:
    """Return the path of CBC: the one PuLP brings, else ``cbc`` on the PATH; None without."""
    bundled = getattr(getattr(pulp, "PULP_CBC_CMD", None), "pulp_cbc_path", None)
    if bundled is not None and os.access(bundled, os.X_OK):
        return str(bundled)
    found = shutil.which("cbc")
    if found is not None:
        return found
    default = pulp.COIN_CMD(msg=False)
    return str(default.path) if default.available() else None


def make_solver(pulp: Pulp, name: str, limits: Limits, remaining_s: float | None) -> Any:
    """Return PuLP's interface to a solver, with both gaps forced to 0.

    Parameters
    ----------
    pulp : module
    name : {'cbc', 'highs'}
    limits : Limits
        Gives the number of threads.
    remaining_s : float or None
        Wall-clock seconds left for the solver.

    Returns
    -------
    pulp.LpSolver or None
        None if the solver is not there.
    """
    common = {
        "msg": False,
        "gapRel": 0.0,
        "gapAbs": 0.0,
        # CBC 2.10 started with "threads 1" waits 10 s now and then; without it, it is serial too.
        "threads": None if name == "cbc" and limits.threads == 1 else limits.threads,
        "timeLimit": None if remaining_s is None else max(0.01, remaining_s),
    }
    if name == "cbc":
        path = find_cbc(pulp)
        return None if path is None else pulp.COIN_CMD(path=path, **common)
    try:
        highs.load()
    except ImportError:
        return None
    return pulp.HiGHS(**common)


def tell_incumbents(pulp: Pulp, interface: Any, variables: list[Any], tell: Tell) -> None:
    """Have HiGHS tell each better solution as it is found; CBC, a program of its own, cannot.

    Parameters
    ----------
    pulp : module
    interface : pulp.LpSolver
        From `make_solver`.
    variables : list of pulp.LpVariable
    tell : callable
        Called with their values, float64, shape (len(variables),), as the solver has them.
    """
    if getattr(interface, "callbackTuple", interface) is not None:
        return
    names = [variable.name for variable in variables]

    def run_watched(problem: Any) -> None:
        columns = problem.exported_variables() if is_version_4(pulp) else problem.variables()
        column = {variable.name: i for i, variable in enumerate(columns)}
        where = [column[name] for name in names]
        improving = highs.load().cb.HighsCallbackType.kCallbackMipImprovingSolution
        model = problem.solverModel

        def heard(kind: Any, message: Any, found: Any, *_: Any) -> None:
            tell(np.asarray(found.mip_solution, np.float64)[where])

        model.setCallback(heard, None)
        model.startCallback(improving)
        model.run()

    interface.callSolver = run_watched


def run(pulp: Pulp, problem: Any, interface: Any) -> Outcome:
    """Solve a minimisation problem; never raise for a solver that fails.

    Parameters
    ----------
    pulp : module
    problem : pulp.LpProblem
        Its variables hold the values afterwards, where `Outcome.found`.
    interface : pulp.LpSolver
        From `make_solver`.
    """
    try:
        result = problem.solve(interface)
    except (pulp.PulpError, KeyError) as error:  # KeyError: 3.3 lacks some statuses of HiGHS
        return Outcome(False, False, False, None, f"{type(error).__name__}: {error}")
    if is_version_4(pulp):
        status = pulp.LpSolveStatus
        limits = (status.TimeLimit, status.MemoryLimit, status.Interrupted, status.Stopped)
        return Outcome(
            proven=result.status == status.Optimal and result.has_solution,
            found=bool(result.has_solution),
            stopped=result.status in limits,
            bound=_highs_bound(problem),
            detail=result.status.name,
        )
    proven = problem.sol_status == pulp.LpSolutionOptimal
    found = proven or problem.sol_status == pulp.LpSolutionIntegerFeasible
    model = getattr(problem, "solverModel", None)
    if model is not None:
        detail = str(model.modelStatusToString(model.getModelStatus()))
        stopped = "limit" in detail
    else:
        detail = pulp.LpSolution[problem.sol_status]
        unsolvable = (pulp.LpSolutionInfeasible, pulp.LpSolutionUnbounded)
        stopped = not proven and interface.timeLimit is not None
        stopped = stopped and problem.sol_status not in unsolvable
    return Outcome(proven, found, stopped, _highs_bound(problem), detail)


def _highs_bound(problem: Any) -> float | None:
    """Return the dual bound of HiGHS; CBC, a program of its own, hands none back."""
    model = getattr(problem, "solverModel", None)
    if model is None:
        return None
    bound = float(model.getInfo().mip_dual_bound)
    return bound if math.isfinite(bound) else None
