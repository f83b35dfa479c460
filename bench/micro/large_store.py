"""Make a store of very many finished rows, to see how planning, status and report scale.

    python bench/micro/large_store.py DIRECTORY [RUNS]

writes DIRECTORY/spec.toml and DIRECTORY/store with a row for each planned run. Rows are made up
from one real row for each instance size; their solutions and covers have the real length.
"""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path

from kcut_bench.outcome import utc_now
from kcut_bench.plan import expand
from kcut_bench.spec import parse_spec
from kcut_bench.store import create_store
from kcut_bench.sweep import begin_manifest, run_sweep
from kcut_bench.worker import execute

SPEC = """
name = "large"
seeds = [0]
[limits]
time_s = 60
[[instances]]
family = "random-dag"
levels = [2, 4, 8]
seeds = {{count = {count}}}
mode = "zip"
params = {{num_jobs = [20, 50, 100], num_edges = [60, 200, 500]}}
[[solvers]]
name = "crux"
params = {{orders = [1, 10, 20, 50]}}
[[solvers]]
name = "min-cuts"
[[solvers]]
name = "min-cost-flow"
[[solvers]]
name = "longest-path"
[[solvers]]
name = "sincronia"
[[solvers]]
name = "varys"
[[solvers]]
name = "lp-highs"
"""
VARIANTS = 90


class MadeUp:
    """Invents a row for each run, alike to that of the first run of its kind."""

    def __init__(self) -> None:
        self.models = {}
        self.rng = random.Random(1)

    def run_all(self, plans, workers, on_row):
        """Hand out rows."""
        for run in plans:
            recipe = run.recipe
            kind = (run.solver, str(run.params), str(recipe.params), recipe.levels)
            if kind not in self.models:
                self.models[kind] = execute(run, lambda kind, content: None)
            model = self.models[kind]
            # The factors of an instance are its own, whoever solves it.
            factor = random.Random(recipe.key).randrange(90, 110)
            worse = 0 if run.exact or model.value == 0 else self.rng.randrange(3)
            on_row(
                run,
                replace(
                    model,
                    key=run.key,
                    instance=recipe.name,
                    instance_sha256=recipe.key,
                    instance_seed=recipe.seed,
                    total_weight=model.total_weight * factor,
                    value=model.value * factor - worse,
                    bound=None if model.bound is None else model.bound * factor,
                    solve_s=model.solve_s * self.rng.uniform(0.5, 2),
                    started_at=utc_now(),
                ),
            )


def main() -> None:
    """Make the store."""
    directory, runs = Path(sys.argv[1]), int([*sys.argv, "100000"][2])
    directory.mkdir(parents=True, exist_ok=True)
    text = SPEC.format(count=max(1, round(runs / VARIANTS)))
    (directory / "spec.toml").write_text(text)
    spec = parse_spec(text, "spec.toml")
    planned = expand(spec, Path(), "spec.toml")
    with create_store(directory / "store") as store:
        begin_manifest(store, spec, text, ["made up"])
        print(run_sweep(store, planned, MadeUp(), 1))


if __name__ == "__main__":
    main()
