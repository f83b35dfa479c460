"""Proofs for linear ordering: multipliers at the root, then a tree of decisions where they fail."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kcut.errors import InputError
from kcut.linear_order import Gains, Order
from kcut.order_certificate import (
    Decisions,
    Leaf,
    branch_node,
    certificate_of,
    leaf_bound,
    leaf_node,
)
from kcut_solvers.lop_dual import ascend
from kcut_solvers.lop_lp import CycleProgram, Relaxed
from kcut_solvers.priority_insertion import insertion_order, search

Integers = NDArray[np.int64]

MAX_LEAVES = 400
"""Leaves of a certificate; what is open then keeps its bound."""

ASCENT_ROUNDS, ASCENT_SHARE, RELAX_SHARE = 40, 0.25, 0.6
_KICKED = 3


@dataclass(slots=True, eq=False)
class Proof:
    """An order and what is proven about it.

    Attributes
    ----------
    gains : Gains
    order : Order
        The best known; solving the linear programs may find better ones.
    value, bound : int
    certificate : ndarray of int64
        Proves `bound`.
    program : CycleProgram or None
        With the rows found, where the linear program was needed.
    relaxed : Relaxed or None
        Its solution.
    """

    gains: Gains
    order: Order
    deadline: float | None = None
    value: int = field(init=False)
    bound: int = field(init=False)
    certificate: Integers = field(init=False)
    program: CycleProgram | None = None
    relaxed: Relaxed | None = None
    num_leaves: int = 1

    def __post_init__(self) -> None:
        nothing = Leaf((), np.zeros((0, 3), np.int64), np.zeros(0, np.int64))
        self.value = self.gains.value(self.order)
        self.bound = self.gains.most
        self.certificate = certificate_of(1, [leaf_node(nothing.cycles, nothing.multipliers)])

    @property
    def closed(self) -> bool:
        """Whether the order is proven to be best."""
        return self.value == self.bound

    def late(self) -> bool:
        """Whether the time is over."""
        return self.deadline is not None and time.perf_counter() >= self.deadline

    def share(self, part: float) -> float | None:
        """Return when a part of the time that is left is over."""
        if self.deadline is None:
            return None
        now = time.perf_counter()
        return now + part * max(0.0, self.deadline - now)

    def offer(self, order: Order) -> None:
        """Take an order as the best if it is better."""
        value = self.gains.value(order)
        if value > self.value:
            self.order, self.value = order.copy(), value

    def take(self, denominator: int, leaf: Leaf) -> None:
        """Take the multipliers of a root as the certificate if their bound is better."""
        try:
            bound = leaf_bound(self.gains, denominator, leaf)
        except InputError:
            return
        if bound < self.bound:
            node = leaf_node(leaf.cycles, leaf.multipliers)
            self.bound, self.certificate = bound, certificate_of(denominator, [node])

    def relax(self) -> None:
        """Bound the root: by subgradients, then by the linear program from their rows."""
        if self.closed:
            return
        denominator, leaf = ascend(
            self.gains, self.value, deadline=self.share(ASCENT_SHARE), rounds=ASCENT_ROUNDS
        )
        self.take(denominator, leaf)
        if self.closed or self.late():
            return
        self.program = CycleProgram(self.gains)
        self.program.add(np.unique(np.sort(leaf.cycles, axis=1), axis=0))
        self.relaxed = self.program.solve(self.share(RELAX_SHARE))
        if self.relaxed is not None:
            self.read(self.relaxed)
            self.take(*self.program.leaf())

    def read(self, relaxed: Relaxed) -> None:
        """Make an order of a solution of the linear program: by how many jobs each precedes."""
        order = np.argsort(-relaxed.x.sum(axis=1), kind="stable").astype(np.int64)
        self.offer(insertion_order(self.gains.weight, order))

    def branch(self, max_leaves: int = MAX_LEAVES) -> None:
        """Grow a tree of decisions until every leaf's bound is the value, or the budget is over."""
        if self.closed or self.relaxed is None or self.program is None:
            return
        tree = _Tree(self, self.program, max_leaves)
        node = tree.grow(self.relaxed)
        if tree.bound < self.bound:
            self.bound = tree.bound
            self.certificate = certificate_of(tree.denominator, [node])
        self.num_leaves = tree.leaves


class _Tree:
    """A tree of decisions while it grows."""

    def __init__(self, proof: Proof, program: CycleProgram, max_leaves: int) -> None:
        self.proof = proof
        self.program = program
        self.left = max_leaves
        self.leaves = 0
        self.bound = -(2**62)
        # One for all leaves; of what has many divisors, the largest that cannot overflow.
        self.denominator = program.common_denominator()

    def grow(self, relaxed: Relaxed | None, decisions: Decisions = ()) -> Integers:
        """Return the node for these decisions; `relaxed` is the program's last solution."""
        leaf, bound = self.program.leaf_over(self.denominator)
        if relaxed is not None:
            self.proof.read(relaxed)
        pair = None if relaxed is None else _most_open(self.program, relaxed)
        if bound <= self.proof.value or pair is None or self.left <= 1 or self.proof.late():
            self.bound = max(self.bound, bound)
            self.leaves += 1
            return leaf_node(leaf.cycles, leaf.multipliers)
        self.left -= 1
        i, j = pair
        nodes = []
        for decision in ((i, j), (j, i)):
            longer = (*decisions, decision)
            self.program.decide(longer)
            solved = self.program.solve(self.proof.deadline, self.proof.value)
            if solved is None:
                self.program.forget()
            nodes.append(self.grow(solved, longer))
        return branch_node(pair, nodes[0], nodes[1])


def _most_open(program: CycleProgram, relaxed: Relaxed) -> tuple[int, int] | None:
    """Return the pair whose order is most open, weighed by what hangs on it."""
    i, j = program.upper
    x = relaxed.x[i, j]
    open_share = np.minimum(x, 1.0 - x)
    if open_share.max(initial=0.0) < 1e-6:
        return None
    net = np.abs(program.gains.weight - program.gains.weight.T)[i, j].astype(np.float64)
    best = int(np.argmax(open_share * (1e-3 * max(1.0, float(net.max())) + net)))
    return int(i[best]), int(j[best])


def good_order(
    gains: Gains, rng: np.random.Generator, rounds: int, deadline: float | None
) -> Order:
    """Return a good order: insertion from the net gains, then kicks.

    Parameters
    ----------
    gains : Gains
    rng : numpy.random.Generator
    rounds : int
        Kicks; fewer if the time is over.
    deadline : float or None
    """
    net = np.ascontiguousarray(gains.weight - gains.weight.T)
    order = np.argsort(-net.sum(axis=1), kind="stable").astype(np.int64)
    order = insertion_order(gains.weight, order)
    if gains.num_jobs < 3:
        return order
    part = max(1, min(rounds, 2_000_000 // gains.num_jobs**2))
    done = 0
    while done < rounds and (deadline is None or time.perf_counter() < deadline):
        search(net, order, part, _KICKED, int(rng.integers(2**31)))
        done += part
    return order
