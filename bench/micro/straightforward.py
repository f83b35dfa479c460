"""Algorithm 1 as one would write it down first: the yardstick that `crux` must not fall behind."""

import numpy as np
from numba import njit


def prefix_sums(instance, order):
    """Return P[j, i]: scatter the weights by position, then sum along both axes."""
    n = instance.num_jobs
    position = np.empty(n, np.int64)
    position[order] = np.arange(1, n + 1)
    P = np.zeros((n + 1, n + 1), np.int64)
    P[position[instance.upper], position[instance.lower]] = instance.weight
    return P.cumsum(axis=0).cumsum(axis=1)


@njit(cache=True)
def knuth_yao(P, K):
    """Return the best value of cutting the order into at most K blocks."""
    n = len(P) - 1
    f = np.zeros((n + 1, K + 1), np.int64)
    g = np.zeros((n + 2, K + 1), np.int64)
    for k in range(2, K + 1):
        g[n + 1, k] = n
        for i in range(n, 0, -1):
            best = np.int64(-1)
            for j in range(g[i, k - 1], min(g[i + 1, k], i - 1) + 1):
                value = f[j, k - 1] + P[j, i] - P[j, j]
                if value > best:
                    best = value
                    g[i, k] = j
            f[i, k] = best
    return f[n, K]
