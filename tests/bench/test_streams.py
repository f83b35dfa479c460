"""Tests of output that cannot be written: streams that are closed, full or in another encoding."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kcut.errors import InputError
from kcut_bench.store import create_store

NAMED = (
    '{"format": "kcut/compression", "version": 1, "name": "\u65e5\u672c", "levels": 2,'
    ' "num_jobs": 2, "edges": [[0, 1, 5]]}'
)


def run(words, redirections="", **variables):
    """Run the command line in a shell that redirects its streams."""
    command = f'exec "$0" -m kcut_bench.cli {words} {redirections}'
    return subprocess.run(
        ["sh", "-c", command, sys.executable],
        capture_output=True,
        text=True,
        timeout=60,
        env={**os.environ, **variables},
        check=False,
    )


@pytest.mark.parametrize("redirections", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_are_no_error(redirections):
    """Where nobody can read the output the work is done all the same, without a traceback."""
    done = run("studies", redirections)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="the system has no /dev/full")
def test_full_output_is_one_line_and_exit_code_2():
    """Output that does not fit is said to be lost in one line that names the reason."""
    done = run("solvers", "> /dev/full")
    assert done.returncode == 2
    assert done.stderr == "kcut: output: No space left on device\n"


def test_names_outside_the_encoding_of_the_terminal_are_shown_escaped(tmp_path):
    """No name makes printing fail, whatever the locale; JSON is ASCII anyway."""
    path = tmp_path / "\u65e5.json"
    path.write_text(NAMED, encoding="utf-8")
    words = f"solve {path} --solver min-cuts"
    done = run(words, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (done.returncode, "optimal" in done.stdout) == (0, True), done.stderr
    done = run(words + " --json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout)["instance"] == "\u65e5\u672c"


def test_a_full_disk_is_named_with_its_store_and_loses_no_row(tmp_path):
    """A row that cannot be written raises with the store; what was written stays readable."""
    with create_store(tmp_path / "store") as store:
        store.write_manifest({"name": "held"})
        pages = store.connection.execute("PRAGMA page_count").fetchone()[0]
        store.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(InputError, match=r"store: store.sqlite: cannot be written: .*full"):
            store.write_manifest({"much": "x" * 10**6})
        assert store.manifest() == {"name": "held"}
