"""The ascent: every step optimal and proven; the flow core against networkx."""

import networkx as nx
import numpy as np
import pytest

from kcut import CompressionInstance, cut_value, verify
from kcut.ascent import ascend, improve
from kcut.frontier import frontier
from kcut.push_relabel import Network, drain
from kcut_solvers.compression.min_cuts import ENGINES
from tests.contract.instances import feasible_assignments, middling, tiny


def optimum(instance):
    """Return the best cut value over all feasible assignments."""
    return max(cut_value(instance, levels) for levels in feasible_assignments(instance))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(100))
def test_every_step_is_optimal_and_proven(seed, engine):
    """For each K the step's value equals enumeration's and its cover's bound."""
    instance = tiny(seed)
    for step in ascend(instance, 4, drain=ENGINES[engine]):
        stated = instance.with_levels(step.num_levels)
        checked = verify(stated, step.levels, step.cover)
        assert checked.optimal
        assert checked.value == optimum(stated)
    if step.finished:
        assert verify(instance.with_levels(1000), step.levels, step.cover).optimal


@pytest.mark.parametrize("seed", range(60))
def test_engines_and_lazy_covers_agree_on_middling_instances(seed):
    """Both flow engines, with covers at every step or at the end alone, give the same optima."""
    instance = middling(seed)
    values = set()
    for engine in ENGINES.values():
        for covers in (False, True):
            *_, last = ascend(instance, 7, covers=covers, drain=engine)
            checked = verify(instance.with_levels(7), last.levels, last.cover)
            assert checked.optimal
            values.add(checked.value)
    assert len(values) == 1


@pytest.mark.parametrize("seed", range(40))
def test_the_frontier_is_proven_concave_and_ends_at_the_total(seed):
    """All values proven, increments never grow, and enough levels cut everything."""
    instance = middling(seed)
    most = int(instance.depth.max()) + 3
    found = frontier(instance, most)
    assert all(found.proven)
    assert found.values == found.bounds
    assert found.levels == tuple(range(1, most + 1))
    gains = np.diff(found.values)
    assert (gains >= 0).all()
    assert (np.diff(gains) <= 0).all()
    assert found.values[0] == 0
    assert found.values[-1] == instance.total_weight


def test_the_number_of_cuts_is_at_most_the_number_of_useful_levels():
    """A chain of three needs two cuts, however many levels there are."""
    instance = CompressionInstance.from_edges(3, [0, 1], [1, 2], [4, 6], levels=1000)
    steps = list(ascend(instance, 1000, covers=False))
    assert steps[-1].finished
    assert steps[-1].num_cuts <= 3


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(100))
def test_any_start_leads_to_a_proven_optimum(seed, engine):
    """From random feasible levels, all up and all down, steps only gain and end proven."""
    instance = tiny(seed)
    rng = np.random.default_rng(seed)
    n, K = instance.num_jobs, instance.levels
    some = np.empty(n, np.int64)
    some[instance.order] = np.sort(rng.integers(0, K, n))[::-1]
    for start in (some, np.zeros(n, np.int64), np.full(n, K - 1)):
        steps = list(improve(instance, start, drain=ENGINES[engine]))
        values = [cut_value(instance, start)] + [cut_value(instance, s.levels) for s in steps]
        assert values == sorted(values)
        assert verify(instance, steps[-1].levels, steps[-1].cover).optimal
        assert values[-1] == optimum(instance)


@pytest.mark.parametrize("seed", range(30))
def test_the_number_of_cuts_is_the_distance_and_two(seed):
    """From an optimum with one job moved, few cuts lead back, each way by at most one level."""
    instance = middling(seed)
    *_, best = improve(instance, np.zeros(instance.num_jobs, np.int64))
    *_, again = improve(instance, best.levels)
    assert again.num_cuts <= 2
    assert np.array_equal(again.levels, best.levels)
    moved = best.levels.copy()
    sources = np.flatnonzero((instance.depth == 0) & (moved < instance.levels - 1))
    moved[sources[:1]] += 1
    *_, back = improve(instance, moved)
    assert back.num_cuts <= 4
    assert cut_value(instance, back.levels) == cut_value(instance, best.levels)


def test_weights_up_to_the_limit_do_not_overflow():
    """Weights that sum to 2^62 are solved and proven exactly."""
    quarter = 2**60
    for upper, lower in (([0, 1, 2, 3], [1, 2, 3, 4]), ([0, 0, 0, 0], [1, 2, 3, 4])):
        instance = CompressionInstance.from_edges(5, upper, lower, [quarter] * 4, levels=3)
        for engine in ENGINES.values():
            for start in (np.zeros(5, np.int64), np.full(5, 2)):
                *_, last = improve(instance, start, drain=engine)
                assert verify(instance, last.levels, last.cover).optimal
            *_, last = ascend(instance, 3, drain=engine)
            assert verify(instance, last.levels, last.cover).optimal


def random_network(seed):
    """Return a residual network with excesses and deficits, and the same for networkx."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 25))
    pairs = [(x, y) for x in range(n) for y in range(x + 1, n) if rng.random() < 0.3]
    arcs = sorted(
        [(x, y, i) for i, (x, y) in enumerate(pairs)]
        + [(y, x, i) for i, (x, y) in enumerate(pairs)]
    )
    position: dict[int, list[int]] = {}
    for a, (_, _, i) in enumerate(arcs):
        position.setdefault(i, []).append(a)
    reverse = np.zeros(len(arcs), np.int32)
    for a, b in position.values():
        reverse[a], reverse[b] = b, a
    tails = np.array([x for x, _, _ in arcs], int)
    head = np.array([y for _, y, _ in arcs], np.int32)
    start = np.searchsorted(tails, np.arange(n + 1)).astype(np.int64)
    residual = rng.integers(0, 20, len(arcs)) * (rng.random(len(arcs)) < 0.7)
    excess = rng.integers(-30, 31, n)
    known = nx.DiGraph()
    known.add_nodes_from(["s", "t"])
    for x, y, c in zip(tails.tolist(), head.tolist(), residual.tolist(), strict=True):
        known.add_edge(x, y, capacity=c)
    for x, amount in enumerate(excess.tolist()):
        ends = ("s", x) if amount > 0 else (x, "t")
        known.add_edge(*ends, capacity=abs(amount))
    return Network(start, head, reverse, residual.astype(np.int64)), tails, excess, known


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("seed", range(150))
def test_draining_moves_a_maximum_flow_and_leaves_a_cut(seed, engine):
    """The excess that is gone equals networkx's maximum flow; no residual arc leaves the cut."""
    network, tails, excess, known = random_network(seed)
    deficit = -int(excess[excess < 0].sum())
    pushed, _ = nx.maximum_flow(known, "s", "t", flow_func=nx.algorithms.flow.preflow_push)
    before = network.residual + network.residual[network.reverse]
    left = excess.astype(np.int64)
    cut = np.zeros(len(excess), np.bool_)
    (drain if engine == "push-relabel" else ENGINES[engine])(network, left, cut)
    assert left.sum() == excess.sum()
    assert deficit + int(left[left < 0].sum()) == pushed
    assert (network.residual >= 0).all()
    assert np.array_equal(network.residual + network.residual[network.reverse], before)
    assert cut[left > 0].all()
    assert not cut[left < 0].any()
    leaving = cut[tails] & ~cut[network.head]
    assert (network.residual[leaving] == 0).all()
