"""Tests of the janitor: it clears what it was told of, and nothing else whatever it reads."""

import subprocess
import sys
import time

import pytest

from kcut_bench import janitor
from tests.bench.test_isolate import is_alive


def employ(text):
    """Have a janitor read a text to its end."""
    command = [sys.executable, "-I", "-S", janitor.__file__]
    subprocess.run(command, input=text, text=True, check=True, timeout=30, cwd="/")


def test_folder_and_who_works_in_it_are_gone(tmp_path):
    """A folder is removed, and a process that works below it is killed."""
    folder = tmp_path / "kcut-0123abcd"
    (folder / "below").mkdir(parents=True)
    process = subprocess.Popen(["sleep", "60"], cwd=folder / "below")
    employ(f"{folder}\n")
    assert process.wait(timeout=10) < 0
    assert not folder.exists()


@pytest.mark.parametrize("line", ["", "\n", "/", "{0}\n", "{0}/kept\n", "{0}/kcut-0123abcd"])
def test_nothing_else_is_touched(tmp_path, line):
    """A folder of another name, an empty line and one that was cut short clear nothing."""
    for name in ("kept", "kcut-0123abcd"):
        (tmp_path / name).mkdir()
    process = subprocess.Popen(["sleep", "60"], cwd=tmp_path / "kept")
    employ(line.format(tmp_path))
    time.sleep(0.1)
    assert is_alive(process.pid)
    process.kill()
    process.wait()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kcut-0123abcd", "kept"]
