"""What an answer turned out to be."""

from __future__ import annotations

from dataclasses import dataclass

from kcut.answer import Verdict


@dataclass(frozen=True, slots=True)
class Judgement:
    """What an answer turned out to be.

    Attributes
    ----------
    verdict : Verdict
    value : int, float or None
        In the unit of the weights as given; None without a feasible solution.
    bound : int, float or None
        The best upper bound: proven by the certificate, else as claimed by the solver.
    gap : float or None
        ``(bound - value) / bound``; 0 where both are 0; None where either is missing.
    proven : bool
        Whether value equals a checked bound in exact integers, and no rounding of float weights
        that is worth mentioning stands between the two (see `kcut.certificate.meets`).
    reason : str
        Why the verdict is not ``verified``; empty if it is.
    """

    verdict: Verdict
    value: int | float | None = None
    bound: int | float | None = None
    gap: float | None = None
    proven: bool = False
    reason: str = ""


def relative_gap(value: float | None, upper: float | None) -> float | None:
    """Return ``(upper - value) / upper``, 0 where both are 0, None where either is missing."""
    if value is None or upper is None:
        return None
    if upper == 0:
        return 0.0 if value == 0 else None
    return (upper - value) / upper
