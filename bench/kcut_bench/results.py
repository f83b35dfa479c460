"""Results of a store: what each run is measured against, and how far from it the run is.

The *reference* of an instance (its DAG and its number of levels) is the value of a run whose
certificate was checked to equal its value. Without such a run there is only an interval, from the
best verified value to the least certified bound, and it is never called optimal.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kcut_bench.figure import styles
from kcut_bench.record import RunRecord
from kcut_bench.store import StoredInstance, open_store

Number = int | float
InstanceKey = tuple[str, str, int]
"""Problem, digest of the instance, number of levels."""

COMPRESSION = "compression"
RELAXATION = "max-k-cut"
PRIORITY = "priority"
PAPER_PARAMS = {"orders": 10, "sampler": "bfs"}
"""Crux as its paper runs it; preferred where a store holds several variants."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What is known of the optimum of an instance.

    Attributes
    ----------
    value : int or float
        The best verified value: the optimum if `proven`, else a lower end.
    bound : int or float
        The least certified bound; the total weight where no certificate is better.
    proven : bool
        Whether a checked certificate equals the value in exact integers.
    """

    value: Number
    bound: Number
    proven: bool


def instance_key(record: RunRecord) -> InstanceKey:
    """Return what identifies the instance of a record; its name if it was never made."""
    return record.problem, record.instance_sha256 or record.instance, record.levels


def is_solved(record: RunRecord) -> bool:
    """Return whether the run gave a feasible solution whose value the harness recomputed."""
    return record.value is not None and record.verdict != "rejected"


def find_references(records: Iterable[RunRecord]) -> dict[InstanceKey, Reference]:
    """Return the reference of every instance that any run solved; rejected runs do not count."""
    groups: dict[InstanceKey, list[RunRecord]] = defaultdict(list)
    for record in records:
        # Other problems may be minimised; tables of their own measure them.
        if is_solved(record) and record.problem in (COMPRESSION, RELAXATION):
            groups[instance_key(record)].append(record)
    references = {}
    for key, runs in groups.items():
        proven = [run.value for run in runs if run.proven and run.value is not None]
        values = proven or [run.value for run in runs if run.value is not None]
        bounds = [
            run.bound for run in runs if run.certificate is not None and run.bound is not None
        ]
        bound = min([*bounds, runs[0].total_weight])
        references[key] = Reference(max(values), max(values) if proven else bound, bool(proven))
    return references


def find_contradictions(records: Sequence[RunRecord]) -> list[str]:
    """Return what cannot be true at once: a verified value above a proven optimum or bound.

    Compared exactly for integer weights; float weights are given the 1e-9 that rounding them to
    integers may cost.
    """
    references = find_references(records)
    found = []
    for record in records:
        reference = references.get(instance_key(record))
        if reference is None or record.value is None or not is_solved(record):
            continue
        exact = isinstance(record.value, int) and isinstance(reference.bound, int)
        slack = 0 if exact else 1e-9 * abs(reference.bound)
        if record.value > reference.bound + slack:
            kind = "the proven optimum" if reference.proven else "a certified bound"
            found.append(
                f"{record.solver} on {record.instance} (K = {record.levels}): verified value "
                f"{record.value} is above {kind} {reference.bound}"
            )
    return found


def relative_gap(value: Number, reference: Number) -> float:
    """Return ``(reference - value) / reference``, 0 where both are 0.

    The difference and the quotient of integers are exact before the one rounding to float. Float
    weights may put a value above its reference by rounding; that is no negative gap.
    """
    if value == reference:
        return 0.0
    gap = (reference - value) / reference
    return gap if isinstance(value, int) and isinstance(reference, int) else max(0.0, gap)


@dataclass(frozen=True, slots=True, eq=False)
class Results:
    """The records of a store with their references and the names of their solvers in plots.

    Attributes
    ----------
    records : tuple of RunRecord
    manifest : dict
    references : dict of InstanceKey to Reference
    labels : dict of str to str
        Per record key the solver's name, with its parameters where a store varies them.
    planned : tuple of (str, str, str)
        Key, instance and solver of every planned run.
    num_stale : int
        Rows the plan no longer asks for; they are not among the records.
    instances : tuple of StoredInstance
    noise : tuple of float
        Seconds of the runs that measured the noise of the machine.
    beside : tuple of RunRecord
        Of other stores, such as of other problems on the same clusters, to be compared with.
    """

    records: tuple[RunRecord, ...]
    manifest: dict[str, Any] = field(default_factory=dict)
    references: dict[InstanceKey, Reference] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    planned: tuple[tuple[str, str, str], ...] = ()
    num_stale: int = 0
    instances: tuple[StoredInstance, ...] = ()
    noise: tuple[float, ...] = ()
    beside: tuple[RunRecord, ...] = ()

    @property
    def mode(self) -> str:
        """How runs were limited: ``performance`` or ``reproducible``."""
        return str(self.manifest.get("mode", "performance"))

    @property
    def compression(self) -> list[RunRecord]:
        """The runs of priority compression."""
        return [record for record in self.records if record.problem == COMPRESSION]

    def label(self, record: RunRecord) -> str:
        """Return the solver's name in tables and plots."""
        return self.labels[record.key]

    def optimum(self, record: RunRecord) -> Number | None:
        """Return the proven optimum of the record's instance, None if none is proven."""
        reference = self.references.get(instance_key(record))
        return reference.value if reference is not None and reference.proven else None

    def gap(self, record: RunRecord) -> float | None:
        """Return the gap to the proven optimum; None without a solution or a proven optimum."""
        optimum = self.optimum(record)
        if optimum is None or record.value is None or not is_solved(record):
            return None
        return relative_gap(record.value, optimum)

    def by_label(self, records: Iterable[RunRecord]) -> dict[str, list[RunRecord]]:
        """Group records by label, sorted by name."""
        groups: dict[str, list[RunRecord]] = defaultdict(list)
        for record in records:
            groups[self.label(record)].append(record)
        return dict(sorted(groups.items()))

    @property
    def exact_labels(self) -> set[str]:
        """Labels of the solvers that claim optimality when they finish."""
        return {self.label(record) for record in self.compression if record.exact}

    def styles(self) -> dict[str, int]:
        """Return the style of each label in figures: heuristics first, then exact solvers."""
        exact = self.exact_labels
        heuristic = {self.label(record) for record in self.compression} - exact
        return styles(heuristic, exact)

    @property
    def crux_label(self) -> str | None:
        """The variant of Crux's compression that stands for it."""
        return self.crux_label_of(COMPRESSION)

    def crux_label_of(self, problem: str) -> str | None:
        """Return the variant of Crux that stands for it: the paper's, else the most runs."""
        runs = (r for r in self.records if (r.problem, r.solver) == (problem, "crux"))
        groups = self.by_label(runs)
        if not groups:
            return None

        def rank(label: str) -> tuple[bool, int]:
            params = json.loads(groups[label][0].solver_params)
            paper = all(params.get(key, value) == value for key, value in PAPER_PARAMS.items())
            return paper, len(groups[label])

        return max(groups, key=rank)


def make_labels(records: Iterable[RunRecord]) -> dict[str, str]:
    """Return a label per record key: the name, and those parameters that vary in the store."""
    records = list(records)
    varied: dict[tuple[str, str], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for record in records:
        for name, value in json.loads(record.solver_params).items():
            varied[record.problem, record.solver][name].add(json.dumps(value))
    labels = {}
    for record in records:
        params = json.loads(record.solver_params)
        several = varied[record.problem, record.solver]
        shown = [f"{name}={params[name]}" for name in sorted(params) if len(several[name]) > 1]
        labels[record.key] = " ".join([record.solver, *shown])
    return labels


def load_results(store_dir: Path, beside: Sequence[Path] = ()) -> Results:
    """Read a store, and others beside it, and work out its references.

    Raises
    ------
    InputError
        If there is none.
    """
    others: list[RunRecord] = []
    for other in beside:
        with open_store(other) as store:
            others += sorted(store.records(blobs=False), key=_content_order)
    with open_store(store_dir) as store:
        records = tuple(sorted(store.records(blobs=False), key=_content_order))
        return Results(
            records=records,
            manifest=store.manifest(),
            references=find_references(records),
            labels=make_labels([*records, *others]),
            planned=tuple(store.planned()),
            num_stale=store.num_stale(),
            instances=tuple(store.instances()),
            noise=tuple(wall_s for _, wall_s, _ in store.noise()),
            beside=tuple(others),
        )


def _content_order(record: RunRecord) -> tuple[str | int, ...]:
    # Means of floats depend on their order in the last digit, and rows arrive in any order.
    names = (record.problem, record.instance, record.instance_sha256, record.levels)
    return (*names, record.solver, record.solver_params, record.seed, record.repetition)


def counted_time_s(record: RunRecord) -> float | None:
    """Return the solve time a run counts with in means, None if it has none.

    A run that was stopped by its time limit or killed counts with the limit, or with its measured
    time where that is larger; skipped and crashed runs and those out of memory have no time.
    """
    if record.termination == "finished":
        return record.solve_s
    if record.termination in ("time_limit", "killed"):
        times = [t for t in (record.solve_s, record.time_limit_s) if t is not None]
        return max(times, default=None)
    return None


def mean(values: Sequence[float]) -> float:
    """Return the arithmetic mean of one or more numbers."""
    return sum(values) / len(values)


def per_instance(
    records: Iterable[RunRecord], measure: Callable[[RunRecord], float | None]
) -> dict[InstanceKey, float]:
    """Return the mean of a measure over the runs of each instance; None measures are left out."""
    groups: dict[InstanceKey, list[float]] = defaultdict(list)
    for record in records:
        measured = measure(record)
        if measured is not None:
            groups[instance_key(record)].append(measured)
    return {key: mean(values) for key, values in sorted(groups.items())}


def family_of(run: RunRecord) -> str:
    """Return the family of the run's instance, or ``file``."""
    return run.family or "file"
