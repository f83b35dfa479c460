"""Path selection through the command line: solve, verify, simulate, sweep, check, report."""

import json
import sqlite3
from pathlib import Path

import pytest

from kcut_bench.results import load_results
from kcut_bench.store import FILE_NAME, open_store
from kcut_bench.tables_paths import PREDICTORS, correlation_table, paths_gap_table

SPEC = """
name = "paths"
problem = "paths"
limits = {time_s = 20}
[[instances]]
family = "clos-paths"
levels = [2]
params = {num_jobs = 6, tors = 3, aggs = 2}
[[solvers]]
name = "ecmp"
seeds = [1, 2]
[[solvers]]
name = "crux"
[[solvers]]
name = "cp-sat"
[[solvers]]
name = "local-search"
params = {objective = "predicted-utilisation", stretch = 1.0}
"""


@pytest.fixture
def cluster(kcut_here):
    """Generate a small cluster."""
    params = ("-p", "num_jobs=8", "-p", "tors=3", "-p", "aggs=2")
    assert kcut_here("generate", "clos-paths", *params, "--levels", 2, "-o", "c.json")[0] == 0


def solve(kcut_here, solver, *words):
    """Solve the cluster and return the exit code and the object printed."""
    command = ("solve", "c.json", "--problem", "paths", "--solver", solver, "--json")
    code, out, _ = kcut_here(*command, *words)
    return code, json.loads(out)


def test_solve_verify_and_simulate_agree(kcut_here, cluster):
    """The file that solve writes verifies, and simulating it gives the utilisation printed."""
    code, solved = solve(kcut_here, "cp-sat", "-o", "s.json")
    assert code == 0
    assert [len(row) for row in solved["paths"]] == [
        len(job["flows"]) for job in json.loads(Path("c.json").read_text())["jobs"]
    ]
    names = {"contention", "max-load", "residual", "predicted-utilisation", "simulated"}
    assert solved["objectives"].keys() == names
    assert solved["value"] == solved["objectives"]["contention"]
    assert type(solved["value"]) is type(solved["bound"]) is int
    code, out, _ = kcut_here("verify", "c.json", "s.json", "--json")
    found = json.loads(out)
    assert (code, found["value"], found["optimal"]) == (0, solved["value"], solved["proven"])
    _, out, _ = kcut_here("simulate", "c.json", "--solution", "s.json", "--json")
    assert json.loads(out)["utilisation"] == pytest.approx(solved["utilisation"], abs=5e-3)


def test_false_solutions_are_refused(kcut_here, cluster, tmp_path):
    """A wrong value is a negative verdict; a path that does not exist is bad input."""
    solve(kcut_here, "crux", "-o", "s.json")
    stated = json.loads(Path("s.json").read_text())
    Path("value.json").write_text(json.dumps(stated | {"value": stated["value"] + 1}))
    assert kcut_here("verify", "c.json", "value.json")[0] == 1
    stated["paths"][0][0] = 99
    Path("path.json").write_text(json.dumps(stated))
    code, _, err = kcut_here("verify", "c.json", "path.json")
    assert code == 2
    assert "path.json" in err
    assert "99" in err


def test_objective_and_stretch_are_parameters_of_every_solver(kcut_here, cluster):
    """They choose what is judged; an unknown objective is bad input."""
    code, solved = solve(kcut_here, "local-search", "-p", "objective=max-load", "-p", "stretch=1")
    assert (code, solved["objective"], solved["stretch"]) == (0, "max-load", 1.0)
    assert solved["value"] == solved["objectives"]["max-load"]
    words = ("solve", "c.json", "--problem", "paths", "--solver", "crux", "-p", "objective=best")
    assert kcut_here(*words)[0] == 2


@pytest.mark.slow
def test_sweep_check_and_tables(kcut_here, tmp_path):
    """Rows of path selection pass the check, and the tables measure gaps down to the bound."""
    (tmp_path / "paths.toml").write_text(SPEC)
    assert kcut_here("sweep", str(tmp_path / "paths.toml"), "--store", "store")[0] == 0
    assert kcut_here("check", "store")[0] == 0
    results = load_results(Path("store"))
    table = paths_gap_table(results)
    gap = [column.key for column in table.columns].index("median_gap")
    gaps = {str(row[0]): row[gap] for row in table.rows}
    assert gaps["cp-sat"] == 0
    assert 0 <= gaps["crux"] <= 1
    assert {row[0] for row in correlation_table(results).rows} == set(PREDICTORS)


@pytest.mark.slow
def test_check_evaluates_every_objective(kcut_here, tmp_path):
    """A row that states another value under any objective does not pass the check."""
    spec = SPEC.partition("[[solvers]]")[0] + '[[solvers]]\nname = "crux"\n'
    (tmp_path / "paths.toml").write_text(spec)
    assert kcut_here("sweep", str(tmp_path / "paths.toml"), "--store", "store")[0] == 0
    with open_store(Path("store")) as store:
        (row,) = store.records()
    stated = json.loads(row.objectives)
    assert stated["contention"] == row.value
    connection = sqlite3.connect(Path("store") / FILE_NAME)
    for name, value in stated.items():
        false = json.dumps(stated | {name: value * 1.001 + 1})
        with connection:
            connection.execute("UPDATE runs SET objectives = ?", (false,))
        code, out, err = kcut_here("check", "store")
        assert code == 1
        assert f"objectives: {name}" in out + err
    connection.close()
