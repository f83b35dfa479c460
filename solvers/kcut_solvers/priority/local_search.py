"""Local search over orders, with the simulation or the gains inside, anytime."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

from kcut import Answer, Claim, Incumbent, Limits, Param, Termination, solver
from kcut.linear_order import Order
from kcut.order_simulation import OrderSimulator
from kcut.priority import PriorityInstance
from kcut_solvers.priority_greedy import starts

PARAMS = {
    "kicks": Param(4, "times the best order is disturbed and searched from again", minimum=0),
    "events": Param(4_000, "events of a simulation inside the search", minimum=100),
}

_KICK = 3
"""Jobs that a kick moves to random places."""


@solver("priority", "local-search", exact=False, params=PARAMS, reference="lourenco2003ils")
def local_search(
    instance: PriorityInstance,
    *,
    limits: Limits,
    rng: np.random.Generator,
    kicks: int,
    events: int,
) -> Answer:
    """Insert jobs elsewhere and swap pairs, first improvement, from the best simple order on.

    Parameters
    ----------
    instance : PriorityInstance
    limits : Limits
        Checked between evaluations.
    rng : numpy.random.Generator
    kicks : int
        With a time limit, whichever is first.
    events : int
        What is found is simulated at length before it counts.

    Returns
    -------
    Answer
        Feasible, with incumbents.

    Notes
    -----
    Moves within a group of jobs that contend, as others change nothing; orders of a group that were
    seen before cost nothing. For gains alone, ``lop-local-search`` is a thousand times faster.

    References
    ----------
    Lourenço, Martin & Stützle, Iterated Local Search, in: Handbook of Metaheuristics, 2003,
    doi:10.1007/0-306-48056-5_11.
    """
    search = _Search(instance, limits, rng, events)
    for order in starts(instance, rng):
        search.offer(order)
    order = search.descend(search.best)
    search.offer(order)
    for _ in range(kicks):
        if search.late():
            break
        kicked = search.best
        for _ in range(_KICK):
            kicked = search.random_insertion(kicked)
        search.offer(search.descend(kicked))
    return Answer(
        Claim.FEASIBLE,
        search.best,
        termination=Termination.TIME_LIMIT if search.late() else Termination.FINISHED,
        incumbents=tuple(search.incumbents),
    )


@dataclass(slots=True)
class _Search:
    """What the search knows: its instance, its clock and the best order so far."""

    instance: PriorityInstance
    limits: Limits
    rng: np.random.Generator
    events: int
    started: float = field(default_factory=time.perf_counter)
    groups: list[list[int]] = field(init=False)
    quick: OrderSimulator | None = None
    thorough: OrderSimulator | None = None
    best: Order = field(init=False)
    value: int | None = None
    incumbents: list[Incumbent] = field(default_factory=list)

    def __post_init__(self) -> None:
        cluster = self.instance.cluster
        self.groups = [list(range(self.instance.num_jobs))]
        if cluster is not None and self.instance.objective != "gains":
            self.quick = OrderSimulator(cluster, self.events)
            self.thorough = OrderSimulator(cluster)
            self.groups = [list(jobs) for jobs in self.quick.groups if len(jobs) > 1]

    def late(self) -> bool:
        """Whether the time is over."""
        spent = time.perf_counter() - self.started
        return self.limits.time_s is not None and spent >= self.limits.time_s

    def worth(self, order: Order, simulator: OrderSimulator | None) -> int:
        """Return the value of an order, negative where it is minimised."""
        if simulator is None:
            return self.instance.gains.value(order)
        sign = 1 if self.instance.maximise else -1
        return sign * simulator.value(order, self.instance.objective)

    def offer(self, order: Order) -> None:
        """Take an order as the best if it is better."""
        value = self.worth(order, self.thorough)
        if self.value is None or value > self.value:
            self.best, self.value = order.copy(), value
            self.limits.on_incumbent(order)
            seconds = time.perf_counter() - self.started
            self.incumbents.append(Incumbent(seconds, abs(value)))

    def random_insertion(self, order: Order) -> Order:
        """Move a random job of a random group to a random place."""
        if not self.groups:
            return order
        group = self.groups[int(self.rng.integers(len(self.groups)))]
        at, to = self.rng.integers(len(group), size=2).tolist()
        return self.moved(order, group, at, to, False)

    def moved(self, order: Order, group: list[int], at: int, to: int, swap: bool) -> Order:
        """Return the order with the at-th job of a group inserted, or swapped, at the to-th."""
        places = np.flatnonzero(np.isin(order, group))
        jobs = order[places].tolist()
        if swap:
            jobs[at], jobs[to] = jobs[to], jobs[at]
        else:
            jobs.insert(to, jobs.pop(at))
        changed = order.copy()
        changed[places] = jobs
        return changed

    def descend(self, order: Order) -> Order:
        """Return an order that no move improves, or the last before the time is over."""
        value = self.worth(order, self.quick)
        improved = True
        while improved:
            improved = False
            for group in self.groups:
                size = len(group)
                moves = [(a, t, False) for a in range(size) for t in range(size) if a != t]
                moves += [(a, t, True) for a in range(size) for t in range(a + 2, size)]
                for m in self.rng.permutation(len(moves)).tolist():
                    if self.late():
                        return order
                    trial = self.moved(order, group, *moves[m])
                    reached = self.worth(trial, self.quick)
                    if reached > value:
                        order, value, improved = trial, reached, True
        return order
