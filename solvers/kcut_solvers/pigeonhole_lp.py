"""The best bound on contention that pigeonhole inequalities prove together, by linear programming.

    minimise   sum w_ij c_ij      0 <= c_ij <= 1
    such that  sum over pairs in S of max(v_i, v_j) c_ij >= W(v, A)

for bundles of A links, sets S of jobs that cross them, and v = w or v = 1: rows are added as they
are violated. The duals, rounded down, are a certificate that `kcut.pigeonhole` checks exactly.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.paths import PathsInstance
from kcut.pigeonhole import Bundle, Pigeonhole, bundles, cheapest_partition, encode, proven_bound
from kcut_solvers import highs

DENOMINATOR = 2**16
"""D of the certificates: what rounding the duals down may cost is a share of about 1 / D."""

_VIOLATION = 1e-4


@dataclass(frozen=True, slots=True)
class Row:
    """An inequality with v = w (weighted) or v = 1."""

    links: tuple[int, ...]
    jobs: tuple[int, ...]
    weighted: bool
    least: int


@dataclass(slots=True)
class PigeonholeBound:
    """What the linear program found.

    Attributes
    ----------
    bound : int
        Proven by the certificate, in units of ``1 / scale``.
    certificate : ndarray of int64
    rows : list of Row
        Those of positive dual, and those that are tight: worth having in an exact model.
    """

    bound: int
    certificate: NDArray[np.int64]
    rows: list[Row] = field(default_factory=list)


def nested_rows(instance: PathsInstance, bundle: Bundle) -> list[Row]:
    """Return the rows of the heaviest q jobs of a bundle, for all q that have to share."""
    jobs = sorted(bundle.jobs, key=lambda j: (-int(instance.weight[j]), j))
    sets = [jobs[:q] for q in range(len(bundle.links) + 1, len(jobs) + 1)]
    return [row for chosen in sets for row in _both_rows(instance, bundle, chosen) if row.least > 0]


def _both_rows(instance: PathsInstance, bundle: Bundle, jobs: Sequence[int]) -> list[Row]:
    num_bins, chosen = len(bundle.links), tuple(sorted(jobs))
    weights = [int(instance.weight[j]) for j in chosen]
    return [
        Row(bundle.links, chosen, True, cheapest_partition(weights, num_bins)),
        Row(bundle.links, chosen, False, cheapest_partition([1] * len(chosen), num_bins)),
    ]


def strengthen(
    instance: PathsInstance, *, time_s: float | None = None, max_rounds: int = 60
) -> PigeonholeBound:
    """Solve the linear program with rows separated lazily.

    Parameters
    ----------
    instance : PathsInstance
    time_s : float, optional
        Checked between rounds.
    max_rounds : int, optional

    Returns
    -------
    PigeonholeBound
    """
    started = time.perf_counter()
    shared = bundles(instance)
    rows = [row for bundle in shared for row in nested_rows(instance, bundle)]
    pairs = sorted({pair for b in shared for pair in itertools.combinations(b.jobs, 2)})
    if not rows:
        empty = encode([], 1)
        return PigeonholeBound(0, empty)
    program = _Program(instance, pairs)
    seen = set(rows)
    program.add(rows)
    met, dual = program.solve()
    for _ in range(max_rounds):
        if time_s is not None and time.perf_counter() - started > time_s:
            break
        new = [row for row in _violated(instance, shared, met) if row not in seen]
        if not new:
            break
        seen.update(new)
        program.add(new)
        met, dual = program.solve()
    return _certified(instance, program.rows, dual)


class _Program:
    """The linear program in HiGHS, its columns the pairs."""

    def __init__(self, instance: PathsInstance, pairs: list[tuple[int, int]]) -> None:
        highspy = highs.load()
        self._instance = instance
        self._column = {pair: k for k, pair in enumerate(pairs)}
        self._unit = max(1.0, float(instance.weight.max()))
        self._pairs = pairs
        self._solver: Any = highspy.Highs()
        self._solver.setOptionValue("output_flag", False)
        self._solver.setOptionValue("threads", 1)
        self.rows: list[Row] = []
        cost = [instance.pair_weight(i, j) / self._unit for i, j in pairs]
        empty = np.zeros(0, np.int32)
        n = len(pairs)
        self._solver.addCols(
            n, np.array(cost), np.zeros(n), np.ones(n), 0, empty, empty, np.zeros(0)
        )

    def add(self, rows: list[Row]) -> None:
        """Add rows, scaled so that the largest coefficient is at most 1."""
        weight = self._instance.weight
        for row in rows:
            columns, numbers = [], []
            for i, j in itertools.combinations(row.jobs, 2):
                columns.append(self._column[i, j])
                numbers.append(max(weight[i], weight[j]) / self._unit if row.weighted else 1.0)
            least = row.least / self._unit if row.weighted else float(row.least)
            self._solver.addRow(
                least, np.inf, len(columns), np.array(columns, np.int32), np.array(numbers)
            )
            self.rows.append(row)

    def solve(self) -> tuple[dict[tuple[int, int], float], NDArray[np.float64]]:
        """Return how much each pair meets, and the duals of the rows."""
        self._solver.run()
        solution = self._solver.getSolution()
        met = dict(zip(self._pairs, solution.col_value, strict=True))
        return met, np.maximum(0.0, np.array(solution.row_dual))


def _violated(
    instance: PathsInstance, shared: list[Bundle], met: dict[tuple[int, int], float]
) -> list[Row]:
    """Look for violated rows: drop from each bundle the job that leaves the most violation."""
    n = instance.num_jobs
    meets, cost = np.zeros((2, n, n))
    for (i, j), value in met.items():
        meets[i, j] = meets[j, i] = value
        cost[i, j] = cost[j, i] = value * instance.pair_weight(i, j)
    found = []
    for bundle in shared:
        for weighted, paid in ((True, cost), (False, meets)):
            row = _most_violated(instance, bundle, weighted, paid)
            if row is not None:
                found.append(row)
    return found


def _most_violated(
    instance: PathsInstance, bundle: Bundle, weighted: bool, paid: NDArray[np.float64]
) -> Row | None:
    jobs = list(bundle.jobs)
    num_bins = len(bundle.links)
    best: tuple[float, list[int]] = (0.0, [])
    while len(jobs) > num_bins:
        values = [int(instance.weight[j]) if weighted else 1 for j in jobs]
        least = cheapest_partition(values, num_bins)
        inside = paid[np.ix_(jobs, jobs)]
        violation = (least - inside.sum() / 2) / max(1, least)
        if violation > best[0]:
            best = (violation, list(jobs))
        pays = inside.sum(axis=0)
        if weighted:
            saved = [
                least - cheapest_partition(values[:k] + values[k + 1 :], num_bins)
                for k in range(len(jobs))
            ]
            drop = int(np.argmax(pays - np.array(saved)))
        else:
            drop = int(np.argmax(pays))
        jobs.pop(drop)
    if best[0] < _VIOLATION:
        return None
    return next(r for r in _both_rows(instance, bundle, best[1]) if r.weighted is weighted)


def _certified(
    instance: PathsInstance, rows: list[Row], dual: NDArray[np.float64]
) -> PigeonholeBound:
    """Round the duals down to a certificate; the bound is what it proves."""
    unit = max(1.0, float(instance.weight.max()))
    # The dual of a row with v = 1 is in units of the largest weight.
    inequalities, kept = [], []
    for row, y in zip(rows, dual, strict=True):
        if row.weighted:
            times = int(y * DENOMINATOR)
            values = tuple(int(instance.weight[j]) * times for j in row.jobs)
        else:
            times = int(y * unit * DENOMINATOR)
            values = (times,) * len(row.jobs)
        if times > 0:
            inequalities.append(Pigeonhole(row.links, row.jobs, values))
            kept.append(row)
    certificate = encode(inequalities, DENOMINATOR)
    return PigeonholeBound(proven_bound(instance, certificate), certificate, kept)
