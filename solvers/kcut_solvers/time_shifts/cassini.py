"""CASSINI's time shifts: the best ones of each link, made consistent through the affinity graph."""

from __future__ import annotations

import time

import numpy as np

from kcut import Answer, Claim, Incumbent, Limits, solver
from kcut.time_shift_bounds import certificate_of, link_optima
from kcut.time_shifts import TimeShiftsInstance, total_excess
from kcut_solvers.shift_graph import traverse
from kcut_solvers.shift_moves import classes


@solver("time-shifts", "cassini", exact=False, reference="rajasekaran2024cassini")
def cassini(instance: TimeShiftsInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Shift the jobs of each link for itself, and join the links by traversing the affinity graph.

    Parameters
    ----------
    instance : TimeShiftsInstance
    limits : Limits
        Unused: the search on each link has a budget of its own.
    rng : numpy.random.Generator
        Unused: the method is deterministic.

    Returns
    -------
    Answer
        With the bounds of the links as certificate, which is the proof of optimality where the
        affinity graph is a forest and every link was searched exhaustively. `detail` tells how
        many links close a loop of the affinity graph, and how many of those miss their own
        optimum.

    Notes
    -----
    The paper rules out placements whose affinity graph has loops. Here a link that closes one
    keeps the jobs that have their shift already, see `kcut_solvers.shift_graph.traverse`. A link
    whose search ran out of its budget is improved by moving single jobs.

    References
    ----------
    Rajasekaran, Ghobadi & Akella, CASSINI: Network-Aware Job Scheduling in Machine Learning
    Clusters, NSDI 2024, pp. 1403-1420, sections 3 and 4.
    """
    started = time.perf_counter()
    found = link_optima(instance)
    links = classes(instance)
    result = traverse(instance, links, found)
    seconds, value = time.perf_counter() - started, total_excess(instance, result.shifts)
    limits.on_incumbent(result.shifts)
    return Answer(
        Claim.FEASIBLE,
        result.shifts,
        certificate=certificate_of(found),
        detail=_in_words(len(links), result.loops, len(result.missed)),
        incumbents=(Incumbent(seconds, value),),
    )


def _in_words(num_links: int, loops: int, missed: int) -> str:
    if not num_links:
        return "no two jobs meet"
    if not loops:
        return f"affinity graph of {num_links} different links: a forest"
    return (
        f"affinity graph of {num_links} different links: {loops} close a loop,"
        f" {missed} of them miss their own optimum"
    )
