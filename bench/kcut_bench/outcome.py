"""From a planned run and what happened to it to its row."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.answer import Answer, Claim, Termination, Verdict
from kcut.compression import original_weight
from kcut.judge import Judgement
from kcut.path_objectives import as_shown, most_contention
from kcut.paths import PathsInstance
from kcut.priority import PriorityInstance
from kcut.time_shifts import TimeShiftsInstance
from kcut.views import Stated
from kcut_bench.plan import PlannedRun
from kcut_bench.record import RunRecord
from kcut_bench.run import NOT_TIMED, Timings
from kcut_bench.simulation import NO_WORTH, Worth


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of an instance once it exists; see `RunRecord`."""

    instance: str
    instance_sha256: str
    num_jobs: int
    num_edges: int
    longest_path: int
    total_weight: int | float
    generate_s: float | None


def facts_of(instance: Stated, generate_s: float | None) -> Facts:
    """Return the facts of an instance that took `generate_s` seconds to have.

    Path selection has flows for edges, and for the total weight that of all pairs of jobs. A
    priority order has the pairs that meet for edges, and for the total weight of a matrix its
    trivial bound. Time shifts have contended links for edges, and their whole capacity.
    """
    if isinstance(instance, PriorityInstance):
        matrix = instance.matrix
        return Facts(
            instance=instance.name,
            instance_sha256=instance.sha256,
            num_jobs=instance.num_jobs,
            num_edges=len(instance.pairs),
            longest_path=0,
            total_weight=0 if matrix is None else matrix.shown(matrix.most),
            generate_s=generate_s,
        )
    if isinstance(instance, TimeShiftsInstance):
        return Facts(
            instance=instance.name,
            instance_sha256=instance.sha256,
            num_jobs=instance.num_jobs,
            num_edges=len(instance.points),
            longest_path=0,
            total_weight=instance.most,
            generate_s=generate_s,
        )
    if isinstance(instance, PathsInstance):
        return Facts(
            instance=instance.name,
            instance_sha256=instance.sha256,
            num_jobs=instance.num_jobs,
            num_edges=instance.num_flows,
            longest_path=0,
            total_weight=as_shown(instance, most_contention(instance), "contention") or 0,
            generate_s=generate_s,
        )
    return Facts(
        instance=instance.name,
        instance_sha256=instance.sha256,
        num_jobs=instance.num_jobs,
        num_edges=instance.num_edges,
        longest_path=int(instance.depth.max()) + 1,
        total_weight=original_weight(instance, np.ones(instance.num_edges, np.bool_)),
        generate_s=generate_s,
    )


def finished_row(
    run: PlannedRun,
    facts: Facts,
    answer: Answer,
    judgement: Judgement,
    *,
    started_at: str,
    timings: Timings = NOT_TIMED,
    peak_rss_bytes: int | None = None,
    worth: Worth = NO_WORTH,
    objectives: Mapping[str, float | None] | None = None,
) -> RunRecord:
    """Return the row of a run whose solver returned, or that was skipped."""
    return RunRecord(
        **_planned_fields(run, facts),
        termination=answer.termination.value,
        claim=answer.claim.value,
        verdict=judgement.verdict.value,
        detail=answer.detail,
        reason=judgement.reason,
        value=judgement.value,
        bound=judgement.bound,
        gap=judgement.gap,
        proven=judgement.proven,
        build_s=timings.build_s,
        solve_s=timings.solve_s,
        certify_s=timings.certify_s,
        verify_s=timings.verify_s,
        cpu_s=timings.cpu_s,
        peak_rss_bytes=peak_rss_bytes,
        incumbents=json.dumps([[i.seconds, i.value] for i in answer.incumbents]),
        solution=pack(answer.solution),
        certificate=pack(answer.certificate),
        started_at=started_at,
        **asdict(worth),
        objectives=None if objectives is None else json.dumps(objectives, sort_keys=True),
    )


@dataclass(frozen=True, slots=True)
class Lost:
    """How a run ended whose process did not live to send its row.

    Attributes
    ----------
    termination : Termination
    detail, started_at : str
    facts : Facts or None
        Of the instance, where the run came so far as to have it.
    solve_s, cpu_s : float or None
        Seconds in the solver until the end, where it was in there.
    peak_rss_bytes : int or None
    """

    termination: Termination
    detail: str
    started_at: str
    facts: Facts | None = None
    solve_s: float | None = None
    cpu_s: float | None = None
    peak_rss_bytes: int | None = None

    def row(self, run: PlannedRun) -> RunRecord:
        """Return the row of the run, without an answer."""
        answer = Answer(Claim.NONE, termination=self.termination, detail=self.detail)
        return finished_row(
            run,
            self.facts or Facts(run.recipe.name, "", 0, 0, 0, 0, None),
            answer,
            Judgement(Verdict.UNVERIFIABLE, reason=self.detail),
            started_at=self.started_at,
            timings=Timings(solve_s=self.solve_s, cpu_s=self.cpu_s),
            peak_rss_bytes=self.peak_rss_bytes,
        )


def _planned_fields(run: PlannedRun, facts: Facts) -> dict[str, Any]:
    return {
        "key": run.key,
        "problem": run.problem,
        "instance": facts.instance,
        "instance_sha256": facts.instance_sha256,
        "family": run.recipe.family,
        "family_params": json.dumps(run.recipe.params, sort_keys=True),
        "instance_seed": run.recipe.seed,
        "num_jobs": facts.num_jobs,
        "num_edges": facts.num_edges,
        "levels": run.recipe.levels,
        "longest_path": facts.longest_path,
        "total_weight": facts.total_weight,
        "solver": run.solver,
        "solver_params": json.dumps(run.params, sort_keys=True),
        "exact": run.exact,
        "seed": run.seed,
        "repetition": run.repetition,
        "time_limit_s": run.time_s,
        "memory_limit_bytes": run.memory_bytes,
        "threads": run.threads,
        "generate_s": facts.generate_s,
    }


def pack(array: NDArray[np.int64] | NDArray[np.integer[Any]] | None) -> bytes | None:
    """Compress integers as little-endian int64; None stays None."""
    return None if array is None else zlib.compress(array.astype("<i8").tobytes(), 6)


def unpack(blob: bytes | None) -> NDArray[np.int64] | None:
    """Undo `pack`; raise ValueError or zlib.error if the bytes are not what it made."""
    if blob is None:
        return None
    return np.frombuffer(zlib.decompress(blob), "<i8").astype(np.int64)


def utc_now() -> str:
    """Return the time in UTC, ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
