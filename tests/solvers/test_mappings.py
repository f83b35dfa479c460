"""What the rivals' mappings and the published examples give."""

import numpy as np
import pytest

from kcut import Claim, CompressionInstance, cut_value
from tests.contract.instances import EXACT, MISSING, each, middling, run


@pytest.fixture
def fig13():
    """Crux's Fig. 13: J1 and J2 share a link, J3 and J4 another; two levels."""
    return CompressionInstance.from_edges(
        4, [0, 2], [1, 3], [3, 1], levels=2, name="fig13", order=[0, 1, 2, 3]
    )


@pytest.mark.parametrize(
    ("name", "levels"),
    [("sincronia", [1, 0, 0, 0]), ("varys", [1, 1, 0, 0]), ("crux", [1, 0, 1, 0])],
)
def test_fig13(fig13, name, levels):
    """The three systems map the paper's Fig. 13 to the levels it draws."""
    assert run(name, fig13).solution.tolist() == levels


@pytest.mark.parametrize("name", each(EXACT))
def test_fig13_is_solved(fig13, name):
    """On Fig. 13 both links can be served, and the exact solvers do."""
    assert run(name, fig13).solution.tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(("num_jobs", "levels"), [(10, 3), (7, 7), (3, 8), (1, 5), (100, 8)])
def test_varys_blocks_are_equal(num_jobs, levels):
    """Varys' blocks differ by at most one job and follow the order from the top level down."""
    order = np.random.default_rng(num_jobs).permutation(num_jobs)
    instance = CompressionInstance.from_edges(num_jobs, [], [], [], levels=levels, order=order)
    found = run("varys", instance).solution[order]
    sizes = np.bincount(found, minlength=levels)
    assert found[0] == levels - 1
    assert (np.diff(found) <= 0).all()
    assert sizes.max() - sizes.min() <= 1


@pytest.mark.parametrize(("num_jobs", "levels"), [(10, 3), (7, 7), (3, 8), (1, 5)])
def test_sincronia_gives_the_first_jobs_a_level_each(num_jobs, levels):
    """The first K-1 jobs stand alone on falling levels, all others share level 0."""
    order = np.random.default_rng(num_jobs).permutation(num_jobs)
    instance = CompressionInstance.from_edges(num_jobs, [], [], [], levels=levels, order=order)
    found = run("sincronia", instance).solution[order].tolist()
    assert found == [max(0, levels - 1 - rank) for rank in range(num_jobs)]


def test_longest_path_cuts_everything_once_there_are_levels_enough():
    """With K at least the longest path, the layers cut the total weight and prove it."""
    instance = middling(3)
    longest = int(instance.depth.max()) + 1
    for levels in (longest, longest + 4):
        wide = instance.with_levels(levels)
        answer = run("longest-path", wide)
        assert answer.claim is Claim.OPTIMAL
        assert cut_value(wide, answer.solution) == instance.total_weight


def test_longest_path_merges_layers_optimally():
    """On a DAG whose layers are its order, merging layers is the whole problem."""
    rng = np.random.default_rng(5)
    for levels in (2, 3, 4):
        weight = rng.integers(1, 100, 9)
        chain = CompressionInstance.from_edges(10, range(9), range(1, 10), weight, levels=levels)
        value = cut_value(chain, run("longest-path", chain).solution)
        assert value == np.sort(weight)[::-1][: levels - 1].sum()


def test_fifo_counterexample():
    """FIFO orders cannot reach the optimum of this DAG; orders of any ready job can."""
    upper, lower = [0, 0, 0, 1, 1, 1, 2, 4], [1, 2, 3, 2, 4, 5, 5, 5]
    weight = [8.59, 8.59, 8.59, 6.70, 6.70, 6.70, 6.56, 7.29]
    instance = CompressionInstance.from_edges(6, upper, lower, weight, levels=2)

    def residual(name, **params):
        answer = run(name, instance, **params)
        cut = answer.solution[instance.upper] > answer.solution[instance.lower]
        return round(sum(w for w, c in zip(weight, cut, strict=True) if not c), 2)

    assert residual("crux", sampler="bfs", orders=200) == 22.44
    assert residual("crux", sampler="uniform-ready", orders=200) == 21.85
    assert {residual(name) for name in set(EXACT) - set(MISSING)} == {21.85}
