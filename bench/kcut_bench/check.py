"""Check a store against itself and against the mathematics: nothing in it is taken for granted."""

from __future__ import annotations

import contextlib
import json
import math
import tempfile
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kcut import (
    order_certificate,
    path_objectives,
    pigeonhole,
    priority_objectives,
    time_shift_bounds,
)
from kcut.answer import Answer, Claim, Termination, Verdict
from kcut.compression import CompressionInstance, cut_value, max_k_cut_value
from kcut.contention import compression_of
from kcut.errors import KcutError
from kcut.judge import Judgement, judge
from kcut.paths import PathsInstance
from kcut.priority import PriorityInstance
from kcut.registry import PROBLEM_PARAMS, get_family
from kcut.time_shifts import TimeShiftsInstance, total_excess
from kcut.views import Made, Stated, state
from kcut_bench.outcome import facts_of, unpack
from kcut_bench.paths_output import objectives_of
from kcut_bench.plan import digest_of
from kcut_bench.record import RunRecord
from kcut_bench.simulation import worth_of
from kcut_bench.store import Store, StoredInstance

_SIMULATED_FIELDS = (
    "num_gpus",
    "utilisation",
    "utilisation_tied",
    "utilisation_alone",
    "work_share",
    "work_share_tied",
)
_SIMULATED_LATER = ("max_slowdown", "max_slowdown_tied", "jain", "utilisation_drift")
"""Rows of stores from before they were simulated do not tell these."""
_SIMULATED = 1e-6
"""Simulated numbers may differ this much between machines, relatively."""

_NOTHING = type(None)
_SECONDS = ("generate_s", "build_s", "solve_s", "certify_s", "verify_s", "cpu_s", "simulate_s")
_KINDS: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("problem", "instance", "instance_sha256", "solver", "detail"), (str,)),
    **dict.fromkeys(("reason", "started_at"), (str,)),
    **dict.fromkeys(("num_jobs", "num_edges", "levels", "longest_path", "seed"), (int,)),
    **dict.fromkeys(("repetition", "threads"), (int,)),
    **dict.fromkeys(("value", "bound"), (int, float, _NOTHING)),
    **dict.fromkeys(_SECONDS, (int, float, _NOTHING)),
    **dict.fromkeys(("peak_rss_bytes", "memory_limit_bytes", "instance_seed"), (int, _NOTHING)),
    **dict.fromkeys(("solution", "certificate"), (bytes, _NOTHING)),
}
"""What the columns of a row may hold, where SQLite would take anything."""

_PARTS = {
    "problem": "problem",
    "solver": "solver",
    "solver_params": "params",
    "seed": "seed",
    "repetition": "repetition",
    "time_limit_s": "time_s",
    "memory_limit_bytes": "memory_bytes",
    "threads": "threads",
}
"""Columns that say what the key of their row was made of, and the names of the ingredients."""

_Group = tuple[str | None, str, int | None, int, str]


@dataclass(slots=True)
class Report:
    """What a check found.

    Attributes
    ----------
    planned, rows, stale : int
        Runs of the plan, rows among them, and rows that the plan does not ask for, which are not
        checked.
    instances, solutions, certificates : int
        How many were made again and evaluated.
    missing : dict
        By solver, how many planned runs have no row.
    problems : list of str
        Contradictions, one line each.
    """

    planned: int = 0
    rows: int = 0
    stale: int = 0
    instances: int = 0
    solutions: int = 0
    certificates: int = 0
    missing: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Made:
    """An instance made again: the cluster or DAG it was made as, and what a run of it solved."""

    source: Made
    instance: Stated

    def stated(self, row: RunRecord) -> _Made:
        """Return it with what the run of a row solved."""
        if row.problem not in PROBLEM_PARAMS:
            return self
        return _Made(self.source, state(self.source, row.problem, json.loads(row.solver_params)))


@dataclass(frozen=True, slots=True)
class _Known:
    """A checked solution: the exact integers that rows on the same instance are compared by.

    Both are negative for objectives that are minimised; `aim` is what is comparable.
    """

    row: RunRecord
    value: int
    upper: int | None
    aim: str
    proves: bool


def check_store(store: Store, on_row: Callable[[], None] = lambda: None) -> Report:
    """Make every instance again and evaluate every stored solution and certificate.

    Parameters
    ----------
    store : Store
    on_row : callable, optional
        Called once a row.

    Returns
    -------
    Report
        With a problem for each instance whose hash differs, each row that is about another solver
        or instance than was planned or states what its key was not made of, each row whose value,
        bound, gap, proof or verdict is not what its solution and certificate give, each rejected
        answer, proven optima that differ, and values above a proven optimum or a bound, proven or
        claimed.
    """
    planned = store.planned()
    of_key = {key: (instance, solver) for key, instance, solver in planned}
    report = Report(planned=len(planned), stale=store.num_stale())
    finished = store.finished()
    report.missing = dict(Counter(solver for key, _, solver in planned if key not in finished))
    stored = _stored_groups(store.instances())
    made_of = store.ingredients()
    groups: dict[_Group, list[RunRecord]] = defaultdict(list)
    for row in store.records():
        parts = made_of.get(row.key)
        groups[_group(row, parts)].append(row)
        report.rows += 1
        report.problems += [f"{_where(row)}: {text}" for text in _malformed(row)]
        if (row.instance, row.solver) != of_key[row.key]:
            report.problems.append(f"{_where(row)}: planned was {' by '.join(of_key[row.key])}")
        if parts is not None:
            report.problems += [f"{_where(row)}: {text}" for text in _other_parts(row, parts)]
    for group, rows in groups.items():
        # Where no run came so far as to have the instance, the rows state nothing about it.
        had = any(row.instance_sha256 or row.solution is not None for row in rows)
        made = _remake(group, stored.get(group), report) if had else None
        known: list[_Known] = []
        for row in rows:
            on_row()
            if made is not None:
                known += _check_row(row, made.stated(row), report)
        if made is not None:
            report.problems += _contradictions(known)
    return report


def _group(row: RunRecord, parts: dict[str, Any] | None) -> _Group:
    """Return what a row's instance is made of; of a file the version too, by its recipe."""
    recipe = "" if row.family is not None or parts is None else str(parts.get("instance", ""))
    return row.family, row.family_params, row.instance_seed, row.levels, recipe


def _stored_groups(instances: Iterable[StoredInstance]) -> dict[_Group, StoredInstance]:
    groups: dict[_Group, StoredInstance] = {}
    for one in instances:
        group = (one.family, one.params, one.seed, one.levels)
        groups[*group, ""] = groups[*group, one.recipe] = one
    return groups


def _other_parts(row: RunRecord, parts: dict[str, Any]) -> Iterator[str]:
    """Yield what a row states otherwise than its key was made of."""
    if digest_of(parts) != row.key:
        yield "its key is not that of its ingredients"
    for name, part in _PARTS.items():
        stated = getattr(row, name)
        with contextlib.suppress(TypeError, ValueError):
            stated = json.loads(stated) if name == "solver_params" else stated
        if stated != parts.get(part):
            yield f"{name} is {stated!r}, but its key was made of {parts.get(part)!r}"


def _remake(group: _Group, stored: StoredInstance | None, report: Report) -> _Made | None:
    """Generate an instance again, or read its file from the store; None if that fails."""
    family, params, seed, levels, _ = group
    try:
        if family is not None and seed is not None:
            source = get_family(family).generate(json.loads(params), levels, seed)
        elif stored is not None and stored.content is not None:
            source = _read_content(stored, json.loads(params)["file"])
        else:
            report.problems.append(f"instance {params}: its file is not in the store")
            return None
    except (KcutError, ValueError, TypeError, KeyError, AttributeError) as error:
        report.problems.append(f"instance {family} {params}: cannot be made again: {error}")
        return None
    report.instances += 1
    made = _Made(source, source if isinstance(source, PriorityInstance) else compression_of(source))
    if stored is not None and stored.sha256 not in (None, made.instance.sha256, source.sha256):
        report.problems.append(f"instance {stored.name}: made again it has another sha256")
    return made


def _read_content(stored: StoredInstance, name: str) -> Made:
    from kcut_instances.readers import read_instance

    assert stored.content is not None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / Path(name).name
        path.write_bytes(stored.content)
        made: Made = read_instance(path, stored.levels)
    return made


def _check_row(row: RunRecord, made: _Made, report: Report) -> Iterator[_Known]:
    """Check one row, and yield what it establishes, if anything."""
    instance = made.instance

    def problem(text: str) -> None:
        report.problems.append(f"{_where(row)}: {text}")

    if row.verdict == Verdict.REJECTED:
        problem(f"the answer was rejected: {row.reason}")
    if not row.instance_sha256 and row.solution is None and row.value is None:
        return
    if row.instance_sha256 != instance.sha256:
        problem("instance_sha256 is not that of the instance")
        return
    facts = facts_of(instance, 0.0)
    for name in ("num_jobs", "num_edges", "longest_path", "total_weight"):
        if getattr(row, name) != getattr(facts, name):
            problem(f"{name} is {getattr(row, name)!r}, but should be {getattr(facts, name)!r}")
    try:
        answer = _answer(row, instance)
        found = judge(instance, answer, row.problem)
    except (ValueError, TypeError, zlib.error, OverflowError) as error:
        problem(f"cannot be read: {error}")
        return
    report.solutions += answer.solution is not None
    report.certificates += answer.certificate is not None
    for text in (
        *_differences(row, found),
        *_other_worth(row, made, answer),
        *_other_objectives(row, objectives_of(instance, answer, found)),
    ):
        problem(text)
    if found.value is not None and answer.solution is not None:
        yield _known(row, instance, answer)


def _malformed(row: RunRecord) -> Iterator[str]:
    """Yield what no run can have written, whatever it was about."""
    for name, enum in (("termination", Termination), ("claim", Claim), ("verdict", Verdict)):
        if getattr(row, name) not in list(enum):
            yield f"{name} is {getattr(row, name)!r}"
    for name, kind in _KINDS.items():
        value = getattr(row, name)
        if not isinstance(value, kind):
            yield f"{name} is {value!r}, not {' or '.join(k.__name__ for k in kind)}"
    texts = ["family_params", "solver_params", "incumbents"]
    if row.objectives is not None:
        texts.append("objectives")
    for name in texts:
        try:
            json.loads(getattr(row, name))
        except (TypeError, ValueError):
            yield f"{name} is no JSON"
    for name in _SECONDS:
        value = getattr(row, name)
        if isinstance(value, int | float) and not (math.isfinite(value) and value >= 0):
            yield f"{name} is {value!r}"


def _where(row: RunRecord) -> str:
    return f"row {row.key[:12]} ({row.solver} on {row.instance}, K = {row.levels})"


def _known(row: RunRecord, instance: Stated, answer: Answer) -> _Known:
    """Return the exact value of a feasible answer and the bound its certificate proves."""
    assert answer.solution is not None
    if isinstance(instance, CompressionInstance):
        evaluate_cut = cut_value if row.problem == "compression" else max_k_cut_value
        value, upper = evaluate_cut(instance, answer.solution), _upper(instance, answer, row)
        proves = upper is not None
        return _Known(row, value, upper if proves else answer.bound, row.problem, proves)
    if isinstance(instance, TimeShiftsInstance):
        return _known_shifts(row, instance, answer)
    sign = 1 if instance.maximise else -1
    proven = _proven(instance, answer)
    bound = answer.bound if proven is None else proven
    aim = f"{row.problem}/{instance.objective}"
    if isinstance(instance, PathsInstance):
        aim += f"/{instance.stretch}"
        value = sign * path_objectives.evaluate(instance, answer.solution)
    else:
        value = sign * priority_objectives.evaluate(instance, answer.solution)
    return _Known(row, value, None if bound is None else sign * bound, aim, proven is not None)


def _known_shifts(row: RunRecord, instance: TimeShiftsInstance, answer: Answer) -> _Known:
    assert answer.solution is not None
    value, certificate = total_excess(instance, answer.solution), answer.certificate
    # A step of another length counts in another unit.
    aim = f"{row.problem}/{instance.circle.step_s!r}/{instance.hold!r}"
    if certificate is None:
        bound, proves = answer.bound, False
    else:
        bound, proves = time_shift_bounds.proven_bound(instance, certificate), True
        bound = max(bound, answer.bound or 0)
    return _Known(row, -value, None if bound is None else -bound, aim, proves)


def _proven(instance: PathsInstance | PriorityInstance, answer: Answer) -> int | None:
    if answer.certificate is None:
        return None
    if isinstance(instance, PathsInstance):
        return pigeonhole.proven_bound(instance, answer.certificate)
    return order_certificate.proven_bound(instance.gains, answer.certificate)


def _answer(row: RunRecord, instance: Stated) -> Answer:
    """Return the answer that a row records."""
    certificate = unpack(row.certificate)
    claimed = None
    own = isinstance(instance, CompressionInstance)
    if (certificate is None or not own) and row.bound is not None:
        scale = instance.scale
        if isinstance(instance, PathsInstance):
            scale = path_objectives.scale_of(instance)
        claimed = int(row.bound * scale) if scale != 1 else int(row.bound)
    return Answer(
        Claim(row.claim),
        unpack(row.solution),
        bound=claimed,
        certificate=certificate,
        termination=Termination(row.termination),
        detail=row.detail,
    )


def _differences(row: RunRecord, found: Judgement) -> Iterator[str]:
    """Yield what a row states and its solution and certificate do not give."""
    for name in ("value", "bound", "gap", "proven"):
        stated, is_so = getattr(row, name), getattr(found, name)
        if stated != is_so or isinstance(stated, int) != isinstance(is_so, int):
            yield f"{name} is {stated!r}, but should be {is_so!r}"
    # A rejection may rest on what is not stored: a malformed answer, or a better solution.
    if row.verdict not in (found.verdict, Verdict.REJECTED):
        yield f"verdict is {row.verdict}, but should be {found.verdict} {found.reason}".rstrip()
    if row.verdict == Verdict.REJECTED and found.verdict is Verdict.VERIFIED:
        yield "verdict is rejected, but the answer holds"


def _other_worth(row: RunRecord, made: _Made, answer: Answer) -> Iterator[str]:
    """Yield what simulating the stored levels again gives otherwise."""
    again = worth_of(made.source, made.instance, None if row.value is None else answer.solution)
    told = tuple(name for name in _SIMULATED_LATER if row.max_slowdown is not None)
    for name in (*_SIMULATED_FIELDS, *told):
        stated, is_so = getattr(row, name), getattr(again, name)
        same = stated == is_so
        if stated is not None and is_so is not None:
            same = math.isclose(stated, is_so, rel_tol=_SIMULATED)
        if not same:
            yield f"{name} is {stated!r}, but should be {is_so!r}"


def _other_objectives(row: RunRecord, again: dict[str, int | float | None] | None) -> Iterator[str]:
    """Yield what evaluating the stored paths under every objective gives otherwise.

    Exactly: only a simulation may differ between machines.
    """
    stated = None if row.objectives is None else json.loads(row.objectives)
    if not isinstance(stated, dict) or again is None:
        if stated != again:
            yield f"objectives is {stated!r}, but should be {again!r}"
        return
    for name in sorted(stated.keys() | again.keys()):
        value, is_so = stated.get(name), again.get(name)
        same = value == is_so and isinstance(value, int) == isinstance(is_so, int)
        if name == "simulated" and isinstance(value, float) and isinstance(is_so, float):
            same = math.isclose(value, is_so, rel_tol=_SIMULATED)
        if not same:
            yield f"objectives: {name} is {value!r}, but should be {is_so!r}"


def _upper(instance: CompressionInstance, answer: Answer, row: RunRecord) -> int | None:
    """Return the bound that holds for every solution, in exact integers."""
    from kcut.certificate import bound

    if answer.certificate is None or row.problem != "compression":
        return None
    return bound(instance, answer.certificate)


def _contradictions(known: Iterable[_Known]) -> Iterator[str]:
    """Compare all rows on one instance: nothing may exceed a bound or a claimed optimum."""
    by_problem: dict[str, list[_Known]] = defaultdict(list)
    for entry in known:
        by_problem[entry.aim].append(entry)
    for entries in by_problem.values():
        best = max(entries, key=lambda entry: entry.value)
        name = f"{best.row.instance}, K = {best.row.levels}"
        for entry in entries:
            if entry.upper is not None and entry.upper < best.value:
                how = "proves" if entry.proves else "claims"
                yield (
                    f"{name}: {best.row.solver} has the value {abs(best.value)},"
                    f" above the bound {abs(entry.upper)} that {entry.row.solver} {how}"
                )
            claims = entry.row.claim == Claim.OPTIMAL and entry.row.verdict != Verdict.REJECTED
            if claims and entry.value < best.value:
                yield (
                    f"{name}: {entry.row.solver} claims that {abs(entry.value)} is optimal,"
                    f" but {best.row.solver} has {abs(best.value)}"
                )
    ordered, free = by_problem.get("compression", []), by_problem.get("max-k-cut", [])
    for entry in free:
        above = [o for o in ordered if o.value > entry.value]
        if entry.row.claim == Claim.OPTIMAL and above:
            yield (
                f"{entry.row.instance}, K = {entry.row.levels}: {above[0].row.solver} has"
                f" {above[0].value}, above the optimum {entry.value} without order"
            )
