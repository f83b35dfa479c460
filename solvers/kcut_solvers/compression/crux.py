"""Crux: the best cut of m random topological orders (Algorithm 1)."""

from __future__ import annotations

import time

import numpy as np

from kcut import (
    Answer,
    Claim,
    CompressionInstance,
    Incumbent,
    Limits,
    Param,
    Termination,
    no_answer,
    solver,
)
from kcut.blocks import VARIANTS, Blocks, cut_order, prefix_bytes
from kcut.orders import SAMPLERS

PARAMS = {
    "orders": Param(10, "m, the number of random topological orders", minimum=1),
    "sampler": Param("bfs", "how orders are drawn", choices=tuple(SAMPLERS)),
    "dp": Param("knuth-yao", "how an order is cut; all ways give the same cut", VARIANTS),
}


@solver("compression", "crux", exact=False, params=PARAMS, reference="cao2024crux yao1980")
def crux(
    instance: CompressionInstance,
    *,
    limits: Limits,
    rng: np.random.Generator,
    orders: int,
    sampler: str,
    dp: str,
) -> Answer:
    """Cut each of m random topological orders optimally and keep the best cut.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        The time limit is checked between orders.
    rng : numpy.random.Generator
        Draws the orders.
    orders : int
        m; the paper uses 10.
    sampler : {'bfs', 'uniform-ready'}
        See `kcut.orders`.
    dp : str
        One of `kcut.blocks.VARIANTS`.

    Returns
    -------
    Answer
        Feasible, with an incumbent for each improvement; no bound.

    Notes
    -----
    O(m (n^2 + num_edges)) time and 8 n^2 bytes with the default DP; with ``window``
    O(m (num_edges + K n log^2 n)) time and O(n + num_edges) memory. Among equally good orders the
    first one drawn wins.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, section 4.3, doi:10.1145/3651890.3672239.
    """
    started = time.perf_counter()
    workspace = None
    if dp != "window":
        needed = prefix_bytes(instance.num_jobs)
        try:
            if limits.memory_bytes is not None and needed > limits.memory_bytes:
                raise MemoryError
            workspace = np.zeros((instance.num_jobs + 1, instance.num_jobs + 1), np.int64)
        except MemoryError:
            detail = f"the prefix matrix of {instance.num_jobs} jobs takes {needed:,} bytes; "
            return no_answer(Termination.MEMORY_LIMIT, detail + "dp=window needs none")
    best: Blocks | None = None
    incumbents = []
    for drawn in range(1, orders + 1):
        order = SAMPLERS[sampler](instance, rng)
        blocks = cut_order(instance, order, dp, workspace)
        seconds = time.perf_counter() - started
        if best is None or blocks.value > best.value:
            best = blocks
            limits.on_incumbent(blocks.levels)
            incumbents.append(Incumbent(seconds, blocks.value))
        if limits.time_s is not None and seconds > limits.time_s and drawn < orders:
            detail = f"{drawn} of {orders} orders"
            return Answer(
                Claim.FEASIBLE,
                best.levels,
                termination=Termination.TIME_LIMIT,
                detail=detail,
                incumbents=tuple(incumbents),
            )
    assert best is not None
    return Answer(Claim.FEASIBLE, best.levels, incumbents=tuple(incumbents))
