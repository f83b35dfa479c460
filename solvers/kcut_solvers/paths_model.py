"""The exact model of path selection, before it is written for a solver.

x_fc          flow f takes candidate c; one of each flow
z_je >= sum over c through e of x_fc, for each flow f of job j         j uses link e
c_ij >= z_ie + z_je - 1                                                i and j meet
contention    minimise sum w_ij c_ij,
              such that sum over S of max(v_i, v_j) c_ij >= W(v, A)    pigeonhole rows
residual      minimise sum w_ij r_ij,  r_ij >= c_ij - [L_i > L_j],  L_i >= L_j where c_ij = 1,
              i ranked above j, 0 <= L <= K - 1
max-load      minimise T,  sum over f, c through e of load_fe x_fc <= T
stretch       sum over f of j, c through e of time_fe x_fc <= limit_j

Candidates that can only be worse are left out: those whose shared links contain another's. Of
interchangeable switches a flow may take one only if an earlier flow takes the one before it.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from kcut.path_symmetry import interchangeable_nodes, nodes_of
from kcut.paths import Choice, PathsInstance
from kcut.pigeonhole import paths_of
from kcut_solvers.pigeonhole_lp import Row

MODELLED = ("contention", "max-load", "residual")
"""Objectives the exact models know."""

Taken = tuple[int, int]
"""A flow and one of its candidates."""


@dataclass(slots=True)
class PathsModel:
    """What is decided for some jobs of an instance.

    Attributes
    ----------
    instance : PathsInstance
    jobs : list of int
    candidates : dict of int to list of int
        Of each flow of the jobs that sends anything.
    uses : dict of (job, link) to list of list of Taken
        For each flow of the job that may cross the link, how.
    meet : dict of (i, j) to list of int
        i < j, and the links on which they can.
    rows : list of Row
    precedence : list of (Taken, list of Taken)
        The first only if one of the others.
    hint : Choice
        A feasible choice that satisfies `precedence`.
    least : int or None
        Proven: no choice has less contention.
    """

    instance: PathsInstance
    jobs: list[int]
    candidates: dict[int, list[int]]
    uses: dict[tuple[int, int], list[list[Taken]]]
    meet: dict[tuple[int, int], list[int]]
    hint: Choice
    rows: list[Row] = field(default_factory=list)
    precedence: list[tuple[Taken, list[Taken]]] = field(default_factory=list)
    least: int | None = None

    def entry(self, taken: Taken, link: int) -> int:
        """Return the entry of ``routes.link`` of a link on a candidate."""
        routes = self.instance.cluster.routes
        c = int(routes.first[taken[0]]) + taken[1]
        span = range(int(routes.start[c]), int(routes.start[c + 1]))
        return next(k for k in span if routes.link[k] == link)

    def by_link(self) -> dict[int, list[list[Taken]]]:
        """Return for each link the ways of each flow to cross it."""
        found: dict[int, list[list[Taken]]] = defaultdict(list)
        for (_, link), groups in self.uses.items():
            found[link] += groups
        return found


def build_model(
    instance: PathsInstance,
    jobs: Iterable[int],
    hint: Choice,
    *,
    fixed: Iterable[int] = (),
    symmetry: bool = True,
    rows: Iterable[Row] = (),
    least: int | None = None,
) -> PathsModel:
    """Collect what the formulations need.

    Parameters
    ----------
    instance : PathsInstance
        Of one of the objectives `MODELLED`.
    jobs : iterable of int
        That may meet each other alone.
    hint : ndarray of int64, shape (num_flows,)
        A feasible choice, to start from.
    fixed : iterable of int
        Flows that stay where the hint has them; switches are told apart then.
    symmetry : bool, optional
    rows : iterable of Row, optional
    least : int, optional
        A proven bound on contention.
    """
    chosen, held = sorted(jobs), set(fixed)
    inside = np.zeros(instance.num_jobs, np.bool_)
    inside[chosen] = True
    flows = np.flatnonzero(instance.active & inside[instance.cluster.flow_job]).tolist()
    shared = _shared_links(instance, flows)
    candidates = {
        f: [int(hint[f])] if f in held else _undominated(instance, f, shared) for f in flows
    }
    used = hint.copy()
    precedence: list[tuple[Taken, list[Taken]]] = []
    for f in flows:
        if int(used[f]) not in candidates[f]:
            used[f] = _replacement(instance, f, int(used[f]), candidates[f], shared)
    if symmetry and not held:
        precedence, used = _break_symmetry(instance, candidates, used)
    uses: dict[tuple[int, int], list[list[Taken]]] = defaultdict(list)
    for f, options in candidates.items():
        ways: dict[int, list[Taken]] = defaultdict(list)
        paths = paths_of(instance, f)
        for c in options:
            for e in paths[c]:
                ways[e].append((f, c))
        for e, taken in ways.items():
            uses[int(instance.cluster.flow_job[f]), e].append(taken)
    return PathsModel(
        instance=instance,
        jobs=chosen,
        candidates=candidates,
        uses=dict(uses),
        meet=_meetings(uses),
        hint=used,
        rows=list(rows),
        precedence=precedence,
        least=least,
    )


def _shared_links(instance: PathsInstance, flows: list[int]) -> frozenset[int] | None:
    """Return the links that several jobs may use; None where every link counts."""
    if instance.objective == "max-load" or instance.time_limit is not None:
        return None
    users: dict[int, set[int]] = defaultdict(set)
    for f in flows:
        for e in set().union(*paths_of(instance, f)):
            users[e].add(int(instance.cluster.flow_job[f]))
    return frozenset(e for e, jobs in users.items() if len(jobs) > 1)


def _counted(path: tuple[int, ...], shared: frozenset[int] | None) -> frozenset[int]:
    return frozenset(path) if shared is None else shared & frozenset(path)


def _undominated(instance: PathsInstance, flow: int, shared: frozenset[int] | None) -> list[int]:
    counted = [_counted(path, shared) for path in paths_of(instance, flow)]
    return [
        c
        for c, mine in enumerate(counted)
        if not any(
            other < mine or (other == mine and d < c) for d, other in enumerate(counted) if d != c
        )
    ]


def _replacement(
    instance: PathsInstance, flow: int, c: int, kept: list[int], shared: frozenset[int] | None
) -> int:
    paths = paths_of(instance, flow)
    mine = _counted(paths[c], shared)
    return next(d for d in kept if _counted(paths[d], shared) <= mine)


def _meetings(
    uses: dict[tuple[int, int], list[list[Taken]]],
) -> dict[tuple[int, int], list[int]]:
    users: dict[int, list[int]] = defaultdict(list)
    for job, link in uses:
        users[link].append(job)
    meet: dict[tuple[int, int], list[int]] = defaultdict(list)
    for link, jobs in users.items():
        for pair in itertools.combinations(sorted(jobs), 2):
            meet[pair].append(link)
    return dict(sorted(meet.items()))


def _break_symmetry(
    instance: PathsInstance, candidates: dict[int, list[int]], hint: Choice
) -> tuple[list[tuple[Taken, list[Taken]]], Choice]:
    """Order the switches of each class by the first flow that takes them."""
    weight = instance.weight[instance.cluster.flow_job]
    order = sorted(candidates, key=lambda f: (-int(weight[f]), f))
    paths = {f: paths_of(instance, f) for f in order}
    inner = {(f, c): nodes_of(instance, paths[f][c]) for f in order for c in range(len(paths[f]))}
    precedence: list[tuple[Taken, list[Taken]]] = []
    used = hint.copy()
    for nodes in interchangeable_nodes(instance):
        number = {node: m for m, node in enumerate(nodes)}
        via = {
            taken: next((number[node] for node in crossed if node in number), None)
            for taken, crossed in inner.items()
        }
        # A flow of which only some of the switches are left does not care which it takes.
        for f in order:
            all_nodes = {via[f, c] for c in range(len(paths[f]))}
            if {via[f, c] for c in candidates[f]} != all_nodes:
                via |= {(f, c): None for c in range(len(paths[f]))}
        used = _renamed(order, candidates, via, used, len(nodes))
        earlier: list[list[Taken]] = [[] for _ in nodes]
        for f in order:
            for c in candidates[f]:
                m = via[f, c]
                if m:
                    precedence.append(((f, c), list(earlier[m - 1])))
            for c in candidates[f]:
                m = via[f, c]
                if m is not None:
                    earlier[m].append((f, c))
    return precedence, used


def _renamed(
    order: list[int],
    candidates: dict[int, list[int]],
    via: dict[Taken, int | None],
    hint: Choice,
    num_nodes: int,
) -> Choice:
    """Exchange the switches of a class so that flows take them in order, as precedence asks.

    Where parallel links lead over one switch, a flow keeps its place among them.
    """
    new: dict[int, int] = {}
    for f in order:
        m = via[f, int(hint[f])]
        if m is not None:
            new.setdefault(m, len(new))
    for m in range(num_nodes):
        new.setdefault(m, len(new))
    used = hint.copy()
    for f in order:
        m = via[f, int(hint[f])]
        if m is None or new[m] == m:
            continue
        here = [c for c in candidates[f] if via[f, c] == m]
        there = [c for c in candidates[f] if via[f, c] == new[m]]
        if there and int(hint[f]) in here:
            used[f] = there[min(here.index(int(hint[f])), len(there) - 1)]
    return used
