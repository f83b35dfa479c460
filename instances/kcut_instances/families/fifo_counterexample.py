"""A DAG whose optimal cut needs an order that no FIFO queue produces."""

from __future__ import annotations

import numpy as np

from kcut import CompressionInstance, family

EDGES = (
    (0, 1, 8.59),
    (0, 2, 8.59),
    (0, 3, 8.59),
    (1, 2, 6.70),
    (1, 4, 6.70),
    (1, 5, 6.70),
    (2, 5, 6.56),
    (4, 5, 7.29),
)


@family("compression", "fifo-counterexample", reference="cao2024crux", levels=2)
def fifo_counterexample(rng: np.random.Generator, *, name: str, levels: int) -> CompressionInstance:
    """Six jobs on which the best FIFO order leaves 22.44 uncut and the optimum 21.85.

    Parameters
    ----------
    rng : numpy.random.Generator
        Not used: there is one such instance.
    name : str
    levels : int

    Returns
    -------
    CompressionInstance
        Only four of its topological orders come out of Kahn's algorithm with a FIFO queue.
    """
    upper, lower, weight = zip(*EDGES, strict=True)
    return CompressionInstance.from_edges(6, upper, lower, weight, levels=levels, name=name)
