"""The circle that periodic jobs are rolled on: periods and transfers in whole steps.

With a step d, job j of period T_j alone, whose transfer lasts from a_j to a_j + t_j, is held to

    P_j = ceil(T_j / d) steps,   sending in the steps  round(a_j / d)  up to  round((a_j + t_j) / d)

of each turn, at least one if it sends at all, where that stretches its period by no more than may
be. Otherwise it runs free: P_j = max(1, round(T_j / d)), times scaled by P_j d / T_j. Jobs on a
link share a circle of lcm(P_j) steps. Each time is off by half a step at most, and by no more than
`Circle.error` of the job's own period.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcut.errors import InputError

Steps = NDArray[np.int64]
Seconds = NDArray[np.float64]

COARSEST, FINEST = 10, 240
"""Steps of the longest period that are tried where no step is given."""

FITTING_STEPS = math.lcm(*range(1, COARSEST + 1))
"""2,520: at the coarsest step no link's circle is longer, whatever the periods are."""

HOLD = 0.05
"""By what share a period may be stretched, unless another is given."""

MOST_STEPS = 1_000_000
"""Most steps of a link's circle that may be allowed."""

MOST_TURN = 2**31
"""Most steps of the circle of all links together, so that weighted sums stay far below 2^63."""


@dataclass(frozen=True, slots=True, eq=False)
class Circle:
    """Jobs in whole steps.

    Attributes
    ----------
    step_s : float
        Length of a step in seconds.
    period, begin, length : ndarray of int64, shape (num_jobs,)
        P_j, the first step of j's transfer in its turn, and how many steps it lasts, all in
        steps. A job that meets no other has period 1: shifting it changes nothing.
    hold_s : ndarray of float64, shape (num_jobs,)
        Seconds a job waits in each iteration to keep its period; 0 for a job that runs free.
    error : float
        Largest error of any period, begin or end of a transfer among jobs that meet others, as a
        share of the job's true period.
    free : int
        How many of those jobs could not be held.
    """

    step_s: float
    period: Steps
    begin: Steps
    length: Steps
    hold_s: Seconds
    error: float
    free: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Beats:
    """Periodic jobs in seconds, and who meets whom.

    Attributes
    ----------
    period_s, begin_s, transfer_s : ndarray of float64, shape (num_jobs,)
    links : sequence of ndarray of int64
        The jobs on each contended link.
    """

    period_s: Seconds
    begin_s: Seconds
    transfer_s: Seconds
    links: Sequence[Steps]


def roll(beats: Beats, step_s: float, max_steps: int, hold: float) -> Circle:
    """Express jobs in whole steps.

    Parameters
    ----------
    beats : Beats
    step_s : float
        Seconds; 0 to choose it among 10 to 240 steps in the longest period, of those whose circles
        fit: with the fewest jobs that run free, then (where jobs are held) the fewest turns of the
        longest period in the common circle, then the least error, then the coarsest.
    max_steps : int
        Most steps of a link's circle, `FITTING_STEPS` at least where the step is to be chosen.
    hold : float
        By what share of its own a period may be stretched; 0 to hold nobody.

    Returns
    -------
    Circle

    Raises
    ------
    InputError
        If a circle would be longer, or all of them together longer than `MOST_TURN`.
    """
    meeting = np.unique(np.concatenate([np.zeros(0, np.int64), *beats.links]))
    if len(meeting) == 0:
        nothing = np.zeros(len(beats.period_s), np.int64)
        step_s = step_s or float(beats.period_s.max())
        return Circle(step_s, nothing + 1, nothing, nothing, np.zeros(len(nothing)), 0.0)
    if step_s:
        circle = _in_steps(beats, meeting, step_s, hold)
        _check(beats, circle, max_steps)
        return circle
    if max_steps < FITTING_STEPS:
        message = f"must be at least {FITTING_STEPS:,} where the step is to be chosen"
        raise InputError(message, "max_steps", max_steps)

    def rank(circle: Circle) -> tuple[float, ...]:
        common = math.lcm(*turns(beats.links, circle.period))
        times = common / int(circle.period.max()) if hold else 0.0
        return circle.free, times, round(circle.error, 9), -circle.step_s

    return min(_fitting(beats, meeting, max_steps, hold), key=rank)


def turns(links: Sequence[Steps], period: Steps) -> list[int]:
    """Return the least common multiple of the periods on each link."""
    return [math.lcm(*period[jobs].tolist()) for jobs in links]


def _fitting(beats: Beats, meeting: Steps, max_steps: int, hold: float) -> Iterator[Circle]:
    """Yield the circles that fit; the coarsest always does."""
    longest = float(beats.period_s[meeting].max())
    for count in range(COARSEST, FINEST + 1):
        circle = _in_steps(beats, meeting, longest / count, hold)
        found = turns(beats.links, circle.period)
        if max(found) <= max_steps and math.lcm(*set(found)) <= MOST_TURN:
            yield circle


def _in_steps(beats: Beats, meeting: Steps, step_s: float, hold: float) -> Circle:
    period_s = beats.period_s[meeting]
    if float(period_s.max()) / step_s > MOST_STEPS:
        message = f"must not be below a {MOST_STEPS:,}th of the longest period"
        raise InputError(message, "step_s", step_s)
    stretched = np.ceil(period_s / step_s - 1e-9).astype(np.int64)
    held = (stretched * step_s <= (1 + hold) * period_s * (1 + 1e-12)) & (hold > 0)
    period = np.where(held, stretched, np.maximum(1, _rounded(period_s / step_s)))
    # A job that is held runs at its own speed and waits; one that runs free is scaled.
    pace = np.where(held, 1 / step_s, period / period_s)
    begin_at = beats.begin_s[meeting] * pace
    end_at = (beats.begin_s + beats.transfer_s)[meeting] * pace
    begin, end = _rounded(begin_at), _rounded(end_at)
    wait_s = np.where(held, np.maximum(0.0, period * step_s - period_s), 0.0)
    late = np.where(held, 0.0, np.abs(period * step_s - period_s) / period_s)
    moved = np.maximum(np.abs(begin - begin_at), np.abs(end - end_at)) / period
    whole = np.ones(len(beats.period_s), np.int64)
    first, lasts = np.zeros((2, len(beats.period_s)), np.int64)
    whole[meeting], first[meeting] = period, begin
    lasts[meeting] = np.maximum(1, end - begin)
    hold_s = np.zeros(len(beats.period_s))
    hold_s[meeting] = wait_s
    error = float(max(late.max(), moved.max()))
    free = int((~held).sum()) if hold else 0
    return Circle(step_s, whole, first, lasts, hold_s, error, free)


def _rounded(numbers: Seconds) -> Steps:
    return np.floor(numbers + (0.5 - 1e-9)).astype(np.int64)


def _check(beats: Beats, circle: Circle, max_steps: int) -> None:
    found = turns(beats.links, circle.period)
    longest = max(found)
    if longest > max_steps:
        message = f"makes a circle of {longest:,} steps, more than max_steps = {max_steps:,}"
        raise InputError(message, "step_s", circle.step_s)
    if math.lcm(*set(found)) > MOST_TURN:
        message = f"makes a common circle of all links of more than {MOST_TURN:,} steps"
        raise InputError(message, "step_s", circle.step_s)
