"""Pair replay agrees with the simulator, and Crux's corrections with the paper's examples."""

from __future__ import annotations

import numpy as np
import pytest

from kcut.corrections import FREE, NEITHER, PERVERSE, corrections, priorities, quotients
from kcut.pair_gains import ordered_gains, replay_pairs
from kcut.priority import gains_of
from kcut.replay import FIRST, SECOND, TIED, Replays, Senders, replay
from kcut.simulate import simulate
from tests.kcut.clusters import example1, example2, on_one_link, sender


def drawn(rng, num):
    """Draw jobs whose times are multiples of a tenth."""
    return Senders(
        rng.integers(5, 20, num) / 10,
        rng.choice([0.5, 1.0], num),
        rng.integers(2, 15, num) / 10,
        np.ones(num),
        np.ones(num),
    )


def test_replay_is_the_simulator_for_two_jobs():
    """In both orders and on one level, busy and link seconds are those of the fluid model."""
    rng = np.random.default_rng(0)
    first, second = drawn(rng, 25), drawn(rng, 25)
    found = replay(first, second)
    for r in range(25):
        jobs = [
            sender(n, 1, float(s.compute[r]), 1.0, float(s.transfer[r]), transfer_start=s.share[r])
            for n, s in (("a", first), ("b", second))
        ]
        cluster = on_one_link(*jobs)
        for mode, levels in ((FIRST, [1, 0]), (SECOND, [0, 1]), (TIED, [0, 0])):
            simulated = simulate(cluster, levels, exact=False)
            slack = 1e-6 if found.noise[r] < 1e-8 else 2 * found.noise[r]
            for seconds, rate in ((simulated.busy_s, found.busy), (simulated.link_s, found.link)):
                assert seconds / simulated.window_s == pytest.approx(rate[r, mode], abs=slack)


def test_a_cap_is_a_slower_link_elsewhere():
    """A job that its own bottleneck holds to half the link takes twice as long, alone and tied."""
    slow = Senders(*np.array([[1.0], [1.0], [1.0], [0.5], [1.0]]))
    idle = Senders(*np.array([[1e6], [1.0], [1.0], [1.0], [1.0]]))
    found = replay(slow, idle)
    assert slow.periods()[0] == 3.0
    assert found.busy[0, FIRST, 0] == pytest.approx(1 / 3, abs=1e-4)
    # Both at half the link, neither in the other's way.
    both = replay(slow, slow)
    assert both.busy[0] == pytest.approx(np.full((3, 2), 1 / 3))


def test_example_1_gives_k_one_and_a_half():
    """Link seconds are (6, 3) and (4, 6) in 12 s, so k_2 = (6 - 3) / (6 - 4), and J2 is first."""
    found = replay_pairs(example1(), np.array([[0, 1]]))
    assert 12 * found.link[0, FIRST] == pytest.approx([6, 3])
    assert 12 * found.link[0, SECOND] == pytest.approx([4, 6])
    k = corrections(example1())
    assert (k.reference, k.k[0]) == (0, 1.0)
    assert k.k[1] == pytest.approx(1.5)
    assert priorities(k.k, np.ones(2)).tolist() == [1, 0]


def test_example_2_divides_by_zero():
    """In the steady cycle neither loses: 0/0 is 1. In the first 13 s J1 loses nothing: x/0."""
    steady = corrections(example2())
    assert steady.reference == 1
    assert (steady.kind[0], steady.k[0]) == (NEITHER, 1.0)
    early = corrections(example2(), reference="intensity", window_s=13.0)
    assert early.reference == 0
    assert (early.kind[1], early.k[1]) == (FREE, np.inf)
    cautious = corrections(example2(), reference="intensity", window_s=13.0, zero="one")
    assert cautious.k[1] == 1.0


def test_idle_seconds_of_example_2():
    """From a synchronised start J2 idles 7 s of 13 if J1 goes first, and 6 s if it does itself."""
    senders = Senders(*np.array([[4.0, 2.0], [0.5, 0.5], [1.0, 3.0], [1.0, 1.0], [1.0, 1.0]]))
    first, second = senders.take(np.array([0])), senders.take(np.array([1]))
    found = replay(first, second, window_s=13.0)
    assert 13 * (1 - found.busy[0, FIRST, 1]) == pytest.approx(7.0)
    assert 13 * (1 - found.busy[0, SECOND, 1]) == pytest.approx(6.0)


def test_kinds_of_quotients():
    """Each kind of division that is none is told apart, and k is never negative."""
    link = np.zeros((5, 3, 2))
    # gain of the second, loss of the first
    for r, (gain, loss) in enumerate([(0.2, 0.1), (0, 0), (0.2, 0), (-0.1, -0.2), (-0.1, 0.1)]):
        link[r, SECOND, 1], link[r, FIRST, 0] = max(gain, 0), max(loss, 0)
        link[r, FIRST, 1], link[r, SECOND, 0] = max(-gain, 0), max(-loss, 0)
    k, kind = quotients(Replays(link, link, np.full(5, 1e-9)), "first")
    assert kind.tolist() == [0, NEITHER, FREE, PERVERSE, 0]
    assert k == pytest.approx([2.0, 1.0, np.inf, 1.0, 0.0])


def test_gains_of_a_pair_are_what_ordering_it_is_worth():
    """On two jobs the gains are the utilisation of either order less that of one level, in GPUs."""
    cluster = example1()
    tied = simulate(cluster).utilisation
    worth = [simulate(cluster, levels).utilisation for levels in ([1, 0], [0, 1])]
    expected = 20 * (np.array(worth) - tied)
    first, second = ordered_gains(cluster, np.array([[0, 1]]))
    assert [first[0], second[0]] == pytest.approx(expected)
    gains = gains_of(cluster)
    assert gains.weight[0, 1] / gains.scale == pytest.approx(expected[0], abs=1e-8)
    assert gains_of(cluster) is gains
