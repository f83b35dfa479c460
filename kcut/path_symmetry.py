"""Switches that may change places: classes of interchangeable nodes, and components of jobs."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from kcut.paths import PathsInstance
from kcut.pigeonhole import paths_of


def interchangeable_nodes(instance: PathsInstance) -> list[list[str]]:
    """Return classes of nodes of which any two may change places without changing the problem.

    Parameters
    ----------
    instance : PathsInstance

    Returns
    -------
    list of list of str
        Classes of two nodes or more. Exchanging two nodes of a class maps links to links of the
        same bandwidth, and the candidates of every flow to themselves. No path crosses two of them.

    Notes
    -----
    Nodes with the same neighbours by the same bandwidths are compared with one of their class:
    O(nodes * total length of the candidates).
    """
    links = instance.cluster.links
    signature: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
    for link in links:
        signature[link.source].append(("to", link.target, link.bandwidth))
        signature[link.target].append(("from", link.source, link.bandwidth))
    alike: dict[tuple[tuple[str, str, float], ...], list[str]] = defaultdict(list)
    for node, ends in signature.items():
        alike[tuple(sorted(ends))].append(node)
    crossing = _flows_crossing(instance)
    classes = []
    for nodes in alike.values():
        others = (node for node in nodes[1:] if _swaps(instance, nodes[0], node, crossing))
        found = [nodes[0], *others]
        if len(found) > 1:
            classes.append(found)
    return classes


def nodes_of(instance: PathsInstance, path: tuple[int, ...]) -> list[str]:
    """Return the nodes strictly inside a path."""
    return [instance.cluster.links[e].target for e in path[:-1]]


def _flows_crossing(instance: PathsInstance) -> dict[str, set[int]]:
    """Return the flows that begin, end or may pass at each node."""
    crossing: dict[str, set[int]] = defaultdict(set)
    for f in np.flatnonzero(instance.active).tolist():
        for path in paths_of(instance, f):
            for e in path:
                crossing[instance.cluster.links[e].source].add(f)
                crossing[instance.cluster.links[e].target].add(f)
    return crossing


def _swaps(instance: PathsInstance, u: str, v: str, crossing: dict[str, set[int]]) -> bool:
    links = instance.cluster.links
    ends: dict[tuple[str, str], list[int]] = defaultdict(list)
    for e, link in enumerate(links):
        if {link.source, link.target} & {u, v}:
            ends[link.source, link.target].append(e)
    swap = {u: v, v: u}
    image: dict[int, int] = {}
    for (source, target), here in ends.items():
        there = ends.get((swap.get(source, source), swap.get(target, target)), [])
        mine = sorted(here, key=lambda e: (links[e].bandwidth, e))
        other = sorted(there, key=lambda e: (links[e].bandwidth, e))
        if [links[e].bandwidth for e in mine] != [links[e].bandwidth for e in other]:
            return False
        image |= dict(zip(mine, other, strict=True))
    for f in crossing[u] | crossing[v]:
        paths = set(paths_of(instance, f))
        if {tuple(image.get(e, e) for e in path) for path in paths} != paths:
            return False
        if any({u, v} <= set(nodes_of(instance, path)) for path in paths):
            return False
    return True


def components(instance: PathsInstance) -> list[list[int]]:
    """Return the groups of jobs that can meet, directly or through others, by their candidates.

    Jobs that send nothing are in none. Each group, and the groups by their first jobs, are sorted.
    """
    parent = list(range(instance.num_jobs))

    def root(j: int) -> int:
        while parent[j] != j:
            parent[j] = parent[parent[j]]
            j = parent[j]
        return j

    seen: dict[int, int] = {}
    sends: set[int] = set()
    for f in np.flatnonzero(instance.active).tolist():
        job = int(instance.cluster.flow_job[f])
        sends.add(job)
        for e in set().union(*paths_of(instance, f)):
            other = seen.setdefault(e, job)
            parent[root(job)] = root(other)
    groups: dict[int, list[int]] = defaultdict(list)
    for job in sorted(sends):
        groups[root(job)].append(job)
    return sorted(groups.values())
