"""Pigeonhole bounds on contention: jobs that must all cross A links share some of them.

If every path of some flow of each job in a set S crosses a link of a set of A links, then putting
each job on one such link is a partition of S into A bins, and jobs of one bin meet. With a value
v_i >= 0 for each job and c_ij = 1 where i and j meet,

    sum over pairs in S of max(v_i, v_j) c_ij  >=  W(v, A),

W being the cost of the cheapest partition. A certificate is a list of such inequalities. What they
charge a pair together is at most D times what its meeting costs, max(w_i, w_j), plus an excess; as
c_ij <= 1, what the excess loses is at most itself:

    D contention  >=  sum over inequalities of W  -  sum over pairs of the excess.

**Cheapest partition.** A bin of s jobs costs, for every threshold, the pairs of it less those whose
both values lie below the threshold. For given sizes of the bins the latter are most where the low
values fill the largest bins, for all thresholds at once (their number is convex in what lies low in
a bin). So the bins cut the jobs, by falling value, into consecutive blocks, and a dynamic program
over the cuts finds W in O(A s^2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.paths import PathsInstance

UNREACHED = 2**62
"""More than anything `cheapest_partition` adds up."""


@dataclass(frozen=True, slots=True)
class Pigeonhole:
    """An inequality: what jobs pay for crossing the same few links.

    Attributes
    ----------
    links : tuple of int
        Each job has a flow of which every path crosses one of them.
    jobs : tuple of int
    values : tuple of int
        v_i of each job, at least 0, in units of ``1 / (scale D)``.
    """

    links: tuple[int, ...]
    jobs: tuple[int, ...]
    values: tuple[int, ...]


def cheapest_partition(values: Iterable[int], num_bins: int) -> int:
    """Return the least sum over pairs in one bin of the larger of their two values.

    Parameters
    ----------
    values : iterable of int
        Not negative; their sum times their number below 2^62.
    num_bins : int
        A, at least 1.
    """
    falling = np.sort(np.fromiter(values, np.int64))[::-1].copy()
    return int(_cheapest(falling, num_bins))


@njit(cache=True)
def _cheapest(v, num_bins):  # type: ignore[no-untyped-def]
    n = len(v)
    if n <= num_bins:
        return 0
    best = np.full(n + 1, UNREACHED)
    best[0] = 0
    for _ in range(num_bins):
        new = best.copy()
        for end in range(1, n + 1):
            # The block start..end-1: a job costs its value for each job after it in the block.
            cost, total = np.int64(0), np.int64(0)
            for start in range(end - 1, -1, -1):
                cost += v[start] * (end - 1 - start)
                total = best[start] + cost
                new[end] = min(new[end], total)
        best = new
    return best[n]


@dataclass(frozen=True, slots=True)
class Bundle:
    """Parallel links that some jobs cannot avoid.

    Attributes
    ----------
    links : tuple of int
        Sorted.
    jobs : tuple of int
        Sorted; each has a flow of which every path crosses one of the links.
    """

    links: tuple[int, ...]
    jobs: tuple[int, ...]


def bundles(instance: PathsInstance) -> list[Bundle]:
    """Return the sets of links that flows cross at one hop, and all jobs that cannot avoid them.

    Returns
    -------
    list of Bundle
        Those of at least two jobs, without repetition. The h-th links of a flow's paths are such
        a set, counted from the source or from the target.
    """
    hops: dict[frozenset[int], set[int]] = {}
    for f in np.flatnonzero(instance.active).tolist():
        paths = paths_of(instance, f)
        shortest = min(map(len, paths))
        for h in (*range(shortest), *range(-shortest, 0)):
            hops.setdefault(frozenset(path[h] for path in paths), set()).add(
                int(instance.cluster.flow_job[f])
            )
    by_link: dict[int, list[frozenset[int]]] = {}
    for hop in hops:
        for link in hop:
            by_link.setdefault(link, []).append(hop)
    found = []
    for hop in hops:
        inside = {other for link in hop for other in by_link[link] if other <= hop}
        jobs = set().union(*(hops[other] for other in inside))
        if len(jobs) >= 2:
            found.append(Bundle(tuple(sorted(hop)), tuple(sorted(jobs))))
    return sorted(found, key=lambda b: (b.links, b.jobs))


def paths_of(instance: PathsInstance, flow: int) -> list[tuple[int, ...]]:
    """Return the candidate paths of a flow as link indices."""
    routes = instance.cluster.routes
    return [
        tuple(routes.link[routes.start[c] : routes.start[c + 1]].tolist())
        for c in range(int(routes.first[flow]), int(routes.first[flow + 1]))
    ]


def encode(inequalities: Sequence[Pigeonhole], denominator: int) -> NDArray[np.int64]:
    """Write a certificate: D, then for each inequality A, s, its links, its jobs, its values.

    `kcut.pigeonhole_proof` reads and checks it.
    """
    numbers = [denominator]
    for inequality in inequalities:
        numbers += [len(inequality.links), len(inequality.jobs)]
        numbers += [*inequality.links, *inequality.jobs, *inequality.values]
    return np.array(numbers, np.int64)


def combinatorial_bound(instance: PathsInstance) -> tuple[int, NDArray[np.int64]]:
    """Return a bound on contention made without a solver, and its certificate.

    Notes
    -----
    Takes one inequality after another, the one that gives most among the bundles, on the jobs of it
    no two of which were charged before, at their whole weights. O(bundles^2 A s^2).
    """
    left = bundles(instance)
    charged: set[tuple[int, int]] = set()
    chosen: list[Pigeonhole] = []
    bound = 0
    while left:
        offers = [_uncharged(instance, bundle, charged) for bundle in left]
        worth = [cheapest_partition(o.values, len(o.links)) for o in offers]
        best = int(np.argmax(worth))
        if worth[best] == 0:
            break
        chosen.append(offers[best])
        bound += worth[best]
        jobs = offers[best].jobs
        charged.update((i, j) for a, i in enumerate(jobs) for j in jobs[a + 1 :])
        left = [b for b, value in zip(left, worth, strict=True) if value > 0]
        left.remove(next(b for b in left if b.links == offers[best].links))
    return bound, encode(chosen, 1)


def _uncharged(
    instance: PathsInstance, bundle: Bundle, charged: set[tuple[int, int]]
) -> Pigeonhole:
    """Return the inequality of a bundle on jobs that are pairwise uncharged, heavy ones first."""
    jobs: list[int] = []
    for job in sorted(bundle.jobs, key=lambda j: (-instance.weight[j], j)):
        if all((min(job, other), max(job, other)) not in charged for other in jobs):
            jobs.append(job)
    jobs.sort()
    return Pigeonhole(bundle.links, tuple(jobs), tuple(int(instance.weight[j]) for j in jobs))
