"""Time shifts: the circle, the excess by its definition, bounds, certificates and the judge."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcut import Answer, Claim, InputError, Verdict, judge
from kcut.circle import COARSEST, FITTING_STEPS, Beats, roll
from kcut.cluster import Cluster, Link
from kcut.fluid_setup import contending_groups
from kcut.held import simulate_shifts
from kcut.simulate import simulate
from kcut.time_shift_bounds import certificate_of, link_optima, proven_bound
from kcut.time_shifts import CAPACITY, TimeShiftsInstance, excesses, score, total_excess
from tests.kcut.clusters import example1
from tests.kcut.shift_clusters import chain, tiny, tree

QUICK = settings(deadline=None, max_examples=60, derandomize=True)
SEEDS = st.integers(0, 10_000)


def random_shifts(instance, seed):
    """Draw a shift for each job."""
    return np.random.default_rng(seed).integers(0, instance.circle.period)


def naive_total(instance, shifts):
    """Sum the excess over all links and all N steps, as the definition says."""
    circle, total = instance.circle, 0
    for point in instance.points:
        for a in range(instance.turn):
            asked = 0
            for j, demand in zip(point.jobs.tolist(), point.demand.tolist(), strict=True):
                into = (a - int(shifts[j]) - int(circle.begin[j])) % int(circle.period[j])
                asked += demand if into < circle.length[j] else 0
            total += max(0, asked - CAPACITY)
    return total


@pytest.mark.parametrize("seed", range(60))
def test_excess_is_as_defined(seed):
    """The value equals the definition written out step by step, and the score follows from it."""
    instance = tiny(seed)
    shifts = random_shifts(instance, seed)
    value = total_excess(instance, shifts)
    assert value == naive_total(instance, shifts)
    links = [point.turn * CAPACITY for point in instance.points]
    pairs = zip(excesses(instance, shifts), links, strict=True)
    mean = np.mean([1 - excess / whole for excess, whole in pairs]) if links else 1.0
    assert score(instance, value) == pytest.approx(mean)


def test_example_1_on_the_circle():
    """Compute 2 s and 1 s, transfer 2 s and 1 s: half and half of 12 and 6 steps, three collide."""
    instance = TimeShiftsInstance(example1())
    assert instance.circle.period.tolist() == [12, 6]
    assert instance.circle.begin.tolist() == [6, 3]
    assert instance.circle.length.tolist() == [6, 3]
    assert instance.circle.error == 0
    every = {total_excess(instance, np.array([0, s])) for s in range(6)}
    assert every == {3 * CAPACITY}
    assert score(instance, 3 * CAPACITY) == 0.75


@given(seed=SEEDS, by=st.integers(0, 200))
@QUICK
def test_turning_a_group_changes_nothing(seed, by):
    """Shifting all jobs of a component by the same number of steps leaves the excess."""
    instance = tiny(seed)
    shifts = random_shifts(instance, seed)
    group = contending_groups(instance.num_jobs, instance.cluster.num_links, instance.sent)[0]
    turned = shifts.copy()
    turned[group] = (turned[group] + by) % instance.circle.period[group]
    assert total_excess(instance, turned) == total_excess(instance, shifts)


@given(seed=SEEDS)
@QUICK
def test_scores_are_at_most_1_and_fall_with_the_jobs_on_a_link(seed):
    """A score is at most 1, and at least 2 less the most jobs on a link; with two, 0 to 1."""
    instance = tiny(seed)
    found = score(instance, total_excess(instance, random_shifts(instance, seed)))
    crowd = max((len(point.jobs) for point in instance.points), default=2)
    assert 2 - crowd <= found <= 1


@given(seed=SEEDS, factor=st.sampled_from([1.25, 2.0, 3.0]))
@QUICK
def test_more_capacity_never_lowers_the_score(seed, factor):
    """With wider links, and each job sending as fast and as long as before, less is in excess."""
    instance = tiny(seed)
    shifts = random_shifts(instance, seed)
    wide = TimeShiftsInstance(instance.cluster, step_s=1.0)
    points = tuple(
        type(p)(p.link, p.jobs, (p.demand / factor).astype(np.int64), p.turn)
        for p in instance.points
    )
    wide.__dict__["points"] = points
    before, after = total_excess(instance, shifts), total_excess(wide, shifts)
    assert score(wide, after) >= score(instance, before)


@given(seed=SEEDS)
@settings(deadline=None, max_examples=20, derandomize=True)
def test_link_optima_equal_enumeration(seed):
    """The least excess of each link by itself is that of all shifts of its jobs, and certified."""
    instance = tiny(seed)
    optima = link_optima(instance)
    for i, point in enumerate(instance.points):
        every = itertools.product(*(range(int(p)) for p in instance.circle.period[point.jobs]))
        best = math.inf
        for own in every:
            shifts = np.zeros(instance.num_jobs, np.int64)
            shifts[point.jobs] = own
            best = min(best, excesses(instance, shifts)[i])
        assert optima[i].excess == optima[i].bound == best
    certificate = certificate_of(optima)
    found = proven_bound(instance, certificate)
    assert found <= total_excess(instance, random_shifts(instance, seed))
    if len(certificate):
        certificate[0] += 1
        with pytest.raises(InputError, match="shifts of this link leave"):
            proven_bound(instance, certificate)


def test_judge_takes_no_word_for_it():
    """Wrong shifts, false certificates and bounds are rejected; no excess needs no certificate."""
    instance = TimeShiftsInstance(example1())
    good = np.array([0, 0])

    def verdict(solution, claim=Claim.FEASIBLE, **more):
        return judge(instance, Answer(claim, solution, **more), "time-shifts")

    assert verdict(np.array([12, 0])).reason == "job 0 is shifted by 12 steps, outside 0..11"
    assert verdict(np.array([0])).verdict is Verdict.REJECTED
    assert verdict(np.array([0.0, 0.0])).verdict is Verdict.REJECTED
    assert verdict(None, Claim.INFEASIBLE).verdict is Verdict.REJECTED
    assert verdict(good, Claim.OPTIMAL).verdict is Verdict.UNVERIFIABLE
    proof = np.array([3 * CAPACITY])
    found = verdict(good, Claim.OPTIMAL, certificate=proof)
    assert (found.verdict, found.proven, found.gap) == (Verdict.VERIFIED, True, 0.0)
    assert verdict(good, certificate=proof + 1).verdict is Verdict.REJECTED
    assert verdict(good, certificate=proof[:0]).verdict is Verdict.REJECTED
    assert verdict(good, bound=3 * CAPACITY + 1).verdict is Verdict.REJECTED
    assert verdict(good, bound=CAPACITY).gap == pytest.approx(2 / 3)
    free = tree(0)
    answer = Answer(Claim.OPTIMAL, np.zeros(free.num_jobs, np.int64))
    nothing = judge(free, answer, "time-shifts")
    assert nothing.proven == (total_excess(free, answer.solution) == 0)


@given(
    period=st.lists(st.floats(0.01, 100.0), min_size=1, max_size=12),
    share=st.floats(0.05, 1.0),
    hold=st.sampled_from([0.0, 0.05, 0.5]),
)
@QUICK
def test_a_step_is_always_found(period, share, hold):
    """Whatever the periods, circles fit, and errors and stretches are no larger than they say."""
    period_s = np.array(period)
    sent = share * period_s
    beats = Beats(period_s, period_s - sent, sent, [np.arange(len(period))])
    circle = roll(beats, 0.0, FITTING_STEPS, hold)
    assert math.lcm(*circle.period.tolist()) <= FITTING_STEPS
    assert circle.period.max() >= COARSEST
    assert np.all(circle.begin + circle.length <= circle.period + 1)
    off = (circle.period * circle.step_s - period_s) / period_s
    held = circle.hold_s > 0
    assert np.all(off[held] > 0)
    assert np.all(off[held] <= hold + 1e-9)
    assert circle.hold_s[held] == pytest.approx((off * period_s)[held])
    assert np.abs(off[~held]).max(initial=0.0) <= circle.error + 1e-6
    assert hold > 0 or not held.any()


def test_periods_within_reach_share_a_short_circle():
    """1.53 s and 0.75 s are held to 2 : 1; free, turning one of them changes nothing."""
    cluster = chain([(1.03, 0.5, [0]), (0.5, 0.25, [0])], 1)
    held, free = TimeShiftsInstance(cluster), TimeShiftsInstance(cluster, hold=0.0)
    first, second = held.circle.period.tolist()
    assert first == 2 * second == held.turn
    assert held.circle.hold_s == pytest.approx([0.0, 0.015])
    assert math.gcd(*free.circle.period.tolist()) == 1
    assert len({total_excess(free, np.array([0, s])) for s in range(10)}) == 1


def test_held_jobs_keep_what_shifts_give():
    """Shifted without conflict, held jobs run in a cycle of the circle; free, they drift apart."""
    cluster = chain([(1.03, 0.5, [0]), (0.5, 0.25, [0])], 1)
    instance = TimeShiftsInstance(cluster)
    shifts = link_optima(instance)[0].shifts
    assert total_excess(instance, shifts) == 0
    shown = simulate_shifts(instance, shifts, timeline=True)
    assert shown.iteration_s == pytest.approx([1.53, 0.765])
    busy = cluster.gpus @ (cluster.compute_s / np.array([1.53, 0.765])) / cluster.gpus.sum()
    assert shown.utilisation == pytest.approx(busy)
    computed = shown.timeline.compute[1]
    assert np.diff(computed, axis=1)[1:3] == pytest.approx(np.full((2, 1), 0.5))
    free = simulate(cluster, shifts_s=instance.seconds(shifts).tolist())
    assert free.utilisation < shown.utilisation
    unheld = TimeShiftsInstance(cluster, hold=0.0)
    zeros = np.zeros(2, np.int64)
    assert simulate_shifts(unheld, zeros).utilisation == simulate(cluster).utilisation


def test_steps_that_do_not_fit_are_refused():
    """Too long a circle names its length and the limit; other nonsense names its field."""
    cluster = chain([(1.01, 1.0, [0]), (1.0, 0.97, [0])], 1)
    with pytest.raises(InputError, match=r"step_s: makes a circle of 39,597 steps, more than"):
        TimeShiftsInstance(cluster, step_s=0.01)
    assert TimeShiftsInstance(cluster, step_s=0.01, max_steps=40_000).turn == 39_597
    for hold in (-0.1, 1.5, math.nan):
        with pytest.raises(InputError, match="hold"):
            TimeShiftsInstance(cluster, hold=hold)
    for step_s in (-1.0, math.nan, math.inf, 1e-9):
        with pytest.raises(InputError, match="step_s"):
            TimeShiftsInstance(cluster, step_s=step_s)
    for max_steps in (0, 100, 10_000_000):
        with pytest.raises(InputError, match="max_steps"):
            TimeShiftsInstance(cluster, max_steps=max_steps)


def test_nobody_meets():
    """Jobs on links of their own have nothing to shift: score 1, a circle of one step."""
    instance = TimeShiftsInstance(chain([(1.0, 2.0, [0]), (3.0, 1.0, [1])], 2))
    zeros = np.zeros(2, np.int64)
    assert (instance.turn, instance.points, total_excess(instance, zeros)) == (1, (), 0)
    assert score(instance, 0) == 1.0
    assert instance.infeasibility(np.array([0, 1])) is not None


def test_slower_links_make_no_excess_by_rounding():
    """Three thirds of a link are the whole link, not more."""
    links = [Link("a", "s", "t", 1.0), Link("b", "t", "u", 3.0)]
    flow = chain([(1.0, 1.0, [0])], 1).jobs[0].flows[0]
    made = [
        type(chain([(1.0, 1.0, [0])], 1).jobs[0])(
            f"j{j}", 1, 1.0, 1.0, (type(flow)(f"s{j}", "u", 1.0),)
        )
        for j in range(3)
    ]
    links = [Link(f"a{j}", f"s{j}", "t", 1.0) for j in range(3)] + links[1:]
    instance = TimeShiftsInstance(Cluster.build(links, made, levels=1, name="thirds"))
    assert total_excess(instance, np.zeros(3, np.int64)) == 0
    assert instance.points[0].demand.tolist() == [CAPACITY // 3] * 3


@pytest.mark.parametrize("seed", range(12))
def test_no_excess_is_no_contention(seed):
    """Where steps are exact and nothing exceeds, the simulated jobs all run as if alone."""
    instance = tree(seed, num_links=3)
    rng = np.random.default_rng(seed)
    for _ in range(2_000):
        shifts = rng.integers(0, instance.circle.period)
        if total_excess(instance, shifts) == 0:
            break
    else:
        pytest.fail("no shifts without conflict were drawn")
    shown = simulate(instance.cluster, shifts_s=instance.seconds(shifts).tolist())
    alone = 12.0
    assert shown.iteration_s == pytest.approx(np.full(instance.num_jobs, alone))
