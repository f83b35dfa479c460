"""Tests of bad usage: exit code 2 and one line that names the field and the value."""

import json

import pytest

FIG13 = {
    "format": "kcut/compression",
    "version": 1,
    "name": "fig13",
    "levels": 2,
    "num_jobs": 4,
    "edges": [[0, 1, 3], [2, 3, 1]],
}
SOLVE = ("solve", "fig13.json", "--solver", "crux")
WRONG = [
    ((), "Missing command"),
    (("nope",), "nope"),
    (("--nope",), "--nope"),
    (("solve",), "FILE"),
    (("solve", "fig13.json"), "--solver"),
    (("solve", "fig13.json", "--solver", "nope"), "(got 'nope')"),
    ((*SOLVE, "--problem", "paths"), "--problem: must be one of"),
    (("solve", "missing.json", "--solver", "crux"), "missing.json"),
    (("solve", "broken.json", "--solver", "crux"), "broken.json"),
    (("solve", "fig13.json", "broken.json", "--solver", "crux"), "broken.json"),
    ((*SOLVE, "-p", "orders"), "-p: must be key=value (got 'orders')"),
    ((*SOLVE, "-p", "orders=x"), "orders: must be an integer (got 'x')"),
    ((*SOLVE, "-p", "orders=0"), "orders: must be at least 1 (got 0)"),
    ((*SOLVE, "-p", "orders=1", "-p", "orders=2"), "-p orders: is given twice"),
    ((*SOLVE, "-p", "colour=red"), "colour: unknown parameter"),
    ((*SOLVE, "-p", "dp=magic"), "dp: must be one of"),
    ((*SOLVE, "--levels", "0"), "--levels: must be between 1 and 1,000,000 (got 0)"),
    ((*SOLVE, "--levels", "x"), "(got 'x')"),
    ((*SOLVE, "--levels=2.5"), "(got '2.5')"),
    ((*SOLVE, "--seed", "-1"), "--seed: must not be negative (got -1)"),
    ((*SOLVE, "--time-limit", "0"), "--time-limit: must be positive and finite (got 0.0)"),
    ((*SOLVE, "--time-limit", "nan"), "--time-limit: must be positive and finite (got nan)"),
    ((*SOLVE, "--time-limit", "-1"), "--time-limit: must be positive and finite (got -1.0)"),
    ((*SOLVE, "--memory-limit", "-1"), "--memory-limit: must be positive and finite (got -1.0)"),
    ((*SOLVE, "--threads", "0"), "--threads: must be between 1 and 4,096 (got 0)"),
    ((*SOLVE, "-o", "nowhere/out.json"), "-o: no such directory (got 'nowhere')"),
    (("solve", "fig13.json", "fig13.json", "--solver", "crux", "-o", "fig13.json"), "-o: must be"),
    (("solve", "fig13.json", "fig13.json", "--solver", "crux", "-o", "d"), "-o: several"),
    (("verify", "fig13.json", "fig13.json"), "format: unknown format"),
    (("solve", "fig13.json", "--solver", "cp-sat", "--memory-limit", "1e300"), "--memory-limit"),
    (("verify", "fig13.json", "missing.json"), "missing.json"),
    (("frontier", "fig13.json", "--max-levels", "0"), "--max-levels: must be between"),
    (("frontier", "fig13.json", "--plot", "a.gif"), "--plot: must end in one of"),
    (("frontier", "fig13.json", "--plot", "nowhere/a.svg"), "--plot: no such directory"),
    (("generate", "nope", "-o", "a.json"), "family: unknown family"),
    (("generate", "fig13", "-o", "a.txt"), "-o: must end in .json"),
    (("generate", "fig13", "-o", "nowhere/a.json"), "nowhere/a.json"),
    (("generate", "random-dag", "-p", "num_jobs=-1", "-o", "a.json"), "num_jobs: must be at least"),
    (("generate", "fig13", "--levels", "-2", "-o", "a.json"), "--levels: must be between"),
    (("solvers", "--problem", "nope"), "--problem: unknown problem"),
    (("families", "--problem", "nope"), "--problem: unknown problem"),
    (("sweep", "nope"), "no such study"),
    (("sweep", "nope.toml"), "nope.toml: cannot be read"),
    (("sweep", "broken.json"), "broken.json: is not TOML"),
    (("sweep", "quick", "--dask", "nowhere"), "--dask: no Dask scheduler answers"),
    (("export", "corrupt", "-o", "rows.xlsx"), "-o: must end in .csv or .parquet"),
    (("merge", "corrupt"), "STORE: needs at least two stores, or -o"),
    (("check", "broken.json"), "is no readable archive"),
    (("sweep", "quick", "--workers", "0"), "--workers: must be at least 1 (got 0)"),
    (("sweep", "quick", "--shard", "3/2"), "--shard: must have 1 <= i <= n (got '3/2')"),
    (("sweep", "quick", "--store", "fig13.json"), "fig13.json: cannot write here"),
    *(((command, "nowhere"), "nowhere: no store here") for command in ("status", "check")),
    *(((command, "nowhere"), "nowhere") for command in ("report", "cite", "export")),
    *(((command, "corrupt"), "corrupt: store.sqlite: no readable") for command in ("status",)),
    (("check", "corrupt"), "corrupt: store.sqlite: no readable store"),
    (("cite", "--solver", "nope"), "unknown solver"),
]


@pytest.fixture
def files(tmp_path):
    """Write an instance, a broken file and a broken store."""
    (tmp_path / "fig13.json").write_text(json.dumps(FIG13))
    (tmp_path / "broken.json").write_text('{"format": ')
    (tmp_path / "corrupt").mkdir()
    (tmp_path / "corrupt" / "store.sqlite").write_bytes(b"no database, whatever it is called")
    return tmp_path


@pytest.mark.parametrize(("arguments", "words"), WRONG, ids=lambda value: str(value)[:50])
def test_bad_usage_is_one_line_and_exit_code_2(files, kcut_here, arguments, words):
    """Nothing on standard output, one line on standard error, and it says what is wrong where."""
    code, out, err = kcut_here(*arguments)
    assert (code, out) == (2, "")
    assert err.startswith("kcut: ")
    assert err.count("\n") == 1
    assert words in err
    assert "Traceback" not in err


def test_all_files_are_checked_before_the_first_is_solved(files, kcut_here):
    """A broken second file is found before the first is solved, so no line is printed."""
    code, out, _ = kcut_here("solve", "fig13.json", "broken.json", "--solver", "min-cuts")
    assert (code, out) == (2, "")


def test_unexpected_error_is_one_line_without_a_traceback(files, kcut_here, monkeypatch):
    """A defect ends in exit code 1 and one line; KCUT_DEBUG=1 shows where it is."""
    from kcut_bench import check

    def fail(*_):
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(check, "check_store", fail)
    monkeypatch.setattr("kcut_bench.store.open_store", fail)
    code, _, err = kcut_here("check", "corrupt")
    assert code == 1
    assert err == "kcut: unexpected RuntimeError: two lines (KCUT_DEBUG=1 shows the traceback)\n"
    monkeypatch.setenv("KCUT_DEBUG", "1")
    code, _, err = kcut_here("check", "corrupt")
    assert code == 1
    assert "Traceback" in err


def test_interrupt_is_one_line_and_exit_code_130(files, kcut_here, monkeypatch):
    """Ctrl-C ends a command quietly."""

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("kcut_bench.run.run_solver", interrupt)
    code, _, err = kcut_here(*SOLVE)
    assert (code, err) == (130, "kcut: interrupted\n")
