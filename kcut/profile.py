"""Profiling as Crux does it: from sampled counters to the iteration period, W_j and t_j.

A new job runs alone for a while; its work and its bytes on each link are counted in short samples.
Both repeat with every iteration: the discrete Fourier transform finds the period, and over the
whole iterations that fit the window

    W = work / iterations,     t = max over links e of bytes on e / (B_e iterations).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from kcut.cluster import check_number
from kcut.errors import InputError

Samples = NDArray[np.float64]

MIN_PERIODS = 4
"""Fewest iterations the window has to hold."""

MIN_CORRELATION = 0.25
"""Least correlation of the counters with themselves a period later."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What the counters tell of a job.

    Attributes
    ----------
    period_s : float
        Mean duration of an iteration.
    work : float
        W: work in an iteration.
    transfer_s : float
        t: seconds an iteration's bytes take on the slowest link.
    intensity : float
        I = W / t; infinite where nothing is sent.
    correlation : float
        How much the clearest counter resembles itself a period later, up to about 1.
    """

    period_s: float
    work: float
    transfer_s: float
    intensity: float
    correlation: float


def profile(
    work: ArrayLike, sent: ArrayLike, bandwidth: ArrayLike, *, sample_s: float = 0.001
) -> Profile:
    """Derive a job's period, W and t from counters sampled while it runs without contention.

    Parameters
    ----------
    work : array_like, shape (num_samples,)
        Work done in each sample; Crux samples 30 s at 1 ms.
    sent : array_like, shape (num_samples,) or (num_links, num_samples)
        Bytes sent in each sample, on one link or on each of several.
    bandwidth : array_like, shape () or (num_links,)
        Bytes per second of the links.
    sample_s : float, optional
        Length of a sample.

    Returns
    -------
    Profile

    Raises
    ------
    InputError
        If shapes do not match, a counter is not finite, a bandwidth is not positive, or no period
        stands out: constant counters, noise alone, or fewer than `MIN_PERIODS` in the window.

    Notes
    -----
    The autocorrelation of each counter, by FFT, peaks at the period and its multiples; the counter
    with the highest peak counts. The period is its first peak that is nearly as high, refined at
    the largest multiple of it that still correlates. O(num_samples log num_samples).

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, section 5, doi:10.1145/3651890.3672239.
    """
    done = _samples("work", work, 1)[0]
    bytes_sent = _samples("sent", sent, 2)
    rates = np.atleast_1d(np.asarray(bandwidth, np.float64))
    if rates.shape != (len(bytes_sent),):
        raise InputError("must be one for each link", "bandwidth", rates.shape)
    for e, rate in enumerate(rates.tolist()):
        check_number(rate, f"bandwidth[{e}]", positive=True)
    check_number(sample_s, "sample_s", positive=True)
    if bytes_sent.shape[1] != len(done):
        raise InputError("must have as many samples as work", "sent", bytes_sent.shape)
    samples, correlation = find_period(np.vstack([done, bytes_sent]))
    iterations = int(len(done) / samples)
    transfer_s = float((_total(bytes_sent, iterations * samples) / rates).max() / iterations)
    per_iteration = float(_total(done[None], iterations * samples)[0] / iterations)
    intensity = per_iteration / transfer_s if transfer_s > 0 else np.inf
    return Profile(samples * sample_s, per_iteration, transfer_s, intensity, correlation)


def find_period(counters: Samples) -> tuple[float, float]:
    """Return the period of some counters, in samples, and their correlation at it.

    Parameters
    ----------
    counters : ndarray of float64, shape (num_counters, num_samples)
        Those that never change are left out.

    Raises
    ------
    InputError
        If no period stands out.
    """
    centred = counters - counters.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1)
    moving = spread > 1e-12 * np.abs(counters).max(axis=1, initial=1e-300)
    if not moving.any():
        raise InputError("no period stands out: the counters are constant", "counters")
    most = counters.shape[1] // MIN_PERIODS
    strongest, period = 0.0, 0.0
    for correlation in _autocorrelation(centred[moving] / spread[moving, None]):
        # A period is a peak: the correlation has to fall well below it first.
        below = np.flatnonzero(correlation[: most + 1] < MIN_CORRELATION / 2)
        first = int(below[0]) if len(below) else most
        if first >= most:
            continue
        lag = _first_peak(correlation, first, most)
        if lag < most and correlation[lag] > strongest:
            strongest = float(correlation[lag])
            if strongest >= MIN_CORRELATION:
                period = _refine(correlation, lag)
    if strongest < MIN_CORRELATION:
        message = f"no period stands out: a correlation of {MIN_CORRELATION} is needed"
        raise InputError(message, "counters", round(strongest, 3))
    return period, strongest


def _total(counters: Samples, samples: float) -> Samples:
    """Sum the counters over the first samples, the last one in part."""
    whole = min(int(samples), counters.shape[1] - 1)
    total: Samples = counters[:, :whole].sum(axis=1) + (samples - whole) * counters[:, whole]
    return total


def _samples(name: str, values: ArrayLike, most: int) -> Samples:
    array = np.asarray(values, np.float64)
    if not 1 <= array.ndim <= most or array.shape[-1] < 2 * MIN_PERIODS:
        raise InputError("must be a row of samples for each counter", name, array.shape)
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise InputError("must be finite", f"{name}{list(where)}", float(array[where]))
    return np.atleast_2d(array)


def _autocorrelation(counters: Samples) -> Samples:
    """Correlate each counter, of mean 0 and variance 1, with itself at every lag."""
    num_samples = counters.shape[1]
    spectrum = np.fft.rfft(counters, 2 * num_samples, axis=1)
    power = (spectrum * spectrum.conj()).real
    overlap = num_samples - np.arange(num_samples)
    unbiased: Samples = np.fft.irfft(power, axis=1)[:, :num_samples] / overlap
    return unbiased


def _first_peak(correlation: Samples, first: int, most: int) -> int:
    """Return the smallest lag whose peak comes close to the highest."""
    high = correlation[first : most + 1].max()
    lag = first + int(np.argmax(correlation[first : most + 1] >= 0.6 * high))
    # From there to the top: the highest lag up to half as far again.
    return lag + int(np.argmax(correlation[lag : min(most, lag + lag // 2) + 1]))


def _refine(correlation: Samples, lag: int) -> float:
    """Follow the peak to multiples of the lag, each found near where the last one points."""
    period, multiple = float(lag), 1
    while 2 * multiple * period < len(correlation) / 2:
        multiple *= 2
        reach = max(1, int(period / 8))
        centre = round(multiple * period)
        window = correlation[centre - reach : centre + reach + 1]
        if window.max() < MIN_CORRELATION:
            break
        period = (centre - reach + int(np.argmax(window))) / multiple
    return period


def sample_counters(
    rng: np.random.Generator,
    *,
    compute_s: float,
    transfer_s: float,
    work: float,
    bandwidth: float,
    transfer_start: float = 1.0,
    window_s: float = 30.0,
    sample_s: float = 0.001,
    noise: float = 0.0,
    jitter: float = 0.0,
) -> tuple[Samples, Samples]:
    """Generate the counters of a job that runs alone, for tests and demonstrations.

    Parameters
    ----------
    rng : numpy.random.Generator
    compute_s, transfer_s, work, bandwidth, transfer_start : float
        The job: c, t, W, and the bandwidth of its only link.
    window_s, sample_s : float, optional
    noise : float, optional
        Standard deviation of a factor on each sample; counters stay at or above 0.
    jitter : float, optional
        Each computation lasts c (1 + jitter u), u uniform in -1..1, at the same work per second.

    Returns
    -------
    work, sent : ndarray of float64, shape (num_samples,)
        The window begins somewhere in an iteration.
    """
    edges = np.linspace(0, window_s, round(window_s / sample_s) + 1)
    longest = (compute_s + transfer_s) * (1 + jitter)
    count = int(2 * window_s / (compute_s * (1 - jitter) + transfer_s * (compute_s == 0))) + 3
    lengths = compute_s * (1 + jitter * rng.uniform(-1, 1, count))
    period = np.maximum(lengths, transfer_start * lengths + transfer_s)
    begins = np.concatenate([[0.0], np.cumsum(period)[:-1]]) - rng.uniform(0, longest)
    opens = begins + transfer_start * lengths
    done = _in_samples(begins, begins + lengths, edges) * work / compute_s
    sent = _in_samples(opens, opens + transfer_s, edges) * bandwidth
    factors = np.maximum(0, 1 + noise * rng.standard_normal((2, len(done))))
    return done * factors[0], sent * factors[1]


def _in_samples(begins: Samples, ends: Samples, edges: Samples) -> Samples:
    """Return how many seconds of disjoint intervals fall into each sample."""
    bounds = np.stack([begins, ends], axis=1).ravel()
    covered = np.concatenate(
        [[0.0], np.cumsum(np.tile([1, 0], len(begins))[:-1] * np.diff(bounds))]
    )
    return np.diff(np.interp(edges, bounds, covered))
