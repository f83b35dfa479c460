"""Tests of ``kcut simulate``, and of the other commands on a cluster."""

import json

import pytest

from kcut.contention import compression_of
from kcut.simulate import simulate
from kcut_bench.simulation import worth_of
from kcut_instances.readers import read_cluster, write_cluster
from tests.kcut.clusters import example1

CONTRACT = {"name", "iteration_s", "busy_s", "link_s", "iterations", "window_s"}
"""What a job has to say, whatever else it says."""

FIG13 = {
    "format": "kcut/compression",
    "version": 1,
    "name": "fig13",
    "levels": 2,
    "num_jobs": 4,
    "edges": [[0, 1, 3], [2, 3, 1]],
}
SIMULATE = ("simulate", "ex1.json")
WRONG = [
    (("simulate",), "CLUSTER"),
    (("simulate", "missing.json"), "missing.json: cannot be read"),
    (("simulate", "fig13.json"), "fig13.json: format: holds no cluster"),
    ((*SIMULATE, "--levels", "0,1", "--solution", "a.json"), "either --levels or --solution"),
    ((*SIMULATE, "--levels", "0,1,2"), "--levels: must give a level to each of 2 jobs"),
    ((*SIMULATE, "--levels", "0"), "--levels: must give a level to each of 2 jobs"),
    ((*SIMULATE, "--levels", "0,8"), "--levels[1]: must be between 0 and 7 (got 8)"),
    ((*SIMULATE, "--levels=-1,0"), "--levels[0]: must be between 0 and 7 (got -1)"),
    ((*SIMULATE, "--levels", "0,1.5"), "--levels[1]: must be an integer (got '1.5')"),
    ((*SIMULATE, "--levels", "0,"), "--levels[1]: must be an integer (got '')"),
    ((*SIMULATE, "--horizon", "-1"), "--horizon: must be finite and positive (got -1.0)"),
    ((*SIMULATE, "--horizon", "0"), "--horizon: must be finite and positive (got 0.0)"),
    ((*SIMULATE, "--horizon", "nan"), "--horizon: must be finite and positive (got nan)"),
    ((*SIMULATE, "--horizon", "1e12"), "--horizon: would take more than 1,000,000,000 events"),
    ((*SIMULATE, "--jitter", "1"), "--jitter: must be below 1 (got 1.0)"),
    ((*SIMULATE, "--jitter", "-0.1"), "--jitter: must be finite and not negative (got -0.1)"),
    ((*SIMULATE, "--seed", "-1"), "--seed: must not be negative (got -1)"),
    ((*SIMULATE, "--shifts", "1"), "--shifts: must give a shift to each of 2 jobs"),
    ((*SIMULATE, "--shifts", "0,x"), "--shifts[1]: must be a number (got 'x')"),
    ((*SIMULATE, "--solution", "missing.json"), "missing.json"),
    ((*SIMULATE, "--solution", "other.json"), "other.json: instance_sha256: is of another"),
    ((*SIMULATE, "--plot", "a.gif"), "--plot: must end in one of"),
    ((*SIMULATE, "--plot", "nowhere/a.svg"), "--plot: no such directory (got 'nowhere')"),
    (("solve", "ex1.json", "--solver", "min-cuts", "--problem", "nope"), "--problem: must be one"),
    (("generate", "testbed", "-p", "figure=23", "-o", "a.json"), "figure: must be one of"),
    (("generate", "clos-jobs", "-o", "a.graphml"), "a.graphml"),
]


@pytest.fixture
def cluster(tmp_path):
    """Write Example 1, a compression instance and a solution of that, and return Example 1."""
    write_cluster(example1(), tmp_path / "ex1.json")
    (tmp_path / "fig13.json").write_text(json.dumps(FIG13))
    other = {"format": "kcut/solution", "version": 1, "levels": [1, 0, 1, 0]}
    (tmp_path / "other.json").write_text(json.dumps({**other, "instance_sha256": "0" * 64}))
    return example1()


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=lambda value: str(value)[:50])
def test_bad_usage_is_one_line_and_exit_code_2(cluster, kcut_here, arguments, words):
    """Nothing on standard output, one line on standard error, and it says what is wrong where."""
    code, out, err = kcut_here(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("kcut: ")
    assert err.count("\n") == 1
    assert words in err


@pytest.mark.parametrize(
    ("levels", "shown", "link_s"),
    [("1,0", 0.375, (6, 3)), ("0,1", 0.416667, (4, 6)), ("0,0", 0.4, (4.8, 4.8))],
)
def test_example_1_through_the_command_line(cluster, kcut_here, levels, shown, link_s):
    """The paper's utilisations and link seconds per 12 s come out of the JSON."""
    code, out, _ = kcut_here(*SIMULATE, "--levels", levels, "--json")
    found = json.loads(out)
    assert code == 0
    assert round(found["utilisation"], 6) == shown
    per_12_s = [12 * job["link_s"] / job["window_s"] for job in found["jobs"]]
    assert per_12_s == pytest.approx(link_s)


def test_json_is_alone_on_stdout_and_has_the_keys_of_the_reference(cluster, kcut):
    """One line, one object; the keys are the documented ones, among them those of the contract."""
    done = kcut(*SIMULATE, "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    found = json.loads(done.stdout)
    named = {"instance", "instance_sha256", "levels", "seed", "events", "window_s", "jobs"}
    worth = {"utilisation", "utilisation_alone", "work_share", "lost_gpus", "lost_dollars_per_day"}
    worth |= {"max_slowdown", "jain"}
    assert set(found) == named | worth
    assert found["instance_sha256"] == cluster.sha256
    for job in found["jobs"]:
        assert set(job) == CONTRACT | {"gpus", "window", "slowdown"}


def test_horizon_shifts_and_jitter_reach_the_simulator(cluster, kcut_here):
    """The options change what is printed as they change what the function returns."""
    options = ("--horizon", "10", "--shifts", "0,0.5", "--jitter", "0.2", "--seed", "3")
    code, out, _ = kcut_here(*SIMULATE, "--levels", "1,0", *options, "--json")
    expected = simulate(
        cluster, [1, 0], horizon_s=10.0, shifts_s=[0.0, 0.5], jitter=0.2, seed=3
    ).utilisation
    assert (code, json.loads(out)["utilisation"]) == (0, expected)
    assert expected != simulate(cluster, [1, 0], horizon_s=10.0).utilisation


def test_table_and_plot(cluster, kcut_here, tmp_path):
    """Without --json a table and the utilisation are printed; the plot is a picture."""
    code, out, _ = kcut_here(*SIMULATE, "--levels", "1,0", "--plot", "line.svg")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == ["job", "J1", "J2", "utilisation"]
    assert "utilisation 37.5 %, 50 % if no job met another" in out
    assert "</svg>" in (tmp_path / "line.svg").read_text(encoding="utf-8")


def test_solve_then_simulate_then_verify(kcut_here, tmp_path):
    """A solution of a cluster is simulated with its levels, and verified on the contention DAG."""
    made = ("-p", "num_jobs=12", "--levels", "2", "--seed", "2")
    assert kcut_here("generate", "clos-jobs", *made, "-o", "c.json")[0] == 0
    code, out, _ = kcut_here("solve", "c.json", "--solver", "min-cuts", "--json", "-o", "s.json")
    solved = json.loads(out)
    assert (code, solved["proven"], solved["residual"] > 0) == (0, True, True)
    cluster = read_cluster(tmp_path / "c.json")
    assert solved["instance_sha256"] == compression_of(cluster).sha256
    code, out, _ = kcut_here("simulate", "c.json", "--solution", "s.json", "--json")
    simulated = json.loads(out)
    assert (code, simulated["levels"]) == (0, solved["levels"])
    assert simulated["utilisation"] == simulate(cluster, solved["levels"]).utilisation
    code, out, _ = kcut_here("verify", "c.json", "s.json", "--json")
    checked = json.loads(out)
    assert (code, checked["verdict"], checked["value"]) == (0, "verified", solved["value"])


def test_solution_with_more_levels_than_the_file(cluster, kcut_here, tmp_path):
    """K is the solution's where it states one, so a solution of --levels 20 can be simulated."""
    solve = ("solve", "ex1.json", "--solver", "min-cuts", "--levels", "20", "-o", "s.json")
    assert kcut_here(*solve)[0] == 0
    stated = json.loads((tmp_path / "s.json").read_text())
    stated |= {"levels": [19, 0], "cover": None, "value": None, "bound": None, "gap": None}
    kept = {key: value for key, value in stated.items() if value is not None}
    (tmp_path / "s.json").write_text(json.dumps(kept))
    code, out, _ = kcut_here(*SIMULATE, "--solution", "s.json", "--json")
    assert (code, json.loads(out)["utilisation"]) == (0, 0.375)


def test_solve_states_what_levels_are_worth(cluster, kcut_here):
    """On a cluster ``solve --json`` adds the utilisations; on other instances it adds none."""
    keys = {"num_gpus", "utilisation", "utilisation_tied", "utilisation_alone"}
    keys |= {"work_share", "work_share_tied", "simulate_s"}
    _, out, _ = kcut_here("solve", "ex1.json", "--solver", "min-cuts", "--json")
    solved = json.loads(out)
    assert keys <= set(solved)
    stated = compression_of(cluster)
    worth = worth_of(cluster, stated, stated.order[::-1].copy())
    assert solved["utilisation_tied"] == worth.utilisation_tied == 0.4
    assert (solved["num_gpus"], solved["utilisation_alone"]) == (20, 0.5)
    assert solved["utilisation"] == simulate(cluster, solved["levels"]).utilisation
    _, out, _ = kcut_here("solve", "fig13.json", "--solver", "min-cuts", "--json")
    assert not keys & set(json.loads(out))


@pytest.mark.parametrize(
    ("family", "options"),
    [
        ("clos-jobs", ("-p", "num_jobs=6", "-p", "hosts=8")),
        ("testbed", ("-p", "figure=20", "-p", "others=4")),
        ("lingjun-like", ("-p", "num_jobs=5", "-p", "max_gpus=16")),
    ],
)
def test_generate_clusters(kcut_here, tmp_path, family, options):
    """A family of clusters writes a file that is read again, and that can be simulated."""
    code, out, _ = kcut_here("generate", family, *options, "--levels", "4", "-o", "c.json.gz")
    cluster = read_cluster(tmp_path / "c.json.gz")
    assert code == 0
    assert cluster.sha256 in out
    assert cluster.levels == 4
    code, out, _ = kcut_here("simulate", "c.json.gz", "--horizon", "5", "--json")
    assert (code, 0 < json.loads(out)["utilisation"] <= 1) == (0, True)


def test_frontier_of_a_cluster(cluster, kcut_here):
    """The frontier is that of the contention DAG: one pair, so two levels cut all."""
    code, out, _ = kcut_here("frontier", "ex1.json", "--max-levels", "3", "--json")
    found = json.loads(out)
    weight = compression_of(cluster).total_weight
    assert (code, found["values"], found["proven"]) == (0, [0, weight, weight], [True] * 3)
    assert found["instance_sha256"] == compression_of(cluster).sha256
