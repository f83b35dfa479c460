"""A fair order in the manner of LEVELLER: who suffers most is promoted. Ours: none is published."""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from kcut import Answer, Claim, Incumbent, Limits, Param, Termination, solver
from kcut.contention import rank
from kcut.fairness import slowdowns
from kcut.intensity import period_alone, traffic
from kcut.linear_order import Order
from kcut.priority import SLOWDOWN_SCALE, PriorityInstance
from kcut.priority_objectives import simulate_order
from kcut_solvers.priority_common import needs_cluster

PARAMS = {"rounds": Param(50, "promotions at most", minimum=0)}

_ALONE = 1e-6
"""A job that is slowed down by no more than this share runs as if alone."""


@solver("priority", "leveller-style", exact=False, params=PARAMS)
def leveller_style(
    instance: PriorityInstance, *, limits: Limits, rng: np.random.Generator, rounds: int
) -> Answer:
    """Promote the job of the largest slowdown again and again (ours: no source is public).

    Parameters
    ----------
    instance : PriorityInstance
        Of a cluster; a matrix is declined. Whatever its objective, the largest slowdown in the
        fluid model is minimised.
    limits : Limits
        The time limit is checked between simulations.
    rng : numpy.random.Generator
        Unused: the method is deterministic.
    rounds : int

    Returns
    -------
    Answer
        Feasible: the best order met. Incumbents where the objective is the slowdown.

    Notes
    -----
    Starts from the better of two orders: by falling intensity, and by rising share of time that a
    job computes, since a job that mostly sends loses most where it waits. Each round simulates the
    order and puts the job that is slowed down most just before the lowest of the higher jobs that
    it meets on a link: passing others changes nothing. An order met before is left by promoting
    that job to the top; where that was met too, the next most slowed down job is taken instead.
    What LEVELLER itself does is not known from any public source: this shares its aim alone.
    """
    started = time.perf_counter()
    if instance.cluster is None:
        return needs_cluster()
    search = _Search(instance, limits, started)
    computing = instance.cluster.compute_s / search.alone
    starts = [instance.ranking, rank(-computing)]
    orders = [np.array(order, np.int64) for order in starts]
    suffered = [search.suffering(order) for order in orders]
    first = int(np.argmin([slow.max() for slow in suffered]))
    order, slow = orders[first], suffered[first]
    ended = Termination.FINISHED
    for _ in range(rounds):
        if search.late():
            ended = Termination.TIME_LIMIT
            break
        promoted = search.promoted(order, slow)
        if promoted is None:
            break
        order, slow = promoted, search.suffering(promoted)
    assert search.best is not None
    incumbents = tuple(search.incumbents) if instance.objective == "slowdown" else ()
    return Answer(Claim.FEASIBLE, search.best, termination=ended, incumbents=incumbents)


class _Search:
    """The orders met so far, the best of them, and who meets whom."""

    def __init__(self, instance: PriorityInstance, limits: Limits, started: float) -> None:
        assert instance.cluster is not None
        self.cluster = instance.cluster
        self.alone = period_alone(self.cluster, traffic(self.cluster))
        self.limits, self.started = limits, started
        self.meets = np.zeros((instance.num_jobs, instance.num_jobs), np.bool_)
        self.meets[instance.pairs[:, 0], instance.pairs[:, 1]] = True
        self.meets |= self.meets.T
        self.met: set[bytes] = set()
        self.best: Order | None = None
        self.value = np.inf
        self.incumbents: list[Incumbent] = []

    def late(self) -> bool:
        """Whether the time is over."""
        passed = time.perf_counter() - self.started
        return self.limits.time_s is not None and passed >= self.limits.time_s

    def suffering(self, order: Order) -> NDArray[np.float64]:
        """Simulate an order, note it, and return the slowdown of each job."""
        self.met.add(order.tobytes())
        slow = slowdowns(self.cluster, simulate_order(self.cluster, order))
        value = float(slow.max())
        if value < self.value:
            self.best, self.value = order.copy(), value
            self.limits.on_incumbent(self.best)
            seconds = time.perf_counter() - self.started
            self.incumbents.append(Incumbent(seconds, int(value * SLOWDOWN_SCALE)))
        return slow

    def promoted(self, order: Order, slow: NDArray[np.float64]) -> Order | None:
        """Return the order with the worst job promoted; None where that leads nowhere new."""
        for job in rank(slow):
            place = int(np.flatnonzero(order == job)[0])
            above = np.flatnonzero(self.meets[job, order[:place]])
            if not len(above) or slow[job] <= 1 + _ALONE:
                continue
            for to in (int(above[-1]), 0):
                moved = np.insert(np.delete(order, place), to, job)
                if moved.tobytes() not in self.met:
                    return moved
        return None
