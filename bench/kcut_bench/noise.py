"""The noise of the machine: one run that is always the same, repeated throughout a sweep."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Iterable, Iterator

from kcut_bench.plan import PlannedRun, expand
from kcut_bench.spec import parse_spec

EVERY = 50
"""So many runs come between two reference runs."""
KEY = "reference"
_SPEC = """
name = "reference"
[limits]
time_s = 60
[[instances]]
family = "random-dag"
levels = [8]
params = {num_jobs = 1000, num_edges = 10000}
[[solvers]]
name = "crux"
"""


def with_references(runs: list[PlannedRun]) -> Iterator[PlannedRun]:
    """Yield the runs, and a reference run before the first, after every `EVERY` and at the end.

    Only where times are results, and only in sweeps long enough to say something about.
    """
    measured = len(runs) >= EVERY and not runs[0].reproducible
    for i, run in enumerate(runs):
        if measured and i % EVERY == 0:
            yield reference_run()
        yield run
    if measured:
        yield reference_run()


@functools.cache
def reference_run() -> PlannedRun:
    """Return the reference run: Crux on a random DAG of 1,000 jobs, some 0.1 s."""
    from dataclasses import replace
    from pathlib import Path

    (run,) = expand(parse_spec(_SPEC, KEY), Path(), KEY)
    return replace(run, key=KEY)


def is_reference(run: PlannedRun) -> bool:
    """Whether a run is the reference run, which is no row."""
    return run.key == KEY


def in_words(wall_s: Iterable[float]) -> str:
    """Say how much the times of the reference run spread; empty below three of them."""
    times = sorted(wall_s)
    if len(times) < 3:
        return ""
    middle = statistics.median(times)
    return (
        f"a run that is always the same took {middle:.3g} s in the median of {len(times)},"
        f" {times[0] / middle - 1:+.0%} to {times[-1] / middle - 1:+.0%}"
    )
