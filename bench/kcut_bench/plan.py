"""From a specification to planned runs, each with a key made of all that its result depends on."""

from __future__ import annotations

import functools
import hashlib
import itertools
import json
import random
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kcut.answer import Limits
from kcut.compression import CompressionInstance
from kcut.errors import InputError
from kcut.params import Param, ParamValue, complete
from kcut.registry import PROBLEMS_OF, get_family, get_solver
from kcut.views import Made
from kcut_bench import MEGABYTE, environment
from kcut_bench.sources import package_digest, source_digest
from kcut_bench.spec import InstancesSpec, Scalar, Spec, seed_list
from kcut_bench.store import SCHEMA


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to have an instance: generate it, or read a file.

    Attributes
    ----------
    key : str
        Hexadecimal SHA-256 of the family with its source, parameters, seed and levels, or of the
        file and the levels.
    name : str
    levels : int
        K; some families make other edges for other K.
    family : str or None
    params : dict
        For a file ``{"file": path as given}``.
    seed : int or None
    path : str or None
        Of the file.
    source : str
        Digest of the family's sources or of the file; part of the key.
    """

    key: str
    name: str
    levels: int
    family: str | None
    params: dict[str, ParamValue]
    seed: int | None
    path: str | None = None
    source: str = ""

    def make(self) -> Made:
        """Generate or read the instance."""
        if self.family is not None:
            assert self.seed is not None
            family = get_family(self.family)
            made: Made
            made = family.generate(self.params, self.levels, self.seed)
            return made
        assert self.path is not None
        return _read(self.path, self.levels)


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """One solver on one instance with one seed: what will become one row.

    Attributes
    ----------
    key : str
        Hexadecimal SHA-256; see `run_key`.
    recipe : Recipe
    problem, solver : str
    params : dict
    exact : bool
    seed, repetition : int
    time_s : float or None
    memory_bytes : int or None
    threads : int
    max_jobs, max_edges : int or None
        Larger instances are skipped.
    effort_s : float or None
        See `kcut.Limits`.
    reproducible : bool
        Nothing that a clock decides may become a result.
    """

    key: str
    recipe: Recipe
    problem: str
    solver: str
    params: dict[str, ParamValue]
    exact: bool
    seed: int
    repetition: int
    time_s: float | None
    memory_bytes: int | None
    threads: int
    max_jobs: int | None
    max_edges: int | None
    effort_s: float | None = None
    reproducible: bool = False

    @property
    def limits(self) -> Limits:
        """What the solver is told; nothing of a clock where results must not depend on one."""
        time_s = None if self.reproducible else self.time_s
        return Limits(time_s, self.memory_bytes, self.threads, self.effort_s)

    @property
    def keeps_incumbents(self) -> bool:
        """Whether the best solution of a run that is ended becomes its solution."""
        return not self.reproducible


def expand(spec: Spec, base: Path, source: str) -> list[PlannedRun]:
    """Return all planned runs of a specification, instance by instance, none twice.

    Parameters
    ----------
    spec : Spec
    base : Path
        Files are relative to it.
    source : str
        Name of the specification in errors.

    Raises
    ------
    InputError
        For an unknown family, solver or parameter, a parameter out of range, or a file that
        cannot be read.
    """
    variants = list(_solver_variants(spec, source))
    runs: dict[str, PlannedRun] = {}
    for i, group in enumerate(spec.instances):
        for recipe in _recipes(group, base, f"instances[{i}]", source):
            for variant in _in_turn(variants, recipe, spec.mode):
                run = replace(variant, recipe=recipe)
                run = replace(run, key=run_key(run))
                runs[run.key] = run
    return list(runs.values())


def _in_turn(variants: list[PlannedRun], recipe: Recipe, mode: str) -> list[PlannedRun]:
    """Return the variants in the order in which they run on an instance.

    Where times are compared no solver always comes after the same one; the order follows from the
    instance, so a resumed sweep keeps it.
    """
    if mode != "performance":
        return variants
    shuffled = list(variants)
    random.Random(recipe.key).shuffle(shuffled)
    return shuffled


def run_key(run: PlannedRun) -> str:
    """Digest the `ingredients` of a run; hexadecimal SHA-256."""
    return digest_of(ingredients(run))


def ingredients(run: PlannedRun) -> dict[str, Any]:
    """Return all that a run's result depends on.

    That is the instance's recipe or content, the solver with its sources and
    parameters, the sources of `kcut`, limits, seed, repetition, versions of the packages that
    matter and the schema of the store. A run is done again exactly when one of these changes.
    """
    solver = get_solver(run.solver, (run.problem,))
    return {
        "schema": SCHEMA,
        "instance": run.recipe.key,
        "instance source": run.recipe.source,
        "problem": run.problem,
        "solver": run.solver,
        "params": run.params,
        "seed": run.seed,
        "repetition": run.repetition,
        "time_s": run.time_s,
        "memory_bytes": run.memory_bytes,
        "threads": run.threads,
        "effort_s": run.effort_s,
        "max_jobs": run.max_jobs,
        "max_edges": run.max_edges,
        "reproducible": run.reproducible,
        "solver source": source_digest(solver.solve),
        "kcut source": _core_digest(),
        "versions": _versions(),
    }


def file_recipe(path: Path, name: str, levels: int | None = None) -> Recipe:
    """Return the recipe of a file, called `name` in the specification."""
    instance = _read(path, levels)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    key = digest_of([digest, instance.levels])
    given: dict[str, ParamValue] = {"file": name}
    return Recipe(
        key, instance.name, instance.levels, None, given, None, str(path.absolute()), digest
    )


def _recipes(group: InstancesSpec, base: Path, where: str, source: str) -> Iterator[Recipe]:
    for name in group.files:
        for levels in group.levels or (None,):
            yield file_recipe(base / name, name, levels)
    if not group.family:
        return
    try:
        family = get_family(group.family)
    except InputError as error:
        raise InputError(error.message, f"{where}.family", group.family, source) from None
    made_by = source_digest(family.make)
    for params in _grid(family.params, group.params, group.mode, f"{where}.params", source):
        for seed in seed_list(group.seeds):
            for levels in group.levels or [family.levels]:
                key = digest_of([group.family, params, seed, levels, made_by])
                name = family.title(params, seed)
                yield Recipe(key, name, levels, group.family, params, seed, source=made_by)


def _solver_variants(spec: Spec, source: str) -> Iterator[PlannedRun]:
    """Yield the planned runs of all solvers, still without an instance and a key."""
    nothing = Recipe("", "", 0, None, {}, None)
    for i, entry in enumerate(spec.solvers):
        try:
            problems: tuple[str, ...] = (spec.problem,)
            if spec.problem == "compression":
                problems = PROBLEMS_OF[CompressionInstance]
            solver = get_solver(entry.name, problems)
        except InputError as error:
            raise InputError(error.message, f"solvers[{i}].name", entry.name, source) from None
        limits = entry.limits or spec.limits
        where = f"solvers[{i}].params"
        for params in _grid(solver.params, entry.params, entry.mode, where, source):
            for seed in seed_list(spec.seeds if entry.seeds is None else entry.seeds):
                for repetition in range(spec.repetitions):
                    yield PlannedRun(
                        key="",
                        recipe=nothing,
                        problem=solver.problem,
                        solver=solver.name,
                        params=params,
                        exact=solver.exact,
                        seed=seed,
                        repetition=repetition,
                        time_s=limits.time_s,
                        memory_bytes=limits.memory_mb and limits.memory_mb * MEGABYTE,
                        threads=limits.threads,
                        max_jobs=entry.max_jobs,
                        max_edges=entry.max_edges,
                        effort_s=limits.effort_s,
                        reproducible=spec.mode == "reproducible",
                    )


def _grid(
    declared: Mapping[str, Param],
    given: dict[str, Scalar | list[Scalar]],
    mode: str,
    where: str,
    source: str,
) -> Iterator[dict[str, ParamValue]]:
    """Yield the complete parameters at every point of a grid."""
    columns = {n: v if isinstance(v, list) else [v] for n, v in given.items()}
    points: Iterable[tuple[Scalar, ...]] = itertools.product(*columns.values())
    if mode == "zip" and columns:
        length = max(len(values) for values in columns.values())
        points = zip(*(v * length if len(v) == 1 else v for v in columns.values()), strict=True)
    for point in points:
        yield _complete(declared, dict(zip(columns, point, strict=True)), where, source)


def _complete(
    declared: Mapping[str, Param], values: dict[str, Scalar], where: str, source: str
) -> dict[str, ParamValue]:
    try:
        return complete(declared, values)
    except InputError as error:
        field = f"{where}.{error.field}"
        raise InputError(error.message, field, error.value, source) from None


def _read(path: str | Path, levels: int | None) -> Made:
    from kcut_instances.readers import read_instance

    instance: Made = read_instance(path, levels)
    return instance


@functools.cache
def _core_digest() -> str:
    return package_digest("kcut")


@functools.cache
def _versions() -> dict[str, str]:
    return environment.versions()


def digest_of(content: Any) -> str:
    """Return the hexadecimal SHA-256 of a value as JSON, which keys are."""
    text = json.dumps(content, sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
