"""OR-tools' maximum flow as an engine for the ascent: an independent check of our own."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcut import SolverError
from kcut.push_relabel import Network
from kcut.weights import exact_sum


def drain(network: Network, excess: NDArray[np.int64], cut: NDArray[np.bool_]) -> int:
    """Do what `kcut.push_relabel.drain` does, with OR-tools' ``SimpleMaxFlow``.

    Parameters
    ----------
    network : Network
        ``residual`` is updated in place.
    excess : ndarray of int64, shape (num_vertices,)
        Updated in place; what cannot be drained stays where it was.
    cut : ndarray of bool, shape (num_vertices,)
        Overwritten: the source side of the minimum cut.

    Returns
    -------
    int
        Arcs handed to OR-tools.

    Raises
    ------
    SolverError
        If OR-tools reports anything but an optimal flow, such as a possible overflow.
    """
    from ortools.graph.python import max_flow

    n = len(excess)
    source, sink = n, n + 1
    tails = np.repeat(np.arange(n, dtype=np.int32), np.diff(network.start))
    open_arcs = np.flatnonzero(network.residual > 0)
    above, below = np.flatnonzero(excess > 0), np.flatnonzero(excess < 0)
    if len(above) == 0 or len(below) == 0:
        # OR-tools knows no vertex without arcs; with nothing to move, either side is a cut.
        cut[:] = len(below) == 0
        return 0
    solver = max_flow.SimpleMaxFlow()
    arcs = solver.add_arcs_with_capacity(
        tails[open_arcs], network.head[open_arcs], network.residual[open_arcs]
    )
    out_of_source = solver.add_arcs_with_capacity(
        np.full(len(above), source, np.int32), above.astype(np.int32), excess[above]
    )
    # No sink needs to take more than all there is; deficits may be as large as int64 holds.
    supply = exact_sum(excess[above])
    into_sink = solver.add_arcs_with_capacity(
        below.astype(np.int32),
        np.full(len(below), sink, np.int32),
        -np.maximum(excess[below], -supply),
    )
    status = solver.solve(source, sink)
    if status != solver.OPTIMAL:
        raise SolverError(f"OR-tools maximum flow ended with {status}")
    flow = solver.flows(arcs)
    network.residual[open_arcs] -= flow
    np.add.at(network.residual, network.reverse[open_arcs], flow)
    excess[above] -= solver.flows(out_of_source)
    excess[below] += solver.flows(into_sink)
    side = np.array(solver.get_source_side_min_cut(), np.int64)
    cut[:] = False
    cut[side[side < n]] = True
    return len(arcs)
