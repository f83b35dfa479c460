"""Two stores compared run by run: which answers changed, and by how much the times."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kcut.registry import PROBLEM_PARAMS
from kcut_bench.record import RunRecord
from kcut_bench.results import Results, counted_time_s
from kcut_bench.statistics import shifted_geometric_mean
from kcut_bench.table import Column, Table, integer, ratio, text_column

Identity = tuple[Any, ...]

TIME_SHIFT_S = 0.001
"""Added to times before their geometric mean: below a millisecond they are mostly noise."""


def identity(record: RunRecord) -> Identity:
    """Return what a run has in common with the same run by another version of anything."""
    instance = record.instance_sha256 or record.instance
    return (
        record.problem,
        instance,
        record.levels,
        record.solver,
        record.solver_params,
        record.seed,
        record.repetition,
    )


@dataclass(slots=True)
class Comparison:
    """What differs between the runs that two stores have in common.

    Attributes
    ----------
    pairs : dict of (str, str) to list of (RunRecord, RunRecord)
        By problem and label of the solver: a run of the first store and the same of the second.
    only_first, only_second : int
        Runs that one store has alone.
    contradictions : list of str
        Instances for which both stores hold proven optima, and these differ.
    """

    pairs: dict[tuple[str, str], list[tuple[RunRecord, RunRecord]]] = field(default_factory=dict)
    only_first: int = 0
    only_second: int = 0
    contradictions: list[str] = field(default_factory=list)


def compare(first: Results, second: Results) -> Comparison:
    """Pair the runs of two stores.

    Parameters
    ----------
    first, second : Results
        Runs of one instance, solver, parameters, seed and repetition are the same run, whatever
        versions and limits it was made with.

    Returns
    -------
    Comparison
    """
    mine = {identity(record): record for record in first.records}
    others = {identity(record): record for record in second.records}
    shared = [key for key in mine if key in others]
    pairs: dict[tuple[str, str], list[tuple[RunRecord, RunRecord]]] = defaultdict(list)
    for key in shared:
        pairs[mine[key].problem, first.label(mine[key])].append((mine[key], others[key]))
    return Comparison(
        pairs=dict(sorted(pairs.items())),
        only_first=len(mine) - len(shared),
        only_second=len(others) - len(shared),
        contradictions=_contradictions([*first.records, *second.records]),
    )


def _contradictions(records: Iterable[RunRecord]) -> list[str]:
    proven: dict[tuple[str, str, int, str], set[int | float]] = defaultdict(set)
    name = {}
    for record in records:
        if record.proven and record.value is not None:
            key = (record.problem, record.instance_sha256, record.levels, _judged_by(record))
            proven[key].add(record.value)
            name[key] = record.instance
    return [
        f"{problem} on {name[problem, digest, levels, params]} (K = {levels}): proven optima "
        + " and ".join(map(str, sorted(values)))
        for (problem, digest, levels, params), values in sorted(proven.items())
        if len(values) > 1
    ]


def _judged_by(record: RunRecord) -> str:
    """Return the parameters of the problem, such as its objective; compression has none."""
    params = json.loads(record.solver_params)
    names = PROBLEM_PARAMS.get(record.problem, {})
    return json.dumps({name: params.get(name) for name in sorted(names)})


def comparison_of_stores(found: Comparison) -> Table:
    """Return a row for each solver: how many answers are the same, and the ratio of times."""
    rows = []
    for (problem, label), pairs in found.pairs.items():
        values = [(a.value, b.value) for a, b in pairs]
        both = [(x, y) for x, y in values if x is not None and y is not None]
        rows.append(
            (
                problem,
                label,
                len(pairs),
                sum(x == y for x, y in both),
                sum(y > x for x, y in both),
                sum(y < x for x, y in both),
                sum((x is None) != (y is None) for x, y in values),
                sum(a.verdict != b.verdict or a.proven != b.proven for a, b in pairs),
                _time_ratio(pairs),
            )
        )
    columns = (
        text_column("problem", "Problem"),
        text_column("solver", "Solver"),
        Column("num_pairs", "Runs in both", integer),
        Column("same", "Same value", integer),
        Column("higher", "Higher", integer),
        Column("lower", "Lower", integer),
        Column("one_solved", "One solved", integer),
        Column("verdict_changed", "Verdict or proof changed", integer),
        Column("time_ratio", "Time, second / first", ratio),
    )
    caption = (
        "Runs that both stores hold; higher and lower say how the value of the second differs from "
        "that of the first, compared exactly. Times are shifted geometric means (1 ms)."
    )
    return Table("stores", "Two stores", caption, columns, tuple(rows))


def _time_ratio(pairs: list[tuple[RunRecord, RunRecord]]) -> float | None:
    times = [(counted_time_s(a), counted_time_s(b)) for a, b in pairs]
    both = [(x, y) for x, y in times if x is not None and y is not None]
    if not both:
        return None
    first, second = (shifted_geometric_mean(side, TIME_SHIFT_S) for side in zip(*both, strict=True))
    return second / first if first > 0 else None
