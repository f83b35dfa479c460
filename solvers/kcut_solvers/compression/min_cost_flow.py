"""The dual as a min-cost flow (OR-tools): cover edges by paths, then read the levels off.

    min  sum_e max(0, w_e - b_e) + (K-1) * sum_v max(0, out_v - in_v)      over covers b >= 0

A path costs K-1 to start; each unit of an edge it covers saves 1. As a flow: u -> v with capacity
w_e at cost -1 and unbounded at cost 0, source -> v at cost K-1, v -> sink at cost 0, and
source -> sink at cost 0 for the supply that is not needed. b_e is the flow on u -> v.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import (
    Answer,
    Claim,
    CompressionInstance,
    Limits,
    Termination,
    bound,
    cut_value,
    no_answer,
    solver,
)
from kcut.weights import exact_sum
from kcut_solvers.certify import levels_from_cover

LARGEST_COST = 2**63
"""OR-tools saturates silently where sum(capacity * |cost|) reaches this."""


@solver("compression", "min-cost-flow", exact=True, reference="ahuja2003convex ortools")
def min_cost_flow(
    instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator
) -> Answer:
    """Solve the dual min-cost flow and take levels by complementary slackness.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        Not watched: the library cannot be interrupted.
    rng : numpy.random.Generator
        Not used; the method is deterministic.

    Returns
    -------
    Answer
        Optimal, with the cover that proves it. Skipped where K times the total weight reaches
        2^63.

    Notes
    -----
    Cost scaling: O(n^2 |E| log(nK)) at worst, close to linear in |E| in practice. If K levels
    are enough for every path, every edge is cut and no flow is needed.

    References
    ----------
    Ahuja, Hochbaum & Orlin, Solving the convex cost integer dual network flow problem,
    Management Science 49(7), 2003, doi:10.1287/mnsc.49.7.950.16384.
    """
    started = time.perf_counter()
    K = instance.levels
    if K == 1:
        levels = np.zeros(instance.num_jobs, np.int64)
        return Answer(Claim.OPTIMAL, levels, 0, instance.weight)
    if instance.depth.max() < K:
        levels = K - 1 - instance.depth.astype(np.int64)
        nothing = np.zeros(instance.num_edges, np.int64)
        return Answer(Claim.OPTIMAL, levels, instance.total_weight, nothing)
    if K * instance.total_weight >= LARGEST_COST:
        detail = f"K times the total weight is {K * instance.total_weight}, not below 2^63"
        return no_answer(Termination.SKIPPED, detail)
    network, arcs = _build(instance)
    build_s = time.perf_counter() - started
    status = network.solve()
    if status != network.OPTIMAL:  # reading a flow would crash the process
        return no_answer(Termination.CRASHED, f"OR-tools min-cost flow: {status.name}")
    m = instance.num_edges
    covered, free = network.flows(arcs[:m]), network.flows(arcs[m : 2 * m])
    cover = covered + free
    proven = bound(instance, cover)
    starts = exact_sum(network.flows(arcs[2 * m : 2 * m + instance.num_jobs]))
    detail = f"{status.name}, dual {instance.total_weight - exact_sum(covered) + (K - 1) * starts}"
    levels_or_none = levels_from_cover(instance, cover)
    if levels_or_none is None:
        detail += ", but no levels fit the cover"
        return no_answer(Termination.CRASHED, detail)
    claim = Claim.OPTIMAL if cut_value(instance, levels_or_none) == proven else Claim.FEASIBLE
    return Answer(claim, levels_or_none, proven, cover, detail=detail, build_s=build_s)


def _build(instance: CompressionInstance) -> tuple[Any, NDArray[np.int32]]:
    """Return the network and its arcs: covered and free per edge, start and end per job, idle.

    Capacities are finite without loss. A path that does not save its cost K-1 is dropped, so at
    most total_weight / (K-1) units flow. A path that starts on an uncovered arc may as well start
    behind it, so no more than its out weight starts at a job; likewise at the end.
    """
    from ortools.graph.python import min_cost_flow as ortools_flow

    n, m, K = instance.num_jobs, instance.num_edges, instance.levels
    upper, lower, weight = instance.upper, instance.lower, instance.weight
    source, sink = n, n + 1
    most = instance.total_weight // (K - 1)
    out_weight, in_weight = np.zeros(n, np.int64), np.zeros(n, np.int64)
    np.add.at(out_weight, upper, weight)
    np.add.at(in_weight, lower, weight)
    jobs = np.arange(n)
    tails: list[Any] = [upper, upper, np.full(n, source), jobs, [source]]
    heads: list[Any] = [lower, lower, jobs, np.full(n, sink), [sink]]
    capacities: list[Any] = [
        weight,
        np.full(m, most),
        np.minimum(out_weight, most),
        np.minimum(in_weight, most),
        [most],
    ]
    costs: list[Any] = [np.full(m, -1), np.zeros(m), np.full(n, K - 1), np.zeros(n), [0]]
    network = ortools_flow.SimpleMinCostFlow()
    arcs: NDArray[np.int32] = network.add_arcs_with_capacity_and_unit_cost(
        np.concatenate(tails).astype(np.int32),
        np.concatenate(heads).astype(np.int32),
        np.concatenate(capacities).astype(np.int64),
        np.concatenate(costs).astype(np.int64),
    )
    network.set_nodes_supplies(
        np.array([source, sink], np.int32), np.array([most, -most], np.int64)
    )
    return network, arcs
