"""Statistics against numbers worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from kcut_bench.statistics import (
    bootstrap_mean,
    holm,
    joint_exponents,
    loglog_slope,
    paired_wilcoxon,
    performance_profiles,
    shifted_geometric_mean,
    slope_per_unit,
)


def test_shifted_geometric_mean_by_hand() -> None:
    """With shift 1, 0 and 3 become 1 and 4, whose geometric mean is 2."""
    assert shifted_geometric_mean([0, 3], 1) == pytest.approx(1)
    assert shifted_geometric_mean([5, 5, 5], 0.01) == pytest.approx(5)
    assert math.isnan(shifted_geometric_mean([], 1))


@pytest.mark.parametrize(("values", "shift"), [([-1.0], 1.0), ([1.0], 0.0)])
def test_shifted_geometric_mean_refuses(values: list[float], shift: float) -> None:
    """Negative values and a shift of 0 have no meaning."""
    with pytest.raises(ValueError, match="must"):
        shifted_geometric_mean(values, shift)


def test_profile_by_hand() -> None:
    """Failures and instances nobody solved count in the denominator."""
    profiles = performance_profiles(
        {"a": [1, 4, math.inf, math.inf], "b": [2, 2, 7, math.inf], "c": [math.inf] * 4}
    )
    assert profiles["a"].ratios.tolist() == [1, 2]
    assert profiles["a"].share.tolist() == [0.25, 0.5]
    assert profiles["b"].ratios.tolist() == [1, 2]
    assert profiles["b"].share.tolist() == [0.5, 0.75]
    assert profiles["c"].ratios.tolist() == [1]
    assert profiles["c"].share.tolist() == [0]


def test_profile_does_not_depend_on_units() -> None:
    """Costs of one instance times a constant give the same profile."""
    rng = np.random.default_rng(3)
    costs = rng.uniform(1, 9, (3, 20))
    scaled = costs * rng.uniform(0.1, 10, 20)
    names = ("a", "b", "c")
    one = performance_profiles(dict(zip(names, costs.tolist(), strict=True)))
    two = performance_profiles(dict(zip(names, scaled.tolist(), strict=True)))
    for name in names:
        np.testing.assert_allclose(one[name].ratios, two[name].ratios)
        np.testing.assert_array_equal(one[name].share, two[name].share)


@pytest.mark.parametrize("cost", [0.0, -1.0, math.nan])
def test_profile_refuses(cost: float) -> None:
    """A cost that is not positive has no ratio."""
    with pytest.raises(ValueError, match="positive"):
        performance_profiles({"a": [cost, 1.0]})


def test_wilcoxon_by_hand() -> None:
    """Six differences of one sign have the exact two-sided p-value 2 / 2^6."""
    base = {str(i): float(i) for i in range(8)}
    better = {str(i): i - 0.5 * (i + 1) for i in range(6)} | {"6": 6.0, "elsewhere": 1.0}
    few = {str(i): i - 1.0 for i in range(5)}
    tests = paired_wilcoxon({"base": base, "better": better, "few": few, "none": {}}, "base")
    assert [test.second for test in tests] == ["better", "few"]
    assert (tests[0].num_pairs, tests[0].num_different) == (7, 6)
    assert tests[0].p_value == pytest.approx(2 / 64)
    assert tests[0].p_holm == pytest.approx(2 / 64)
    assert tests[0].median_difference == pytest.approx(1.5)
    assert (tests[1].p_value, tests[1].p_holm) == (None, None)


def test_holm_by_hand() -> None:
    """The smallest is multiplied by 4, then 3, 2, 1; corrected values never fall, nor exceed 1."""
    assert holm([0.04, 0.01, 0.03, 0.005]) == pytest.approx([0.06, 0.03, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_bootstrap_interval() -> None:
    """The interval is seeded, holds the mean, and is absent where it would say nothing."""
    sample = [0.0, 0.01, 0.02, 0.02, 0.05, 0.2]
    one, two = bootstrap_mean(sample), bootstrap_mean(sample)
    assert one == two
    assert one.estimate == pytest.approx(0.05)
    assert one.low is not None
    assert one.high is not None
    assert min(sample) <= one.low < one.estimate < one.high <= max(sample)
    assert bootstrap_mean(sample[:4]).low is None
    assert math.isnan(bootstrap_mean([]).estimate)
    constant = bootstrap_mean([0.0] * 9)
    assert (constant.low, constant.estimate, constant.high) == (0, 0, 0)


def test_bootstrap_covers() -> None:
    """Of 60 samples from a known distribution the 95 % interval misses the mean on few."""
    rng = np.random.default_rng(11)
    missed = 0
    for _ in range(60):
        interval = bootstrap_mean(rng.exponential(1.0, 40).tolist())
        assert interval.low is not None
        assert interval.high is not None
        missed += not interval.low <= 1.0 <= interval.high
    assert missed <= 10


def test_slope_by_hand() -> None:
    """Exact powers give their exponent; noise gives an interval around it."""
    x = np.array([10.0, 20.0, 50.0, 100.0])
    exact = loglog_slope(x, 3 * x**2)
    assert exact is not None
    assert exact.exponent == pytest.approx(2)
    assert exact.scale == pytest.approx(3)
    noisy = loglog_slope(x, x**1.5 * np.array([1.1, 0.9, 1.1, 0.9]))
    assert noisy is not None
    assert noisy.low is not None
    assert noisy.high is not None
    assert noisy.low < noisy.exponent < noisy.high
    pair = loglog_slope([1, 10], [1, 1000])
    assert pair is not None
    assert (pytest.approx(3), None, None) == (pair.exponent, pair.low, pair.high)
    assert loglog_slope([7, 7], [1, 2]) is None
    with pytest.raises(ValueError, match="positive"):
        loglog_slope([1, 2], [0, 1])


def test_joint_exponents_recover_a_power_law_in_two_sizes() -> None:
    """Exact data give their exponents back; sizes that move together give none."""
    jobs, edges = np.array([10, 10, 40, 40, 90.0]), np.array([20, 80, 80, 400, 400.0])
    found = joint_exponents(jobs, edges, 3 * jobs**0.5 * edges**1.25)
    assert found == pytest.approx((0.5, 1.25))
    assert joint_exponents(jobs, 7 * jobs, jobs) is None


def test_the_slope_per_unit_is_that_of_the_line() -> None:
    """Bytes an edge from memory that starts at some base; one size alone says nothing."""
    edges = np.array([100, 200, 1000.0])
    assert slope_per_unit(edges, 5e7 + 64 * edges) == pytest.approx(64)
    assert slope_per_unit([5, 5], [1, 2]) is None
