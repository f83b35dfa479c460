"""The linear program of priority compression by HiGHS, given as one sparse matrix.

    min   sum_e w_e z_e                         (the residual)
    s.t.  L_u - L_v + z_e >= 1                  for every edge e = u -> v
          0 <= L_v <= K-1,  0 <= z_e <= 1

The matrix is a network matrix beside an identity, hence totally unimodular: every vertex is
integral, and so are the duals of the rows, which are a cover.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import (
    Answer,
    Claim,
    CompressionInstance,
    Limits,
    Termination,
    bound,
    cut_value,
    no_answer,
    solver,
)
from kcut_solvers import highs
from kcut_solvers.floats import TOLERANCE, Checked, check_levels, unit_of


@solver("compression", "lp-highs", exact=True, reference="huangfu2018highs")
def lp_highs(instance: CompressionInstance, *, limits: Limits, rng: np.random.Generator) -> Answer:
    """Solve the linear program by HiGHS and round its vertex, which is integral.

    Parameters
    ----------
    instance : CompressionInstance
    limits : Limits
        Time and threads are handed over; HiGHS keeps the time only roughly.
    rng : numpy.random.Generator
        Not used.

    Returns
    -------
    Answer
        Optimal where HiGHS says so and the duals, rounded, prove the rounded levels, or where
        float tolerances are too small to hide a unit of weight. The duals are a certificate
        whenever they bound the value better than the total weight does, also at a time limit.

    References
    ----------
    Huangfu & Hall, Parallelizing the dual revised simplex method, Mathematical Programming
    Computation 10, 2018, doi:10.1007/s12532-017-0130-5.
    """
    started = time.perf_counter()
    highspy = highs.load()
    unit = unit_of(instance.weight)
    model = highspy.Highs()
    model.setOptionValue("output_flag", False)
    model.setOptionValue("threads", limits.threads)
    model.passModel(_build(highspy, instance, unit))
    build_s = time.perf_counter() - started
    if limits.time_s is not None:
        model.setOptionValue("time_limit", max(0.01, limits.time_s - build_s))
    model.run()
    status = model.getModelStatus()
    optimal = status == highspy.HighsModelStatus.kOptimal
    detail = f"HiGHS: {model.modelStatusToString(status)}"
    if not optimal and status != highspy.HighsModelStatus.kTimeLimit:
        return no_answer(Termination.CRASHED, detail)
    solution = model.getSolution()
    termination = Termination.FINISHED if optimal else Termination.TIME_LIMIT
    if not solution.value_valid:
        return replace(no_answer(termination, detail), build_s=build_s)
    numbers = np.asarray(solution.col_value)[: instance.num_jobs]
    cover = _cover(instance, np.asarray(solution.row_dual), unit)
    checked = _check(instance, numbers, cover, model.getObjectiveValue() if optimal else None)
    return Answer(
        checked.claim,
        checked.levels,
        certificate=checked.cover,
        termination=termination,
        detail="; ".join(filter(None, (detail, checked.note))),
        build_s=build_s,
    )


def _build(highspy: Any, instance: CompressionInstance, unit: float) -> Any:
    """Return the linear program: columns L then z, one row per edge."""
    n, m = instance.num_jobs, instance.num_edges
    columns = np.empty((m, 3), np.int32)
    columns[:, 0], columns[:, 1], columns[:, 2] = instance.upper, instance.lower, n + np.arange(m)
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n + m, m
    lp.col_cost_ = np.concatenate([np.zeros(n), instance.weight / unit])
    lp.col_lower_ = np.zeros(n + m)
    lp.col_upper_ = np.concatenate([np.full(n, instance.useful_levels - 1.0), np.ones(m)])
    lp.row_lower_, lp.row_upper_ = np.ones(m), np.full(m, highspy.kHighsInf)
    matrix = lp.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kRowwise
    matrix.num_col_, matrix.num_row_ = n + m, m
    matrix.start_ = np.arange(0, 3 * m + 1, 3, dtype=np.int32)
    matrix.index_ = columns.ravel()
    matrix.value_ = np.tile([1.0, -1.0, 1.0], m)
    return lp


def _cover(
    instance: CompressionInstance, duals: NDArray[np.float64], unit: float
) -> NDArray[np.int64]:
    """Round the duals of the rows to a cover; return the empty one where that bounds better.

    With fewer useful levels than K every edge can be cut, and the empty cover is the best.
    """
    if instance.levels == 1:
        return instance.weight
    nothing = np.zeros(instance.num_edges, np.int64)
    if duals.shape != nothing.shape or not np.isfinite(duals).all():
        return nothing
    cover = np.rint(np.clip(duals * unit, 0, 2.0**62)).astype(np.int64)
    return cover if bound(instance, cover) < instance.total_weight else nothing


def _check(
    instance: CompressionInstance,
    numbers: NDArray[np.float64],
    cover: NDArray[np.int64],
    residual: float | None,
) -> Checked:
    """Decide what to claim of the vertex; `residual` is the optimum HiGHS claims, if it does."""
    checked = check_levels(instance, numbers, proven=False)
    if checked.levels is None:
        return replace(checked, cover=cover)
    value = cut_value(instance, checked.levels)
    if value == bound(instance, cover):
        return Checked(Claim.OPTIMAL, checked.levels, cover, "")
    left = (instance.total_weight - value) / unit_of(instance.weight)
    if residual is None or abs(left - residual) > TOLERANCE * (1.0 + abs(residual)):
        return replace(checked, cover=cover)
    again = check_levels(instance, numbers, proven=True)
    return replace(again, cover=cover if again.cover is None else again.cover)
