"""Path selection: objectives, feasibility, and what the judge makes of answers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kcut import Answer, Claim, InputError, Verdict, judge
from kcut.cluster import Cluster, Flow, Job, Link
from kcut.contention import contention_dag
from kcut.intensity import intensities, traffic
from kcut.own_paths import best_own_times
from kcut.path_objectives import SHARE_SCALE, all_values, best_levels, evaluate, scale_of
from kcut.paths import OBJECTIVES, PathsInstance, own_times
from kcut.pigeonhole import (
    Pigeonhole,
    bundles,
    cheapest_partition,
    combinatorial_bound,
    encode,
)
from kcut.pigeonhole_proof import proven_bound
from tests.kcut.path_clusters import all_choices, tiny


def links_of(instance, choice):
    """Return for each job the bytes it sends over each link, by name, as plain dicts."""
    start, link = instance.cluster.routes.chosen(choice)
    sent = [{} for _ in range(instance.num_jobs)]
    for f, job in enumerate(instance.cluster.flow_job):
        size = float(instance.cluster.flow_bytes[f])
        for e in link[start[f] : start[f + 1]].tolist():
            if size:
                sent[job][e] = sent[job].get(e, 0.0) + size
    return sent


@pytest.mark.parametrize("seed", range(30))
def test_objectives_match_their_definitions(seed):
    """Contention, load and predicted utilisation agree with formulas written out naively."""
    instance = tiny(seed)
    cluster = instance.cluster
    choice = np.random.default_rng(seed).integers(0, cluster.routes.num_candidates)
    sent, values = links_of(instance, choice), all_values(instance, choice)
    intensity = intensities(cluster, split=True)
    pairs = itertools.combinations(range(instance.num_jobs), 2)
    met = sum(max(intensity[i], intensity[j]) for i, j in pairs if sent[i].keys() & sent[j].keys())
    assert values["contention"] == pytest.approx(met, rel=1e-9)
    load = np.zeros(cluster.num_links)
    for j, mine in enumerate(sent):
        for e, size in mine.items():
            load[e] += size / cluster.bandwidth[e] / instance.period[j]
    assert values["max-load"] == pytest.approx(load.max(), rel=1e-9)
    used, total = np.zeros(cluster.num_links), 0.0
    for j in instance.ranking:
        job, slowest = cluster.jobs[j], 0.0
        for e, size in sent[j].items():
            free = 1 - used[e]
            slowest = max(slowest, size / cluster.bandwidth[e] / free if free > 1e-9 else np.inf)
        period = max(job.compute_s, job.transfer_start * job.compute_s + slowest)
        for e, size in sent[j].items():
            used[e] += size / cluster.bandwidth[e] / period
        total += job.gpus * job.compute_s / period
    predicted = total / cluster.gpus.sum()
    assert values["predicted-utilisation"] == pytest.approx(predicted, abs=2 / SHARE_SCALE)


@pytest.mark.parametrize("seed", range(30))
def test_residual_is_contention_less_the_best_cut(seed):
    """Enumerating all levels leaves no less uncut, and more levels leave no more."""
    instance = tiny(seed)
    choice = next(all_choices(instance))
    levels, left = best_levels(instance, choice)
    assert left == evaluate(instance, choice, "residual")
    sent = links_of(instance, choice)
    pairs = [
        (i, j)
        for i, j in itertools.combinations(instance.ranking, 2)
        if sent[i].keys() & sent[j].keys()
    ]

    def uncut(level):
        return sum(instance.pair_weight(i, j) for i, j in pairs if level[i] == level[j])

    feasible = [
        level
        for level in itertools.product(range(2), repeat=instance.num_jobs)
        if all(level[i] >= level[j] for i, j in pairs)
    ]
    assert left == uncut(levels.tolist()) == min(map(uncut, feasible))
    more = instance.with_levels(4)
    assert evaluate(more, choice, "residual") <= left <= evaluate(instance, choice, "contention")


def test_stated_integer_intensities_stay_integers():
    """With whole intensities the contention is the contention DAG's total weight, an int."""
    instance = tiny(1)
    for choice in itertools.islice(all_choices(instance), 20):
        value = all_values(instance, choice)["contention"]
        assert isinstance(value, int)
        assert value == contention_dag(instance.cluster, choice).total_weight


@pytest.mark.parametrize("seed", range(40))
def test_stretch_limits_stacking_and_leaves_a_choice(seed):
    """The best own time is reached by its choice, bounded below, and mostly the true best."""
    instance = tiny(seed, stretch=1.0)
    own = best_own_times(instance.cluster, instance.time)
    assert instance.infeasibility(own.choice) is None
    assert np.array_equal(own_times(instance, own.choice), own.best)
    every = np.array([own_times(instance, choice) for choice in all_choices(instance)])
    assert np.all(own.least <= every.min(axis=0))
    assert np.all(own.best >= every.min(axis=0))
    assert np.array_equal(own.best, every.min(axis=0))


@pytest.mark.parametrize("seed", range(40))
def test_cheapest_partition_is_the_cheapest(seed):
    """The program over sorted values finds what enumerating all partitions finds."""
    rng = np.random.default_rng(seed)
    n, bins = int(rng.integers(1, 8)), int(rng.integers(1, 4))
    values = rng.integers(0, 9, n).tolist()
    pairs = list(itertools.combinations(range(n), 2))
    cheapest = min(
        sum(max(values[i], values[j]) for i, j in pairs if where[i] == where[j])
        for where in itertools.product(range(bins), repeat=n)
    )
    assert cheapest_partition(values, bins) == cheapest


def test_equal_values_give_turan_numbers():
    """With q = bA + r jobs of value 1 the partition costs r C(b+1, 2) + (A - r) C(b, 2)."""
    for q, bins in itertools.product(range(1, 20), range(1, 9)):
        b, r = divmod(q, bins)
        turan = r * (b + 1) * b // 2 + (bins - r) * b * (b - 1) // 2
        assert cheapest_partition([1] * q, bins) == turan


@pytest.mark.parametrize("seed", range(60))
def test_combinatorial_bound_never_exceeds_the_optimum(seed):
    """Its certificate proves it, and no choice of paths has less contention."""
    instance = tiny(seed)
    bound, certificate = combinatorial_bound(instance)
    assert proven_bound(instance, certificate) == bound
    assert bound <= min(evaluate(instance, choice) for choice in all_choices(instance))


def crowd(num_jobs=5, aggs=2):
    """Return jobs that all cross the same few parallel links, of weight 1, 2, ..."""
    links = [Link(f"s>a{a}", "s", f"a{a}", 1.0) for a in range(aggs)]
    links += [Link(f"a{a}>t", f"a{a}", "t", 1.0) for a in range(aggs)]
    jobs = [
        Job(f"j{j}", 1, 1.0, 1.0, (Flow("s", "t", 1.0),), intensity=float(j + 1))
        for j in range(num_jobs)
    ]
    return PathsInstance(Cluster.build(links, jobs, levels=2))


def test_combinatorial_bound_is_tight_on_one_bundle():
    """Where all jobs cross one bundle the inequality is the optimum, and proves it."""
    instance = crowd()
    bound, certificate = combinatorial_bound(instance)
    best = min(all_choices(instance), key=lambda choice: evaluate(instance, choice))
    assert evaluate(instance, best) == bound
    found = judge(instance, Answer(Claim.OPTIMAL, best, certificate=certificate), "paths")
    assert (found.verdict, found.proven, found.gap) == (Verdict.VERIFIED, True, 0.0)


def test_false_certificates_are_refused():
    """A job that can avoid the links, one out of range, a cut-off text; charging twice."""
    instance = crowd()
    every = (*range(5),)
    (bundle,) = [b for b in bundles(instance) if b.links == (0, 1)]
    assert bundle.jobs == every
    fine = Pigeonhole((0, 1), every, (1, 2, 3, 4, 5))
    assert proven_bound(instance, encode([fine], 1)) == combinatorial_bound(instance)[0]
    assert proven_bound(instance, encode([fine, fine], 1)) < combinatorial_bound(instance)[0]
    for wrong, message in (
        (encode([Pigeonhole((0,), every, (1,) * 5)], 1), "can avoid"),
        (encode([Pigeonhole((0, 1), (0, 9), (1, 1))], 1), "between"),
        (encode([Pigeonhole((0, 1), (0, 0), (1, 1))], 1), "repeats"),
        (encode([Pigeonhole((0, 1), (0, 1), (1, -1))], 1), "between 0"),
        (encode([fine], 1)[:-1], "name links"),
        (encode([fine], 0), "positive"),
    ):
        with pytest.raises(InputError, match=message):
            proven_bound(instance, wrong)
        found = judge(instance, Answer(Claim.FEASIBLE, np.zeros(5, int), certificate=wrong))
        assert found.verdict is Verdict.REJECTED


def test_judge_rejects_what_is_false():
    """Paths out of range, a broken limit, a bound beyond the value, infeasibility."""
    instance = crowd()
    good = np.zeros(5, np.int64)
    for answer in (
        Answer(Claim.FEASIBLE, np.full(5, 2)),
        Answer(Claim.FEASIBLE, np.zeros(4, np.int64)),
        Answer(Claim.FEASIBLE, good, bound=10**6),
        Answer(Claim.INFEASIBLE),
    ):
        assert judge(instance, answer).verdict is Verdict.REJECTED
    assert judge(instance, Answer(Claim.OPTIMAL, good, bound=1)).verdict is Verdict.UNVERIFIABLE
    most = PathsInstance(instance.cluster, "predicted-utilisation")
    assert judge(most, Answer(Claim.FEASIBLE, good, bound=0)).verdict is Verdict.REJECTED
    assert judge(most, Answer(Claim.FEASIBLE, good, bound=2**40)).gap is not None


def test_parameters_of_the_problem_are_checked():
    """Unknown objectives, and a stretch between 0 and 1, are refused by name."""
    cluster = crowd().cluster
    with pytest.raises(InputError, match="objective"):
        PathsInstance(cluster, "fastest")
    with pytest.raises(InputError, match="stretch"):
        PathsInstance(cluster, stretch=0.5)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_flows_without_bytes_change_nothing(objective):
    """Their path is no one's business."""
    instance = tiny(4, objective)
    idle = np.flatnonzero(~instance.active)
    assert len(idle)
    assert scale_of(instance) > 0
    choice = next(all_choices(instance))
    other = choice.copy()
    other[idle] = instance.cluster.routes.num_candidates[idle] - 1
    assert evaluate(instance, choice) == evaluate(instance, other)
    assert len(traffic(instance.cluster, choice).job) == len(traffic(instance.cluster, other).job)
