"""The commands of the worst instances do run the rows again."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kcut_bench.cli import app
from kcut_bench.record import RunRecord
from kcut_bench.rerun import rerun_commands
from kcut_bench.store import StoredInstance


def test_commands_repeat_the_row(
    records: tuple[RunRecord, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Typed as they stand, they give the same value on the same instance."""
    monkeypatch.chdir(tmp_path)
    row = max((r for r in records if r.solver == "crux"), key=lambda r: r.num_jobs)
    generate, solve = (shlex.split(part) for part in rerun_commands(row).split(" && "))
    assert CliRunner().invoke(app, generate[1:]).exit_code == 0
    result = CliRunner().invoke(app, [*solve[1:], "--json"])
    assert result.exit_code == 0
    assert json.loads(result.stdout)["value"] == row.value


def test_files_are_called_by_their_name(records: tuple[RunRecord, ...]) -> None:
    """An instance from a file is solved from that file, quoted for a shell."""
    row = replace(records[0], family=None, memory_limit_bytes=2**30)
    stored = StoredInstance(
        recipe="recipe",
        name=row.instance,
        family=None,
        params=json.dumps({"file": "my dir/a.json"}),
        seed=None,
        levels=row.levels,
        sha256=row.instance_sha256,
    )
    command = rerun_commands(row, [stored])
    assert command.startswith("kcut solve 'my dir/a.json' --solver ")
    assert "--memory-limit 1024" in command
    assert "generate" not in command
