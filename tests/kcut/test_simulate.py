"""The fast simulator against the exact reference, the paper's numbers, and conservation."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcut import InputError, fluid
from kcut.cluster import Cluster, Flow, Job
from kcut.intensity import intensities
from kcut.simulate import simulate
from tests.kcut.clusters import example1, example2, on_one_link, random_cluster, sender
from tests.kcut.fluid_laws import check_fluid_laws
from tests.kcut.fluid_reference import reference


@pytest.mark.parametrize("seed", range(200))
def test_agrees_with_the_exact_reference(seed: int) -> None:
    """Iterations, busy seconds and bytes equal those of the exact simulator, to 1e-9."""
    rng = np.random.default_rng(seed)
    cluster = random_cluster(rng)
    levels = rng.integers(0, 4, cluster.num_jobs)
    choice = rng.integers(0, 2, cluster.num_flows)
    shifts = rng.integers(0, 20, cluster.num_jobs) / 10 * (seed % 2)
    horizon = Fraction(int(rng.integers(100, 300)), 10)
    expected = reference(
        cluster, levels.tolist(), choice.tolist(), horizon, [float(s) for s in shifts]
    )
    got = simulate(cluster, levels, choice, horizon_s=float(horizon), shifts_s=shifts.tolist())
    assert got.iterations.tolist() == [len(job.finished) for job in expected]
    np.testing.assert_allclose(got.busy_s, [float(j.busy) for j in expected], rtol=1e-9, atol=1e-9)
    for j, job in enumerate(expected):
        on_link = {
            e: sum(s for s, (_, path) in zip(job.sent, job.flows, strict=True) if e in path)
            / Fraction(cluster.links[e].bandwidth)
            for e in range(cluster.num_links)
        }
        assert min(abs(float(s) - got.link_s[j]) for s in on_link.values()) < 1e-9
        if job.finished:
            mean = float(job.finished[-1] - Fraction(repr(float(shifts[j])))) / len(job.finished)
            assert got.iteration_s[j] == pytest.approx(mean, rel=1e-9)


@pytest.mark.parametrize(
    ("levels", "link_s", "utilisation", "window_s"),
    [([1, 0], (6, 3), 0.375, 4), ([0, 1], (4, 6), 5 / 12, 6), ([0, 0], (4.8, 4.8), 0.4, 5)],
)
def test_example_1(
    levels: list[int], link_s: tuple[float, float], utilisation: float, window_s: float
) -> None:
    """Example 1 in its steady cycle: the paper's link seconds per 12 s and utilisation, exactly."""
    got = simulate(example1(), levels)
    assert got.window == ("exact cycle",) * 2
    assert got.window_s.tolist() == [window_s] * 2
    np.testing.assert_array_equal(got.link_s * 12 / window_s, link_s)
    assert got.utilisation == pytest.approx(utilisation, abs=1e-15)
    floating = simulate(example1(), levels, exact=False)
    assert floating.window == ("cycle",) * 2
    np.testing.assert_allclose(floating.link_s, got.link_s, rtol=1e-12)


def test_example_1_from_a_synchronised_start() -> None:
    """The first 12 s from a synchronised start differ from the steady cycle."""
    got = simulate(example1(), [1, 0], horizon_s=12.0)
    assert got.utilisation == pytest.approx(5 / 12)
    assert got.busy_s.tolist() == [6, 4]


def test_example_2() -> None:
    """J2 idles 6 s of 12 in steady state whatever the order; 7 s and 6 s of 13 from the start."""
    for levels, idle in (([1, 0], 7.0), ([0, 1], 6.0)):
        steady = simulate(example2(), levels)
        assert 12 * (1 - steady.busy_s[1] / steady.window_s[1]) == 6
        assert 13 - simulate(example2(), levels, horizon_s=13.0).busy_s[1] == idle


GPT_BYTES, BERT_BYTES, LINK = 12.5e9, 6.25e9, 25e9
"""Our choice: one 200 Gbit/s link; GPT computes 1.03 s and sends 0.5 s, BERT 0.5 s and 0.25 s."""


@pytest.mark.parametrize("jitter", [0.0, 0.1])
def test_gpt_beside_bert(jitter: float) -> None:
    """GPT takes 1.53 s alone, 1.66 to 1.73 s beside BERT at equal level, 1.53 s by intensity."""
    gpt = sender("gpt", 64, 1.03, 9e15, GPT_BYTES)
    bert = sender("bert", 16, 0.5, 1e15, BERT_BYTES)
    options = {"jitter": jitter, "horizon_s": 4000.0 if jitter else None}
    alone = [simulate(on_one_link(job, bandwidth=LINK), **options) for job in (gpt, bert)]
    pair = on_one_link(gpt, bert, bandwidth=LINK)
    equal, ranked = simulate(pair, [0, 0], **options), simulate(pair, [1, 0], **options)
    assert alone[0].iteration_s[0] == pytest.approx(1.53, rel=2e-3)
    assert 1.66 <= equal.iteration_s[0] <= 1.73
    assert ranked.iteration_s[0] == pytest.approx(1.53, rel=2e-3)
    best = (64 * alone[0].utilisation + 16 * alone[1].utilisation) / 80
    assert -0.11 <= equal.utilisation / best - 1 <= -0.08
    assert ranked.utilisation > equal.utilisation


@pytest.mark.parametrize("at_once", [1, 7, 100])
def test_pauses_change_nothing(monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    """However often a simulation pauses to look for an interrupt, it tells the same."""
    module = importlib.import_module("kcut.simulate")
    for seed in range(20):
        rng = np.random.default_rng(seed)
        cluster = random_cluster(rng)
        levels = rng.integers(0, 4, cluster.num_jobs)
        whole = simulate(cluster, levels, horizon_s=30.0)
        with monkeypatch.context() as patch:
            patch.setattr(module, "EVENTS_AT_ONCE", at_once)
            paused = simulate(cluster, levels, horizon_s=30.0)
        assert paused.iterations.tolist() == whole.iterations.tolist()
        assert paused.events == whole.events
        np.testing.assert_allclose(paused.busy_s, whole.busy_s, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(paused.link_s, whole.link_s, rtol=1e-12, atol=1e-12)


def test_long_simulation_can_be_interrupted() -> None:
    """Ctrl-C ends a simulation that would take minutes."""
    code = (
        "import os, signal, threading\n"
        "from kcut.simulate import simulate\n"
        "from tests.kcut.clusters import example1\n"
        "simulate(example1(), horizon_s=10.0)\n"
        "threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "simulate(example1(), horizon_s=4e8)\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.stderr.strip().endswith("KeyboardInterrupt")


def test_theorem_1() -> None:
    """On one link the intensity of its occupant, integrated over time, tends to the work done."""
    jobs = [
        sender(f"j{i}", 8, 0.3 + 0.37 * i, 1.0 + i, 0.2 + 0.13 * i, transfer_start=share)
        for i, share in enumerate((1.0, 0.5, 1.0, 0.8))
    ]
    cluster = on_one_link(*jobs)
    intensity = intensities(cluster)
    for levels in ([3, 2, 1, 0], [0, 0, 0, 0], [0, 1, 1, 2]):
        distance = []
        for horizon in (10.0, 100.0, 1000.0, 10000.0):
            got = simulate(cluster, levels, horizon_s=horizon)
            occupied = (intensity * got.link_s).sum()
            done = (cluster.work * got.busy_s / cluster.compute_s).sum()
            distance.append(abs(occupied / done - 1))
        assert distance[-1] < 1e-3
        assert distance[-1] < distance[0]


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), jitter=st.sampled_from([0.0, 0.05]))
def test_links_priorities_and_work_conservation(seed: int, jitter: float) -> None:
    """No link above its bandwidth, no inversion, nothing left idle that a flow could use.

    All three follow from one certificate at every moment: each open flow has a bottleneck, a link
    that its level and those above fill, and where no flow of its level is faster.
    """
    rng = np.random.default_rng(seed)
    cluster = random_cluster(rng, max_jobs=8, max_flows=5)
    levels = rng.integers(0, 3, cluster.num_jobs).tolist()
    choice = rng.integers(0, 2, cluster.num_flows).tolist()
    got = simulate(cluster, levels, choice, horizon_s=15.0, jitter=jitter, seed=seed, timeline=True)
    assert got.timeline is not None
    check_fluid_laws(cluster, levels, choice, got.timeline)
    for j in range(cluster.num_jobs):
        length = np.diff(got.timeline.compute[j], axis=1).sum()
        assert length == pytest.approx(got.busy_s[j], abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_metamorphic(seed: int) -> None:
    """Scaling time, permuting jobs and shifting all levels leave the behaviour the same."""
    rng = np.random.default_rng(seed)
    cluster = random_cluster(rng, max_jobs=5)
    levels = rng.integers(0, 3, cluster.num_jobs)
    choice = np.zeros(cluster.num_flows, int)
    base = simulate(cluster, levels, choice, horizon_s=20.0)
    higher = simulate(cluster, levels + 1, choice, horizon_s=20.0)
    np.testing.assert_array_equal(higher.iterations, base.iterations)
    faster = [replace(link, bandwidth=link.bandwidth * 4) for link in cluster.links]
    quicker = [replace(job, compute_s=job.compute_s / 4) for job in cluster.jobs]
    scaled = simulate(Cluster.build(faster, quicker, levels=4), levels, choice, horizon_s=5.0)
    np.testing.assert_array_equal(scaled.iterations, base.iterations)
    np.testing.assert_allclose(scaled.busy_s * 4, base.busy_s, rtol=1e-9)
    order = rng.permutation(cluster.num_jobs)
    permuted = Cluster.build(cluster.links, [cluster.jobs[j] for j in order], levels=4)
    got = simulate(permuted, levels[order], choice, horizon_s=20.0)
    np.testing.assert_array_equal(got.iterations, base.iterations[order])
    np.testing.assert_allclose(got.link_s, base.link_s[order], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_steady_cycle_is_the_limit_of_long_horizons(seed: int) -> None:
    """Where a cycle is found, a long horizon spends its time as the cycle does."""
    rng = np.random.default_rng(seed)
    cluster = random_cluster(rng)
    levels = rng.integers(0, 4, cluster.num_jobs)
    choice = np.zeros(cluster.num_flows, int)
    steady = simulate(cluster, levels, choice)
    floating = simulate(cluster, levels, choice, exact=False)
    np.testing.assert_allclose(
        steady.busy_s / steady.window_s, floating.busy_s / floating.window_s, rtol=1e-6
    )
    long = simulate(cluster, levels, choice, horizon_s=5000.0)
    assert steady.utilisation == pytest.approx(long.utilisation, abs=3e-3)
    for j, kind in enumerate(steady.window):
        if kind.endswith("cycle") and steady.iterations[j]:
            per_iteration = steady.busy_s[j] / steady.iterations[j]
            assert per_iteration == pytest.approx(cluster.compute_s[j], rel=1e-9)


def test_starvation() -> None:
    """A job below one that never stops sending completes nothing, and the simulation ends."""
    greedy = Job("greedy", 1, 0.0, 1.0, (Flow("a", "b", 1.0),))
    cluster = on_one_link(greedy, sender("starved", 3, 1.0, 1.0, 1.0))
    for horizon in (None, 50.0):
        got = simulate(cluster, [1, 0], horizon_s=horizon)
        assert got.iterations[1] == 0
        assert np.isnan(got.iteration_s[1])
        assert got.link_s[0] == pytest.approx(got.window_s[0])
        assert got.iteration_s[0] == 1
    assert simulate(cluster, [0, 1]).iteration_s[1] == 2


def test_corner_cases() -> None:
    """Jobs without flows or with flows of no bytes compute all the time; events may coincide."""
    idle_flow = Job("zero bytes", 2, 0.5, 1.0, (Flow("a", "b", 0.0),))
    no_flow = Job("no flows", 1, 2.0, 1.0)
    twins = [sender(f"twin-{i}", 1, 1.0, 1.0, 0.5) for i in range(2)]
    got = simulate(on_one_link(idle_flow, no_flow, *twins), horizon_s=10.0)
    assert got.iterations.tolist() == [20, 5, 5, 5]
    assert got.busy_s.tolist() == [10, 10, 5, 5]
    assert got.link_s.tolist() == [0, 0, 2.5, 2.5]
    assert got.iteration_s.tolist() == [0.5, 2, 2, 2]


def test_shifts_delay_the_first_iteration() -> None:
    """Shifted by its transfer, the second of two equal jobs finds the link free."""
    twins = [sender(f"twin-{i}", 1, 1.0, 1.0, 1.0) for i in range(2)]
    together = simulate(on_one_link(*twins))
    apart = simulate(on_one_link(*twins), shifts_s=[0.0, 1.0])
    assert together.utilisation == pytest.approx(1 / 3)
    assert apart.utilisation == 0.5
    late = simulate(on_one_link(*twins), shifts_s=[0.0, 9.0], horizon_s=8.0)
    assert late.busy_s.tolist() == [4, 0]


def test_jitter_is_seeded_and_does_not_depend_on_levels() -> None:
    """The same seed draws the same computations, whatever the levels of other jobs."""
    cluster = on_one_link(sender("a", 1, 1.0, 1.0, 0.1), sender("b", 1, 1.0, 1.0, 0.1))
    first = simulate(cluster, [1, 0], horizon_s=100.0, jitter=0.1, seed=3)
    again = simulate(cluster, [1, 0], horizon_s=100.0, jitter=0.1, seed=3)
    assert first.busy_s.tolist() == again.busy_s.tolist()
    other = simulate(cluster, [1, 0], horizon_s=100.0, jitter=0.1, seed=4)
    assert first.busy_s.tolist() != other.busy_s.tolist()
    alone = simulate(on_one_link(cluster.jobs[0]), horizon_s=100.0, jitter=0.1, seed=3)
    assert alone.busy_s[0] == first.busy_s[0]
    assert simulate(cluster, jitter=0.1, max_events=2000).window == ("average",) * 2


def test_memory_does_not_grow_with_the_horizon() -> None:
    """The state is as large after a million events as at the start; the time line is not."""
    cluster = example1()
    tracemalloc.start()
    simulate(cluster, horizon_s=100.0)
    tracemalloc.reset_peak()
    simulate(cluster, horizon_s=1_000_000.0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000
    line = simulate(cluster, horizon_s=20_000.0, timeline=True).timeline
    assert line is not None
    assert len(line.changes.time) > 16_384


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"levels": [0]}, "levels"),
        ({"levels": [0, 8]}, "levels[1]"),
        ({"levels": [0, -1]}, "levels[1]"),
        ({"levels": [True, 0]}, "levels[0]"),
        ({"paths": [0, 1]}, "paths (flow 1)"),
        ({"paths": [[0], [0, 0]]}, "paths[1]"),
        ({"paths": [0]}, "paths"),
        ({"horizon_s": 0.0}, "horizon_s"),
        ({"horizon_s": float("nan")}, "horizon_s"),
        ({"horizon_s": 1e300}, "horizon_s"),
        ({"jitter": 1.0}, "jitter"),
        ({"jitter": -0.1}, "jitter"),
        ({"seed": -1}, "seed"),
        ({"shifts_s": [0.0]}, "shifts_s"),
        ({"shifts_s": [0.0, -1.0]}, "shifts_s[1]"),
        ({"max_events": 0}, "max_events"),
    ],
)
def test_bad_options(options: dict[str, Any], field: str) -> None:
    """Options that cannot be meant are refused with their name."""
    with pytest.raises(InputError) as caught:
        simulate(example1(), **options)
    assert caught.value.field == field


def test_fields_are_no_attributes_of_records() -> None:
    """Uncompiled, a field named like an attribute of NumPy's records would be hidden by it."""
    for fields in (fluid.job_fields, fluid.flow_fields, fluid.link_fields, fluid.run_fields):
        assert not [name for name, _ in fields("f8") if hasattr(np.record, name)]


def test_no_cycle_is_seen_within_a_much_longer_iteration() -> None:
    """A job that runs a million million times faster than another makes no cycle of its own."""
    cluster = on_one_link(sender("fast", 1, 1e-11, 1.0, 1e-11), sender("slow", 1, 1.0, 1.0, 1.0))
    got = simulate(cluster, max_events=1000)
    assert got.window == ("average",) * 2
    assert got.iterations[1] == 0
    with pytest.raises(InputError, match="horizon_s"):
        simulate(cluster, horizon_s=10.0)
