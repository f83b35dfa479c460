"""Relations between the optima of related instances, for every fast exact solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcut import CompressionInstance, cut_value, judge
from tests.contract.instances import FAST_EXACT, SOLVERS, certified, each, run

ONCE = settings(deadline=None, max_examples=40, derandomize=True)


@st.composite
def instances(draw, max_jobs=12, max_weight=50):
    """Draw a DAG whose edges run from smaller to larger indices, and a number of levels."""
    num_jobs = draw(st.integers(1, max_jobs))
    pairs = [(u, v) for u in range(num_jobs) for v in range(u + 1, num_jobs)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    weight = draw(st.lists(st.integers(0, max_weight), min_size=len(edges), max_size=len(edges)))
    return make(num_jobs, edges, weight, draw(st.integers(1, 5)))


def make(num_jobs, edges, weight, levels):
    """Return the instance of these edges."""
    upper, lower = [u for u, _ in edges], [v for _, v in edges]
    return CompressionInstance.from_edges(num_jobs, upper, lower, weight, levels=levels)


def edges_of(instance):
    """Return an instance's edges as pairs."""
    return list(zip(instance.upper.tolist(), instance.lower.tolist(), strict=True))


def best(name, instance):
    """Return the solver's value, which a cover must prove."""
    answer = certified(instance, run(name, instance))
    assert judge(instance, answer).proven
    return cut_value(instance, answer.solution)


@pytest.mark.parametrize("name", FAST_EXACT)
@given(instance=instances(), data=st.data())
@ONCE
def test_relabelling_changes_nothing(name, instance, data):
    """Renaming the jobs and listing the edges in another order leaves the optimum."""
    to = data.draw(st.permutations(range(instance.num_jobs)))
    place = data.draw(st.permutations(range(instance.num_edges)))
    edges = [(to[u], to[v]) for u, v in edges_of(instance)]
    weight = instance.weight.tolist()
    other = make(
        instance.num_jobs, [edges[e] for e in place], [weight[e] for e in place], instance.levels
    )
    assert best(name, other) == best(name, instance)


@pytest.mark.parametrize("name", FAST_EXACT)
@given(instance=instances(), factor=st.integers(0, 2**40))
@ONCE
def test_scaling_scales(name, instance, factor):
    """Multiplying all weights by a factor multiplies the optimum by it."""
    weight = [factor * w for w in instance.weight.tolist()]
    other = make(instance.num_jobs, edges_of(instance), weight, instance.levels)
    assert best(name, other) == factor * best(name, instance)


@pytest.mark.parametrize("name", FAST_EXACT)
@given(first=instances(), second=instances())
@ONCE
def test_disjoint_union_adds(name, first, second):
    """The optimum of two DAGs side by side is the sum of theirs."""
    second = second.with_levels(first.levels)
    n = first.num_jobs
    edges = edges_of(first) + [(n + u, n + v) for u, v in edges_of(second)]
    weight = first.weight.tolist() + second.weight.tolist()
    union = make(n + second.num_jobs, edges, weight, first.levels)
    assert best(name, union) == best(name, first) + best(name, second)


@pytest.mark.parametrize("name", FAST_EXACT)
@given(instance=instances())
@ONCE
def test_frontier_is_concave_from_nothing_to_all(name, instance):
    """The optimum is 0 for K = 1, concave in K, and the total weight from the longest path on."""
    longest = int(instance.depth.max()) + 1
    values = [best(name, instance.with_levels(k)) for k in range(1, longest + 3)]
    gains = np.diff(values)
    assert values[0] == 0
    assert (gains >= 0).all()
    assert (np.diff(gains) <= 0).all()
    assert set(values[longest - 1 :]) == {instance.total_weight}


@pytest.mark.parametrize("name", FAST_EXACT)
@given(instance=instances(), data=st.data())
@ONCE
def test_an_edge_of_weight_0_never_helps(name, instance, data):
    """One more edge of weight 0 only forbids, so the optimum does not rise."""
    present = set(edges_of(instance))
    n = instance.num_jobs
    absent = [(u, v) for u in range(n) for v in range(u + 1, n) if (u, v) not in present]
    if not absent:
        return
    edges = [*edges_of(instance), data.draw(st.sampled_from(absent))]
    other = make(n, edges, [*instance.weight.tolist(), 0], instance.levels)
    assert best(name, other) <= best(name, instance)


@pytest.mark.parametrize("name", FAST_EXACT)
@given(instance=instances())
@ONCE
def test_turning_all_edges_round_changes_nothing(name, instance):
    """The DAG with every edge reversed has the same optimum."""
    edges = [(v, u) for u, v in edges_of(instance)]
    other = make(instance.num_jobs, edges, instance.weight.tolist(), instance.levels)
    assert best(name, other) == best(name, instance)


@pytest.mark.parametrize("name", each(set(SOLVERS) - {"crux"}))
@given(instance=instances(max_jobs=8), factor=st.integers(1, 1000))
@settings(deadline=None, max_examples=10, derandomize=True)
def test_every_deterministic_solver_scales(name, instance, factor):
    """Weights in another unit give every solver's cut the same share of the total."""
    weight = [factor * w for w in instance.weight.tolist()]
    other = make(instance.num_jobs, edges_of(instance), weight, instance.levels)
    value = cut_value(instance, run(name, instance).solution)
    assert cut_value(other, run(name, other).solution) == factor * value
