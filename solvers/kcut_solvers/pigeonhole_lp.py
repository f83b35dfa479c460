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
from kcut.pigeonhole import Bundle, Pigeonhole, bundles, cheapest_partition, encode
from kcut.pigeonhole_proof import proven_bound
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
    program = Program(instance)
    if not program.rows:
        return PigeonholeBound(0, encode([], 1))
    solved = program.solve()
    for _ in range(max_rounds):
        if time_s is not None and time.perf_counter() - started > time_s:
            break
        if not program.separate(solved.met):
            break
        solved = program.solve()
    return certified(instance, program.rows, solved.dual)


@dataclass(frozen=True, slots=True)
class Relaxed:
    """A solution of the linear program.

    Attributes
    ----------
    value : float
        In units of ``1 / scale``; rounded by the solver.
    met : ndarray of float64, shape (num_pairs,)
        How much each pair meets.
    dual : ndarray of float64, shape (num_rows,)
    """

    value: float
    met: NDArray[np.float64]
    dual: NDArray[np.float64]


class Program:
    """The linear program in HiGHS, its columns the pairs of jobs that may have to share.

    Attributes
    ----------
    pairs : list of (int, int)
    cost : ndarray of float64, shape (num_pairs,)
        Of meeting, in units of the largest weight.
    rows : list of Row
        Those of `nested_rows` at first; `separate` adds more.
    """

    def __init__(self, instance: PathsInstance) -> None:
        highspy = highs.load()
        self._instance = instance
        self._shared = bundles(instance)
        self.pairs = sorted({p for b in self._shared for p in itertools.combinations(b.jobs, 2)})
        self._column = {pair: k for k, pair in enumerate(self.pairs)}
        self._unit = max(1.0, float(instance.weight.max()))
        self._solver: Any = highspy.Highs()
        self._solver.setOptionValue("output_flag", False)
        self._solver.setOptionValue("threads", 1)
        self.rows: list[Row] = []
        self._seen: set[Row] = set()
        self.cost = np.array([instance.pair_weight(i, j) / self._unit for i, j in self.pairs])
        empty, n = np.zeros(0, np.int32), len(self.pairs)
        self._solver.addCols(n, self.cost, np.zeros(n), np.ones(n), 0, empty, empty, np.zeros(0))
        self._add([row for bundle in self._shared for row in nested_rows(instance, bundle)])

    def _add(self, rows: list[Row]) -> None:
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
        self._seen.update(rows)

    def separate(self, met: NDArray[np.float64]) -> bool:
        """Add rows that a solution violates; return whether there are any."""
        found = violated(self._instance, self._shared, dict(zip(self.pairs, met, strict=True)))
        new = [row for row in found if row not in self._seen]
        self._add(new)
        return bool(new)

    def decide(self, pair: tuple[int, int], meets: bool | None) -> None:
        """Let a pair meet, keep it apart at a prohibitive cost, or leave it undecided again."""
        k = self._column[pair]
        self._solver.changeColBounds(k, float(meets is True), 1.0)
        self._solver.changeColCost(k, self._forbidden if meets is False else float(self.cost[k]))

    @property
    def _forbidden(self) -> float:
        return 1.0 + 10.0 * float(self.cost.sum())

    def solve(self) -> Relaxed:
        """Solve it, from the last basis."""
        self._solver.run()
        solution = self._solver.getSolution()
        value = float(self._solver.getInfo().objective_function_value) * self._unit
        dual = np.maximum(0.0, np.array(solution.row_dual))
        return Relaxed(value, np.array(solution.col_value), dual)


def violated(
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
            row = _mostviolated(instance, bundle, weighted, paid)
            if row is not None:
                found.append(row)
    return found


def _mostviolated(
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


def certified(
    instance: PathsInstance, rows: list[Row], dual: NDArray[np.float64]
) -> PigeonholeBound:
    """Round the duals down to a certificate; the bound is what it proves without any cases."""
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
