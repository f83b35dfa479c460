"""What every registered solver for time shifts must do."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kcut import Claim, Limits, Termination, Verdict, judge
from kcut.cluster import Cluster, Job
from kcut.params import complete
from kcut.registry import get_solver, solvers
from kcut.time_shifts import TimeShiftsInstance, score, total_excess
from kcut.views import own_params
from tests.kcut.clusters import example1, example2
from tests.kcut.shift_clusters import chain, tiny

SOLVERS = {s.name: s for s in solvers("time-shifts") if not s.name.startswith("dummy-")}
EXACT = sorted(name for name, s in SOLVERS.items() if s.exact)
ONCE = settings(deadline=None, max_examples=15, derandomize=True)
SEEDS = st.integers(0, 10_000)


def run(name, instance, time_s=10.0, seed=0):
    """Run a solver, check its answer and return it with the judgement."""
    entry = get_solver(name, ("time-shifts",))
    own = own_params("time-shifts", complete(entry.params, {}))
    rng = np.random.default_rng(seed)
    answer = entry.solve(instance, limits=Limits(time_s), rng=rng, **own)
    judgement = judge(instance, answer, "time-shifts")
    assert judgement.verdict is not Verdict.REJECTED, judgement
    return answer, judgement


def scaled(cluster, factor):
    """Return the cluster with everything taking `factor` times as long."""
    jobs = [
        Job(
            job.name,
            job.gpus,
            factor * job.compute_s,
            job.work,
            tuple(type(f)(f.source, f.target, factor * f.bytes) for f in job.flows),
            job.transfer_start,
        )
        for job in cluster.jobs
    ]
    return Cluster.build(cluster.links, jobs, levels=cluster.levels, name="scaled")


EDGE_CASES = {
    "one-job": chain([(1.0, 1.0, [0])], 1),
    "nobody-meets": chain([(1.0, 1.0, [0]), (2.0, 1.0, [1])], 2),
    "always-sending": chain([(0.0, 1.0, [0]), (0.0, 2.0, [0])], 1),
    "never-sending": chain([(1.0, 0.0, [0]), (2.0, 0.0, [0])], 1),
    "very-unequal": chain([(1e-6, 1e-6, [0]), (1e3, 1e3, [0])], 1),
    "same-job-thrice": chain([(2.0, 1.0, [0])] * 3, 1),
    "example-1": example1(),
    "example-2": example2(),
}


@pytest.mark.parametrize("hold", [0.0, 0.05])
@pytest.mark.parametrize("case", sorted(EDGE_CASES))
@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_edge_cases(name, case, hold):
    """At the borders a solver answers feasible shifts or declines; exact ones prove them."""
    instance = TimeShiftsInstance(EDGE_CASES[case], hold=hold)
    answer, judgement = run(name, instance)
    if answer.solution is None:
        assert answer.termination is Termination.SKIPPED
        assert answer.detail
        return
    assert judgement.value is not None
    if name in EXACT:
        assert answer.claim is Claim.OPTIMAL
        assert judgement.proven
    if case == "same-job-thrice" and name != "none":
        assert judgement.value == 0


@pytest.mark.parametrize("name", sorted(SOLVERS))
@given(seed=SEEDS, factor=st.sampled_from([0.5, 2.0, 8.0]))
@ONCE
def test_another_unit_of_time_changes_nothing(name, seed, factor):
    """With everything, and the step, so many times as long, shifts in steps are the same."""
    instance = tiny(seed)
    other = TimeShiftsInstance(scaled(instance.cluster, factor), step_s=factor)
    first, second = run(name, instance)[0], run(name, other)[0]
    assert np.array_equal(first.solution, second.solution)
    assert total_excess(instance, first.solution) == total_excess(other, second.solution)


@pytest.mark.parametrize("name", EXACT)
@given(seed=SEEDS)
@ONCE
def test_the_names_of_jobs_do_not_matter(name, seed):
    """Jobs in another order have the same optimum."""
    instance = tiny(seed)
    cluster = instance.cluster
    turned = Cluster.build(cluster.links, cluster.jobs[::-1], levels=2, name="turned")
    other = TimeShiftsInstance(turned, step_s=1.0)
    assert run(name, instance)[1].value == run(name, other)[1].value


@pytest.mark.parametrize("name", EXACT)
@given(seed=SEEDS)
@ONCE
def test_one_more_job_never_helps(name, seed):
    """Without its last job an instance exceeds no more than with it, link by link or in all."""
    instance = tiny(seed)
    cluster = instance.cluster
    if cluster.num_jobs < 2:
        return
    fewer = Cluster.build(cluster.links, cluster.jobs[:-1], levels=2, name="fewer")
    smaller = TimeShiftsInstance(fewer, step_s=1.0)
    less = run(name, smaller)[1].value / smaller.turn
    more = run(name, instance)[1].value / instance.turn
    assert less <= more + 1e-9
    assert score(instance, run(name, instance)[1].value) <= 1


@pytest.mark.parametrize("name", sorted(SOLVERS))
@pytest.mark.parametrize("time_s", [0.0, 1e-3, 0.05])
def test_no_time_is_no_excuse(name, time_s):
    """With next to no time a solver still answers truthfully, and does not raise."""
    for seed in range(5):
        instance = tiny(seed)
        best = run("cp-sat", instance)[1].value
        answer, judgement = run(name, instance, time_s)
        assert judgement.value >= best
        assert answer.bound is None or answer.bound <= best
