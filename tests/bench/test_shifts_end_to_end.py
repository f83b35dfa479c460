"""Time shifts through the command line: solve, verify, simulate, sweep, check, report."""

import json
from pathlib import Path

import pytest

from kcut.time_shifts import CAPACITY
from kcut_bench.report import write_report
from kcut_bench.results import load_results
from kcut_bench.tables_shifts import shifts_figure, shifts_table

PAIR = {
    "format": "kcut/cluster",
    "version": 1,
    "name": "gpt beside bert",
    "levels": 2,
    "links": [{"name": "e", "source": "a", "target": "b", "bandwidth": 25e9}],
    "jobs": [
        {
            "name": "gpt",
            "gpus": 64,
            "compute_s": 1.03,
            "work": 9.2e15,
            "flows": [{"source": "a", "target": "b", "bytes": 12.5e9}],
        },
        {
            "name": "bert",
            "gpus": 16,
            "compute_s": 0.5,
            "work": 1e15,
            "flows": [{"source": "a", "target": "b", "bytes": 6.25e9}],
        },
    ],
}
SPEC = """
name = "shifts"
problem = "time-shifts"
limits = {time_s = 5}
[[instances]]
files = ["c.json"]
[[instances]]
family = "clos-jobs"
levels = [2]
params = {num_jobs = 4, hosts = 6, tors = 2}
[[solvers]]
name = "none"
[[solvers]]
name = "cassini"
params = {hold = [0.0, 0.05]}
[[solvers]]
name = "cp-sat"
"""


@pytest.fixture
def cluster(kcut_here):
    """Write two jobs of nearly 2 : 1 on a link."""
    Path("c.json").write_text(json.dumps(PAIR))


def solve(kcut_here, solver, *words):
    """Solve the cluster and return the exit code and the object printed."""
    command = ("solve", "c.json", "--problem", "time-shifts", "--solver", solver, "--json")
    code, out, _ = kcut_here(*command, *words)
    return code, json.loads(out)


@pytest.mark.parametrize("solver", ["cassini", "cp-sat", "enumerate", "none"])
def test_solve_verify_and_simulate_agree(kcut_here, cluster, solver):
    """The file that solve writes verifies, and simulating it gives the utilisation printed."""
    code, solved = solve(kcut_here, solver, "-o", "s.json")
    assert code == 0
    assert solved["shifts_s"] == [steps * solved["step_s"] for steps in solved["shifts"]]
    assert len(solved["hold_s"]) == len(solved["period_steps"]) == 2
    (link,) = solved["links"]
    assert (link["name"], link["jobs"], link["steps"]) == ("e", ["gpt", "bert"], 98)
    assert link["excess"] == solved["value"]
    assert solved["score"] == link["score"] == 1 - solved["value"] / (98 * CAPACITY)
    if solver != "none":
        assert (solved["value"], solved["score"], solved["proven"]) == (0, 1.0, True)
        assert solved["utilisation"] > solved["utilisation_tied"]
    code, out, _ = kcut_here("verify", "c.json", "s.json", "--json")
    found = json.loads(out)
    assert (code, found["value"], found["score"]) == (0, solved["value"], solved["score"])
    _, out, _ = kcut_here("simulate", "c.json", "--solution", "s.json", "--json")
    shown = json.loads(out)
    assert shown["utilisation"] == pytest.approx(solved["utilisation"], abs=5e-3)
    assert shown["max_slowdown"] == pytest.approx(solved["max_slowdown"], abs=5e-3)


def test_drift_wears_shifts_off(kcut_here, cluster):
    """Where computations vary, the utilisation falls back towards that without shifts."""
    _, solved = solve(kcut_here, "cassini")
    assert solved["utilisation_tied"] - 0.02 < solved["utilisation_drift"]
    assert solved["utilisation_drift"] < solved["utilisation"] - 0.02


def test_false_solutions_are_refused(kcut_here, cluster):
    """Wrong numbers are a negative verdict; shifts that do not fit are bad input."""
    solve(kcut_here, "cassini", "-o", "s.json")
    stated = json.loads(Path("s.json").read_text())
    wrong = {
        "value": {"value": 5},
        "bound": {"bound": 7},
        "certificate": {"certificate": [1]},
        "shifts": {"shifts": [98, 0]},
        "short": {"shifts": [0]},
    }
    for name, change in wrong.items():
        Path(f"{name}.json").write_text(json.dumps(stated | change))
        assert kcut_here("verify", "c.json", f"{name}.json")[0] == 1, name
    Path("step.json").write_text(json.dumps(stated | {"step_s": 1e-5}))
    for command in (("verify", "c.json", "step.json"), ("simulate", "c.json", "--solution")):
        code, _, err = kcut_here(*command, *(["step.json"] if command[-1] == "--solution" else []))
        assert code == 2
        assert "step.json: step_s: makes a circle of" in err
    words = ("simulate", "c.json", "--solution", "s.json", "--shifts", "0,0")
    assert kcut_here(*words)[0] == 2
    Path("none.json").write_text(json.dumps({**stated, "shifts": None}))
    assert kcut_here("verify", "c.json", "none.json")[0] == 2


def test_parameters_are_checked(kcut_here, cluster):
    """Too fine a step, a negative one and a limit out of range name the parameter."""
    for param, word in (
        ("step_s=0.0001", "step_s: makes a circle of"),
        ("step_s=-1", "step_s"),
        ("max_steps=0", "max_steps"),
        ("max_steps=100", "max_steps: must be at least 2,520"),
        ("hold=2", "hold"),
    ):
        command = ("solve", "c.json", "--problem", "time-shifts", "--solver", "none", "-p", param)
        code, _, err = kcut_here(*command, *(["-p", "hold=0"] if "0001" in param else []))
        assert code == 2, param
        assert word in err


@pytest.mark.slow
def test_sweep_check_and_report(kcut_here, cluster, tmp_path):
    """Rows of time shifts pass the check; table, figure and page show score and utilisation."""
    Path("shifts.toml").write_text(SPEC)
    assert kcut_here("sweep", "shifts.toml", "--store", "store")[0] == 0
    assert kcut_here("check", "store")[0] == 0
    results = load_results(Path("store"))
    table = shifts_table(results)
    names = [column.key for column in table.columns]
    shown = {row[0]: dict(zip(names, row, strict=True)) for row in table.rows}
    assert set(shown) == {"cassini hold=0.0", "cassini hold=0.05", "cp-sat", "none"}
    assert all(cells["num_instances"] == 2 for cells in shown.values())
    held = shown["cassini hold=0.05"]
    assert held["mean_shifted"] > held["mean_unshifted"]
    assert held["mean_shifted_drift"] < held["mean_shifted"]
    assert shown["cp-sat"]["mean_score"] >= held["mean_score"] >= shown["none"]["mean_score"]
    assert [len(panel.series) for panel in shifts_figure(results).panels] == [4, 4]
    page = write_report(Path("store"), tmp_path / "report")[0].read_text(encoding="utf-8")
    section = page.partition('<section id="time-shifts"')[2].partition("</section>")[0]
    assert "<table" in section
    assert (tmp_path / "report" / "figures" / "fairness.pdf").is_file()
