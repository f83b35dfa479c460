"""The time line of a simulation: when each job computes, sends and waits, and what links carry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcut.fluid import FINISHED
from kcut.fluid_setup import Group

Intervals = NDArray[np.float64]


class RateChanges(NamedTuple):
    """The rates of flows over time: from ``time[i]`` on, flow ``flow[i]`` sends at ``rate[i]``.

    Attributes
    ----------
    time : ndarray of float64
        Seconds, ascending.
    flow : ndarray of int64
        Index of the flow in the cluster.
    rate : ndarray of float64
        Bytes per second; 0 while the flow waits, -1 once it has finished.
    """

    time: NDArray[np.float64]
    flow: NDArray[np.int64]
    rate: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Timeline:
    """What happened when.

    Attributes
    ----------
    end_s : ndarray of float64, shape (num_jobs,)
        Where each job's time line ends.
    compute, send, wait : tuple of ndarray of float64, shape (num_intervals, 2)
        For each job the intervals, begin and end in seconds, in which it computes, in which some
        flow of it sends, and in which flows of it are open but none sends.
    changes : RateChanges
    """

    end_s: NDArray[np.float64]
    compute: tuple[Intervals, ...]
    send: tuple[Intervals, ...]
    wait: tuple[Intervals, ...]
    changes: RateChanges

    def link_rate(
        self, flows: NDArray[np.integer], end_s: float
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the summed rate of some flows, such as those on a link, as a step function.

        Parameters
        ----------
        flows : ndarray of int
            Indices of flows in the cluster.
        end_s : float
            Where the step function ends.

        Returns
        -------
        time : ndarray of float64, shape (num_steps + 1,)
            From 0 to `end_s`.
        rate : ndarray of float64, shape (num_steps,)
            Bytes per second from ``time[i]`` to ``time[i + 1]``.
        """
        mine = np.isin(self.changes.flow, flows) & (self.changes.time < end_s)
        times, last = [0.0], [0.0]
        current = dict.fromkeys(flows.tolist(), 0.0)
        rows = zip(*(column[mine].tolist() for column in self.changes), strict=True)
        for time, flow, rate in rows:
            current[flow] = max(rate, 0.0)
            if time > times[-1]:
                times.append(time)
                last.append(0.0)
            last[-1] = sum(current.values())
        return np.array([*times, end_s]), np.array(last)


def read_log(num_jobs: int, groups: list[Group]) -> Timeline:
    """Build the time line from what the groups logged."""
    end_s = np.zeros(num_jobs)
    tracks: dict[str, list[Intervals]] = {
        name: [np.zeros((0, 2))] * num_jobs for name in ("compute", "send", "wait")
    }
    columns = []
    for group in groups:
        end = float(group.world.run[0].now)
        log = group.world.log[: group.world.run[0].num_logged]
        time, what, value = (log[column].copy() for column in ("time", "what", "value"))
        of_flow = what >= 0
        columns.append((time[of_flow], group.flows[what[of_flow]], value[of_flow]))
        for j, job in enumerate(group.jobs):
            end_s[job] = end
            mine = what == -1 - j
            tracks["compute"][job] = _intervals(time[mine], value[mine] > 0, end)
            of_job = np.flatnonzero(of_flow)
            of_job = of_job[group.world.flows["job"][what[of_job]] == j]
            sending, open_flows = _transfer(what[of_job], value[of_job])
            tracks["send"][job] = _intervals(time[of_job], sending > 0, end)
            waiting = (open_flows > 0) & (sending == 0)
            tracks["wait"][job] = _intervals(time[of_job], waiting, end)
    joined = [np.concatenate(parts) for parts in zip(*columns, strict=True)]
    by_time = np.argsort(joined[0], kind="stable")
    changes = RateChanges(*(column[by_time] for column in joined))
    compute, send, wait = (tuple(track) for track in tracks.values())
    return Timeline(end_s, compute, send, wait, changes)


def _transfer(
    flow: NDArray[np.int64], rate: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return how many of a job's flows send, and how many are open, after each change."""
    current: dict[int, float] = {}
    sending, open_flows = np.zeros(len(flow), np.int64), np.zeros(len(flow), np.int64)
    for i, (f, r) in enumerate(zip(flow.tolist(), rate.tolist(), strict=True)):
        current[f] = r
        if r == FINISHED:
            del current[f]
        sending[i] = sum(1 for value in current.values() if value > 0)
        open_flows[i] = len(current)
    return sending, open_flows


def _intervals(time: NDArray[np.float64], on: NDArray[np.bool_], end: float) -> Intervals:
    """Return the intervals in which a state that changes at `time` is on, up to `end`."""
    rows: list[list[float]] = []
    for begin, until, active in zip(time, np.append(time[1:], end)[: len(time)], on, strict=True):
        if not active or until <= begin:
            continue
        if rows and rows[-1][1] == begin:
            rows[-1][1] = float(until)
        else:
            rows.append([float(begin), float(until)])
    return np.array(rows, np.float64).reshape(-1, 2)
