"""Traps of the libraries behind the solvers: that they are there, and that we do not fall in."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pulp
import pytest
from ortools.graph.python import max_flow, min_cost_flow
from ortools.sat.python import cp_model

from kcut import (
    Answer,
    Claim,
    CompressionInstance,
    Limits,
    SolverError,
    Termination,
    Verdict,
    bound,
    cut_value,
    judge,
)
from kcut_solvers import certify, compression_milp, cp_sat, floats, pulp_adapter
from kcut_solvers.compression import min_cost_flow as flow_solver
from tests.contract.instances import certified, each, edge_cases, middling, random_dag, run

VERSION_4 = pulp_adapter.is_version_4(pulp)


class Pretender(pulp.LpSolver):
    """A PuLP solver that reports what it is told, with numbers of its own in the variables."""

    def __init__(self, number, proven, found):
        super().__init__(msg=False, timeLimit=60.0)
        self.number, self.proven, self.found = number, proven, found

    def actualSolve(self, lp, **_):  # noqa: N802 (PuLP's name)
        """Fill in the numbers and report."""
        for variable in lp.variables():
            variable.varValue = self.number(variable)
        if VERSION_4:
            reached = pulp.LpSolveStatus.Optimal if self.proven else pulp.LpSolveStatus.TimeLimit
            start = (time.time(), time.process_time())
            return self.buildStats(lp, reached, self.found, start=start)
        optimal, feasible, nothing = (
            pulp.LpSolutionOptimal,
            pulp.LpSolutionIntegerFeasible,
            pulp.LpSolutionNoSolutionFound,
        )
        solution = optimal if self.proven else feasible if self.found else nothing
        status = pulp.LpStatusOptimal if self.found else pulp.LpStatusNotSolved
        lp.assignStatus(status, solution)
        return status


@pytest.fixture
def pretend(monkeypatch):
    """Put a pretender in the place of CBC."""

    def install(number, proven=False, found=True):
        pretender = Pretender(number, proven, found)
        monkeypatch.setattr(pulp_adapter, "make_solver", lambda *_: pretender)

    return install


def market_split():
    """Return a minimisation problem with easy solutions and no quick proof."""
    rng = np.random.default_rng(0)
    problem = pulp.LpProblem("split", pulp.LpMinimize)
    x = [problem.add_variable(f"x{j}", 0, 1, pulp.LpInteger) for j in range(40)]
    miss = [problem.add_variable(f"s{i}", 0, None) for i in range(10)]
    problem += pulp.lpSum(miss)
    for i in range(5):
        row = rng.integers(0, 100, len(x)).tolist()
        split = pulp.lpDot(row, x) - sum(row) // 2
        problem += split + miss[2 * i] - miss[2 * i + 1] == 0
    return problem


@pytest.mark.parametrize("name", ["cbc", "highs"])
def test_pulp_says_optimal_at_a_time_limit(name):
    """A run stopped by the clock is not proven, whatever PuLP's status says."""
    problem = market_split()
    interface = pulp_adapter.make_solver(pulp, name, Limits(), 1.0)
    if interface is None:
        pytest.skip(f"{name} is not installed")
    outcome = pulp_adapter.run(pulp, problem, interface)
    assert outcome.found
    assert outcome.stopped
    assert not outcome.proven
    if not VERSION_4:
        assert problem.status == pulp.LpStatusOptimal, "the trap"


def test_milp_claims_no_optimum_at_a_time_limit(pretend):
    """An incumbent at the limit is feasible, never optimal."""
    instance = middling(0)
    pretend(lambda _: 0.0)
    answer = compression_milp.solve(instance, "cbc", Limits())
    assert answer.claim is Claim.FEASIBLE
    assert answer.termination is Termination.TIME_LIMIT
    assert judge(instance, answer).value == 0


def test_milp_ignores_numbers_of_a_problem_not_solved(pretend):
    """PuLP fills the variables of an unsolved problem too; they are no solution."""
    pretend(lambda _: 0.5, found=False)
    answer = compression_milp.solve(middling(0), "cbc", Limits())
    assert answer.solution is None
    assert answer.claim is Claim.NONE
    assert answer.termination is Termination.TIME_LIMIT


def test_milp_value_is_never_better_than_its_levels(pretend):
    """Super-optimal numbers, here nothing uncut with all levels equal, are worth their levels."""
    instance = middling(0)
    pretend(lambda variable: 0.0, proven=True)
    answer = certified(instance, compression_milp.solve(instance, "cbc", Limits()))
    judgement = judge(instance, answer)
    assert judgement.value == 0
    assert judgement.verdict is Verdict.UNVERIFIABLE


@pytest.mark.parametrize("number", [float("nan"), None, 1e300])
def test_milp_survives_numbers_that_are_none(pretend, number):
    """Variables without a number give no solution or a feasible one, and no exception."""
    instance = middling(0)
    pretend(lambda _: number, proven=True)
    answer = compression_milp.solve(instance, "cbc", Limits())
    assert judge(instance, certified(instance, answer)).verdict is Verdict.UNVERIFIABLE


def test_milp_refuses_levels_that_run_upward(pretend):
    """Numbers that round to infeasible levels are no solution, even if said to be optimal."""
    instance = CompressionInstance.from_edges(3, [0, 1], [1, 2], [1, 1], levels=2)
    pretend(lambda variable: 1.0 if variable.name == "L2" else 0.0, proven=True)
    answer = compression_milp.solve(instance, "cbc", Limits())
    assert answer.solution is None
    assert "infeasible" in answer.detail


@pytest.mark.parametrize("name", ["cbc", "highs"])
def test_pulp_gap_is_forced_to_zero(name):
    """Without a forced gap a solver calls a solution within it optimal."""
    interface = pulp_adapter.make_solver(pulp, name, Limits(), None)
    if interface is None:
        pytest.skip(f"{name} is not installed")
    gaps = [getattr(interface, g, None) for g in ("gapRel", "gapAbs")]
    options = [interface.optionsDict.get(g) for g in ("gapRel", "gapAbs")]
    assert 0.0 in (gaps[0], options[0])
    assert 0.0 in (gaps[1], options[1])


def test_cbc_is_not_started_with_one_thread():
    """CBC 2.10 told to use one thread waits 10 s at random; it is serial when told nothing."""
    interface = pulp_adapter.make_solver(pulp, "cbc", Limits(threads=1), None)
    if interface is None:
        pytest.skip("cbc is not installed")
    assert not any("threads" in option for option in interface.getOptions())
    parallel = pulp_adapter.make_solver(pulp, "cbc", Limits(threads=2), None)
    assert "threads 2" in parallel.getOptions()


def test_cbc_missing_is_a_skip(monkeypatch):
    """Where PuLP brings no CBC and none is installed, the run is skipped with the reason."""
    monkeypatch.setattr(pulp_adapter, "find_cbc", lambda _: None)
    answer = run("milp-cbc", middling(0))
    assert answer.termination is Termination.SKIPPED
    assert answer.detail == "cbc is not installed"


def test_optimal_within_a_gap_is_not_verified():
    """Levels claimed to be optimal because of a relative gap are found out by the judge."""
    instance = middling(0)
    best = run("min-cost-flow", instance).solution
    for levels in np.eye(instance.num_jobs, dtype=np.int64)[instance.order[:1]]:
        claimed = certified(instance, Answer(Claim.OPTIMAL, levels))
        assert cut_value(instance, levels) < cut_value(instance, best)
        assert claimed.certificate is None
        assert judge(instance, claimed).verdict is Verdict.UNVERIFIABLE


def test_cp_sat_relative_gap_says_optimal(monkeypatch):
    """CP-SAT ends as OPTIMAL within a relative gap; our engine allows none."""
    asked = []
    original = cp_model.CpSolver.solve

    def spy(self, *arguments):
        asked.append(self.parameters.relative_gap_limit)
        return original(self, *arguments)

    monkeypatch.setattr(cp_model.CpSolver, "solve", spy)
    assert run("cp-sat", middling(0)).claim is Claim.OPTIMAL
    assert asked == [0.0]
    model, solver = cp_model.CpModel(), cp_model.CpSolver()
    x = [model.new_bool_var("") for _ in range(60)]
    rng = np.random.default_rng(1)
    for _ in range(4):
        model.add(cp_model.LinearExpr.weighted_sum(x, rng.integers(1, 100, 60).tolist()) >= 900)
    model.minimize(cp_model.LinearExpr.weighted_sum(x, rng.integers(50, 100, 60).tolist()))
    solver.parameters.num_workers = 1
    solver.parameters.relative_gap_limit = 0.99
    assert solver.status_name(solver.solve(model)) == "OPTIMAL"
    assert solver.objective_value > solver.best_objective_bound, "the trap"


def dense_model():
    """Return a model that CP-SAT does not solve at once, as our engine wants it."""
    rng = np.random.default_rng(0)
    model = cp_model.CpModel()
    levels = [model.new_int_var(0, 7, "") for _ in range(300)]
    instance = random_dag(rng, 300, 4000, 8, lambda m: rng.integers(1, 9, m), name="dense")
    uncut = [model.new_bool_var("") for _ in range(instance.num_edges)]
    for u, v, z in zip(instance.upper.tolist(), instance.lower.tolist(), uncut, strict=True):
        model.add(levels[u] - levels[v] + z >= 1)
    model.minimize(cp_model.LinearExpr.weighted_sum(uncut, instance.weight.tolist()))
    return cp_sat.Problem(model, levels, lambda v: v, lambda v: cut_value(instance, v), 0)


def test_cp_sat_unknown_is_no_solution_of_value_0():
    """CP-SAT's value is 0.0 where it found nothing; the answer has no value at all."""
    problem = dense_model()
    limits = Limits(time_s=0.005)
    answer = cp_sat.solve(problem, limits, np.random.default_rng(0), time.perf_counter())
    assert answer.detail == "UNKNOWN"
    assert answer.solution is None
    assert answer.bound is None
    assert answer.termination is Termination.TIME_LIMIT
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = 0.005
    solver.parameters.num_workers = 1
    assert solver.solve(problem.model) == cp_model.UNKNOWN
    assert solver.objective_value == 0.0, "the trap"


def test_cp_sat_objective_is_exact_above_2_to_53():
    """Bound and incumbents are integers, where CP-SAT's float objective is off by units."""
    instance, best = edge_cases()["huge-odd"]
    assert int(float(best)) != best, "the trap"
    answer = run("cp-sat", instance)
    assert answer.claim is Claim.OPTIMAL
    assert cut_value(instance, answer.solution) == best
    assert answer.bound == best
    assert answer.incumbents[-1].value == best


def test_cp_sat_declines_sums_that_could_overflow():
    """Where CP-SAT finds the model invalid, the run is skipped with its reason."""
    instance, _ = edge_cases()["huge-total"]
    answer = run("cp-sat", instance)
    assert answer.termination is Termination.SKIPPED
    assert "overflow" in answer.detail


def test_min_cost_flow_saturates_silently():
    """OR-tools says OPTIMAL with a saturated cost; we decline before it comes to that."""
    network = min_cost_flow.SimpleMinCostFlow()
    for capacity in (2**61, 2**61):
        network.add_arc_with_capacity_and_unit_cost(0, 1, capacity, 8)
    network.set_node_supply(0, 2**62)
    network.set_node_supply(1, -(2**62))
    assert network.solve() == network.OPTIMAL
    assert network.optimal_cost() != 8 * 2**62, "the trap"
    weight = [2**60, 2**60, 2**60]
    instance = CompressionInstance.from_edges(9, [0, 1, 2], [1, 2, 3], weight, levels=3)
    assert run("min-cost-flow", instance).termination is Termination.SKIPPED
    assert "2^63" in run("min-cost-flow", instance).detail


def test_min_cost_flow_just_below_the_limit_is_exact():
    """The largest total weight that is not declined is solved to the unit."""
    weight = [2**60 - 1, 2**60, 2**60 - 3]
    instance = CompressionInstance.from_edges(4, [0, 1, 2], [1, 2, 3], weight, levels=2)
    assert instance.levels * instance.total_weight < flow_solver.LARGEST_COST
    answer = run("min-cost-flow", instance)
    assert cut_value(instance, answer.solution) == bound(instance, answer.certificate) == 2**60


def test_min_cost_flow_reads_no_cost_of_a_failed_run(monkeypatch):
    """BAD_COST_RANGE has cost 0, and its flows must not be read: there is no answer."""

    def build(_):
        network = min_cost_flow.SimpleMinCostFlow()
        arc = network.add_arc_with_capacity_and_unit_cost(0, 1, 5, 2**62)
        network.set_node_supply(0, 5)
        network.set_node_supply(1, -5)
        return network, np.array([arc], np.int32)

    network, _ = build(None)
    assert network.solve() == network.BAD_COST_RANGE
    assert network.optimal_cost() == 0, "the trap"
    monkeypatch.setattr(flow_solver, "_build", build)
    answer = run("min-cost-flow", middling(0))
    assert answer.solution is None
    assert answer.bound is None
    assert answer.termination is Termination.CRASHED
    assert "BAD_COST_RANGE" in answer.detail


def test_max_flow_overflow_is_an_error(monkeypatch):
    """OR-tools reports sums it cannot be sure of; certification then raises, and says so."""
    network = max_flow.SimpleMaxFlow()
    for middle in (1, 2):
        network.add_arc_with_capacity(0, middle, 2**62)
        network.add_arc_with_capacity(middle, 3, 2**62)
    assert network.solve(0, 3) == network.POSSIBLE_OVERFLOW, "the trap"

    class Unsure(max_flow.SimpleMaxFlow):
        def solve(self, source, sink):
            return self.POSSIBLE_OVERFLOW

    monkeypatch.setattr(max_flow, "SimpleMaxFlow", Unsure)
    instance = CompressionInstance.from_edges(3, [0, 1], [1, 2], [5, 3], levels=2)
    with pytest.raises(SolverError, match="POSSIBLE_OVERFLOW"):
        certify.cover_from_levels(instance, np.array([1, 0, 0]))


def test_sums_of_64_bits_do_not_wrap():
    """Values and bounds beyond 2^63 are exact where int64 would wrap to something negative."""
    instance, best = edge_cases()["huge-in-degree"]
    cover = np.full(3, 2**62 - 1)
    wrapped = np.sum(cover, dtype=np.int64)
    assert wrapped < 0 or wrapped != 3 * (2**62 - 1), "the trap"
    assert bound(instance, cover) >= best
    assert cut_value(instance, np.array([1, 1, 1, 0])) == best == 2**62


def test_floats_cannot_tell_a_unit_in_2_to_60():
    """A float optimum that misses units of weight is feasible, never claimed to be optimal."""
    instance, best = edge_cases()["huge-range"]
    wrong = np.array([1.0, 1.0, 0.0, 0.0])
    checked = floats.check_levels(instance, wrong, proven=True)
    assert checked.claim is Claim.FEASIBLE
    assert cut_value(instance, checked.levels) < best
    right = floats.check_levels(instance, np.array([2.0, 2.0, 1.0, 0.0]), proven=True)
    assert right.claim is Claim.OPTIMAL
    assert bound(instance, right.cover) == best


@pytest.mark.parametrize("residual", [0.0, 12.0, 11.9999999, 12.0000001, -3.0])
def test_float_bounds_are_rounded_outward(residual):
    """A float bound on the residual gives at least the bound its exact value would."""
    instance = middling(0)
    exact = instance.total_weight - max(0, round(residual))
    assert floats.cut_bound(instance, residual) == exact
    assert floats.cut_bound(instance, float("inf")) is None
    assert floats.cut_bound(instance, None) is None


@pytest.mark.parametrize("name", each(["lp-highs", "milp-highs", "milp-cbc", "cp-sat"]))
def test_threads_may_change_from_run_to_run(name):
    """HiGHS refuses another number of threads in the same process unless its pool is let go."""
    for threads in (1, 2, 1):
        answer = run(name, middling(0), limits=Limits(threads=threads))
        assert answer.claim is Claim.OPTIMAL


def test_solvers_print_nothing():
    """HiGHS's banner and the others' logs stay off standard output, which belongs to results."""
    code = (
        "import sys; from tests.contract.instances import SOLVERS, middling, run\n"
        "for name in SOLVERS: run(name, middling(0))\n"
        "print('alone')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=100
    )
    assert done.stdout == "alone\n"
    assert done.stderr == ""


def test_ctrl_c_ends_cp_sat():
    """CP-SAT takes Ctrl-C for a time limit and answers; here it interrupts the program."""
    rng = np.random.default_rng(3)
    instance = random_dag(rng, 800, 16_000, 8, lambda m: rng.integers(1, 9, m), name="big")
    # CP-SAT's own handling, as the tests above use it, leaves no handler at all behind.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main = threading.main_thread().ident
    threading.Timer(2.0, signal.pthread_kill, (main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        run("cp-sat", instance, limits=Limits(time_s=30.0))
