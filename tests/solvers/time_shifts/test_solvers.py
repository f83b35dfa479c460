"""Time shift solvers against enumeration, on trees, with loops, and within limits."""

from __future__ import annotations

import numpy as np
import pytest

from kcut import Claim, Limits, Termination, Verdict, judge
from kcut.fluid_setup import contending_groups
from kcut.params import complete
from kcut.registry import get_solver, solvers
from kcut.time_shifts import CAPACITY, TimeShiftsInstance, score, total_excess
from kcut.views import own_params
from kcut_solvers import cp_sat
from kcut_solvers.shift_moves import classes, set_up
from kcut_solvers.time_shifts.cp_sat import group_problem
from tests.kcut.shift_clusters import chain, tiny, tree

NAMES = [s.name for s in solvers("time-shifts") if "dummy" not in s.name]
NUM_TINY = 100


def run(name, instance, limits=None, seed=0, **params):
    """Run a solver and return its answer and the judgement."""
    entry = get_solver(name, ("time-shifts",))
    given = own_params("time-shifts", complete(entry.params, params))
    rng = np.random.default_rng(seed)
    answer = entry.solve(instance, limits=limits or Limits(20.0), rng=rng, **given)
    judgement = judge(instance, answer, "time-shifts")
    assert judgement.verdict is not Verdict.REJECTED, judgement
    return answer, judgement


def test_all_names_are_registered():
    """Every solver the command line promises is there, with a reference and a summary."""
    assert NAMES == ["cassini", "cp-sat", "enumerate", "none"]
    assert all(s.reference and s.summary.endswith(".") for s in solvers("time-shifts"))


def test_exact_solvers_equal_enumeration_and_no_heuristic_beats_it():
    """On 100 tiny instances CP-SAT finds what enumeration finds, with that as its bound."""
    met = 0
    for seed in range(NUM_TINY):
        instance = tiny(seed)
        found, best = run("enumerate", instance)
        assert found.claim is Claim.OPTIMAL
        answer, judgement = run("cp-sat", instance)
        assert answer.claim is Claim.OPTIMAL, answer
        assert judgement.value == answer.bound == best.value, (seed, answer)
        for name in ("cassini", "none"):
            assert run(name, instance)[1].value >= best.value
        met += best.value > 0
    assert met > NUM_TINY // 4


def test_the_model_equals_enumeration_from_any_start():
    """CP-SAT's model alone, from no shifts and without bounds of links, has the same optimum."""
    solved = 0
    for seed in range(NUM_TINY):
        instance = tiny(seed)
        best = run("enumerate", instance)[1].value
        nothing = np.zeros(instance.num_jobs, np.int64)
        groups = contending_groups(instance.num_jobs, instance.cluster.num_links, instance.sent)
        found, bound = nothing, 0
        for jobs in groups:
            inside = [link for link in classes(instance) if link.point.jobs[0] in jobs]
            least = [0] * len(instance.points)
            problem = group_problem(instance, jobs.tolist(), inside, least, nothing)
            answer = cp_sat.solve(problem, Limits(), np.random.default_rng(0), 0.0)
            assert answer.claim is Claim.OPTIMAL
            found = found + answer.solution
            bound += answer.bound
            solved += len(inside) > 0
        assert total_excess(instance, found) == bound == best, seed
    assert solved > NUM_TINY // 2


@pytest.mark.parametrize("seed", range(40))
def test_cassini_finds_shifts_without_conflict_on_trees(seed):
    """Where the affinity graph is a tree and each link can do without conflict, so can all."""
    instance = tree(seed, num_links=1 + seed % 6)
    answer, judgement = run("cassini", instance)
    assert judgement.value == 0
    assert score(instance, 0) == 1.0
    assert judgement.proven
    assert "a forest" in answer.detail


@pytest.mark.parametrize("seed", range(30))
def test_cassini_finds_what_fits_on_one_link(seed):
    """Jobs of one period that fill a link exactly are packed without conflict."""
    rng = np.random.default_rng(seed)
    cuts = np.sort(rng.choice(np.arange(1, 24), int(rng.integers(1, 4)), replace=False))
    sent = np.diff([0, *cuts, 24])
    instance = TimeShiftsInstance(chain([(24.0 - s, float(s), [0]) for s in sent], 1), step_s=1.0)
    assert run("cassini", instance)[1].value == 0


def test_a_loop_without_consistent_shifts_is_told():
    """Three jobs, two on each of three links, each sending half of the time: one link loses."""
    half = [(6.0, 6.0, [0, 2]), (6.0, 6.0, [0, 1]), (6.0, 6.0, [1, 2])]
    instance = TimeShiftsInstance(chain(half, 3), step_s=1.0)
    answer, judgement = run("cassini", instance)
    assert "1 close a loop, 1 of them miss their own optimum" in answer.detail
    assert (judgement.bound, judgement.proven) == (0, False)
    best, _ = run("cp-sat", instance)
    assert best.claim is Claim.OPTIMAL
    assert judgement.value == best.bound == 6 * CAPACITY


@pytest.mark.parametrize("name", NAMES)
def test_same_seed_same_answer(name):
    """Two runs with one seed give the same shifts."""
    first, second = run(name, tiny(3), seed=5)[0], run(name, tiny(3), seed=5)[0]
    assert np.array_equal(first.solution, second.solution)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("time_s", [0.0, 0.01])
def test_no_time_is_no_excuse(name, time_s):
    """With next to no time an answer is truthful, its bound below the optimum."""
    for seed in range(10):
        instance = tiny(seed)
        best = run("enumerate", instance)[1].value
        answer, judgement = run(name, instance, Limits(time_s))
        assert answer.solution is not None
        assert judgement.value >= best
        assert answer.bound is None or answer.bound <= best


@pytest.mark.parametrize("name", NAMES)
def test_incumbents_end_with_the_answer(name):
    """Incumbents get better, and the last has the value of the answer."""
    instance = tiny(11)
    told = []
    answer, judgement = run(name, instance, Limits(20.0, on_incumbent=told.append))
    values = [incumbent.value for incumbent in answer.incumbents]
    assert values == sorted(values, reverse=True)
    assert not values or values[-1] == judgement.value
    assert all(instance.infeasibility(shifts) is None for shifts in told)


def test_enumeration_declines_what_is_too_large():
    """More shifts than allowed are skipped with the number."""
    entry = get_solver("enumerate", ("time-shifts",))
    instance = tree(1)
    answer = entry.solve(instance, limits=Limits(), rng=np.random.default_rng(0), most=10)
    assert answer.termination is Termination.SKIPPED
    assert "more than most = 10" in answer.detail


@pytest.mark.parametrize("seed", range(20))
def test_costs_of_a_job_are_differences_of_the_excess(seed):
    """What the dial says a shift costs is what the total excess changes by."""
    instance = tiny(seed)
    shifts = np.random.default_rng(seed).integers(0, instance.circle.period)
    dial = set_up(instance, shifts, classes(instance))
    for job in range(instance.num_jobs):
        costs = dial.costs(job)
        for shift in range(len(costs)):
            moved = shifts.copy()
            moved[job] = shift
            by = total_excess(instance, moved) - total_excess(instance, shifts)
            assert costs[shift] - costs[shifts[job]] == by
