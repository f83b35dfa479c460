"""Crux's correction factors: what it is worth to a job, and costs another, that it goes first.

Replayed on one link in both orders, with T the link seconds per second of a job,

    k_{j|r} = (T_j with j first - T_j with r first) / (T_r with r first - T_r with j first)

Crux ranks jobs by P_j = k_j I_j, with k_j = k_{j|r} for one reference r, and k_r = 1.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster
from kcut.errors import InputError
from kcut.intensity import Traffic, bottleneck, intensities, period_alone, traffic
from kcut.replay import FIRST, SECOND, Replays, Senders, replay

Floats = NDArray[np.float64]

REFERENCES = ("traffic", "time", "rate", "intensity")
"""What the reference job has most of: bytes an iteration; seconds on its bottleneck link; seconds
on it per second, alone; intensity. The smallest index where several have."""

ZERO_RULES = ("first", "one")
"""What k is where the reference loses nothing: infinite, so that j comes first, or 1."""

FINE, NEITHER, FREE, PERVERSE = 0, 1, 2, 3
"""Kinds of quotients: defined; 0/0, neither job loses by coming second; x/0 or x/-y, the reference
loses nothing; -x/-y, both gain by coming second. The first and the last count as 1."""


class Corrections(NamedTuple):
    """Correction factors.

    Attributes
    ----------
    k : ndarray of float64
        Not negative; may be infinite.
    kind : ndarray of int8
        `FINE`, `NEITHER`, `FREE` or `PERVERSE`.
    reference : int
        The job with k = 1; -1 where each pair has its own.
    """

    k: Floats
    kind: NDArray[np.int8]
    reference: int


def on_own_bottleneck(cluster: Cluster, sent: Traffic) -> Senders:
    """Return the jobs as if each had its bottleneck link to share: l_j = t_j."""
    share = np.array([job.transfer_start for job in cluster.jobs], np.float64)
    ones = np.ones(cluster.num_jobs)
    seconds = bottleneck(cluster, sent).seconds
    return Senders(cluster.compute_s.copy(), share, seconds, ones, ones)


def reference_job(cluster: Cluster, sent: Traffic, choice: str) -> int:
    """Return the job that the others are compared with, see `REFERENCES`."""
    if choice not in REFERENCES:
        raise InputError(f"must be one of {', '.join(REFERENCES)}", "reference", choice)
    seconds = bottleneck(cluster, sent).seconds
    if choice == "time":
        most = seconds
    elif choice == "rate":
        most = seconds / period_alone(cluster, sent)
    elif choice == "intensity":
        intensity = intensities(cluster)
        most = np.where(np.isfinite(intensity), intensity, -1.0)
    else:
        job_bytes = np.bincount(cluster.flow_job, cluster.flow_bytes, minlength=cluster.num_jobs)
        most = job_bytes.astype(np.float64)
    return int(np.argmax(most))


def corrections(
    cluster: Cluster,
    *,
    reference: str = "traffic",
    window_s: float = 0.0,
    phase: float = 0.0,
    zero: str = "first",
) -> Corrections:
    """Return k_j for all jobs, each replayed against the reference.

    Parameters
    ----------
    cluster : Cluster
        Paths by ECMP hashing with seed 0.
    reference : str, optional
        One of `REFERENCES`.
    window_s : float, optional
        Count link seconds from a start to this time; 0 for the steady cycle.
    phase : float, optional
        The other job begins this share of its period after the reference.
    zero : str, optional
        One of `ZERO_RULES`.

    Returns
    -------
    Corrections
        Shape (num_jobs,). Each replay is on one link, whichever links the jobs use.
    """
    sent = traffic(cluster)
    senders = on_own_bottleneck(cluster, sent)
    chosen = reference_job(cluster, sent, reference)
    jobs = np.arange(cluster.num_jobs)
    against = np.full(cluster.num_jobs, chosen)
    found = replay(
        senders.take(against), senders.take(jobs), window_s=window_s, phase=phase, tied=False
    )
    k, kind = quotients(found, zero)
    k[chosen], kind[chosen] = 1.0, FINE
    return Corrections(k, kind, chosen)


def pairwise_corrections(
    cluster: Cluster, *, window_s: float = 0.0, phase: float = 0.0, zero: str = "first"
) -> tuple[NDArray[np.int64], Corrections]:
    """Return every pair r < j and k_{j|r}; see `corrections` for the parameters."""
    senders = on_own_bottleneck(cluster, traffic(cluster))
    r, j = np.triu_indices(cluster.num_jobs, 1)
    found = replay(senders.take(r), senders.take(j), window_s=window_s, phase=phase, tied=False)
    k, kind = quotients(found, zero)
    return np.stack([r, j], axis=1).astype(np.int64), Corrections(k, kind, -1)


def quotients(found: Replays, zero: str) -> tuple[Floats, NDArray[np.int8]]:
    """Return k of the second job of each pair against the first, and what kind it is."""
    if zero not in ZERO_RULES:
        raise InputError(f"must be one of {', '.join(ZERO_RULES)}", "zero", zero)
    gain = found.link[:, SECOND, 1] - found.link[:, FIRST, 1]
    loss = found.link[:, FIRST, 0] - found.link[:, SECOND, 0]
    gain = np.where(np.abs(gain) <= found.noise, 0.0, gain)
    loss = np.where(np.abs(loss) <= found.noise, 0.0, loss)
    kind = np.full(len(gain), FINE, np.int8)
    kind[(gain == 0) & (loss == 0)] = NEITHER
    kind[(gain > 0) & (loss <= 0)] = FREE
    kind[(gain <= 0) & (loss < 0)] = PERVERSE
    k = np.ones(len(gain))
    np.divide(gain, loss, out=k, where=kind == FINE)
    k = np.where(kind == FREE, np.inf if zero == "first" else 1.0, np.maximum(k, 0.0))
    return k, kind


def priorities(k: Floats, intensity: Floats) -> NDArray[np.int64]:
    """Return the jobs by falling P_j = k_j I_j, then by falling I_j, then by index."""
    known = np.where(np.isfinite(intensity), intensity, np.finfo(np.float64).max)
    with np.errstate(over="ignore", invalid="ignore"):
        worth = np.where(known > 0, k * known, 0.0)
    return np.lexsort((-known, -worth)).astype(np.int64)
