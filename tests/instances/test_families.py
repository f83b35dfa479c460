"""Properties of the generated instances."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kcut import CompressionInstance, InputError, Limits, cut_value, infeasibility
from kcut.graph import find_cycle
from kcut.orders import SAMPLERS
from kcut.registry import families, get_family
from kcut_instances.contention import pairs_that_meet
from kcut_instances.families.lingjun_cliques import SHARES
from kcut_instances.families.random_dag import draw_distinct, pair_of
from kcut_instances.host_map import lingjun_hosts
from kcut_instances.placement import place_jobs
from kcut_solvers.compression.crux import crux

INTENSITY_FAMILIES = [
    ("random-dag", {"num_jobs": 60, "num_edges": 500}),
    ("layered", {"num_jobs": 60, "num_layers": 6}),
    ("layered", {"num_jobs": 60, "num_layers": 6, "reach": "later"}),
    ("link-cliques", {"num_jobs": 60, "num_links": 20, "max_intensity": 5}),
    ("single-link", {"num_jobs": 20, "max_intensity": 5}),
    ("lingjun-cliques", {}),
]


def edges_of(instance: CompressionInstance) -> set[tuple[int, int]]:
    """Return the edges as pairs."""
    return set(zip(instance.upper.tolist(), instance.lower.tolist(), strict=True))


@pytest.mark.parametrize("family", [f.name for f in families("compression")])
def test_same_seed_same_instance(generate, family):
    """A seed gives one instance, and the instance's name tells family, parameters and seed."""
    first, second = generate(family, 3), generate(family, 3)
    assert first.sha256 == second.sha256
    assert first.name == second.name
    assert first.name.startswith(family)
    assert first.name.endswith("seed=3")


@pytest.mark.parametrize("family", ["random-dag", "layered", "link-cliques", "windows"])
def test_other_seed_other_instance(generate, family):
    """Another seed gives another instance."""
    assert generate(family, 0).sha256 != generate(family, 1).sha256


@pytest.mark.parametrize(("family", "params"), INTENSITY_FAMILIES)
@pytest.mark.parametrize("seed", range(3))
def test_weight_is_intensity_of_upper(generate, family, params, seed):
    """All edges of an upper job weigh the same, and no less than those of a job it outranks."""
    instance = generate(family, seed, **params)
    intensity = np.full(instance.num_jobs, -1)
    for u, w in zip(instance.upper.tolist(), instance.weight.tolist(), strict=True):
        assert intensity[u] in {-1, w}
        intensity[u] = w
    known = intensity[instance.lower] >= 0
    assert (intensity[instance.upper] >= intensity[instance.lower])[known].all()
    assert instance.is_integer
    ranked = intensity[instance.order]
    assert (np.diff(ranked[ranked >= 0]) <= 0).all()


@pytest.mark.parametrize(("family", "params"), INTENSITY_FAMILIES)
def test_edges_are_sorted_and_acyclic(generate, family, params):
    """Edges are sorted by upper, then lower job, agree with the given order and have no cycle."""
    instance = generate(family, 5, **params)
    pairs = list(zip(instance.upper.tolist(), instance.lower.tolist(), strict=True))
    assert pairs == sorted(set(pairs))
    assert find_cycle(instance.out_edges) is None
    rank = np.argsort(instance.order)
    assert (rank[instance.upper] < rank[instance.lower]).all()


@pytest.mark.parametrize("num_edges", [0, 1, 40, 200, 434, 435])
def test_random_dag_has_exactly_num_edges(generate, num_edges):
    """The number of edges is exact, from none to all pairs."""
    assert generate("random-dag", num_jobs=30, num_edges=num_edges).num_edges == num_edges


def test_random_dag_uniform_weights(generate):
    """Uniform weights are within 1..max_weight and differ among the edges of one job."""
    instance = generate("random-dag", weights="uniform", max_weight=50)
    assert instance.weight.min() >= 1
    assert instance.weight.max() <= 50
    of_one = instance.weight[instance.upper == np.bincount(instance.upper).argmax()]
    assert len(np.unique(of_one)) > 1


@pytest.mark.parametrize(("population", "count"), [(6, 2), (40, 2)])
def test_draw_distinct_is_uniform(population, count):
    """Both ways of drawing a set give every number its share (5 standard deviations)."""
    rng = np.random.default_rng(7)
    draws = 3000
    seen = np.zeros(population)
    for _ in range(draws):
        drawn = draw_distinct(rng, population, count)
        assert len(np.unique(drawn)) == count
        seen[drawn] += 1
    share = count / population
    deviation = np.sqrt(draws * share * (1 - share))
    assert np.abs(seen - draws * share).max() < 5 * deviation


def test_pair_of_counts_pairs():
    """Numbers and pairs match one to one, also where the root is rounded."""
    i, j = pair_of(np.arange(190))
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == [
        (a, b) for b in range(20) for a in range(b)
    ]
    jobs = np.array([10_000_000, 9_999_999, 67_108_865, 94_906_267])
    last = jobs * (jobs - 1) // 2
    for number, wanted in ((last - 1, (jobs - 2, jobs - 1)), (last, (0 * jobs, jobs))):
        i, j = pair_of(number)
        assert np.array_equal(i, wanted[0])
        assert np.array_equal(j, wanted[1])


def test_pairs_that_meet_equals_enumeration():
    """Jobs meet exactly where two memberships name one place."""
    rng = np.random.default_rng(1)
    for _ in range(30):
        at = {(int(a), int(b)) for a, b in rng.integers(0, (12, 9), (int(rng.integers(40)), 2))}
        members = np.array(sorted(at), np.int64).reshape(-1, 2)
        first, second = pairs_that_meet(members[:, 0], members[:, 1], 12)
        wanted = {(a, b) for (a, p), (b, q) in itertools.product(at, at) if a < b and p == q}
        assert list(zip(first.tolist(), second.tolist(), strict=True)) == sorted(wanted)


def test_link_cliques_of_one_link_is_a_tournament(generate):
    """With a single link every pair of jobs contends."""
    instance = generate("link-cliques", num_jobs=15, num_links=1, links_per_job=1)
    assert instance.num_edges == 105


def test_link_cliques_uses_distinct_links(generate):
    """Jobs that use every link contend with every job."""
    instance = generate("link-cliques", num_jobs=15, num_links=7, links_per_job=7)
    assert instance.num_edges == 105


def test_single_link_breaks_ties_by_index(generate):
    """Among equal intensities the job with the smaller index is the upper one."""
    instance = generate("single-link", num_jobs=9, max_intensity=1)
    assert (instance.upper < instance.lower).all()
    assert instance.order.tolist() == list(range(9))


@pytest.mark.parametrize("reach", ["next", "later"])
def test_layered_probability_one_has_every_edge(generate, reach):
    """With probability 1, depth is the layer and all pairs within reach are there."""
    instance = generate("layered", num_jobs=14, num_layers=4, probability=1.0, reach=reach)
    depth = instance.depth
    assert sorted(np.bincount(depth).tolist()) == [3, 3, 4, 4]
    wanted = {
        (u, v)
        for u in range(14)
        for v in range(14)
        if (depth[v] - depth[u] == 1 if reach == "next" else depth[v] > depth[u])
    }
    assert edges_of(instance) == wanted


def test_layered_probability(generate):
    """The share of edges drawn is the probability, within 5 standard deviations."""
    instance = generate("layered", num_jobs=1000, num_layers=10, probability=0.2)
    trials = 9 * 100 * 100
    assert abs(instance.num_edges - 0.2 * trials) < 5 * np.sqrt(trials * 0.16)
    assert generate("layered", probability=0.0).num_edges == 0


@pytest.mark.parametrize("chains", [2, 4, 8])
@pytest.mark.parametrize("orders", [1, 10])
def test_windows_leave_crux_one_over_r(generate, chains, orders):
    """Crux with BFS orders cuts K - 1 where the optimum cuts r (K - 1), however many orders."""
    instance = generate("windows", chains=chains)
    answer = crux(
        instance,
        limits=Limits(),
        rng=np.random.default_rng(0),
        orders=orders,
        sampler="bfs",
        dp="knuth-yao",
    )
    assert answer.solution is not None
    best = np.zeros(instance.num_jobs, np.int64)
    heavy = instance.weight > 0
    # Cut every heavy edge: each job gets the number of heavy edges below it on its chain.
    for job in instance.order[::-1]:
        below = np.flatnonzero(instance.upper == job)
        for e in below:
            best[job] = best[instance.lower[e]] + heavy[e]
    assert infeasibility(instance, best) is None
    optimum = cut_value(instance, best)
    assert optimum == instance.total_weight == chains * (instance.levels - 1)
    assert cut_value(instance, answer.solution) * chains == optimum


@pytest.mark.parametrize("levels", [1, 2, 3, 5])
def test_windows_fit_the_number_of_levels(generate, levels):
    """The windows have K - 1 heavy edges for every K, at depths no two chains share."""
    instance = generate("windows", levels=levels, chains=3)
    assert instance.num_jobs == 9 * levels
    assert instance.total_weight == 3 * (levels - 1)
    depths = instance.depth[instance.upper[instance.weight > 0]]
    assert len(set(depths.tolist())) == len(depths)


def test_fig13(generate):
    """Figure 13's jobs, links and order."""
    instance = generate("fig13")
    assert edges_of(instance) == {(0, 1), (2, 3)}
    assert instance.labels == ("J1", "J2", "J3", "J4")
    assert instance.order.tolist() == [0, 1, 2, 3]
    assert instance.levels == 2


def test_fifo_counterexample(generate):
    """FIFO orders leave 22.44 at best, orders of any ready job 21.85; the optimum is 21.85."""
    instance = generate("fifo-counterexample")
    total = instance.total_weight
    left = {}
    for sampler in SAMPLERS:
        answer = crux(
            instance,
            limits=Limits(),
            rng=np.random.default_rng(0),
            orders=100,
            sampler=sampler,
            dp="naive",
        )
        left[sampler] = (total - cut_value(instance, answer.solution)) / instance.scale
    best = max(
        cut_value(instance, levels)
        for levels in map(np.array, itertools.product((0, 1), repeat=6))
        if infeasibility(instance, levels) is None
    )
    assert left["bfs"] == pytest.approx(22.44)
    assert left["uniform-ready"] == pytest.approx(21.85)
    assert (total - best) / instance.scale == pytest.approx(21.85)


def test_host_map_is_the_real_one():
    """847 hosts in 3 pods and 119 switch groups of at most 8 hosts."""
    hosts = lingjun_hosts()
    assert hosts.num_hosts == len(set(hosts.hosts)) == 847
    assert sorted(np.bincount(hosts.pod).tolist()) == [179, 306, 362]
    sizes = np.bincount(hosts.group)
    assert len(sizes) == 119
    assert sizes.max() == 8
    assert sum(SHARES.values()) == 100


@pytest.mark.parametrize("placement", ["packed", "fragmented", "spread"])
@pytest.mark.parametrize("num_jobs", [5, 190, 1000])
def test_placement_keeps_to_the_gpus(placement, num_jobs):
    """No host gives more than 8 GPUs, big jobs have hosts of their own, and every job has one."""
    rng = np.random.default_rng(2)
    hosts = lingjun_hosts()
    wanted = rng.choice(list(SHARES), num_jobs).tolist()
    gpus, placed = place_jobs(rng, hosts, wanted, placement)
    used = np.zeros(hosts.num_hosts, np.int64)
    for size, most, chosen in zip(gpus, wanted, placed, strict=True):
        assert 1 <= size <= most
        assert size in SHARES
        assert len(set(chosen.tolist())) == len(chosen) == -(-size // 8)
        used[chosen] += min(size, 8)
    assert used.max() <= 8
    if num_jobs == 5:
        assert gpus == wanted


def test_lingjun_fills_up_without_failing(generate):
    """As many jobs as GPUs can be asked for; each then has one GPU and contends with nobody."""
    assert generate("lingjun-cliques", num_jobs=847 * 8).num_edges == 0


def test_lingjun_placement_matters(generate):
    """Packing jobs makes fewer of them contend than fragmenting or spreading them."""
    edges = {p: generate("lingjun-cliques", placement=p).num_edges for p in ("packed", "spread")}
    assert edges["packed"] < generate("lingjun-cliques").num_edges
    assert edges["packed"] < edges["spread"]


@pytest.mark.parametrize(
    ("family", "params", "field"),
    [
        ("random-dag", {"num_jobs": 10, "num_edges": 46}, "num_edges"),
        ("random-dag", {"num_jobs": 1, "num_edges": 1}, "num_edges"),
        ("random-dag", {"num_jobs": 0}, "num_jobs"),
        ("random-dag", {"num_edges": -1}, "num_edges"),
        ("random-dag", {"num_edges": 10**12}, "num_edges"),
        ("random-dag", {"weights": "gaussian"}, "weights"),
        ("random-dag", {"max_weight": 0}, "max_weight"),
        ("random-dag", {"num_jobs": True}, "num_jobs"),
        ("random-dag", {"jobs": 3}, "jobs"),
        ("link-cliques", {"num_links": 2, "links_per_job": 3}, "links_per_job"),
        ("link-cliques", {"num_jobs": 100_000, "num_links": 2}, "num_jobs"),
        ("layered", {"num_jobs": 5, "num_layers": 6}, "num_layers"),
        ("layered", {"probability": 1.5}, "probability"),
        ("layered", {"probability": float("nan")}, "probability"),
        ("layered", {"num_jobs": 100_000, "reach": "later"}, "num_jobs"),
        ("layered", {"num_jobs": 30_000, "num_layers": 3, "probability": 0.9}, "probability"),
        ("single-link", {"num_jobs": 10_001}, "num_jobs"),
        ("windows", {"chains": 0}, "chains"),
        ("windows", {"chains": 9_000}, "chains"),
        ("lingjun-cliques", {"num_jobs": 6777}, "num_jobs"),
        ("lingjun-cliques", {"placement": "random"}, "placement"),
    ],
)
def test_impossible_parameters_are_named(generate, family, params, field):
    """A parameter that cannot be met is refused by its name."""
    with pytest.raises(InputError) as caught:
        generate(family, **params)
    assert caught.value.field == field


def test_unknown_family_lists_the_known():
    """A family that does not exist is refused with the names of those that do."""
    with pytest.raises(InputError, match=r"random-dag.*windows.*got 'nope'"):
        get_family("nope")


def test_large_instances(generate):
    """100,000 jobs with a million edges come out exactly."""
    instance = generate("random-dag", num_jobs=100_000, num_edges=1_000_000)
    assert (instance.num_jobs, instance.num_edges) == (100_000, 1_000_000)
