"""Slowdowns and Jain's index."""

import numpy as np
import pytest

from kcut.fairness import jain_index, slowdowns
from kcut.simulate import simulate
from tests.kcut.clusters import example1, on_one_link, sender


def test_slowdowns_of_example_1():
    """The served job runs as alone; the other's iteration takes as much longer as was computed."""
    cluster = example1()
    found = simulate(cluster, [1, 0])
    assert slowdowns(cluster, found).tolist() == [1.0, found.iteration_s[1] / 2.0]
    assert slowdowns(cluster, found)[1] > 1


def test_a_starved_job_is_infinitely_slow():
    """A job that completes no iteration is slowed down without bound, and counts as speed 0."""
    cluster = on_one_link(sender("J1", 1, 0.0, 1.0, 1.0), sender("J2", 1, 1.0, 1.0, 1.0))
    slow = slowdowns(cluster, simulate(cluster, [1, 0], horizon_s=50.0))
    assert slow.tolist() == [1.0, np.inf]
    assert jain_index(slow) == 0.5


@pytest.mark.parametrize("factor", [1.0, 2.5])
def test_jain_knows_no_unit(factor):
    """Equal slowdowns are perfectly fair, whatever they are, and unequal ones are not."""
    assert jain_index(np.full(5, factor)) == pytest.approx(1.0)
    slow = np.array([1.0, 3.0, 1.5])
    assert jain_index(factor * slow) == pytest.approx(jain_index(slow))
    assert jain_index(slow) < 1
