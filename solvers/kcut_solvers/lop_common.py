"""What the solvers of linear ordering share: the answer that a proof gives."""

from __future__ import annotations

import time

from kcut import Answer, Claim, Limits, Termination
from kcut.priority import PriorityInstance
from kcut_solvers.lop_proof import Proof


def deadline_of(limits: Limits, started: float) -> float | None:
    """Return when the time is over, in `time.perf_counter`."""
    return None if limits.time_s is None else started + limits.time_s


def answer_of(
    instance: PriorityInstance,
    proof: Proof,
    detail: str,
    *,
    claimed: bool = False,
    bound: int | None = None,
    build_s: float | None = None,
) -> Answer:
    """Return the answer of a solver that orders by gains, whatever the instance's objective.

    Parameters
    ----------
    instance : PriorityInstance
    proof : Proof
    detail : str
    claimed : bool, optional
        The solver says that the order is optimal, proof or not.
    bound : int, optional
        What the solver says; worse than the proof's, it is not told.
    build_s : float, optional

    Returns
    -------
    Answer
        With bound and certificate only where the objective is gains: they say nothing about others.
    """
    done = proof.closed or claimed
    late = proof.deadline is not None and time.perf_counter() >= proof.deadline
    ended = Termination.TIME_LIMIT if late and not done else Termination.FINISHED
    if instance.objective != "gains":
        return Answer(
            Claim.FEASIBLE, proof.order, termination=ended, detail=detail, build_s=build_s
        )
    return Answer(
        Claim.OPTIMAL if done else Claim.FEASIBLE,
        proof.order,
        proof.bound if bound is None else max(proof.value, min(bound, proof.bound)),
        proof.certificate,
        termination=ended,
        detail=detail,
        build_s=build_s,
    )
