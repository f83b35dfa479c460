"""Layers by longest path, merged into K blocks in the best way."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Claim, CompressionInstance, Limits, Termination, no_answer, solver
from kcut.blocks import cut_layers, layer_bytes


@solver("compression", "longest-path", exact=False, reference="sugiyama1981layers cao2024crux")
def longest_path(
    instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator
) -> Answer:
    """Layer the jobs by the longest path that ends in them; merge consecutive layers optimally.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        The memory limit is watched.
    rng : numpy.random.Generator
        Not used.

    Returns
    -------
    Answer
        Feasible; optimal, with the empty cover, where K is at least the number of layers, since
        then every edge is cut.

    Notes
    -----
    The DP of Algorithm 1 on the DAG of D layers: O(D^2 + |E|) time, 8 D^2 bytes.

    References
    ----------
    Sugiyama, Tagawa & Toda, Methods for visual understanding of hierarchical system structures,
    IEEE Transactions on Systems, Man, and Cybernetics 11(2), 1981, doi:10.1109/TSMC.1981.4308636,
    for layering; the merging is Crux's Algorithm 1 (SIGCOMM 2024) on layers.
    """
    depth = instance.depth
    num_layers = int(depth.max()) + 1
    if num_layers <= instance.levels:
        levels = instance.levels - 1 - depth.astype(np.int64)
        nothing = np.zeros(instance.num_edges, np.int64)
        return Answer(Claim.OPTIMAL, levels, certificate=nothing)
    needed = layer_bytes(num_layers)
    detail = f"the prefix matrix of {num_layers} layers takes {needed:,} bytes"
    if limits.memory_bytes is not None and needed > limits.memory_bytes:
        return no_answer(Termination.MEMORY_LIMIT, detail)
    try:
        return Answer(Claim.FEASIBLE, cut_layers(instance, depth, num_layers).levels)
    except MemoryError:
        return no_answer(Termination.MEMORY_LIMIT, detail)
