"""Time shifts: when each job of a cluster begins, so that transfers avoid each other.

    minimise  sum over e of N / N_e  sum over a of max(0, D_{e,a} - C),
    D_{e,a} = sum over j on e of r_{j,e} u_j(a - s_j)

over shifts s_j in 0..P_j - 1, with a over the N_e = lcm(P_j) steps of the circle of link e, u_j = 1
in the steps in which j sends, C the capacity of a link, r_{j,e} the share of it that j takes while
it sends, M_{j,e} / (B_e t_j), and N the least common multiple of all N_e.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.circle import FITTING_STEPS, HOLD, MOST_STEPS, Beats, Circle, roll, turns
from kcut.circle_search import link_excess
from kcut.cluster import Cluster
from kcut.errors import InputError
from kcut.intensity import Traffic, bottleneck, period_alone, traffic

CAPACITY = 2**16
"""Units of a link's bandwidth; demands are rounded down to them."""

Shifts = NDArray[np.int64]
"""Steps by which each job begins later, shape (num_jobs,)."""


@dataclass(frozen=True, eq=False)
class MeetingPoint:
    """A contended link.

    Attributes
    ----------
    link : int
        Its index in the cluster.
    jobs : ndarray of int64
        Ascending, two or more.
    demand : ndarray of int64
        What each takes while it sends, in units of 1 / `CAPACITY` of the link.
    turn : int
        N_e, the steps of its circle.
    """

    link: int
    jobs: NDArray[np.int64]
    demand: NDArray[np.int64]
    turn: int


@dataclass(frozen=True, eq=False)
class TimeShiftsInstance:
    """A cluster on the paths of ECMP hashing with seed 0, its jobs rolled on circles.

    Attributes
    ----------
    cluster : Cluster
    step_s : float
        Length of a step in seconds; 0 to choose it, see `kcut.circle.roll`.
    max_steps : int
        Most steps of the circle of a link.
    hold : float
        By what share of its own a job's period may be stretched: it then waits in each iteration,
        so that it keeps in step with the others; 0: jobs run free.
    circle : Circle
        The jobs in whole steps, made from the others.
    """

    cluster: Cluster
    step_s: float = 0.0
    max_steps: int = FITTING_STEPS
    hold: float = HOLD
    circle: Circle = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.step_s < math.inf:
            raise InputError("must be finite and not negative", "step_s", self.step_s)
        if not 1 <= self.max_steps <= MOST_STEPS:
            raise InputError(f"must be between 1 and {MOST_STEPS:,}", "max_steps", self.max_steps)
        if not 0 <= self.hold <= 1:
            raise InputError("must be between 0 and 1", "hold", self.hold)
        own_s = bottleneck(self.cluster, self.sent).seconds
        opens = [job.transfer_start * job.compute_s for job in self.cluster.jobs]
        beats = Beats(
            period_alone(self.cluster, self.sent),
            np.array(opens, np.float64),
            own_s,
            [jobs for _, jobs, _ in self._contended],
        )
        object.__setattr__(self, "circle", roll(beats, self.step_s, self.max_steps, self.hold))

    @property
    def name(self) -> str:
        """The cluster's name."""
        return self.cluster.name

    @property
    def levels(self) -> int:
        """K of the cluster, which nothing here depends on."""
        return self.cluster.levels

    @property
    def num_jobs(self) -> int:
        """Number of jobs."""
        return self.cluster.num_jobs

    @property
    def sha256(self) -> str:
        """Digest of the cluster."""
        return self.cluster.sha256

    @property
    def scale(self) -> float:
        """What values are divided by to be shown: they are integers."""
        return 1.0

    def with_levels(self, levels: int) -> TimeShiftsInstance:
        """Return the same problem with another number of levels."""
        return replace(self, cluster=self.cluster.with_levels(levels))

    @cached_property
    def sent(self) -> Traffic:
        """What each job sends over each link."""
        return traffic(self.cluster)

    @cached_property
    def _contended(self) -> list[tuple[int, NDArray[np.int64], NDArray[np.float64]]]:
        """The links with several jobs, these, and what they send over it."""
        order = np.argsort(self.sent.link, kind="stable")
        starts = np.flatnonzero(np.diff(self.sent.link[order], prepend=-1))
        parts = np.split(order, starts[1:]) if len(order) else []
        return [
            (int(self.sent.link[part[0]]), self.sent.job[part], self.sent.bytes[part])
            for part in parts
            if len(part) > 1
        ]

    @cached_property
    def points(self) -> tuple[MeetingPoint, ...]:
        """The contended links, by index."""
        own_s = bottleneck(self.cluster, self.sent).seconds
        found = turns([jobs for _, jobs, _ in self._contended], self.circle.period)
        points = []
        for (link, jobs, sent), turn in zip(self._contended, found, strict=True):
            share = sent / self.cluster.bandwidth[link] / own_s[jobs]
            # A share that is the whole link but for rounding is the whole link.
            units = np.floor(np.minimum(1.0, share) * CAPACITY + 1e-6).astype(np.int64)
            points.append(MeetingPoint(link, jobs, units, turn))
        return tuple(points)

    @cached_property
    def turn(self) -> int:
        """N: the steps after which everything repeats; 1 where nobody meets."""
        return math.lcm(*(point.turn for point in self.points))

    @property
    def most(self) -> int:
        """What a score counts from: the capacity of all contended links over N steps."""
        return self.turn * CAPACITY * len(self.points)

    def infeasibility(self, shifts: NDArray[np.integer[Any]]) -> str | None:
        """Say what makes shifts infeasible, or return None."""
        if shifts.shape != (self.num_jobs,):
            return f"{shifts.shape} shifts for {self.num_jobs} jobs"
        if not np.issubdtype(shifts.dtype, np.integer):
            return f"shifts are {shifts.dtype}, not integers"
        outside = np.flatnonzero((shifts < 0) | (shifts >= self.circle.period))
        if len(outside):
            j = int(outside[0])
            last = int(self.circle.period[j]) - 1
            return f"job {j} is shifted by {int(shifts[j])} steps, outside 0..{last}"
        return None

    def seconds(self, shifts: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return shifts in seconds."""
        return shifts.astype(np.float64) * self.circle.step_s


def excesses(instance: TimeShiftsInstance, shifts: NDArray[np.integer[Any]]) -> list[int]:
    """Return the demand beyond capacity on each contended link, over a turn of its own circle.

    Parameters
    ----------
    instance : TimeShiftsInstance
    shifts : ndarray of int64, shape (num_jobs,)

    Returns
    -------
    list of int
        In units of 1 / `CAPACITY` of the link times a step. O(sum of N_e times the jobs on e).
    """
    circle = instance.circle
    begin = circle.begin + shifts.astype(np.int64)
    return [
        link_excess(
            circle.period[point.jobs],
            begin[point.jobs],
            circle.length[point.jobs],
            point.demand,
            point.turn,
            CAPACITY,
        )
        for point in instance.points
    ]


def weighted(instance: TimeShiftsInstance, per_link: list[int]) -> int:
    """Return the sum over the links of excesses or of bounds, each over all N steps."""
    pairs = zip(instance.points, per_link, strict=True)
    return sum(instance.turn // point.turn * excess for point, excess in pairs)


def total_excess(instance: TimeShiftsInstance, shifts: NDArray[np.integer[Any]]) -> int:
    """Return the value of shifts: the excess of all links over N steps, exact."""
    return weighted(instance, excesses(instance, shifts))


def score(instance: TimeShiftsInstance, excess: int) -> float:
    """Return CASSINI's compatibility: the mean over the contended links of 1 - excess / capacity.

    Notes
    -----
    At most 1, which is reached where nothing exceeds. With k jobs on a link up to k - 1 times its
    capacity may be in excess, so crowded links may have scores below 0. 1 where nobody meets.
    """
    if not instance.points:
        return 1.0
    return float(1 - Fraction(excess, instance.most))


def link_score(point: MeetingPoint, excess: int) -> float:
    """Return the score of a single link."""
    return float(1 - Fraction(excess, point.turn * CAPACITY))
