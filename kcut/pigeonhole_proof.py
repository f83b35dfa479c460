"""Checking what pigeonhole certificates prove: inequalities added up, case by case.

A certificate is a list of inequalities and their denominator D, see `kcut.pigeonhole`, or a tree
of cases. A case says of some pairs of jobs that they meet (c_ij = 1) and of others that they stay
apart (c_ij = 0). With q_ij what the inequalities of its list charge a pair together,

    D contention  >=  sum of W  -  sum over undecided pairs of max(0, q_ij - D w_ij)
                                +  sum over pairs that meet of D w_ij - q_ij,

and nothing is lost on pairs that are apart. As every choice of paths falls under one of the cases,
the least of their bounds holds for all.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcut.errors import InputError
from kcut.paths import PathsInstance
from kcut.pigeonhole import UNREACHED, Pigeonhole, cheapest_partition, paths_of

Pair = tuple[int, int]
Numbers = NDArray[np.int64]

_TREE, _LEAF = -2, -1


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Two cases: a pair of jobs meets, or it stays apart.

    Attributes
    ----------
    pair : tuple of int
    meet, apart : Split, or ndarray of int64
        What is known then: cases again, or the certificate of `kcut.pigeonhole.encode`.
    """

    pair: Pair
    meet: Split | Numbers
    apart: Split | Numbers


def encode_cases(split: Split) -> Numbers:
    """Write cases in preorder: -2, then ``i j`` for a split, ``-1 length ...`` for a list."""
    numbers = [_TREE]
    waiting: list[Split | Numbers] = [split]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Split):
            numbers += node.pair
            waiting += [node.apart, node.meet]
        else:
            numbers += [_LEAF, len(node), *node.tolist()]
    return np.array(numbers, np.int64)


def proven_bound(instance: PathsInstance, certificate: Numbers) -> int:
    """Check a certificate and return the contention it proves, in units of ``1 / scale``.

    Parameters
    ----------
    instance : PathsInstance
    certificate : ndarray of int64
        As `kcut.pigeonhole.encode` or `encode_cases` writes it.

    Returns
    -------
    int
        No choice of paths has less contention.

    Raises
    ------
    InputError
        If it is malformed, or a job can avoid the links of its inequality.

    Notes
    -----
    For each case O(total length of the paths of the jobs named, plus sum over inequalities of
    A s^2).
    """
    numbers = [int(x) for x in certificate]
    if not numbers or numbers[0] != _TREE:
        return _case_bound(instance, numbers, (), ())
    bounds = []
    at = 1
    # Pairs that meet and that are apart in the cases still to be read.
    waiting: list[tuple[frozenset[Pair], frozenset[Pair]]] = [(frozenset(), frozenset())]
    while waiting:
        meet, apart = waiting.pop()
        if at + 1 >= len(numbers):
            raise InputError("ends before its last case", "certificate", len(numbers))
        first, second = numbers[at : at + 2]
        at += 2
        if first != _LEAF:
            pair = _pair(instance, first, second)
            waiting += [(meet, apart | {pair}), (meet | {pair}, apart)]
            continue
        if not 1 <= second <= len(numbers) - at:
            raise InputError("has a case of a wrong length", "certificate", second)
        bounds.append(_case_bound(instance, numbers[at : at + second], meet, apart))
        at += second
    if at != len(numbers):
        raise InputError("goes on after its last case", "certificate", numbers[at])
    return min(bounds)


def _pair(instance: PathsInstance, i: int, j: int) -> Pair:
    if not 0 <= i < j < instance.num_jobs:
        raise InputError("must split on two jobs, the smaller first", "certificate", [i, j])
    return i, j


def _case_bound(
    instance: PathsInstance,
    numbers: Sequence[int],
    meet: Collection[Pair],
    apart: Collection[Pair],
) -> int:
    inequalities, denominator = decode(instance, numbers)
    charged: dict[Pair, int] = dict.fromkeys(meet, 0)
    total = 0
    for k, inequality in enumerate(inequalities):
        _check_crossing(instance, inequality, f"certificate[{k}]")
        total += cheapest_partition(inequality.values, len(inequality.links))
        members = sorted(zip(inequality.jobs, inequality.values, strict=True))
        for a, (i, v) in enumerate(members):
            for j, u in members[a + 1 :]:
                charged[i, j] = charged.get((i, j), 0) + max(v, u)
    for (i, j), charge in charged.items():
        if (i, j) in apart:
            continue
        excess = charge - denominator * instance.pair_weight(i, j)
        total -= excess if (i, j) in meet else max(0, excess)
    return max(0, -(-total // denominator))


def _check_crossing(instance: PathsInstance, inequality: Pigeonhole, field: str) -> None:
    links = set(inequality.links)
    first = np.searchsorted(instance.cluster.flow_job, np.arange(instance.num_jobs + 1))
    for job in inequality.jobs:
        flows = range(int(first[job]), int(first[job + 1]))
        if not any(
            instance.active[f] and all(links & set(path) for path in paths_of(instance, f))
            for f in flows
        ):
            raise InputError("can avoid the links of its inequality", f"{field}.jobs", job)


def decode(instance: PathsInstance, certificate: Sequence[int]) -> tuple[list[Pigeonhole], int]:
    """Read what `kcut.pigeonhole.encode` wrote; raise `InputError` unless it is well-formed."""
    numbers = list(certificate)
    if not numbers or numbers[0] < 1:
        raise InputError("must begin with a positive integer", "certificate", numbers[:1])
    inequalities: list[Pigeonhole] = []
    at = 1
    while at < len(numbers):
        field = f"certificate[{len(inequalities)}]"
        num_links, num_jobs = (*numbers[at : at + 2], 0)[:2]
        at += 2
        end = at + num_links + 2 * num_jobs
        if num_links < 1 or num_jobs < 1 or end > len(numbers):
            raise InputError("must name links and jobs", field, [num_links, num_jobs])
        links, at = numbers[at : at + num_links], at + num_links
        jobs, values, at = numbers[at : at + num_jobs], numbers[at + num_jobs : end], end
        _check_members(links, instance.cluster.num_links, f"{field}.links")
        _check_members(jobs, instance.num_jobs, f"{field}.jobs")
        if min(values) < 0 or sum(values) * len(values) >= UNREACHED:
            raise InputError("must be between 0 and 2^62", f"{field}.values", max(values))
        inequalities.append(Pigeonhole(tuple(links), tuple(jobs), tuple(values)))
    return inequalities, numbers[0]


def _check_members(members: list[int], most: int, field: str) -> None:
    if len(set(members)) != len(members):
        raise InputError("repeats one", field, members)
    for member in members:
        if not 0 <= member < most:
            raise InputError(f"must be between 0 and {most - 1}", field, member)
