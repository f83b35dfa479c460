"""Crux: the best cut of m random topological orders (Algorithm 1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial

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
from kcut.blocks import VARIANTS, Blocks, cut_order
from kcut.orders import SAMPLERS, Order
from kcut.prefix import Workspace, prefix_bytes

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
        The time limit is checked between orders. As many orders are cut at once as threads, and
        prefix matrices in the memory, are allowed; the answer is the same.
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
    O(m (n^2 + num_edges)) time and 4 n^2 or 8 n^2 bytes with the default DP; with ``window``
    O(m (num_edges + K n log^2 n)) time and O(n + num_edges) memory. Among equally good orders the
    first one drawn wins.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, section 4.3, doi:10.1145/3651890.3672239.
    """
    started = time.perf_counter()
    threads = min(limits.threads, orders)
    spaces: list[Workspace] | list[None] = [None] * threads
    if dp != "window":
        needed = prefix_bytes(instance)
        try:
            if limits.memory_bytes is not None:
                threads = min(threads, limits.memory_bytes // needed)
            if threads < 1:
                raise MemoryError
            first = Workspace.of(instance)
            spaces = [first, *(first.another() for _ in range(threads - 1))]
        except MemoryError:
            detail = f"the prefix matrix of {instance.num_jobs} jobs takes {needed:,} bytes; "
            return no_answer(Termination.MEMORY_LIMIT, detail + "dp=window needs none")
    best: Blocks | None = None
    incumbents = []
    cut = partial(cut_order, instance, dp=dp)
    drawn_orders = (SAMPLERS[sampler](instance, rng) for _ in range(orders))
    for drawn, blocks in enumerate(_in_turn(cut, drawn_orders, spaces), 1):
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


def _in_turn(
    cut: Callable[..., Blocks], drawn: Iterator[Order], spaces: Sequence[Workspace | None]
) -> Iterator[Blocks]:
    """Cut orders as they are drawn, as many at a time as there are workspaces.

    Results come in the order of drawing, whatever finishes first.
    """
    if len(spaces) == 1:
        for order in drawn:
            yield cut(order, workspace=spaces[0])
        return
    with ThreadPoolExecutor(len(spaces)) as pool:
        while batch := [
            pool.submit(cut, order, workspace=space)
            for space, order in zip(spaces, drawn, strict=False)
        ]:
            for running in batch:
                yield running.result()
