"""Pair replay: two jobs on one link, each going first and both on one level.

Job j computes for c_j seconds; after a share s_j of them it may send, which takes the link for l_j
seconds in all, at no more than a share p_j of its bandwidth (what bounds it elsewhere). Whoever
goes first gets min(p, 1), the other what is left; on one level both share max-min fairly by their
numbers of flows. An iteration ends when both are done, and the next begins.

This is the fluid model of `kcut.fluid` for two jobs, written out: it takes a microsecond for ten
events, so that all pairs of hundreds of jobs can be replayed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]

FIRST, SECOND, TIED = 0, 1, 2
"""Who goes first in a replay."""

SEARCH_EVENTS = 2_000
"""Events after which the search for a steady cycle ends; as many more are averaged then."""

WINDOW_EVENTS = 200_000
"""Most events of a window; a longer one ends there."""

_SLACK = 1e-9
_EPS = 1e-12


class Senders(NamedTuple):
    """Jobs as a replay sees them, each an array of float64, shape (num,).

    Attributes
    ----------
    compute : c_j in seconds
    share : s_j, after which the transfer may begin
    transfer : l_j, seconds that the link would take for the bytes
    cap : p_j, the largest share of the link, above 0 and at most 1
    flows : how many flows share the link
    """

    compute: Floats
    share: Floats
    transfer: Floats
    cap: Floats
    flows: Floats

    def take(self, rows: NDArray[np.int64]) -> Senders:
        """Return some of them."""
        return Senders(*(column[rows] for column in self))

    def periods(self) -> Floats:
        """Return the iteration times alone."""
        last = self.share * self.compute + self.transfer / self.cap
        alone: Floats = np.maximum(self.compute, last)
        return alone


class Replays(NamedTuple):
    """What the two jobs of each pair did, by who went first: `FIRST`, `SECOND`, `TIED`.

    Attributes
    ----------
    busy : ndarray of float64, shape (num_pairs, 3, 2)
        Share of the time each job computes.
    link : ndarray of float64, shape (num_pairs, 3, 2)
        Seconds of the link each job uses, per second.
    noise : ndarray of float64, shape (num_pairs,)
        Differences below this mean nothing: 1e-9 where cycles were found, else what the ends of an
        averaged window may amount to.
    """

    busy: Floats
    link: Floats
    noise: Floats


def replay(
    first: Senders, second: Senders, *, window_s: float = 0.0, phase: float = 0.0, tied: bool = True
) -> Replays:
    """Replay pairs of jobs.

    Parameters
    ----------
    first, second : Senders
        Row by row the two jobs of a pair.
    window_s : float, optional
        Measure from a start to this time, or to `WINDOW_EVENTS`. 0 for the steady cycle that the
        start leads to, or a long average where there is none.
    phase : float, optional
        The second job begins this share of its own period after the first.
    tied : bool, optional
        Replay both on one level as well; zeros otherwise.

    Returns
    -------
    Replays
        About a tenth of a microsecond an event.
    """
    num = len(first.compute)
    busy, link = np.zeros((2, num, 3, 2))
    noise = np.full(num, _SLACK)
    begins = phase * second.periods()
    _replay_all(*first, *second, begins, window_s, 3 if tied else 2, busy, link, noise)
    return Replays(busy, link, noise)


@njit(cache=True, error_model="numpy")
def _replay_all(  # type: ignore[no-untyped-def]
    c0, s0, l0, p0, n0, c1, s1, l1, p1, n1, begins, window_s, num_modes, busy, link, noise
):
    compute, opens_at, volume, cap, flows = np.empty((5, 2))
    out = np.empty(6)
    for r in range(len(c0)):
        compute[0], compute[1] = c0[r], c1[r]
        opens_at[0], opens_at[1] = s0[r] * c0[r], s1[r] * c1[r]
        volume[0], volume[1] = l0[r], l1[r]
        cap[0], cap[1] = p0[r], p1[r]
        flows[0], flows[1] = n0[r], n1[r]
        for mode in range(num_modes):
            cycled = _run(compute, opens_at, volume, cap, flows, mode, begins[r], window_s, out)
            for j in range(2):
                busy[r, mode, j] = out[j]
                link[r, mode, j] = out[2 + j]
            if not cycled:
                # The ends of the window cut an iteration of each job.
                noise[r] = max(noise[r], 0.5 / max(1.0, min(out[4], out[5])))


@njit(cache=True, error_model="numpy")
def _run(compute, opens_at, volume, cap, flows, mode, begins, window_s, out):  # type: ignore[no-untyped-def]  # noqa: PLR0912, PLR0915
    """Write the rates of busy and link seconds, and the counts; tell whether they are exact."""
    opens, ends = np.empty((2, 2))
    left = np.full(2, -1.0)  # of the transfer, in link seconds; negative: not open
    rate = np.zeros(2)
    totals = np.zeros(6)  # busy, link, iterations
    saved = np.zeros(13)
    period = np.empty(2)
    for j in range(2):
        start = begins if j == 1 else 0.0
        opens[j], ends[j] = start + opens_at[j], start + compute[j]
        alone = opens_at[j] + volume[j] / cap[j]
        period[j] = max(compute[j], alone)
    slack = _SLACK * min(period[0], period[1])
    now, since = 0.0, 0.0
    events, steps, next_step = 0, 0, 1
    searching = window_s <= 0.0
    budget = SEARCH_EVENTS if searching else WINDOW_EVENTS
    have_saved = False
    while True:
        due = np.inf
        for j in range(2):
            due = min(due, opens[j], ends[j])
            if left[j] >= 0.0 and rate[j] > 0.0:
                due = min(due, now + left[j] / rate[j])
        stop = not searching and window_s > 0.0 and due >= window_s
        if stop:
            due = window_s
        step = due - now
        for j in range(2):
            if ends[j] < np.inf and now >= (begins if j == 1 else 0.0) - slack:
                totals[j] += step
            if left[j] >= 0.0:
                totals[2 + j] += rate[j] * step
                left[j] -= rate[j] * step
        now = due
        if stop:
            break
        until = now + _EPS * now
        began = False
        for j in range(2):
            if opens[j] <= until:
                opens[j] = np.inf
                left[j] = volume[j]
                events += 1
            if ends[j] <= until:
                ends[j] = np.inf
                events += 1
            if left[j] >= 0.0 and left[j] <= rate[j] * _EPS * now + _EPS * volume[j]:
                left[j] = -1.0
                events += 1
            if opens[j] == np.inf and ends[j] == np.inf and left[j] < 0.0:
                totals[4 + j] += 1.0
                opens[j], ends[j] = now + opens_at[j], now + compute[j]
                began = True
        _share(left, cap, flows, mode, rate)
        if began and searching:
            steps += 1
            if have_saved:
                same = True
                for j in range(2):
                    same = same and _close(opens[j] - now, saved[2 + j], slack)
                    same = same and _close(ends[j] - now, saved[4 + j], slack)
                    same = same and _close(left[j], saved[j], slack)
                if same:
                    since = saved[12]
                    for i in range(6):
                        totals[i] -= saved[6 + i]
                    break
            if steps == next_step:
                next_step *= 2
                have_saved = True
                for j in range(2):
                    saved[j], saved[2 + j], saved[4 + j] = left[j], opens[j] - now, ends[j] - now
                for i in range(6):
                    saved[6 + i] = totals[i]
                saved[12] = now
        if events >= budget:
            if not searching:
                break
            searching = False
            budget = events + SEARCH_EVENTS
            since = now
            totals[:] = 0.0
    length = now - since
    for i in range(4):
        out[i] = totals[i] / length
    out[4], out[5] = totals[4], totals[5]
    return searching or window_s > 0.0


@njit(cache=True, error_model="numpy")
def _share(left, cap, flows, mode, rate):  # type: ignore[no-untyped-def]
    """Set the rates of the open transfers."""
    rate[0] = cap[0] if left[0] >= 0.0 else 0.0
    rate[1] = cap[1] if left[1] >= 0.0 else 0.0
    if rate[0] + rate[1] <= 1.0:
        return
    if mode == 2:
        fair = flows[0] / (flows[0] + flows[1])
        rate[0] = min(cap[0], max(fair, 1.0 - cap[1]))
        rate[1] = 1.0 - rate[0]
    else:
        rate[1 - mode] = max(0.0, 1.0 - rate[mode])


@njit(cache=True, error_model="numpy")
def _close(a, b, slack):  # type: ignore[no-untyped-def]
    if a < np.inf and b < np.inf:
        return abs(a - b) <= slack
    return a == b
