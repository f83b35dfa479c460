"""Certificates of linear ordering: 3-cycle multipliers at the leaves of a tree of decisions.

As integers: the denominator D of the multipliers, then a tree in preorder, each node being

    0, m, and m times i, j, k, y     a leaf: y / D >= 0 on the cycle i -> j -> k -> i
    1, i, j, first, second           a branch: i before j in the tree `first`, after it in `second`

See `kcut.linear_order` for the bound of a leaf. It needs no solver to check: O(n^2 + m) a leaf.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcut.errors import InputError
from kcut.linear_order import Gains
from kcut.weights import exact_sum

LEAF, BRANCH = 0, 1
MAX_DENOMINATOR = 2**24
_LIMIT = 2**62

Decisions = tuple[tuple[int, int], ...]
"""Pairs (i, j): i comes before j."""


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """Multipliers that hold under some decisions.

    Attributes
    ----------
    decisions : tuple of (int, int)
    cycles : ndarray of int64, shape (m, 3)
    multipliers : ndarray of int64, shape (m,)
        In units of 1 / D.
    """

    decisions: Decisions
    cycles: NDArray[np.int64]
    multipliers: NDArray[np.int64]


def leaf_bound(gains: Gains, denominator: int, leaf: Leaf) -> int:
    """Return what no order that keeps the decisions of a leaf exceeds.

    Raises
    ------
    InputError
        If a multiplier is negative, a cycle is none, or the numbers are too large to add up.
    """
    n = gains.num_jobs
    cycles, multipliers = leaf.cycles, leaf.multipliers
    if len(cycles) and (cycles.min() < 0 or cycles.max() >= n):
        raise InputError(f"a cycle names no job of 0..{n - 1}", "certificate")
    i, j, k = cycles.T
    if ((i == j) | (j == k) | (i == k)).any():
        raise InputError("a cycle names a job twice", "certificate")
    if len(multipliers) and multipliers.min() < 0:
        raise InputError("a multiplier is negative", "certificate", int(multipliers.min()))
    paid = exact_sum(multipliers)
    if paid >= _LIMIT or denominator * sum_of_sizes(gains) >= _LIMIT:
        raise InputError("the numbers are too large to add up", "certificate", paid)
    reduced = denominator * gains.weight
    for start, end in ((i, j), (j, k), (k, i)):
        np.subtract.at(reduced, (start, end), multipliers)
    for before, after in leaf.decisions:
        reduced[after, before] = reduced[before, after]
    upper = np.triu_indices(n, 1)
    best = np.maximum(reduced[upper], reduced.T[upper])
    return (2 * paid + exact_sum(best)) // denominator


def sum_of_sizes(gains: Gains) -> int:
    """Return the sum of the absolute values of all gains."""
    return exact_sum(np.abs(gains.weight).ravel())


def proven_bound(gains: Gains, certificate: NDArray[np.int64]) -> int:
    """Return the bound a certificate proves: the largest over its leaves.

    Parameters
    ----------
    gains : Gains
    certificate : ndarray of int64
        See the head of this module.

    Raises
    ------
    InputError
        If it is malformed.
    """
    denominator, leaves = read_certificate(gains.num_jobs, certificate)
    return max(leaf_bound(gains, denominator, leaf) for leaf in leaves)


def read_certificate(num_jobs: int, certificate: NDArray[np.int64]) -> tuple[int, list[Leaf]]:
    """Return the denominator and the leaves of a certificate; raise `InputError` if malformed."""
    if certificate.ndim != 1 or len(certificate) < 3:
        raise InputError("is no tree of multipliers", "certificate", certificate.shape)
    denominator = int(certificate[0])
    if not 1 <= denominator <= MAX_DENOMINATOR:
        message = f"the denominator must be 1 to {MAX_DENOMINATOR:,}"
        raise InputError(message, "certificate[0]", denominator)
    leaves: list[Leaf] = []
    open_nodes: list[Decisions] = [()]
    at = 1
    while open_nodes:
        decisions = open_nodes.pop()
        head = certificate[at : at + 3].tolist()
        if len(head) >= 2 and head[0] == LEAF and 0 <= head[1] <= (len(certificate) - at - 2) // 4:
            rows = certificate[at + 2 : at + 2 + 4 * head[1]].reshape(-1, 4)
            leaves.append(Leaf(decisions, rows[:, :3].astype(np.int64), rows[:, 3].copy()))
            at += 2 + 4 * head[1]
        elif len(head) == 3 and head[0] == BRANCH and _is_pair(head[1:], num_jobs):
            _, i, j = head
            open_nodes += [(*decisions, (j, i)), (*decisions, (i, j))]
            at += 3
        else:
            raise InputError("is no node of a tree", f"certificate[{at}]", head)
    if at != len(certificate):
        raise InputError("goes on after its tree", f"certificate[{at}]", int(certificate[at]))
    return denominator, leaves


def _is_pair(pair: list[int], num_jobs: int) -> bool:
    return pair[0] != pair[1] and all(0 <= job < num_jobs for job in pair)


def leaf_node(cycles: NDArray[np.int64], multipliers: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return a leaf as integers, without the multipliers that are 0."""
    used = multipliers > 0
    rows = np.column_stack([cycles[used].reshape(-1, 3), multipliers[used]])
    return np.concatenate([[LEAF, int(used.sum())], rows.ravel()]).astype(np.int64)


def branch_node(
    pair: tuple[int, int], first: NDArray[np.int64], second: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return a branch as integers: ``pair[0]`` before ``pair[1]`` in `first`, after in `second`."""
    return np.concatenate([[BRANCH, *pair], first, second]).astype(np.int64)


def certificate_of(denominator: int, nodes: Iterable[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return a certificate from its tree."""
    return np.concatenate([[denominator], *nodes]).astype(np.int64)
