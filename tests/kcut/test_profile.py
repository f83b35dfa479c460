"""Profiling finds the period, W and t of a job from noisy counters, or says that it cannot."""

from __future__ import annotations

import numpy as np
import pytest

from kcut import InputError
from kcut.profile import profile, sample_counters

BANDWIDTH = 25e9


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("transfer_start", [0.0, 0.5, 1.0])
def test_error_below_two_per_cent(seed: int, transfer_start: float) -> None:
    """At 10 % noise on 30 s of samples, period, W, t and I are off by less than 2 %."""
    rng = np.random.default_rng(seed)
    compute_s = float(rng.uniform(0.05, 2.5))
    transfer_s = compute_s * float(rng.uniform(0.1, 1.5))
    work, sent = sample_counters(
        rng,
        compute_s=compute_s,
        transfer_s=transfer_s,
        work=1e15,
        bandwidth=BANDWIDTH,
        transfer_start=transfer_start,
        noise=0.1,
    )
    found = profile(work, sent, BANDWIDTH)
    period = max(compute_s, transfer_start * compute_s + transfer_s)
    assert found.period_s == pytest.approx(period, rel=0.02)
    assert found.work == pytest.approx(1e15, rel=0.02)
    assert found.transfer_s == pytest.approx(transfer_s, rel=0.02)
    assert found.intensity == pytest.approx(1e15 / transfer_s, rel=0.03)


@pytest.mark.parametrize("seed", range(10))
def test_jittered_iterations(seed: int) -> None:
    """With 5 % jitter of the computation, 20 or more iterations still give W and t to 2 %."""
    rng = np.random.default_rng(seed)
    work, sent = sample_counters(
        rng,
        compute_s=1.03,
        transfer_s=0.5,
        work=1e15,
        bandwidth=BANDWIDTH,
        noise=0.1,
        jitter=0.05,
    )
    found = profile(work, sent, BANDWIDTH)
    assert found.period_s == pytest.approx(1.53, rel=0.02)
    assert found.work == pytest.approx(1e15, rel=0.025)
    assert found.transfer_s == pytest.approx(0.5, rel=0.02)


def test_slowest_link_counts() -> None:
    """With several links t is that of the slowest."""
    rng = np.random.default_rng(0)
    work, sent = sample_counters(rng, compute_s=0.4, transfer_s=0.2, work=2e14, bandwidth=BANDWIDTH)
    both = np.stack([sent / 2, sent])
    assert profile(work, both, [BANDWIDTH] * 2).transfer_s == pytest.approx(0.2, rel=0.01)
    assert profile(work, both, [BANDWIDTH / 4, BANDWIDTH]).transfer_s == pytest.approx(
        0.4, rel=0.01
    )


@pytest.mark.parametrize("seed", range(5))
def test_noise_has_no_period(seed: int) -> None:
    """Noise around a constant is refused, with a message that says why."""
    rng = np.random.default_rng(seed)
    noise = 5 + rng.standard_normal((2, 30_000))
    with pytest.raises(InputError, match="no period stands out"):
        profile(noise[0], noise[1], BANDWIDTH)


def test_constant_counters_have_no_period() -> None:
    """Counters that never change are refused."""
    with pytest.raises(InputError, match="constant"):
        profile(np.ones(1000), np.zeros(1000), BANDWIDTH)


def test_window_of_two_iterations_is_refused() -> None:
    """A window that holds too few iterations to see them repeat is refused."""
    rng = np.random.default_rng(0)
    work, sent = sample_counters(
        rng, compute_s=9.0, transfer_s=5.0, work=1.0, bandwidth=1.0, noise=0.1
    )
    with pytest.raises(InputError, match="no period stands out"):
        profile(work, sent, 1.0)


@pytest.mark.parametrize(
    ("work", "sent", "bandwidth", "field"),
    [
        ([1.0] * 99 + [np.nan], np.ones(100), 1.0, "work[99]"),
        (np.ones(100), np.ones(99), 1.0, "sent"),
        (np.ones(100), np.ones(100), 0.0, "bandwidth[0]"),
        (np.ones(100), np.ones((2, 100)), [1.0], "bandwidth"),
        (np.ones(3), np.ones(3), 1.0, "work"),
    ],
)
def test_bad_counters(work: object, sent: object, bandwidth: object, field: str) -> None:
    """Counters that cannot be meant are refused with their name."""
    with pytest.raises(InputError) as caught:
        profile(work, sent, bandwidth)
    assert caught.value.field == field
