"""Proofs by cases where one pigeonhole bound falls short: branch and bound on which pairs meet.

Every case is the linear program of `kcut_solvers.pigeonhole_lp` with some pairs of jobs made to
meet and others kept apart. Its duals are a certificate, and the tree of them is one: nothing of the
search has to be believed, see `kcut.pigeonhole_proof`.
"""

from __future__ import annotations

import heapq
import itertools
import time
from dataclasses import dataclass, field

import numpy as np

from kcut.paths import PathsInstance
from kcut.pigeonhole_proof import Numbers, Pair, Split, encode_cases, proven_bound
from kcut_solvers.pigeonhole_lp import Program, Relaxed, certified

_WHOLE = 1e-6
"""How far from 0 and 1 a pair must be to be split on."""

_CUT_ROUNDS = 4
"""Rounds of new rows in each case."""


@dataclass(frozen=True, slots=True)
class CasesBound:
    """What a tree of cases proves.

    Attributes
    ----------
    bound : int
        Proven by the certificate, in units of ``1 / scale``.
    certificate : ndarray of int64
    num_cases : int
    """

    bound: int
    certificate: Numbers
    num_cases: int


@dataclass(slots=True)
class _Node:
    decided: dict[Pair, bool]
    value: float = 0.0
    pair: Pair | None = None
    certificate: Numbers | None = None
    children: list[_Node] = field(default_factory=list)


def prove_by_cases(
    instance: PathsInstance, target: int, *, time_s: float | None = None, max_cases: int = 2_000
) -> CasesBound:
    """Split the case of the least bound, again and again, until all reach a target.

    Parameters
    ----------
    instance : PathsInstance
    target : int
        Contention of a choice that is known.
    time_s : float, optional
        Checked between cases.
    max_cases : int, optional

    Returns
    -------
    CasesBound
        Its bound is the least of all cases; below the target where time or cases did not suffice,
        or where all pairs of the least case are decided or whole and pigeonholes say no more.
    """
    started = time.perf_counter()
    program = Program(instance)
    root = _Node({})
    _relax(program, instance, root)
    ticket = itertools.count()
    open_nodes = [(root.value, next(ticket), root)]
    num_cases = 1
    while open_nodes and open_nodes[0][0] <= target - 1 + _slack(target):
        late = time_s is not None and time.perf_counter() - started > time_s
        node = open_nodes[0][2]
        if late or num_cases >= max_cases or node.pair is None:
            break
        heapq.heappop(open_nodes)
        for meets in (True, False):
            child = _Node({**node.decided, node.pair: meets})
            _relax(program, instance, child)
            heapq.heappush(open_nodes, (child.value, next(ticket), child))
            node.children.append(child)
        node.certificate = None
        num_cases += 1
    certificate = _encode(root)
    return CasesBound(proven_bound(instance, certificate), certificate, num_cases)


def _slack(target: int) -> float:
    """Return how far above the target less 1 a case counts as closed: bounds are rounded up."""
    return 1e-3 + 2e-5 * target


def _relax(program: Program, instance: PathsInstance, node: _Node) -> None:
    for pair, meets in node.decided.items():
        program.decide(pair, meets)
    solved = program.solve()
    for _ in range(_CUT_ROUNDS):
        if not program.separate(solved.met):
            break
        solved = program.solve()
    for pair in node.decided:
        program.decide(pair, None)
    node.value = solved.value
    node.certificate = certified(instance, program.rows, solved.dual).certificate
    node.pair = _most_open(program, solved, node)


def _most_open(program: Program, solved: Relaxed, node: _Node) -> Pair | None:
    """Return the pair whose decision is most open, times what it costs; None if all are whole."""
    share = np.minimum(solved.met, 1.0 - solved.met)
    share[share < _WHOLE] = 0.0
    score = share * program.cost
    k = int(np.argmax(score)) if len(score) else 0
    if not len(score) or score[k] <= 0.0 or program.pairs[k] in node.decided:
        return None
    return program.pairs[k]


def _encode(root: _Node) -> Numbers:
    def finished(node: _Node) -> Split | Numbers:
        if node.children:
            assert node.pair is not None
            return Split(node.pair, *(finished(child) for child in node.children))
        assert node.certificate is not None
        return node.certificate

    tree = finished(root)
    return encode_cases(tree) if isinstance(tree, Split) else tree
