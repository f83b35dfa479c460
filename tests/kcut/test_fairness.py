"""Slowdowns and Jain's index."""

import numpy as np
import pytest

from kcut.fairness import MAX_SLOWDOWN, jain_index, slowdowns
from kcut.simulate import simulate
from tests.kcut.clusters import example1, on_one_link, sender


def test_slowdowns_of_example_1():
    """The served job runs as alone; the other's iteration takes as much longer as was computed."""
    cluster = example1()
    found = simulate(cluster, [1, 0])
    assert slowdowns(cluster, found).tolist() == [1.0, found.iteration_s[1] / 2.0]
    assert slowdowns(cluster, found)[1] > 1


def test_a_starved_job_counts_what_it_computed():
    """A job that never sends computes once: in 50 s a single iteration of 2 s, 25 times slower."""
    cluster = on_one_link(sender("J1", 1, 0.0, 1.0, 1.0), sender("J2", 1, 1.0, 1.0, 1.0))
    slow = slowdowns(cluster, simulate(cluster, [1, 0], horizon_s=50.0))
    assert slow.tolist() == [1.0, 25.0]
    assert slowdowns(cluster, simulate(cluster, [1, 0]))[1] == MAX_SLOWDOWN
    assert jain_index(np.array([1.0, MAX_SLOWDOWN])) == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_jain_knows_no_unit(factor):
    """Equal slowdowns are perfectly fair, whatever they are, and unequal ones are not."""
    assert jain_index(np.full(5, factor)) == pytest.approx(1.0)
    slow = np.array([1.0, 3.0, 1.5])
    assert jain_index(factor * slow) == pytest.approx(jain_index(slow))
    assert jain_index(slow) < 1
