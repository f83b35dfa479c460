"""Every priority solver on every kind of instance keeps the contract."""

import json

import numpy as np
import pytest

from kcut import Claim, Limits, Termination, Verdict, judge
from kcut.priority import OBJECTIVES
from kcut_bench.isolate import LocalProcesses
from kcut_bench.plan import expand
from kcut_bench.spec import parse_spec
from tests.contract.priority_instances import SOLVERS, instances, run

INSTANCES = instances()
NEED_CLUSTER = {"crux", "crux-all-pairs", "sebf", "bssi", "taccl-star", "leveller-style"}


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_answers_hold(name):
    """Nothing is rejected, an exact solver's optimum of gains is proven, and runs repeat."""
    for label, plain in INSTANCES.items():
        objectives = OBJECTIVES if plain.cluster is not None else ("gains",)
        for objective in objectives:
            instance = plain.with_objective(objective)
            answer = run(name, instance, limits=Limits(10.0))
            found = judge(instance, answer, "priority")
            where = (label, objective, found, answer.detail)
            if answer.termination is Termination.SKIPPED:
                assert plain.cluster is None
                assert name in NEED_CLUSTER, where
                continue
            assert found.verdict is not Verdict.REJECTED, where
            assert found.value is not None, where
            if name.startswith("lop-") and SOLVERS[name].exact and objective == "gains":
                assert found.proven, where
            again = run(name, instance, limits=Limits(10.0))
            assert np.array_equal(answer.solution, again.solution), where


@pytest.mark.parametrize("name", sorted(SOLVERS))
def test_no_time_is_no_error(name):
    """With next to no time a solver answers something that holds, or nothing."""
    for label in ("clos", "matrix-random"):
        instance = INSTANCES[label]
        answer = run(name, instance, limits=Limits(1e-4))
        assert judge(instance, answer, "priority").verdict is not Verdict.REJECTED
        assert answer.claim is not Claim.INFEASIBLE


@pytest.mark.slow
def test_as_a_sweep_runs_them(tmp_path):
    """Every solver on generated clusters and matrices, isolated: nothing crashes or is rejected."""
    text = """
name = "orders"
problem = "priority"
limits = {time_s = 10.0}
[[instances]]
family = "contending-jobs"
params = {num_jobs = 4, fabric = "clos"}
[[instances]]
family = "io-like"
params = {num_jobs = 8}
""" + "".join(f'[[solvers]]\nname = "{name}"\n' for name in sorted(SOLVERS))
    runs = expand(parse_spec(text, "orders.toml"), tmp_path, "orders.toml")
    rows = []
    LocalProcesses().run_all(runs, 2, lambda run, row: rows.append(row))
    assert len(rows) == 2 * len(SOLVERS)
    for row in rows:
        assert row.termination in ("finished", "skipped"), row
        assert row.verdict != "rejected", row
        assert (row.utilisation is not None) == (row.family == "contending-jobs"), row
        if row.exact and row.family == "io-like":
            assert row.proven, row
        json.loads(row.incumbents)
