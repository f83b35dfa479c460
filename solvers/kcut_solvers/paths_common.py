"""What path solvers share: packed slots of jobs on links, and answers that respect the stretch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kcut import Answer, Claim, Incumbent, Termination, no_answer
from kcut.paths import Choice, PathsInstance

Index = NDArray[np.int64]


def feasible_answer(
    instance: PathsInstance,
    choice: Choice,
    *,
    termination: Termination = Termination.FINISHED,
    incumbents: Sequence[Incumbent] = (),
    detail: str = "",
) -> Answer:
    """Answer a choice of paths; none where it breaks the limit on bottleneck times."""
    violation = instance.infeasibility(choice)
    if violation is not None:
        return no_answer(termination, f"the rule's choice is infeasible: {violation}")
    return Answer(
        Claim.FEASIBLE,
        choice,
        termination=termination,
        incumbents=tuple(incumbents),
        detail=detail,
    )


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Every (job, link) that could occur, numbered, and the paths as lists of them.

    Attributes
    ----------
    job, link : ndarray of int64, shape (num_slots,)
    first : ndarray of int64, shape (num_flows + 1,)
        Flow f has the candidates ``first[f]`` to ``first[f + 1] - 1``.
    start : ndarray of int64, shape (num_candidates + 1,)
        Candidate c has the slots ``slot[start[c]:start[c + 1]]``, without those of links that all
        candidates of its flow cross.
    slot, entry : ndarray of int64
        Slots, and the entries of ``routes.link`` they stand for.
    fixed_slot, fixed_entry : ndarray of int64
        What flows cross whatever they choose.
    movable : ndarray of int64
        Flows that send anything and have a choice.
    """

    job: Index
    link: Index
    first: Index
    start: Index
    slot: Index
    entry: Index
    fixed_slot: Index
    fixed_entry: Index
    movable: Index


def pack_slots(instance: PathsInstance) -> Slots:
    """Give a number to the (job, link) pairs of an instance; flows that send nothing have none."""
    cluster, routes = instance.cluster, instance.cluster.routes
    flow = instance.link_flow
    sends = instance.active[flow]
    code = cluster.flow_job[flow].astype(np.int64) * cluster.num_links + routes.link
    pairs = np.unique(code[sends])
    slot = np.searchsorted(pairs, code)
    # A link is fixed for a flow if as many entries name it as the flow has candidates.
    crossing = flow * cluster.num_links + routes.link
    _, inverse, count = np.unique(crossing, return_inverse=True, return_counts=True)
    fixed = count[inverse] == routes.num_candidates[flow]
    candidate = np.repeat(np.arange(len(routes.start) - 1), np.diff(routes.start))
    kept = np.flatnonzero(sends & ~fixed)
    length = np.bincount(candidate[kept], minlength=len(routes.start) - 1)
    leading = routes.start[routes.first[:-1]]
    trailing = routes.start[routes.first[:-1] + 1]
    in_first = np.zeros(len(flow), np.bool_)
    in_first[leading[flow] <= np.arange(len(flow))] = True
    in_first &= np.arange(len(flow)) < trailing[flow]
    always = np.flatnonzero(sends & fixed & in_first)
    return Slots(
        job=pairs // cluster.num_links,
        link=pairs % cluster.num_links,
        first=routes.first,
        start=np.concatenate([[0], np.cumsum(length)]).astype(np.int64),
        slot=slot[kept],
        entry=kept,
        fixed_slot=slot[always],
        fixed_entry=always,
        movable=np.flatnonzero(instance.active & (routes.num_candidates > 1)),
    )
