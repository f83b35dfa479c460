"""What an instance of compression must be: each check names the field and the value at fault."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kcut.errors import InputError
from kcut.weights import MAX_TOTAL, exact_sum, scale_to_integers


def check_count(name: str, count: Any, most: int) -> None:
    """Refuse what is no integer between 1 and `most`."""
    if isinstance(count, bool | np.bool_) or not isinstance(count, int | np.integer):
        raise InputError("must be an integer", name, count)
    if not 1 <= count <= most:
        raise InputError(f"must be between 1 and {most:,}", name, int(count))


def check_endpoints(ends: ArrayLike, num_jobs: int, position: int) -> NDArray[np.int32]:
    """Return one end of every edge as int32; refuse what is no job."""
    array = np.asarray(ends)
    if array.size == 0:
        return np.zeros(0, np.int32)
    if array.ndim != 1 or not np.issubdtype(array.dtype, np.integer):
        raise InputError("endpoints must be integers", "edges", str(array.dtype))
    outside = np.flatnonzero((array < 0) | (array >= num_jobs))
    if len(outside):
        e = int(outside[0])
        where = f"edges[{e}][{position}]"
        raise InputError(f"no job of 0..{num_jobs - 1}", where, int(array[e]))
    return array.astype(np.int32)


def check_weights(
    weight: NDArray[Any],
) -> tuple[NDArray[np.int64], float, NDArray[np.float64] | None]:
    """Return the integer weights, their scale, and the floats they were rounded from, if so."""
    if weight.size == 0:
        return np.zeros(0, np.int64), 1.0, None
    if weight.ndim != 1 or weight.dtype.kind not in "iuf":
        raise InputError("weights must be numbers", "edges", str(weight.dtype))
    broken = np.flatnonzero(~np.isfinite(weight) | (weight < 0))
    if len(broken):
        e = int(broken[0])
        raise InputError("must be finite and not negative", f"edges[{e}][2]", weight[e].item())
    heavy = np.flatnonzero(weight > MAX_TOTAL)
    if len(heavy):
        e = int(heavy[0])
        raise InputError("larger than 2^62", f"edges[{e}][2]", weight[e].item())
    if weight.dtype.kind == "f":
        floats = weight.astype(np.float64)
        if math.fsum(floats) > MAX_TOTAL:
            raise _too_heavy(weight)
        integer, scale, exact = scale_to_integers(floats)
        return integer, scale, None if exact else floats
    integer = weight.astype(np.int64)
    if exact_sum(integer) > MAX_TOTAL:
        raise _too_heavy(weight)
    return integer, 1.0, None


def _too_heavy(weight: NDArray[Any]) -> InputError:
    running = np.cumsum(weight.astype(np.float64))
    e = min(int(np.searchsorted(running, MAX_TOTAL)), len(weight) - 1)
    message = "weights up to this edge sum to more than 2^62"
    return InputError(message, f"edges[{e}][2]", weight[e].item())


def check_labels(labels: tuple[str, ...] | None, num_jobs: int) -> tuple[str, ...] | None:
    """Refuse labels that are not one distinct name for each job."""
    if labels is None:
        return None
    if len(labels) != num_jobs:
        raise InputError(f"must name all {num_jobs} jobs", "labels", len(labels))
    if len(set(labels)) < num_jobs:
        seen: set[str] = set()
        for i, label in enumerate(labels):
            if label in seen:
                raise InputError("a duplicate name", f"labels[{i}]", label)
            seen.add(label)
    return labels


def check_order(
    order: ArrayLike | None,
    num_jobs: int,
    upper: NDArray[np.int32],
    lower: NDArray[np.int32],
) -> NDArray[np.int32] | None:
    """Return an order as int32; refuse one that is no permutation or contradicts an edge."""
    if order is None:
        return None
    array = np.asarray(order)
    if array.shape != (num_jobs,) or not np.issubdtype(array.dtype, np.integer):
        raise InputError(f"must list all {num_jobs} jobs once", "order", array.tolist())
    rank = np.full(num_jobs, -1, np.int64)
    for i, job in enumerate(array.tolist()):
        if not 0 <= job < num_jobs:
            raise InputError(f"no job of 0..{num_jobs - 1}", f"order[{i}]", job)
        if rank[job] >= 0:
            raise InputError("lists a job twice", f"order[{i}]", job)
        rank[job] = i
    against = np.flatnonzero(rank[upper] > rank[lower])
    if len(against):
        e = int(against[0])
        pair = [int(upper[e]), int(lower[e])]
        raise InputError(f"contradicts edges[{e}]", "order", pair)
    return array.astype(np.int32)
