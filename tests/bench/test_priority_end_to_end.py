"""Priority orders through the command line: generate, solve, verify, simulate, sweep, report."""

import json
from pathlib import Path

import pytest

from kcut_bench.results import load_results
from kcut_bench.tables_priority import kind_table, order_table, undefined_table, weights_table

SPEC = """
name = "orders"
problem = "priority"
limits = {time_s = 10}
[[instances]]
family = "contending-jobs"
params = {num_jobs = 4, load = 1.2, overlap = [0.0, 0.5]}
[[instances]]
family = "random-lop"
params = {num_jobs = 6}
[[solvers]]
name = "crux"
[[solvers]]
name = "lop-milp"
[[solvers]]
name = "enumerate"
"""
WEIGHTS = """
name = "weights"
[[instances]]
family = "contending-jobs"
levels = [2]
params = {num_jobs = 6, fabric = "clos", weights = ["intensity", "replay"]}
[[solvers]]
name = "min-cuts"
"""


@pytest.fixture
def cluster(kcut_here):
    """Generate a small cluster."""
    params = ("-p", "num_jobs=5", "-p", "load=1.2")
    assert kcut_here("generate", "contending-jobs", *params, "-o", "c.json")[0] == 0


def solve(kcut_here, file, solver, *words):
    """Solve a file and return the exit code and the object printed."""
    code, out, _ = kcut_here(
        "solve", file, "--problem", "priority", "--solver", solver, "--json", *words
    )
    return code, json.loads(out)


def test_solve_verify_and_simulate_agree(kcut_here, cluster):
    """The file that solve writes verifies, and simulating it gives the utilisation printed."""
    code, solved = solve(kcut_here, "c.json", "crux", "-o", "s.json")
    assert code == 0
    assert sorted(solved["order"]) == [0, 1, 2, 3, 4]
    assert solved["objectives"].keys() == {"gains", "slowdown", "utilisation"}
    assert solved["value"] == solved["objectives"]["utilisation"]
    code, out, _ = kcut_here("verify", "c.json", "s.json", "--json")
    assert (code, json.loads(out)["value"]) == (0, solved["value"])
    _, out, _ = kcut_here("simulate", "c.json", "--solution", "s.json", "--json")
    assert json.loads(out)["utilisation"] == pytest.approx(solved["utilisation"], abs=5e-3)


def test_gains_are_proven_in_the_file(kcut_here, cluster):
    """The optimum of the gains verifies as optimal by its certificate; a lie is told."""
    words = ("-p", "objective=gains", "-o", "s.json")
    code, solved = solve(kcut_here, "c.json", "lop-milp", *words)
    assert (code, solved["proven"], solved["gap"]) == (0, True, 0)
    code, out, _ = kcut_here("verify", "c.json", "s.json", "--json")
    assert (code, json.loads(out)["optimal"]) == (0, True)
    stated = json.loads(Path("s.json").read_text())
    changes = (
        {"order": stated["order"][::-1]},
        {"order": [0, 0, 1, 2, 3]},
        {"value": stated["value"] + 1},
        {"bound": stated["value"] - 1},
        {"certificate": stated["certificate"][:-1]},
    )
    for change in changes:
        Path("lie.json").write_text(json.dumps(stated | change))
        assert kcut_here("verify", "c.json", "lie.json")[0] == 1, change


def test_a_matrix_is_ordered_and_nothing_else(kcut_here):
    """A generated matrix is solved to a proof; what needs a cluster is bad input."""
    assert kcut_here("generate", "random-lop", "-p", "num_jobs=9", "-o", "m.json")[0] == 0
    code, out, _ = kcut_here("solve", "m.json", "--solver", "enumerate", "--json", "-o", "s.json")
    solved = json.loads(out)
    assert (code, solved["proven"], type(solved["value"])) == (0, True, int)
    assert kcut_here("verify", "m.json", "s.json")[0] == 0
    for words in (
        ("solve", "m.json", "--solver", "lop-milp", "-p", "objective=slowdown"),
        ("solve", "m.json", "--solver", "lop-milp", "--weights", "replay"),
        ("solve", "m.json", "--solver", "min-cuts"),
        ("frontier", "m.json"),
        ("simulate", "m.json"),
        ("generate", "random-lop", "-o", "m.graphml"),
    ):
        code, _, err = kcut_here(*words)
        assert code == 2, words
        assert err.startswith("kcut: "), words
    # A solver that declines has no solution.
    assert kcut_here("solve", "m.json", "--solver", "crux")[0] == 3


def test_weights_of_a_cluster_are_chosen(kcut_here, cluster):
    """Edges weigh as asked for, by option or in the file, and solutions verify against either."""
    plain = ("solve", "c.json", "--solver", "min-cuts", "--levels", "2", "--json")
    values = []
    for weights in ("intensity", "replay"):
        code, out, _ = kcut_here(*plain, "--weights", weights, "-o", "s.json")
        assert code == 0
        values.append(json.loads(out)["value"])
        assert kcut_here("verify", "c.json", "s.json")[0] == 0
        assert kcut_here("simulate", "c.json", "--solution", "s.json")[0] == 0
    assert values[0] != values[1]
    params = ("-p", "num_jobs=5", "-p", "load=1.2", "-p", "weights=replay")
    assert kcut_here("generate", "contending-jobs", *params, "-o", "r.json")[0] == 0
    assert json.loads(Path("r.json").read_text())["weights"] == "replay"
    _, out, _ = kcut_here("solve", "r.json", "--solver", "min-cuts", "--levels", "2", "--json")
    assert json.loads(out)["value"] == values[1]
    assert kcut_here(*plain, "--weights", "size")[0] == 2


@pytest.mark.slow
def test_sweep_check_and_tables(kcut_here, tmp_path):
    """Rows of orders pass the check, and nothing is better than what enumeration claims."""
    (tmp_path / "orders.toml").write_text(SPEC)
    assert kcut_here("sweep", str(tmp_path / "orders.toml"), "--store", "store")[0] == 0
    assert kcut_here("check", "store")[0] == 0
    results = load_results(Path("store"))
    table = order_table(results)
    gap = [column.key for column in table.columns].index("mean_gap")
    gaps = {str(row[0]): row[gap] for row in table.rows}
    assert gaps["enumerate"] == pytest.approx(0, abs=2e-3)
    assert 0 <= gaps["crux"] <= 1
    assert len(kind_table(results).rows) == 2
    assert sum(row[2] for row in undefined_table(results).rows) == 2
    (tmp_path / "weights.toml").write_text(WEIGHTS)
    assert kcut_here("sweep", str(tmp_path / "weights.toml"), "--store", "other")[0] == 0
    assert kcut_here("check", "other")[0] == 0
    assert [row[:3] for row in weights_table(load_results(Path("other"))).rows] == [
        ("min-cuts", 2, 1)
    ]
