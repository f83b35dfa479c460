"""What priority solvers share: answers, rankings, and the options of replays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import Answer, Claim, Param, Termination, no_answer
from kcut.corrections import FREE, NEITHER, PERVERSE, ZERO_RULES

REPLAY_PARAMS = {
    "window": Param(
        0.0, "seconds of a replay that count, from its start; 0: the steady cycle", minimum=0.0
    ),
    "phase": Param(
        0.0,
        "share of its period by which a job begins after the other",
        minimum=0.0,
        maximum=1.0,
    ),
    "zero": Param(
        "first",
        "what k is where the other job loses nothing: infinite, so first, or 1",
        choices=ZERO_RULES,
    ),
}


def feasible_answer(order: list[int] | NDArray[np.integer[Any]], detail: str = "") -> Answer:
    """Answer an order, of which nothing is claimed."""
    return Answer(Claim.FEASIBLE, np.asarray(order, np.int64), detail=detail)


def needs_cluster() -> Answer:
    """Decline a matrix of gains."""
    return no_answer(Termination.SKIPPED, "a matrix of gains has no traffic")


def falling(score: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the jobs by falling score, the smaller index first where two are equal."""
    return np.argsort(-score, kind="stable").astype(np.int64)


def describe_kinds(kind: NDArray[np.int8], of: str = "jobs") -> str:
    """Say for how many jobs or pairs k is not defined, and why."""
    counts = [(label, int((kind == code).sum())) for code, label in _LABELS]
    shown = [f"{label} for {count}" for label, count in counts if count]
    return f"k of {len(kind)} {of}: " + (", ".join(shown) if shown else "all defined")


_LABELS = ((NEITHER, "0/0"), (FREE, "x/0"), (PERVERSE, "-x/-y"))
