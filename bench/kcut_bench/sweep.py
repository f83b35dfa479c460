"""A sweep: plan, skip what is there, run the rest, one row each."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kcut.answer import Verdict
from kcut.errors import InputError
from kcut_bench import environment, noise
from kcut_bench.isolate import Executor
from kcut_bench.outcome import utc_now
from kcut_bench.plan import PlannedRun, Recipe, ingredients
from kcut_bench.record import RunRecord
from kcut_bench.spec import Spec
from kcut_bench.store import Store, StoredInstance


@dataclass(frozen=True, slots=True)
class Shard:
    """Part `index` of `count`, 1-based; a run belongs to the part its key names."""

    index: int
    count: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Read ``i/n``; raise `InputError` unless 1 <= i <= n."""
        index, slash, count = text.partition("/")
        if not (slash and index.isdecimal() and count.isdecimal()):
            raise InputError("must be i/n, such as 1/4", "--shard", text)
        shard = cls(int(index), int(count))
        if not 1 <= shard.index <= shard.count:
            raise InputError("must have 1 <= i <= n", "--shard", text)
        return shard

    def has(self, run: PlannedRun) -> bool:
        """Whether a run belongs to this part."""
        return int(run.key, 16) % self.count == self.index - 1


@dataclass(frozen=True, slots=True)
class Summary:
    """What a sweep left in the store, over all planned runs of it or of its shard.

    Attributes
    ----------
    planned, done, new : int
        Planned runs; rows among them; rows that this sweep added.
    solved : int
        Rows with a feasible solution.
    verdicts : dict
        Number of rows by verdict.
    """

    planned: int
    done: int
    new: int
    solved: int
    verdicts: dict[str, int]

    @property
    def good(self) -> bool:
        """Whether something was solved, if anything was planned, and nothing was rejected."""
        return (self.solved > 0 or self.planned == 0) and not self.verdicts[Verdict.REJECTED]


def todo(runs: list[PlannedRun], finished: set[str], shard: Shard | None) -> list[PlannedRun]:
    """Return the runs that are still to be done, in order."""
    mine = runs if shard is None else [run for run in runs if shard.has(run)]
    return [run for run in mine if run.key not in finished]


def run_sweep(
    store: Store,
    runs: list[PlannedRun],
    executor: Executor,
    workers: int,
    *,
    shard: Shard | None = None,
    on_row: Callable[[RunRecord], None] = lambda _: None,
) -> Summary:
    """Do the planned runs that the store has no row of.

    Parameters
    ----------
    store : Store
        Open for writing, its manifest begun with `begin_manifest`.
    runs : list of PlannedRun
        The whole plan.
    executor : Executor
    workers : int
        Runs at a time.
    shard : Shard, optional
        Do only this part.
    on_row : callable, optional
        Told each row once it is stored.

    Returns
    -------
    Summary

    Notes
    -----
    Interrupted at any point, the same call goes on where it ended: a row is written in one
    transaction when its run is over, and never twice.
    """
    store.plan((run.key, run.recipe.name, run.solver) for run in runs)
    store.add_ingredients((run.key, ingredients(run)) for run in runs)
    recipes = {run.recipe.key: run.recipe for run in runs}.values()
    store.add_instances(_stored(recipe) for recipe in recipes)
    waiting = todo(runs, store.finished(), shard)

    def keep(run: PlannedRun, row: RunRecord) -> None:
        if noise.is_reference(run):
            if row.solve_s is not None:
                store.add_noise(row.started_at, row.solve_s, row.cpu_s)
            return
        store.add(row, run.recipe.key)
        on_row(row)

    try:
        executor.run_all(noise.with_references(waiting), workers, keep)
    except (KeyboardInterrupt, InputError):
        # A store that could not be written a moment ago need not be now.
        with contextlib.suppress(InputError):
            _note_hashes(store)
        raise
    _note_hashes(store)
    return _summarise(store, runs, len(waiting), shard)


def begin_manifest(store: Store, spec: Spec, text: str, command: list[str]) -> None:
    """Note in the store what is about to be done, by which command, where.

    Raises
    ------
    InputError
        If the store holds the results of another study.
    """
    held = store.manifest().get("name", spec.name)
    if held != spec.name:
        raise InputError(f"holds the study {held}, not {spec.name}", source=str(store.directory))
    session = {"command": command, "started_at": utc_now(), **environment.describe()}
    earlier: list[Any] = store.manifest().get("sessions", [])
    store.write_manifest(
        {
            "name": spec.name,
            "description": spec.description,
            "problem": spec.problem,
            "mode": spec.mode,
            "spec": text,
            **session,
            "sessions": [*earlier, session],
        }
    )


def _note_hashes(store: Store) -> None:
    """Note in the manifest the hash of every instance that a run has had."""
    hashes = {
        f"{instance.name},levels={instance.levels}": instance.sha256
        for instance in store.instances()
        if instance.sha256 is not None
    }
    store.write_manifest({"instances": hashes})


def _stored(recipe: Recipe) -> StoredInstance:
    params = json.dumps(recipe.params, sort_keys=True)
    content = None if recipe.path is None else Path(recipe.path).read_bytes()
    return StoredInstance(
        recipe.key, recipe.name, recipe.levels, recipe.family, params, recipe.seed, content=content
    )


def _summarise(store: Store, runs: list[PlannedRun], new: int, shard: Shard | None) -> Summary:
    mine = {run.key for run in runs if shard is None or shard.has(run)}
    rows = [row for row in store.records() if row.key in mine]
    verdicts = {v.value: sum(row.verdict == v for row in rows) for v in Verdict}
    solved = sum(row.value is not None for row in rows)
    return Summary(len(mine), len(rows), new, solved, verdicts)
