"""Gains and their certificates: exact numbers, bounds that hold, and refusal of everything else."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kcut import InputError
from kcut.linear_order import Gains
from kcut.order_certificate import (
    BRANCH,
    LEAF,
    branch_node,
    certificate_of,
    leaf_node,
    proven_bound,
)

NOTHING = leaf_node(np.zeros((0, 3), np.int64), np.zeros(0, np.int64))


def best_value(gains):
    """Return the optimum by trying every permutation."""
    orders = itertools.permutations(range(gains.num_jobs))
    return max(gains.value(np.array(order)) for order in orders)


def random_tree(rng, num_jobs, depth):
    """Return a tree of random decisions and multipliers."""
    if depth == 0 or rng.random() < 0.3:
        cycles = np.array([rng.permutation(num_jobs)[:3] for _ in range(5)])
        return leaf_node(cycles, rng.integers(0, 60, 5))
    pair = tuple(rng.permutation(num_jobs)[:2].tolist())
    return branch_node(
        pair, random_tree(rng, num_jobs, depth - 1), random_tree(rng, num_jobs, depth - 1)
    )


def test_any_tree_of_multipliers_bounds_every_order():
    """Whatever the decisions and the multipliers, no order has a larger value than the bound."""
    rng = np.random.default_rng(0)
    for _ in range(150):
        n = int(rng.integers(3, 6))
        gains = Gains.from_matrix(rng.integers(-30, 60, (n, n)))
        certificate = certificate_of(int(rng.integers(1, 9)), [random_tree(rng, n, 3)])
        assert proven_bound(gains, certificate) >= best_value(gains)


def test_a_cycle_is_priced():
    """On three jobs that beat each other in a circle, one multiplier closes the gap of a third."""
    gains = Gains.from_matrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    assert (gains.most, best_value(gains)) == (3, 2)
    assert proven_bound(gains, certificate_of(1, [NOTHING])) == 3
    cycle = leaf_node(np.array([[0, 1, 2]]), np.array([1]))
    assert proven_bound(gains, certificate_of(1, [cycle])) == 2
    # Turned round it is another cycle, which nobody gains by.
    other = leaf_node(np.array([[0, 2, 1]]), np.array([1]))
    assert proven_bound(gains, certificate_of(1, [other])) > 3


def test_a_branch_does_not_know_what_follows_from_it():
    """Leaves bound by themselves: contradicting decisions are no better than others."""
    gains = Gains.from_matrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    inner = branch_node((1, 2), branch_node((2, 0), NOTHING, NOTHING), NOTHING)
    assert proven_bound(gains, certificate_of(1, [branch_node((0, 1), inner, NOTHING)])) == 3
    # A branch on a pair that gains nothing either way round leaves the others as they are.
    cycle = leaf_node(np.array([[0, 1, 2]]), np.array([1]))
    assert proven_bound(gains, certificate_of(1, [branch_node((0, 1), cycle, cycle)])) == 2


@pytest.mark.parametrize(
    "numbers",
    [
        [],
        [1],
        [0, LEAF, 0],
        [2**30, LEAF, 0],
        [1, LEAF, 1],
        [1, LEAF, -1],
        [1, LEAF, 1, 0, 1, 2],
        [1, LEAF, 1, 0, 1, 3, 1],
        [1, LEAF, 1, 0, 1, 1, 1],
        [1, LEAF, 1, 0, 1, 2, -1],
        [1, LEAF, 1, 0, 1, 2, 2**62],
        [1, LEAF, 0, 7],
        [1, BRANCH, 0, 0, LEAF, 0, LEAF, 0],
        [1, BRANCH, 0, 3, LEAF, 0, LEAF, 0],
        [1, BRANCH, 0, 1, LEAF, 0],
        [1, 2, 0, 1],
    ],
)
def test_malformed_certificates_are_refused(numbers):
    """Certificates come from files: what is no tree of multipliers is refused, not misread."""
    gains = Gains.from_matrix([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    with pytest.raises(InputError, match="certificate"):
        proven_bound(gains, np.array(numbers, np.int64))


def test_floats_are_rounded_to_a_power_of_two_and_integers_not():
    """Integers stay as they are; floats are off by half a unit of 1 / scale at most."""
    rng = np.random.default_rng(1)
    whole = rng.integers(-(2**40), 2**40, (6, 6))
    gains = Gains.from_matrix(whole)
    np.fill_diagonal(whole, 0)
    assert (gains.scale, gains.exact) == (1.0, True)
    assert np.array_equal(gains.weight, whole)
    floats = rng.normal(size=(6, 6))
    gains = Gains.from_matrix(floats)
    np.fill_diagonal(floats, 0)
    assert np.abs(gains.weight / gains.scale - floats).max() <= 0.5 / gains.scale
    assert gains.scale >= 2**28
    assert Gains.from_matrix([[0, 0.5], [0.25, 0]]).exact


def test_values_are_exact_beyond_floats():
    """Gains near 2^58 add up to the last unit."""
    big = 2**58
    gains = Gains.from_matrix([[0, big + 1, big], [0, 0, 1], [0, 0, 0]])
    assert gains.value(np.array([0, 1, 2])) == 2 * big + 2


@pytest.mark.parametrize(
    ("matrix", "field"),
    [
        ([], "gains"),
        ([[0, 1]], r"gains\[0\]"),
        ([[0, 1], [1]], r"gains\[1\]"),
        ([[0, float("nan")], [1, 0]], r"gains\[0\]\[1\]"),
        ([[0, 1], [float("inf"), 0]], r"gains\[1\]\[0\]"),
        ([[0, 1], [True, 0]], r"gains\[1\]\[0\]"),
        ([[0, "1"], [1, 0]], r"gains\[0\]\[1\]"),
        ([[0, 2**60], [2**60, 0]], "gains"),
        ([[0, 10**400], [1, 0]], "gains"),
        ([[0, 10**400], [1.5, 0]], r"gains\[0\]\[1\]"),
    ],
)
def test_bad_matrices_are_refused(matrix, field):
    """What is no square matrix of finite numbers of sane size is refused with its place."""
    with pytest.raises(InputError, match=field):
        Gains.from_matrix(matrix)
