"""Statistics of benchmark results: means, profiles, paired tests, intervals, slopes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

TIME_SHIFT_S = 0.01
"""Shift of the geometric mean of times: 10 ms, so that runs of a millisecond do not rule it."""

FEWEST_PAIRS = 6
"""With fewer pairs that differ, Wilcoxon's two-sided test cannot reach p < 0.05."""

FEWEST_FOR_INTERVAL = 5
"""With fewer instances a bootstrap interval says nothing."""


def shifted_geometric_mean(values: ArrayLike, shift: float) -> float:
    """Return ``exp(mean(log(values + shift))) - shift``.

    Parameters
    ----------
    values : array_like of float, shape (n,)
        Not negative.
    shift : float
        Positive, in the unit of the values. The larger it is, the less small values matter.

    Returns
    -------
    float
        NaN for no values.

    Raises
    ------
    ValueError
        If a value is negative or the shift is not positive.

    Examples
    --------
    >>> round(shifted_geometric_mean([0.0, 3.0], 1.0), 12)
    1.0
    """
    array = np.asarray(values, np.float64)
    if shift <= 0 or np.any(array < 0):
        raise ValueError("values must not be negative and the shift must be positive")
    if array.size == 0:
        return math.nan
    return float(np.exp(np.mean(np.log(array + shift))) - shift)


@dataclass(frozen=True, slots=True, eq=False)
class Profile:
    """A performance profile: a step function that is right-continuous.

    Attributes
    ----------
    ratios : ndarray of float64, shape (m,)
        Where the profile steps, rising, starting at 1.
    share : ndarray of float64, shape (m,)
        Share of all instances on which the solver is within that ratio of the best.
    """

    ratios: NDArray[np.float64]
    share: NDArray[np.float64]


def performance_profiles(costs: Mapping[str, Sequence[float]]) -> dict[str, Profile]:
    """Return the performance profile of each solver.

    Parameters
    ----------
    costs : mapping of str to sequence of float, shape (num_instances,)
        Per solver a positive cost for each instance, in the same order; inf where it failed.

    Returns
    -------
    dict of str to Profile
        In the order of `costs`. Instances that no solver solved count in the denominator.

    Raises
    ------
    ValueError
        If a cost is zero, negative or NaN, or the lengths differ.

    References
    ----------
    Dolan and Moré, Benchmarking optimization software with performance profiles, Mathematical
    Programming 91(2), 2002, doi:10.1007/s101070100263.
    """
    if not costs:
        return {}
    table = np.array([list(row) for row in costs.values()], np.float64)
    if not np.all(table > 0):
        raise ValueError("costs must be positive, inf where a solver failed")
    best = table.min(axis=0, initial=math.inf)
    solved = np.isfinite(best)
    profiles = {}
    for solver, row in zip(costs, table, strict=True):
        ratios = row[solved] / best[solved]
        steps = np.unique(np.append(ratios[np.isfinite(ratios)], 1.0))
        counts = np.searchsorted(np.sort(ratios), steps, side="right")
        profiles[solver] = Profile(steps, counts / max(1, table.shape[1]))
    return profiles


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Wilcoxon's signed-rank test of one pair of solvers.

    Attributes
    ----------
    first, second : str
    num_pairs, num_different : int
        Instances that both solved, and those on which they differ.
    median_difference : float
        Of first minus second.
    p_value, p_holm : float or None
        Two-sided, before and after Holm's correction; None below `FEWEST_PAIRS` differences.
    """

    first: str
    second: str
    num_pairs: int
    num_different: int
    median_difference: float
    p_value: float | None
    p_holm: float | None


def paired_wilcoxon(values: Mapping[str, Mapping[str, float]], baseline: str) -> list[PairedTest]:
    """Compare every solver with a baseline on the instances both have, correcting after Holm.

    Parameters
    ----------
    values : mapping of str to mapping of str to float
        Per solver, a value for each instance it solved.
    baseline : str
        A key of `values`.

    Returns
    -------
    list of PairedTest
        The baseline against every other solver with a common instance, in the order of `values`.
        Pairs without a difference are dropped from the test, as Wilcoxon did.
    """
    from scipy.stats import wilcoxon

    tests = []
    for solver, own in values.items():
        common = sorted(own.keys() & values[baseline].keys())
        if solver == baseline or not common:
            continue
        differences = np.array([values[baseline][name] - own[name] for name in common])
        different = differences[differences != 0]
        p_value = None
        if len(different) >= FEWEST_PAIRS:
            p_value = float(wilcoxon(different, method="auto").pvalue)
        median = float(np.median(differences))
        tests.append(
            PairedTest(baseline, solver, len(common), len(different), median, p_value, None)
        )
    known = [test.p_value for test in tests if test.p_value is not None]
    corrected = iter(holm(known))
    return [
        PairedTest(
            test.first,
            test.second,
            test.num_pairs,
            test.num_different,
            test.median_difference,
            test.p_value,
            None if test.p_value is None else next(corrected),
        )
        for test in tests
    ]


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's step-down method, in their order.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(p_values)
    running = 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = running
    return corrected


@dataclass(frozen=True, slots=True)
class Interval:
    """A bootstrap interval; both ends None where it cannot be computed.

    Attributes
    ----------
    estimate : float
        The statistic of the sample itself.
    low, high : float or None
        Ends of the 95 % BCa interval.
    """

    estimate: float
    low: float | None
    high: float | None


MOST_AT_ONCE = 4_000_000
"""Numbers of resamples that are in memory at a time."""


def bootstrap_mean(per_instance: Sequence[float], seed: int = 0) -> Interval:
    """Return the mean over instances with its 95 % BCa bootstrap interval.

    Parameters
    ----------
    per_instance : sequence of float, shape (num_instances,)
        One number for each instance: repeated runs are averaged before, since they are not
        independent of each other.
    seed : int
        Of the resampling (2,000 resamples).

    Returns
    -------
    Interval
        Without ends for fewer than `FEWEST_FOR_INTERVAL` instances. A constant sample is its own
        interval.
    """
    from scipy.stats import bootstrap

    sample = np.asarray(per_instance, np.float64)
    if sample.size == 0:
        return Interval(math.nan, None, None)
    mean = float(np.mean(sample))
    if sample.size < FEWEST_FOR_INTERVAL:
        return Interval(mean, None, None)
    if np.all(sample == sample[0]):
        return Interval(mean, mean, mean)
    # In batches, which change no number: at once it would take n² numbers of memory.
    found = bootstrap(
        (sample,),
        np.mean,
        n_resamples=2000,
        batch=max(1, MOST_AT_ONCE // sample.size),
        method="BCa",
        rng=np.random.default_rng(seed),
    )
    low, high = float(found.confidence_interval.low), float(found.confidence_interval.high)
    return Interval(mean, low, high) if math.isfinite(low + high) else Interval(mean, None, None)


@dataclass(frozen=True, slots=True)
class Slope:
    """A fitted power law ``y = scale * x ** exponent``.

    Attributes
    ----------
    exponent, scale : float
    low, high : float or None
        95 % interval of the exponent; None with fewer than three points.
    """

    exponent: float
    scale: float
    low: float | None
    high: float | None


def loglog_slope(x: ArrayLike, y: ArrayLike) -> Slope | None:
    """Fit a power law by least squares on the logarithms.

    Parameters
    ----------
    x, y : array_like of float, shape (n,)
        Positive.

    Returns
    -------
    Slope or None
        None with fewer than two different x.

    Raises
    ------
    ValueError
        If a number is not positive.
    """
    from scipy.stats import linregress, t

    xs, ys = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if np.any(xs <= 0) or np.any(ys <= 0):
        raise ValueError("a power law needs positive numbers")
    if len(np.unique(xs)) < 2:
        return None
    fit = linregress(np.log(xs), np.log(ys))
    exponent, scale = float(fit.slope), float(np.exp(fit.intercept))
    if len(xs) < 3:
        return Slope(exponent, scale, None, None)
    half = float(t.ppf(0.975, len(xs) - 2)) * float(fit.stderr)
    return Slope(exponent, scale, exponent - half, exponent + half)


def joint_exponents(jobs: ArrayLike, edges: ArrayLike, y: ArrayLike) -> tuple[float, float] | None:
    """Fit ``y = c * jobs ** a * edges ** b`` by least squares on the logarithms; return a and b.

    Parameters
    ----------
    jobs, edges, y : array_like of float, shape (n,)
        Positive.

    Returns
    -------
    tuple of float, or None
        None where jobs and edges do not vary independently.
    """
    columns = [np.log(np.asarray(x, np.float64)) for x in (jobs, edges)]
    design = np.column_stack([np.ones(len(columns[0])), *columns])
    if np.linalg.matrix_rank(design) < 3:
        return None
    fit = np.linalg.lstsq(design, np.log(np.asarray(y, np.float64)), rcond=None)[0]
    return float(fit[1]), float(fit[2])


def slope_per_unit(x: ArrayLike, y: ArrayLike) -> float | None:
    """Return b of the least-squares line ``y = a + b x``; None with fewer than two different x."""
    xs, ys = np.asarray(x, np.float64), np.asarray(y, np.float64)
    if len(np.unique(xs)) < 2:
        return None
    return float(np.polyfit(xs, ys, 1)[0])
