"""Simple orders on published examples, and searches against enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from kcut import Limits
from kcut.cluster import Cluster, Flow, Job, Link
from kcut.fluid_setup import contending_groups
from kcut.intensity import traffic
from kcut.order_simulation import OrderSimulator
from kcut.priority import PriorityInstance
from kcut.priority_objectives import evaluate
from kcut.registry import get_family
from tests.contract.priority_instances import run
from tests.kcut.clusters import example1, random_cluster

EPS = 1e-6


def sincronia_figure():
    """Build C1 with 2 units on each of 4 ports, C2 to C5 with a little more on one port each."""
    links = [Link(f"p{p}", f"a{p}", f"b{p}", 1.0) for p in range(4)]
    wide = Job("C1", 1, 1.0, 1.0, tuple(Flow(f"a{p}", f"b{p}", 2.0) for p in range(4)))
    narrow = [Job(f"C{p + 2}", 1, 1.0, 1.0, (Flow(f"a{p}", f"b{p}", 2.0 + EPS),)) for p in range(4)]
    return Cluster.build(links, [wide, *narrow], levels=8)


def average_completion(cluster, order):
    """Return the mean completion time of one transfer each, served in strict order."""
    done = np.zeros(cluster.num_jobs)
    free = np.zeros(cluster.num_links)
    sent = traffic(cluster)
    for job in order:
        for link, size in zip(sent.link[sent.job == job], sent.bytes[sent.job == job], strict=True):
            free[link] += size / cluster.bandwidth[link]
            done[job] = max(done[job], free[link])
    return done.mean()


def test_bssi_orders_sincronias_figure():
    """BSSI gives C2, C3, C4, C1, C5; SEBF puts C1 first; the best order puts it last.

    In strict order the averages are 3.6 for SEBF and 2.4 for the best. BSSI's order leaves C5
    behind C1 on its port: 2.8, a fifth of a unit for each coflow above what is quoted of a
    schedule in which C5 need not wait for all of C1.
    """
    cluster = sincronia_figure()
    instance = PriorityInstance(cluster)
    bssi = run("bssi", instance).solution
    sebf = run("sebf", instance).solution
    assert bssi.tolist() == [1, 2, 3, 0, 4]
    assert sebf.tolist() == [0, 1, 2, 3, 4]
    best = min(average_completion(cluster, p) for p in itertools.permutations(range(5)))
    assert average_completion(cluster, sebf) == pytest.approx(3.6, abs=1e-5)
    assert average_completion(cluster, bssi) == pytest.approx(2.8, abs=1e-5)
    assert best == pytest.approx(2.4, abs=1e-5)


def test_crux_puts_job_2_of_example_1_first_and_says_what_it_did():
    """With k = 1.5 J2 comes first: utilisation 41.7 % in place of 37.5 % by intensity alone."""
    instance = PriorityInstance(example1())
    crux, plain = run("crux", instance), run("intensity", instance)
    assert (crux.solution.tolist(), plain.solution.tolist()) == ([1, 0], [0, 1])
    assert evaluate(instance, crux.solution) / instance.scale == pytest.approx(5 / 12)
    assert evaluate(instance, plain.solution) / instance.scale == pytest.approx(3 / 8)
    assert "reference J1" in crux.detail


def test_all_pairs_agree_with_one_reference_on_two_jobs():
    """With two jobs there is one pair: the fit and the wins order them as Crux does."""
    rng = np.random.default_rng(0)
    family = get_family("contending-jobs")
    for seed in range(15):
        params = {name: p.default for name, p in family.params.items()} | {"num_jobs": 2}
        params["load"] = float(rng.uniform(0.6, 1.4))
        instance = PriorityInstance(family.generate(params, 8, seed))
        orders = {
            tuple(run(name, instance, **options).solution.tolist())
            for name, options in (
                ("crux", {}),
                ("crux-all-pairs", {}),
                ("crux-all-pairs", {"rule": "wins"}),
            )
        }
        assert len(orders) == 1


def test_simulating_many_orders_is_simulating_each():
    """The reused arrays give what a simulation from scratch gives, for both objectives."""
    rng = np.random.default_rng(3)
    for _ in range(12):
        cluster = random_cluster(rng, max_jobs=5)
        simulator, instance = OrderSimulator(cluster), PriorityInstance(cluster)
        for _ in range(2):
            order = rng.permutation(cluster.num_jobs)
            for objective in ("utilisation", "slowdown"):
                value = evaluate(instance, order, objective)
                assert simulator.value(order, objective) == pytest.approx(value, rel=1e-9)


def test_lower_jobs_do_not_change_what_higher_ones_do():
    """A prefix alone does what it does before others: what enumeration cuts off by."""
    rng = np.random.default_rng(4)
    for _ in range(12):
        cluster = random_cluster(rng, max_jobs=5)
        simulator = OrderSimulator(cluster)
        for jobs in contending_groups(cluster.num_jobs, cluster.num_links, traffic(cluster)):
            order = tuple(rng.permutation(jobs).tolist())
            whole = simulator.rates(order)
            for k in range(1, len(order)):
                part = simulator.rates(order[:k])
                if whole.cycled and part.cycled:
                    assert part.busy == pytest.approx(whole.busy[:k], abs=1e-6)


@pytest.mark.parametrize("objective", ["utilisation", "slowdown"])
def test_enumeration_finds_the_best_of_all_permutations(objective):
    """Cutting off prefixes loses nothing: the value is the best of all orders, tried one by one."""
    family = get_family("contending-jobs")
    defaults = {name: p.default for name, p in family.params.items()}
    for seed, fabric in ((0, "one-link"), (1, "one-link"), (2, "clos"), (3, "clos")):
        params = defaults | {"num_jobs": 4, "fabric": fabric, "load": 1.2}
        instance = PriorityInstance(family.generate(params, 8, seed), objective)
        simulator = OrderSimulator(instance.cluster)
        values = [
            simulator.value(np.array(order), objective)
            for order in itertools.permutations(range(4))
        ]
        best = max(values) if instance.maximise else min(values)
        answer = run("enumerate", instance)
        assert evaluate(instance, answer.solution) == pytest.approx(best, rel=1e-9)
        searched = run("local-search", instance, kicks=1)
        assert evaluate(instance, searched.solution) == pytest.approx(best, rel=5e-3)


def test_enumeration_declines_what_is_too_large():
    """More jobs in a group than asked for are skipped, with the reason."""
    family = get_family("contending-jobs")
    params = {name: p.default for name, p in family.params.items()} | {"num_jobs": 9}
    answer = run("enumerate", PriorityInstance(family.generate(params, 8, 0)), limits=Limits(5.0))
    assert answer.termination == "skipped"
    assert "9 jobs contend" in answer.detail
