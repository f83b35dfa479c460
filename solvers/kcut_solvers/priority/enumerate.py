"""The true best order on small clusters: depth-first over prefixes, with bounds."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from kcut import Answer, Claim, Limits, Param, Termination, no_answer, solver
from kcut.order_simulation import Jobs, OrderSimulator
from kcut.priority import PriorityInstance
from kcut_solvers.priority_bounds import LinkBounds
from kcut_solvers.priority_greedy import starts
from kcut_solvers.priority_subsets import best_order

PARAMS = {
    "most": Param(
        8, "more jobs than this in a group that contends are skipped", minimum=1, maximum=16
    ),
}

_MARGIN = 0.002
"""Averages of what the same jobs do differ by less than this share, where there is no cycle."""


@solver("priority", "enumerate", exact=True, params=PARAMS)
def enumerate_orders(
    instance: PriorityInstance, *, limits: Limits, rng: np.random.Generator, most: int
) -> Answer:
    """Try every order that can be best.

    Parameters
    ----------
    instance : PriorityInstance
    limits : Limits
        The time limit is checked between simulations.
    rng : numpy.random.Generator
        Unused.
    most : int

    Returns
    -------
    Answer
        Claimed optimal if all was tried and every simulation ran into a cycle. Where some did not,
        their averages are compared with a margin, and nothing is claimed.

    Notes
    -----
    Groups of jobs that contend are ordered apart. Higher jobs do not notice lower ones, so the
    simulation of a prefix is exact for its jobs; the others do at best what the links leave them,
    see `kcut_solvers.priority_bounds`: a prefix is cut off where that is no better than the best
    order known. Jobs that share no link commute:
    of neighbours that do, only the order of rising indices is tried. Gains are no simulation: they
    take a dynamic program over sets of jobs, O(2^n n).
    """
    if instance.objective == "gains":
        if instance.num_jobs > 2 * most:
            reason = f"{instance.num_jobs} jobs, more than 2 most = {2 * most}"
            return no_answer(Termination.SKIPPED, reason)
        return Answer(Claim.OPTIMAL, best_order(instance.gains.weight))
    assert instance.cluster is not None
    simulator = OrderSimulator(instance.cluster)
    largest = max(map(len, simulator.groups))
    if largest > most:
        reason = f"{largest} jobs contend, more than most = {most}"
        return no_answer(Termination.SKIPPED, reason)
    bounds = LinkBounds(instance.cluster, simulator.alone_s)
    search = _Search(instance, simulator, limits, bounds)
    for pair in instance.pairs.tolist():
        search.share.add((pair[0], pair[1]))
        search.share.add((pair[1], pair[0]))
    known = [simulator.split(order) for order in starts(instance, rng)]
    for g, jobs in enumerate(simulator.groups):
        search.best, search.value = (), -np.inf
        for order in dict.fromkeys(parts[g] for parts in known):
            search.offer(order)
        search.extend((), tuple(job for job in instance.ranking if job in set(jobs)))
        search.chosen.extend(search.best)
    chosen = np.array(search.chosen, np.int64)
    detail = f"{simulator.num_simulations} simulations"
    if search.late():
        return Answer(Claim.FEASIBLE, chosen, termination=Termination.TIME_LIMIT, detail=detail)
    if search.averaged:
        return Answer(Claim.FEASIBLE, chosen, detail=f"{detail}, {search.averaged} without a cycle")
    return Answer(Claim.OPTIMAL, chosen, detail=detail)


@dataclass(slots=True)
class _Search:
    """The search in one group, and what it has chosen in those before; more is better."""

    instance: PriorityInstance
    simulator: OrderSimulator
    limits: Limits
    bounds: LinkBounds
    started: float = field(default_factory=time.perf_counter)
    share: set[tuple[int, int]] = field(default_factory=set)
    chosen: list[int] = field(default_factory=list)
    best: Jobs = ()
    value: float = -np.inf
    averaged: int = 0

    def late(self) -> bool:
        """Whether the time is over."""
        spent = time.perf_counter() - self.started
        return self.limits.time_s is not None and spent > self.limits.time_s

    def worth(self, prefix: Jobs, rest: Jobs) -> tuple[float, bool]:
        """Return what a group is worth at best if it begins so, and whether that is exact."""
        found = self.simulator.rates(prefix)
        self.averaged += not found.cycled
        jobs, others = list(prefix), list(rest)
        left = self.bounds.left(jobs, found.speed)
        if self.instance.objective == "slowdown":
            slowest = float(self.simulator.slowdowns(found.busy, found.speed, jobs).max())
            return -max(slowest, self.bounds.least_slowdown(others, left)), found.cycled
        done = float((self.simulator.cluster.gpus[jobs] * found.busy).sum())
        return done + self.bounds.most_busy(others, left), found.cycled

    def offer(self, order: Jobs) -> None:
        """Take an order of the group as the best if it is better."""
        value, _ = self.worth(order, ())
        if value > self.value:
            self.best, self.value = order, value

    def extend(self, prefix: Jobs, rest: Jobs) -> None:
        """Try what may come after a prefix."""
        for job in rest:
            if self.late():
                return
            if prefix and job < prefix[-1] and (job, prefix[-1]) not in self.share:
                continue
            longer = (*prefix, job)
            left = tuple(other for other in rest if other != job)
            if not left:
                self.offer(longer)
                continue
            bound, exact = self.worth(longer, left)
            margin = 1e-12 if exact else -_MARGIN
            if bound > self.value + margin * abs(self.value):
                self.extend(longer, left)
