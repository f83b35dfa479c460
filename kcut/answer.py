"""What a solver is given and what it answers: limits, statuses, the answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Termination(StrEnum):
    """Why a run ended. Says nothing about the answer."""

    FINISHED = "finished"
    """The solver returned by itself."""
    TIME_LIMIT = "time_limit"
    """The solver stopped because its time was over, and returned what it had."""
    MEMORY_LIMIT = "memory_limit"
    """The solver ran out of the memory it may use."""
    KILLED = "killed"
    """The harness ended the run after the time limit and its grace."""
    CRASHED = "crashed"
    """The solver raised, or its process died."""
    SKIPPED = "skipped"
    """The solver declined: a library is missing, or the instance is outside what it can take."""


class Claim(StrEnum):
    """What the solver says of its answer. It is a claim, and it is checked."""

    OPTIMAL = "optimal"
    """No better solution exists."""
    FEASIBLE = "feasible"
    """The solution is feasible; nothing is said of its quality."""
    INFEASIBLE = "infeasible"
    """No solution exists."""
    NONE = "none"
    """There is no answer."""


class Verdict(StrEnum):
    """What the harness found when it checked the answer."""

    VERIFIED = "verified"
    """Everything claimed was confirmed: feasibility, the value, and optimality where claimed."""
    REJECTED = "rejected"
    """Something claimed is false."""
    UNVERIFIABLE = "unverifiable"
    """There is nothing to check, or no certificate for what is claimed."""


OnIncumbent = Callable[[NDArray[np.integer[Any]]], None]


def ignore_incumbent(solution: NDArray[np.integer[Any]]) -> None:
    """Take note of nothing: what `Limits.on_incumbent` is where nobody listens."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits a solver honours as well as it can, and whom it tells of what it has found.

    Attributes
    ----------
    time_s : float or None
        Wall-clock seconds for build and solve; None for no limit.
    memory_bytes : int or None
        Memory the solver should stay within; None for no limit.
    threads : int
        Threads the solver may use.
    effort_s : float or None
        Work in seconds that no clock measures, so that a run which ends for it ends everywhere
        alike; for solvers that can count so (CP-SAT's deterministic time). None for no limit.
    on_incumbent : callable
        To be called with each better solution as it is found; it is copied. If the run is killed
        later, the best of them that proves feasible becomes its solution. Cheap, never raises.
    """

    time_s: float | None = None
    memory_bytes: int | None = None
    threads: int = 1
    effort_s: float | None = None
    on_incumbent: OnIncumbent = field(default=ignore_incumbent, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Incumbent:
    """A solution's value and when it was found.

    Attributes
    ----------
    seconds : float
        Wall-clock seconds since the solver was called.
    value : int
        In units of ``1 / scale``.
    """

    seconds: float
    value: int


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """A solver's answer. The harness recomputes the value; the solver states none.

    Attributes
    ----------
    claim : Claim
    solution : ndarray of int, or None
        Levels for compression, shape (num_jobs,).
    bound : int or None
        A bound the solver claims, in units of ``1 / scale``.
    certificate : ndarray of int64, or None
        For compression a cover, shape (num_edges,).
    termination : Termination
    detail : str
        The raw status of the library behind the solver, or the reason to skip.
    incumbents : tuple of Incumbent
    build_s : float or None
        Seconds spent building the model, where the solver can tell; part of the time of the call.
    """

    claim: Claim
    solution: NDArray[np.integer[Any]] | None = None
    bound: int | None = None
    certificate: NDArray[np.int64] | None = None
    termination: Termination = Termination.FINISHED
    detail: str = ""
    incumbents: tuple[Incumbent, ...] = ()
    build_s: float | None = None


def no_answer(termination: Termination, detail: str) -> Answer:
    """Return the answer of a solver that has none, with the reason."""
    return Answer(Claim.NONE, termination=termination, detail=detail)
