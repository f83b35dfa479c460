"""The example of the paper's Figure 13."""

from __future__ import annotations

import numpy as np

from kcut import CompressionInstance, family


@family("compression", "fig13", reference="cao2024crux", levels=2)
def fig13(rng: np.random.Generator, *, name: str, levels: int) -> CompressionInstance:
    """Four jobs J1 > J2 > J3 > J4: J1 and J2 share a link, J3 and J4 another.

    Parameters
    ----------
    rng : numpy.random.Generator
        Not used: there is one such instance.
    name : str
    levels : int

    Returns
    -------
    CompressionInstance
        The figure gives no intensities; ours are 3 for J1 and 1 for J3.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, Figure 13, doi:10.1145/3651890.3672239.
    """
    return CompressionInstance.from_edges(
        4,
        [0, 2],
        [1, 3],
        [3, 1],
        levels=levels,
        name=name,
        labels=("J1", "J2", "J3", "J4"),
        order=[0, 1, 2, 3],
    )
