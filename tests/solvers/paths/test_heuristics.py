"""Heuristics of path selection: rules by hand, incremental evaluation, metamorphic relations."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcut import Limits
from kcut.cluster import Cluster, Flow, Job, Link
from kcut.params import complete
from kcut.path_objectives import contention, evaluate
from kcut.path_symmetry import components, interchangeable_nodes
from kcut.paths import OBJECTIVES, PathsInstance, own_times
from kcut.registry import get_solver
from kcut.views import own_params
from kcut_solvers.paths_greedy import METRICS, least_congested
from kcut_solvers.paths_model import build_model
from kcut_solvers.paths_moves import change_of, descend, move, set_up
from kcut_solvers.paths_walks import anneal, search_tabu
from tests.kcut.path_clusters import all_choices, clos, tiny
from tests.solvers.paths.test_exact import optimum, run

SEEDS = st.integers(0, 10_000)


def two_ways(*jobs):
    """Return jobs from s to t over a or b, given by bytes and intensity."""
    links = [Link(f"{x}>{y}", x, y, 1.0) for x, y in ("sa", "sb", "at", "bt")]
    made = [
        Job(f"j{k}", 1, 1.0, 1.0, (Flow("s", "t", size),), intensity=float(intensity))
        for k, (size, intensity) in enumerate(jobs)
    ]
    return PathsInstance(Cluster.build(links, made, levels=2))


def test_crux_takes_jobs_by_falling_intensity():
    """The most intense job chooses first, the next avoids it, the last takes the lesser load."""
    instance = two_ways((3.0, 1), (2.0, 9), (1.0, 5))
    assert least_congested(instance, instance.ranking, "bottleneck", 1).tolist() == [1, 0, 1]
    by_count = least_congested(instance, instance.ranking, "flow-count", 1)
    assert by_count.tolist() == [0, 0, 1]


@pytest.mark.parametrize("metric", METRICS)
def test_greedy_matches_a_plain_rewriting(metric):
    """The compiled rule is the rule: recompute all loads for every flow from scratch."""
    for seed in range(15):
        instance = tiny(seed)
        routes, cluster = instance.cluster.routes, instance.cluster
        placed: dict[int, int] = {}
        scale = instance.weight / max(1, int(instance.weight.max()))
        amount = instance.seconds
        if metric == "flow-count":
            amount = instance.active[instance.link_flow].astype(float)
        elif metric == "intensity-weighted":
            amount = amount * scale[cluster.flow_job[instance.link_flow]]
        for j in instance.ranking:
            for f in np.flatnonzero(cluster.flow_job == j).tolist():
                load = np.zeros(cluster.num_links)
                for c in placed.values():
                    for k in range(routes.start[c], routes.start[c + 1]):
                        load[routes.link[k]] += amount[k]
                keys = []
                for c in range(int(routes.first[f]), int(routes.first[f + 1])):
                    span = range(routes.start[c], routes.start[c + 1])
                    here = [load[routes.link[k]] + amount[k] for k in span]
                    key = (sum(here), max(here)) if metric == "sum" else (max(here), sum(here))
                    keys.append((*(round(x, 9) for x in key), c))
                placed[f] = min(keys)[2]
        plain = [placed[f] - int(routes.first[f]) for f in range(instance.num_flows)]
        assert least_congested(instance, instance.ranking, metric, 1).tolist() == plain


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_incremental_evaluation_is_exact(seed):
    """After any moves, descents and annealing the running value is the one from scratch."""
    rng = np.random.default_rng(seed)
    instance = PathsInstance(clos(rng, jobs=6, flows=3, aggs=3), stretch=float(seed % 2))
    choice = instance.cluster.path_choice(None)
    value, board = contention(instance, choice), set_up(instance, choice)
    movable = np.flatnonzero(instance.active)
    if not len(movable):
        return
    for f in rng.choice(movable, 10).tolist():
        value += move(board, choice, f, int(rng.integers(3)))
        assert value == contention(instance, choice)
    value += descend(board, choice, movable, False)
    assert value == contention(instance, choice)
    for f, c in rng.integers(0, (instance.num_flows, 3), (20, 2)).tolist():
        if instance.active[f]:
            scratch = np.zeros((2, instance.num_jobs), np.int64)
            here, there = board.first[f] + choice[f], board.first[f] + c
            change = change_of(board, here, there, *scratch)
            assert not scratch[1].any()
            assert change == move(board, choice, f, c)
            value += change
    here = choice.copy()
    rise, best = anneal(board, here, movable, 200, 5.0, 0.1, rng)
    assert value + rise == contention(instance, best)
    value = contention(instance, here)
    rise, found = search_tabu(board, here, movable, 50, 0.3, rng)
    assert value + rise == contention(instance, found)
    value = contention(instance, here)
    assert value == value + move(board, here, movable[0], int(here[movable[0]]))
    if np.all(own_times(instance, choice) <= board.limit[: instance.num_jobs]):
        assert instance.infeasibility(best) is None
        assert instance.infeasibility(found) is None


@pytest.mark.parametrize("objective", sorted(set(OBJECTIVES) - {"simulated"}))
@pytest.mark.parametrize("name", ["local-search", "lns"])
def test_searches_are_feasible_and_no_worse_than_greedy(name, objective):
    """They keep the limit on bottleneck times, repeat with the seed, and never lose to Crux."""
    instance = tiny(7, objective, stretch=1.0)
    first, _ = run(name, instance, time_s=None, rounds=2)
    again, _ = run(name, instance, time_s=None, rounds=2)
    assert np.array_equal(first.solution, again.solution)
    assert instance.infeasibility(first.solution) is None
    greedy = least_congested(instance, instance.ranking, "bottleneck", 1)
    if instance.infeasibility(greedy) is None and objective != "simulated":
        sign = 1 if instance.maximise else -1
        assert sign * evaluate(instance, first.solution) >= sign * evaluate(instance, greedy)


def with_fewer_candidates(instance, rng):
    """Return the instance with one candidate of one flow left out."""
    cluster = instance.cluster
    f = int(rng.integers(instance.num_flows))
    drop = int(rng.integers(cluster.routes.num_candidates[f]))
    jobs, at = [], 0
    for job in cluster.jobs:
        flows = []
        for flow in job.flows:
            names = [tuple(cluster.links[e].name for e in path) for path in _paths(instance, at)]
            kept = names[:drop] + names[drop + 1 :] if at == f else names
            flows.append(replace(flow, paths=tuple(kept)))
            at += 1
        jobs.append(replace(job, flows=tuple(flows)))
    return PathsInstance(
        Cluster.build(cluster.links, jobs, levels=cluster.levels), instance.objective
    )


def _paths(instance, flow):
    routes = instance.cluster.routes
    spans = range(int(routes.first[flow]), int(routes.first[flow + 1]))
    return [routes.link[routes.start[c] : routes.start[c + 1]].tolist() for c in spans]


@given(SEEDS.map(lambda seed: 3 * seed + 1))
@settings(max_examples=40, deadline=None)
def test_a_candidate_more_never_worsens_the_optimum(seed):
    """What is best with one path less is still there with it."""
    instance = tiny(seed)
    fewer = with_fewer_candidates(instance, np.random.default_rng(seed))
    assert optimum(instance) <= optimum(fewer)


@given(SEEDS.map(lambda seed: 3 * seed + 1))
@settings(max_examples=40, deadline=None)
def test_removing_a_job_never_raises_contention(seed):
    """The others keep their paths and meet no one new."""
    instance = tiny(seed)
    rng = np.random.default_rng(seed)
    choice = rng.integers(0, instance.cluster.routes.num_candidates)
    gone = int(rng.integers(instance.num_jobs))
    jobs = [job for j, job in enumerate(instance.cluster.jobs) if j != gone]
    rest = PathsInstance(Cluster.build(instance.cluster.links, jobs, levels=2))
    kept = choice[instance.cluster.flow_job != gone]
    assert contention(rest, kept) <= contention(instance, choice)
    assert optimum(rest) <= optimum(instance)


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_permuting_equal_switches_changes_nothing(seed):
    """All objectives agree when aggregation switches change places; the classes are found."""
    rng = np.random.default_rng(seed)
    aggs = int(rng.integers(2, 4))
    cluster = clos(rng, jobs=4, aggs=aggs)
    if cluster.num_flows == 0:
        return
    instance = PathsInstance(cluster)
    assert [f"a{a}" for a in range(aggs)] in interchangeable_nodes(instance)
    choice = rng.integers(0, cluster.routes.num_candidates)
    moved = rng.permutation(aggs)[choice]
    for objective in ("contention", "max-load", "residual", "predicted-utilisation"):
        assert evaluate(instance, choice, objective) == pytest.approx(
            evaluate(instance, moved, objective), abs=2
        )


@given(SEEDS)
@settings(max_examples=60, deadline=None)
def test_the_reduced_model_keeps_an_optimum_and_its_hint(seed):
    """Some optimal choice survives dominance and symmetry breaking, and the hint does too."""
    instance = tiny(seed % 500)
    hint = np.random.default_rng(seed).integers(0, instance.cluster.routes.num_candidates)
    model = build_model(instance, range(instance.num_jobs), hint)

    def allowed(choice):
        taken = {(f, int(choice[f])) for f in model.candidates}
        return all(choice[f] in model.candidates[f] for f in model.candidates) and all(
            now not in taken or taken & set(before) for now, before in model.precedence
        )

    assert allowed(model.hint)
    assert contention(instance, model.hint) <= contention(instance, hint)
    best = min(contention(instance, c) for c in all_choices(instance) if allowed(c))
    assert best == optimum(instance)


def test_components_are_the_jobs_that_can_meet():
    """Jobs on separate fabrics are separate, silent ones are in none."""
    links = [
        Link(f"{s}{x}>{s}{y}", f"{s}{x}", f"{s}{y}", 1.0) for s in "uv" for x, y in ("sa", "at")
    ]
    jobs = [
        Job(f"j{k}", 1, 1.0, 1.0, (Flow(f"{side}s", f"{side}t", size),))
        for k, (side, size) in enumerate([("u", 1.0), ("v", 1.0), ("u", 2.0), ("v", 0.0)])
    ]
    instance = PathsInstance(Cluster.build(links, jobs, levels=2))
    assert components(instance) == [[0, 2], [1]]


@pytest.mark.parametrize("name", ["local-search", "lns", "cp-sat", "milp-highs", "enumerate"])
def test_better_choices_are_told_as_they_are_found(name):
    """Whoever listens hears feasible choices, and the answer is the best of them."""
    instance = tiny(8)
    heard = []
    solver = get_solver(name, ("paths",))
    own = own_params("paths", complete(solver.params, {}))
    limits = Limits(20.0, on_incumbent=lambda choice: heard.append(np.array(choice)))
    answer = solver.solve(instance, limits=limits, rng=np.random.default_rng(1), **own)
    values = [contention(instance, choice) for choice in heard]
    assert all(instance.infeasibility(choice) is None for choice in heard)
    assert min(values) == contention(instance, answer.solution)
