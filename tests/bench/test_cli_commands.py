"""Tests of the commands: what they print, and the exit codes a script relies on."""

import importlib.metadata
import json

import pytest

SPEC = """
name = "small"
[[instances]]
family = "fig13"
[[solvers]]
name = "{solver}"
"""


def lines_of(text):
    """Parse one JSON object a line, refusing NaN and infinities."""

    def refuse(constant):
        raise ValueError(constant)

    return [json.loads(line, parse_constant=refuse) for line in text.splitlines()]


@pytest.fixture
def fig13(kcut_here):
    """Generate Fig. 13 and a random instance with float weights."""
    assert kcut_here("generate", "fig13", "-o", "fig13.json")[0] == 0
    assert kcut_here("generate", "fifo-counterexample", "-o", "fifo.json.gz")[0] == 0


@pytest.mark.parametrize("suffix", [".json", ".json.gz", ".graphml"])
def test_generated_file_is_the_same_instance_in_every_format(kcut_here, suffix):
    """Whatever the format, the file solves to the same instance hash as its generator printed."""
    words = ("random-dag", "-p", "num_jobs=20", "-p", "num_edges=40", "--levels", 3, "--seed", 7)
    code, out, _ = kcut_here("generate", *words, "-o", f"a{suffix}")
    assert code == 0
    _, solved, _ = kcut_here("solve", f"a{suffix}", "--solver", "min-cuts", "--json")
    (found,) = lines_of(solved)
    assert found["num_levels"] == 3
    if suffix != ".graphml":  # networkx groups edges by their upper job, so the hash differs
        assert found["instance_sha256"] in out
    assert found["proven"]


def test_solve_prints_one_object_a_file_in_order(kcut_here, fig13):
    """Each line has the documented keys; integers stay integers; float weights give floats."""
    code, out, err = kcut_here(
        "solve", "fig13.json", "fifo.json.gz", "--solver", "min-cuts", "--json"
    )
    assert (code, err) == (0, "")
    first, second = lines_of(out)
    keys = "solver problem instance termination claim verdict value bound gap build_s solve_s"
    keys += " certify_s seed params levels cover"
    assert set(keys.split()) <= first.keys() & second.keys()
    assert (first["file"], second["file"]) == ("fig13.json", "fifo.json.gz")
    assert (first["value"], first["bound"], first["residual"]) == (4, 4, 0)
    assert all(type(first[key]) is int for key in ("value", "bound", "residual"))
    assert type(second["value"]) is float
    assert second["residual"] == pytest.approx(21.85)
    assert first["proven"]
    assert second["proven"]


def test_missing_values_are_null(kcut_here, fig13):
    """A heuristic has no bound and no gap, and says null."""
    _, out, _ = kcut_here("solve", "fig13.json", "--solver", "varys", "--json")
    (found,) = lines_of(out)
    assert (found["bound"], found["gap"], found["build_s"]) == (None, None, None)
    assert "cover" not in found


def test_levels_and_parameters_override(kcut_here, fig13):
    """--levels replaces K, -p sets a parameter, --seed is recorded."""
    words = ("--levels", 1, "-p", "orders=3", "-p", "sampler=uniform-ready", "--seed", 9, "--json")
    code, out, _ = kcut_here("solve", "fig13.json", "--solver", "crux", *words)
    (found,) = lines_of(out)
    assert (code, found["value"], found["num_levels"], found["seed"]) == (0, 0, 1, 9)
    assert found["params"] == {"orders": 3, "sampler": "uniform-ready", "dp": "knuth-yao"}


def test_solution_file_verifies_and_a_changed_one_does_not(kcut_here, fig13, tmp_path):
    """Verify says optimal for value == bound only, and exits 1 for anything false."""
    kcut_here("solve", "fig13.json", "--solver", "min-cuts", "-o", "best.json")
    code, out, _ = kcut_here("verify", "fig13.json", "best.json")
    assert (code, "optimal" in out) == (0, True)
    best = json.loads((tmp_path / "best.json").read_text())
    changes = {
        "equal": ({"levels": [0, 0, 0, 0], "value": 0, "bound": 4, "gap": 1.0}, 0, False, True),
        "no cover": ({"cover": None, "bound": None, "gap": None}, 0, False, True),
        "value": ({"value": 5}, 1, False, True),
        "bound": ({"bound": 3}, 1, False, True),
        "upward": ({"levels": [0, 1, 1, 0]}, 1, False, False),
        "out of range": ({"levels": [2, 0, 1, 0]}, 1, False, False),
        "loose cover": ({"cover": [9, 9], "bound": 18, "gap": 14 / 18}, 0, False, True),
        "negative cover": ({"cover": [-1, 0]}, 1, False, True),
        "float value": ({"value": 4.0}, 1, False, True),
        "gap": ({"gap": 0.5}, 1, False, True),
        "no solution": ({"claim": "none"}, 1, False, True),
        "infeasible": ({"claim": "infeasible"}, 1, False, True),
    }
    for name, (change, exit_code, optimal, feasible) in changes.items():
        changed = {k: v for k, v in {**best, **change}.items() if v is not None}
        (tmp_path / "changed.json").write_text(json.dumps(changed))
        code, out, _ = kcut_here("verify", "fig13.json", "changed.json", "--json")
        (found,) = lines_of(out)
        assert (code, found["optimal"], found["feasible"]) == (exit_code, optimal, feasible), name
        # All of them still claim to be optimal, or claim nothing that is so.
        assert found["verdict"] == ("rejected" if code else "unverifiable"), name


@pytest.mark.parametrize("field", ["problem", "termination", "claim", "verdict"])
def test_unknown_words_in_a_solution_are_bad_input(kcut_here, fig13, tmp_path, field):
    """A solution whose problem or status does not exist is refused, not taken for the default."""
    kcut_here("solve", "fig13.json", "--solver", "min-cuts", "-o", "best.json")
    best = json.loads((tmp_path / "best.json").read_text())
    for word in ("", "banana", "Optimal"):
        (tmp_path / "changed.json").write_text(json.dumps({**best, field: word}))
        code, out, err = kcut_here("verify", "fig13.json", "changed.json")
        assert (code, out) == (2, "")
        assert f"changed.json: {field}: must be one of" in err
        assert repr(word) in err


def test_solution_of_another_instance_is_bad_input(kcut_here, fig13):
    """A solution names its instance by hash; verify refuses another one."""
    kcut_here("solve", "fig13.json", "--solver", "min-cuts", "-o", "best.json")
    code, _, err = kcut_here("verify", "fifo.json.gz", "best.json")
    assert code == 2
    assert "instance_sha256" in err


def test_several_solutions_go_to_a_directory(kcut_here, fig13, tmp_path):
    """With several instances -o is a directory that is made, one file each."""
    words = ("fig13.json", "fifo.json.gz", "--solver", "min-cuts", "-o", "out")
    assert kcut_here("solve", *words)[0] == 0
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["fifo.solution.json", "fig13.solution.json"]
    assert kcut_here("verify", "fifo.json.gz", "out/fifo.solution.json")[0] == 0


def test_no_solution_exits_3(kcut_here):
    """An exhausted memory limit is no error: exit code 3, and the JSON says why."""
    kcut_here("generate", "random-dag", "-p", "num_jobs=900", "-p", "num_edges=9", "-o", "a.json")
    words = ("a.json", "--solver", "crux", "--memory-limit", 1, "--json")
    code, out, _ = kcut_here("solve", *words)
    (found,) = lines_of(out)
    assert (code, found["termination"], found["value"]) == (3, "memory_limit", None)
    assert "levels" not in found


def test_frontier_is_proven_at_every_point(kcut_here, fig13, tmp_path):
    """Levels 1..K, concave integer values, each proven; beyond the longest path nothing changes."""
    code, out, _ = kcut_here("frontier", "fig13.json", "--max-levels", 5, "--json")
    (found,) = lines_of(out)
    assert code == 0
    assert found["levels"] == [1, 2, 3, 4, 5]
    assert found["values"] == found["bounds"] == [0, 4, 4, 4, 4]
    assert found["proven"] == [True] * 5
    for name, head in (("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")):
        assert kcut_here("frontier", "fig13.json", "--plot", name)[0] == 0
        assert (tmp_path / name).read_bytes().startswith(head)


def test_catalogues_are_json_and_tables(kcut_here):
    """solvers, families and studies list what is registered, in both forms."""
    for command, expected in (("solvers", "crux"), ("families", "fig13"), ("studies", "quick")):
        code, out, err = kcut_here(command, "--json")
        assert (code, err) == (0, "")
        names = [entry["name"] for entry in lines_of(out)]
        assert expected in names
        assert all(name in kcut_here(command)[1] for name in names)


def test_version_is_that_of_the_distribution(kcut_here):
    """--version prints the name and the version, whatever else is said."""
    code, out, _ = kcut_here("--version")
    assert (code, out) == (0, f"kcut {importlib.metadata.version('kcut')}\n")


def test_dry_run_prints_the_plan_and_runs_nothing(kcut_here, tmp_path):
    """The plan lists every run; no store appears."""
    (tmp_path / "s.toml").write_text(SPEC.format(solver="crux"))
    code, out, _ = kcut_here("sweep", "s.toml", "--store", "store", "--dry-run")
    assert code == 0
    assert "1 runs planned, 1 to do" in out
    assert not (tmp_path / "store").exists()
