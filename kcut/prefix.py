"""The prefix matrix P of an order: P[i, j] = weight from the first j jobs into the first i."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from kcut.compression import CompressionInstance
from kcut.orders import Order

Table = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Workspace:
    """Memory for P, and the edges it is filled from, to be reused from one order to the next.

    Attributes
    ----------
    prefix : ndarray of int32 or int64, shape (num_jobs + 1, num_jobs + 1)
        P; its first row and column stay 0. int32 where the weights sum to less than 2^31: half
        the memory is nearly half the time.
    entering : ndarray, shape (num_jobs + 1,)
        The weights into one position; 0 between uses.
    start, upper, weight : ndarray
        Edges grouped by their lower job.
    """

    prefix: Table
    entering: Table
    start: Table
    upper: Order
    weight: Table

    @classmethod
    def of(cls, instance: CompressionInstance) -> Workspace:
        """Make one. O(n^2 + num_edges) bytes: `prefix_bytes` and 8 to 12 an edge."""
        size, dtype = instance.num_jobs + 1, _prefix_dtype(instance)
        edges = instance.in_edges
        weight = instance.weight.astype(dtype)[edges.edge]
        prefix, entering = np.zeros((size, size), dtype), np.zeros(size, dtype)
        return cls(prefix, entering, edges.start, edges.other, weight)

    def another(self) -> Workspace:
        """Make one more for the same instance, for use at the same time."""
        return replace(
            self, prefix=np.zeros_like(self.prefix), entering=np.zeros_like(self.entering)
        )


def _prefix_dtype(instance: CompressionInstance) -> Any:
    return np.int32 if instance.total_weight < 2**31 else np.int64


def prefix_bytes(instance: CompressionInstance) -> int:
    """Return the bytes that P takes, the memory that limits every variant here."""
    return int(np.dtype(_prefix_dtype(instance)).itemsize) * (instance.num_jobs + 1) ** 2


def fill(workspace: Workspace, order: Order) -> None:
    """Fill P for an order; its upper triangle is left as it was. O(n^2 + num_edges)."""
    use = workspace
    _prefix_weights(order, use.start, use.upper, use.weight, use.prefix, use.entering)


@njit(cache=True, nogil=True)
def _prefix_weights(
    order: Order, in_start: Table, in_upper: Order, in_weight: Table, P: Table, entering: Table
) -> None:
    """Fill P[i, j] for 0 <= j <= i, row by row: the row above plus the edges into position i."""
    n = len(order)
    position = np.empty(n, np.int32)
    for i in range(n):
        position[order[i]] = i + 1
    for i in range(1, n + 1):
        v = order[i - 1]
        for a in range(in_start[v], in_start[v + 1]):
            entering[position[in_upper[a]]] = in_weight[a]
        _add_running_sum(entering, P[i - 1], P[i], i)
        P[i, i] = P[i, i - 1]
        for j in range(1, i):
            entering[j] = 0


@njit(cache=True, nogil=True, inline="always")
def _add_running_sum(term: Table, above: Table, row: Table, size: int) -> None:
    """Set row[j] = above[j] + term[0] + ... + term[j]; by fours, so that no sum waits for long."""
    running = term[0] - term[0]
    j = 0
    while j + 4 <= size:
        a, b, c, d = term[j], term[j + 1], term[j + 2], term[j + 3]
        ab, cd = a + b, c + d
        row[j] = above[j] + (running + a)
        row[j + 1] = above[j + 1] + (running + ab)
        row[j + 2] = above[j + 2] + (running + (ab + c))
        running += ab + cd
        row[j + 3] = above[j + 3] + running
        j += 4
    while j < size:
        running += term[j]
        row[j] = above[j] + running
        j += 1
