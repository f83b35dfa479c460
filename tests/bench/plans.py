"""Helpers: planned runs without a specification, and an executor that needs no processes."""

from dataclasses import replace
from pathlib import Path

from kcut_bench.plan import expand
from kcut_bench.spec import parse_spec
from kcut_bench.worker import execute

ONE_RUN = """
name = "one"
limits = {time_s = 1}
[[instances]]
family = "random-dag"
levels = [3]
params = {num_jobs = 8, num_edges = 12}
[[solvers]]
name = "crux"
"""


def one_run(solver="crux", params=None, **changes):
    """Return the planned run of a solver, which only the run's process need know."""
    (run,) = expand(parse_spec(ONE_RUN, "one.toml"), Path(), "one.toml")
    if solver != "crux":
        run = replace(run, solver=solver, params=params or {}, key=f"key of {solver}")
    return replace(run, **changes)


class InProcess:
    """Carries runs out here, one after the other; stops as if interrupted after some."""

    def __init__(self, interrupt_after=None):
        self.left = interrupt_after

    def run_all(self, plans, workers, on_row):
        """Carry out the runs."""
        for run in plans:
            if self.left == 0:
                raise KeyboardInterrupt
            on_row(run, execute(run, lambda kind, content: None))
            if self.left is not None:
                self.left -= 1
