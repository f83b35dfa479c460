"""The command lines that run a row of the store again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from typing import Any

from kcut_bench.record import RunRecord
from kcut_bench.store import StoredInstance


def rerun_commands(record: RunRecord, instances: Sequence[StoredInstance] = ()) -> str:
    """Return the commands that generate the instance of a record and solve it again.

    Parameters
    ----------
    record : RunRecord
    instances : sequence of StoredInstance, optional
        Where the name of an instance's file is found.

    Returns
    -------
    str
        One or two commands of a POSIX shell, joined by ``&&``.
    """
    commands = []
    file = "instance.json"
    if record.family is None:
        named = {instance.sha256: instance.params for instance in instances}
        file = _file_name(named.get(record.instance_sha256), record.instance)
    else:
        generate = ["kcut", "generate", record.family, *_options(json.loads(record.family_params))]
        generate += ["--levels", str(record.levels), "--seed", str(record.instance_seed or 0)]
        commands.append([*generate, "-o", file])
    params = json.loads(record.solver_params)
    solve = ["kcut", "solve", file, "--solver", record.solver, *_options(params)]
    solve += ["--levels", str(record.levels), "--seed", str(record.seed)]
    if record.time_limit_s is not None:
        solve += ["--time-limit", f"{record.time_limit_s:g}"]
    if record.memory_limit_bytes is not None:
        solve += ["--memory-limit", f"{record.memory_limit_bytes / 2**20:.0f}"]
    commands.append(solve)
    return " && ".join(shlex.join(command) for command in commands)


def _options(params: dict[str, Any]) -> list[str]:
    options = []
    for key, value in params.items():
        shown = str(value).lower() if isinstance(value, bool) else str(value)
        options += ["-p", f"{key}={shown}"]
    return options


def _file_name(params: str | None, name: str) -> str:
    """Return the file a specification names, ``NAME.json`` where the store does not say."""
    file = json.loads(params).get("file") if params is not None else None
    return file if isinstance(file, str) else f"{name}.json"
