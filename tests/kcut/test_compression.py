"""The instance: what it refuses, what it derives, what a cut is worth."""

import numpy as np
import pytest

from kcut import CompressionInstance, InputError, cut_value, infeasibility
from kcut.compression import max_k_cut_value, original_weight

CHAIN = ([0, 1, 2], [1, 2, 3])


def chain(weight=(5, 7, 9), levels=2, **more):
    """Return the path 0 -> 1 -> 2 -> 3."""
    return CompressionInstance.from_edges(4, *CHAIN, weight, levels=levels, **more)


@pytest.mark.parametrize(
    ("change", "field", "shown"),
    [
        ({"num_jobs": 0}, "num_jobs", "0"),
        ({"num_jobs": True}, "num_jobs", "True"),
        ({"num_jobs": 2.0}, "num_jobs", "2.0"),
        ({"num_jobs": 10**12}, "num_jobs", "1000000000000"),
        ({"levels": 0}, "levels", "0"),
        ({"levels": -3}, "levels", "-3"),
        ({"levels": 10**9}, "levels", "1000000000"),
        ({"upper": [0, 1, 4]}, "edges[2][0]", "4"),
        ({"lower": [1, -2, 3]}, "edges[1][1]", "-2"),
        ({"upper": [0, 1, 3]}, "edges[2]", "3"),
        ({"upper": [0, 0, 2], "lower": [1, 1, 3]}, "edges[1]", "[0, 1]"),
        ({"upper": [0, 1, 2], "lower": [1, 2, 0]}, "edges", "0 -> 1 -> 2 -> 0"),
        ({"upper": [0.0, 1.0, 2.0]}, "edges", "float64"),
        ({"upper": [0, 1]}, "edges", "(2, 3, 3)"),
        ({"weight": [1, -2, 3]}, "edges[1][2]", "-2"),
        ({"weight": [1, 2, float("nan")]}, "edges[2][2]", "nan"),
        ({"weight": [float("inf"), 2, 3]}, "edges[0][2]", "inf"),
        ({"weight": [1, 2**62 + 1, 3]}, "edges[1][2]", str(2**62 + 1)),
        ({"weight": [2**61, 2**61, 1]}, "edges[", "2^62"),
        ({"weight": [1e30, 1.0, 1.0]}, "edges[0][2]", "1e+30"),
        ({"weight": [4e18, 1e18, 1.0]}, "edges[1][2]", "1e+18"),
        ({"weight": ["1", "2", "3"]}, "edges", "<U1"),
        ({"labels": ("a", "b")}, "labels", "2"),
        ({"labels": ("a", "b", "a", "d")}, "labels[2]", "'a'"),
        ({"order": [0, 1, 2]}, "order", "[0, 1, 2]"),
        ({"order": [0, 1, 1, 3]}, "order[2]", "1"),
        ({"order": [0, 1, 2, 9]}, "order[3]", "9"),
        ({"order": [0, 2, 1, 3]}, "order", "[1, 2]"),
    ],
)
def test_bad_parts_are_refused_by_field_and_value(change, field, shown):
    """Every kind of bad part raises an error that names the field and the value."""
    parts = {"num_jobs": 4, "upper": CHAIN[0], "lower": CHAIN[1], "weight": [5, 7, 9], "levels": 2}
    with pytest.raises(InputError) as caught:
        CompressionInstance.from_edges(**{**parts, **change})
    assert field in str(caught.value)
    assert shown in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_largest_allowed_total_is_accepted():
    """Weights that sum to exactly 2^62 are fine and summed exactly."""
    assert chain([2**61, 2**61, 0]).total_weight == 2**62


def test_values_are_exact_beyond_float_precision():
    """A cut value that no float holds comes out exactly."""
    instance = chain([2**61, 1, 2], levels=4)
    assert cut_value(instance, np.array([3, 2, 1, 0])) == 2**61 + 3


def test_an_edge_counts_only_downward():
    """Equal levels and upward edges count nothing; Max K-Cut counts any difference."""
    instance = chain(levels=3)
    levels = np.array([1, 2, 2, 0])
    assert cut_value(instance, levels) == 9
    assert max_k_cut_value(instance, levels) == 14
    assert "job 0 outranks job 1" in str(infeasibility(instance, levels))


@pytest.mark.parametrize(
    ("levels", "reason"),
    [
        ([1, 1, 0], "levels for 4 jobs"),
        ([1.0, 1.0, 0.0, 0.0], "not integers"),
        ([2, 1, 0, 0], "outside 0..1"),
        ([1, 0, 0, -1], "outside 0..1"),
        ([0, 1, 1, 1], "outranks"),
    ],
)
def test_infeasible_levels_are_explained(levels, reason):
    """Each way to be infeasible is named."""
    assert reason in str(infeasibility(chain(), np.array(levels)))


def test_float_weights_give_values_in_their_own_unit():
    """Tenths are no dyadic numbers: the value is the correctly rounded sum all the same."""
    instance = chain([0.1, 0.2, 0.3], levels=4)
    assert not instance.is_integer
    assert original_weight(instance, np.array([True, True, True])) == 0.6
    halves = chain([0.5, 1.5, 3.0])
    assert halves.original is None
    assert halves.scale == 2.0
    assert original_weight(halves, np.array([True, True, False])) == 2.0


def test_whole_floats_are_integers():
    """Weights 1.0, 2.0 make an integer instance, whose values are ints."""
    instance = chain([1.0, 2.0, 3.0])
    assert instance.is_integer
    value = original_weight(instance, np.array([True, False, True]))
    assert value == 4
    assert isinstance(value, int)


def test_default_order_takes_the_smallest_ready_job():
    """Without an order, jobs come as soon as they are ready, smallest index first."""
    instance = CompressionInstance.from_edges(4, [3, 2], [0, 1], [1, 1], levels=2)
    assert instance.order.tolist() == [2, 1, 3, 0]
    stated = CompressionInstance.from_edges(4, [3, 2], [0, 1], [1, 1], levels=2, order=[3, 2, 1, 0])
    assert stated.order.tolist() == [3, 2, 1, 0]


def test_the_digest_sees_all_that_matters_and_nothing_else():
    """Edges, weights and order change the digest; name, labels and K do not."""
    base = chain()
    same = [chain(name="x"), chain(labels=tuple("abcd")), base.with_levels(5)]
    assert all(other.sha256 == base.sha256 for other in same)
    different = [chain([5, 7, 8]), chain(order=[0, 1, 2, 3]), chain([0.5, 0.7, 0.9])]
    digests = {other.sha256 for other in different} | {base.sha256}
    assert len(digests) == 4


def test_an_instance_cannot_be_changed():
    """Arrays of an instance are read-only."""
    with pytest.raises(ValueError, match="read-only"):
        chain().weight[0] = 1
