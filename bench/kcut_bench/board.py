"""The board of a run: its best solution so far, in a file that outlives the run's process.

Memory that two processes share costs a copy for each solution and nothing else: no system call and
nobody to wait for, and it stays readable when the run is killed in the midst of native code.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut import path_objectives, priority_objectives
from kcut.compression import (
    CompressionInstance,
    cut_value,
    infeasibility,
    max_k_cut_value,
    out_of_range,
)
from kcut.paths import PathsInstance
from kcut.priority import PriorityInstance
from kcut.time_shifts import TimeShiftsInstance, total_excess
from kcut.views import Stated

FILE_NAME = "incumbent"
_HEADER = 1  # how many solutions were written; the last one is in slot (count - 1) % 2
_Evaluate = Callable[[Any, NDArray[Any]], int | None]


def _cut(instance: CompressionInstance, levels: NDArray[Any]) -> int | None:
    return None if infeasibility(instance, levels) else cut_value(instance, levels)


def _max_k_cut(instance: CompressionInstance, levels: NDArray[Any]) -> int | None:
    return None if out_of_range(instance, levels) else max_k_cut_value(instance, levels)


def _paths(instance: PathsInstance, choice: NDArray[Any]) -> int | None:
    if instance.infeasibility(choice):
        return None
    return path_objectives.evaluate(instance, choice) * (1 if instance.maximise else -1)


def _order(instance: PriorityInstance, order: NDArray[Any]) -> int | None:
    if instance.infeasibility(order):
        return None
    return priority_objectives.evaluate(instance, order) * (1 if instance.maximise else -1)


def _shifts(instance: TimeShiftsInstance, shifts: NDArray[Any]) -> int | None:
    return None if instance.infeasibility(shifts) else -total_excess(instance, shifts)


EVALUATE: dict[str, _Evaluate] = {
    "compression": _cut,
    "max-k-cut": _max_k_cut,
    "paths": _paths,
    "priority": _order,
    "time-shifts": _shifts,
}
"""By problem: the exact value of a solution, None if it is infeasible.

What is to be minimised is negative here: more is better.
"""


class Board:
    """Keeps the best of the solutions a solver offers; what is infeasible is not kept.

    Parameters
    ----------
    folder : Path
        Where the file goes.
    instance : CompressionInstance, PathsInstance, PriorityInstance or TimeShiftsInstance
    problem : str
        A key of `EVALUATE`.
    """

    def __init__(self, folder: Path, instance: Stated, problem: str) -> None:
        self._instance = instance
        self._evaluate = EVALUATE[problem]
        length = instance.num_jobs
        if isinstance(instance, PathsInstance):
            length = instance.num_flows
        size = _HEADER + 2 * (1 + length)
        self._cells = np.memmap(folder / FILE_NAME, np.int64, "w+", shape=(size,))
        self._slots = self._cells[_HEADER:].reshape(2, -1)
        self.start()

    def start(self) -> None:
        """Begin a call of the solver: the clock starts, and what was offered before is void."""
        self._started = time.perf_counter()
        self._best: int | None = None
        self._cells[0] = 0

    def offer(self, solution: NDArray[np.integer[Any]]) -> None:
        """Keep a copy of a solution if it is feasible and better than all before; never raise."""
        try:
            value = self._evaluate(self._instance, solution)
        except Exception:
            return
        if value is None or (self._best is not None and value <= self._best):
            return
        # The slot of the last solution is not touched: a run may be killed within this copy.
        slot = self._slots[int(self._cells[0]) % 2]
        slot[0] = int((time.perf_counter() - self._started) * 1e9)
        slot[1:] = solution
        self._cells[0] += 1
        self._best = value


def read_board(folder: Path) -> tuple[NDArray[np.int64], float] | None:
    """Return the last solution on the board of a run, and the seconds after which it was found.

    Returns
    -------
    tuple of ndarray of int64 and float, or None
        None if there is no board or nothing on it.
    """
    try:
        cells = np.fromfile(folder / FILE_NAME, np.int64)
    except OSError:
        return None
    if len(cells) < _HEADER + 2 or cells[0] == 0:
        return None
    slot = cells[_HEADER:].reshape(2, -1)[(int(cells[0]) - 1) % 2]
    return slot[1:].copy(), float(slot[0]) / 1e9
