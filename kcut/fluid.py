"""The fluid model's inner loop: strict priority between levels, max-min fairness within one.

A job computes for c seconds; after a share of them its flows open. A flow of level l on link e gets
what the flows of higher levels leave of B_e, and the flows of one level share that max-min fairly:

    free_e = B_e - sum of the rates above l        share_e = free_e / (flows of l without a rate)
    a link is a bottleneck if no flow on it has a smaller share elsewhere; its flows get its share

An iteration ends when the computation and all flows have ended; the next begins at once. Time jumps
from event to event. The functions are plain Python: Numba compiles them for float64, and called as
they are they compute with fractions, exactly. They stand in one file because Numba's cache notices
only changes to the file of the function that is called.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numba.extending import register_jitable

INF = np.inf
HORIZON, CYCLE, BUDGET, LOG_FULL = 0, 1, 2, 3
"""Why `advance` returned."""

TOP = 2**62
"""Above every level."""

FINISHED = -1.0
"""What the time line says when a flow has finished."""

Array = np.ndarray[Any, Any]


class Model(NamedTuple):
    """What does not change. Jobs j, flows f (with bytes to send, grouped by job), links e."""

    compute: Array  # c_j
    share: Array  # share of c_j after which the flows open
    flow_first: Array  # job j owns the flows flow_first[j] .. flow_first[j + 1] - 1
    flow_job: Array
    level: Array  # of each flow; larger = served first
    size: Array  # bytes
    path_start: Array  # flow f crosses path_link[path_start[f] : path_start[f + 1]]
    path_link: Array
    bandwidth: Array
    on_start: Array  # link e carries the flows on_flow[on_start[e] : on_start[e + 1]]
    on_flow: Array
    slack_s: Array  # differences in time of job j that count as none when states are compared
    eps: Any  # relative difference that counts as none between events and between rates
    jitter: float  # computations last c_j (1 + jitter u), u uniform in -1 .. 1


class State(NamedTuple):
    """What changes. INF where an event is not scheduled."""

    now: Array  # (1,)
    begun: Array  # per job: when this iteration began
    opens: Array  # when its flows open
    ends: Array  # when its computation ends
    due: Array  # its next event
    left: Array  # flows that have not ended
    iterations: Array  # completed
    spent: Array  # seconds of the completed iterations
    computed: Array  # seconds of the completed computations
    random: Array  # state of the job's random numbers
    active: Array  # per flow: whether it is open
    remaining: Array  # bytes left at time `since`
    rate: Array
    since: Array
    finish: Array
    delivered: Array  # times it was sent in full
    counter: Array  # (3,) events; steps since `saved` and the power of two at which to save next


class Stop(NamedTuple):
    """When to stop."""

    horizon: Any  # time; INF for none
    max_events: int
    at_cycle: bool  # where a state repeats


class Scratch(NamedTuple):
    """Work space of `refill`: lists with their lengths in `num`, marks with the stamp in it."""

    num: Array  # (6,) dirty links, links, flows, touched jobs, stamp, log entries
    dirty: Array
    dirty_level: Array  # the highest level whose rates on the link may change; -1 if clean
    links: Array
    link_mark: Array
    flows: Array
    flow_mark: Array
    touched: Array
    job_mark: Array
    free: Array
    unfixed: Array  # flows without a rate on the link
    fair: Array
    bottleneck: Array
    tightest: Array
    target: Array
    log_time: Array  # the time line, if it has a length: at log_time ...
    log_what: Array  # ... flow f (or, as -1 - j, the computation of job j) ...
    log_value: Array  # ... got this rate, 0 when it opens, FINISHED (or began, 1, or ended, 0)


DIRTY, LINKS, FLOWS, TOUCHED, STAMP, LOG = 0, 1, 2, 3, 4, 5


@register_jitable
def log(w: Scratch, now: Any, what: Any, value: Any) -> None:
    """Add a line to the time line, if one is kept."""
    if len(w.log_time) > 0:
        i = w.num[LOG]
        w.log_time[i] = now
        w.log_what[i] = what
        w.log_value[i] = value
        w.num[LOG] = i + 1


@register_jitable
def uniform(random: Array, j: int) -> float:
    """Draw from 0 .. 1 (splitmix64; each job has its own stream, so levels change no draw)."""
    random[j] += np.uint64(0x9E3779B97F4A7C15)
    z = random[j]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * 2.0**-53


@register_jitable
def begin(m: Model, s: State, j: int, now: Any) -> None:
    """Begin an iteration of job j."""
    c = m.compute[j]
    if m.jitter > 0:
        c = c * (1 + m.jitter * (2 * uniform(s.random, j) - 1))
    s.begun[j] = now
    s.opens[j] = now + m.share[j] * c
    s.ends[j] = now + c
    s.left[j] = m.flow_first[j + 1] - m.flow_first[j]


@register_jitable
def mark_dirty(m: Model, w: Scratch, f: int) -> None:
    """Note that what flow f takes of its links has changed."""
    for a in range(m.path_start[f], m.path_start[f + 1]):
        e = m.path_link[a]
        if w.dirty_level[e] < 0:
            w.dirty[w.num[DIRTY]] = e
            w.num[DIRTY] += 1
        w.dirty_level[e] = max(w.dirty_level[e], m.level[f])


@register_jitable
def next_due(m: Model, s: State, j: int) -> Any:
    """Return the time of job j's next event."""
    due = min(s.opens[j], s.ends[j])
    for f in range(m.flow_first[j], m.flow_first[j + 1]):
        due = min(due, s.finish[f])
    return due


@register_jitable
def fire(m: Model, s: State, w: Scratch, j: int, now: Any) -> bool:
    """Handle the events of job j that are due now; tell whether it began an iteration."""
    until = now + m.eps * now
    flows = range(m.flow_first[j], m.flow_first[j + 1])
    if s.opens[j] <= until:
        s.opens[j] = INF
        s.counter[0] += 1
        for f in flows:
            s.active[f] = 1
            s.remaining[f] = m.size[f]
            s.since[f] = now
            mark_dirty(m, w, f)
            log(w, now, f, 0.0)
    if s.ends[j] <= until:
        s.computed[j] += s.ends[j] - s.begun[j]
        s.ends[j] = INF
        s.counter[0] += 1
        log(w, now, -1 - j, 0.0)
    for f in flows:
        if s.finish[f] <= until:
            s.active[f] = 0
            s.rate[f] = m.eps * 0
            s.finish[f] = INF
            s.delivered[f] += 1
            s.left[j] -= 1
            s.counter[0] += 1
            mark_dirty(m, w, f)
            log(w, now, f, FINISHED)
    if s.left[j] > 0 or s.opens[j] < INF or s.ends[j] < INF:
        return False
    s.iterations[j] += 1
    s.spent[j] += now - s.begun[j]
    begin(m, s, j, now)
    log(w, now, -1 - j, 1.0)
    return True


@register_jitable
def highest_dirty_level(m: Model, s: State, w: Scratch, below: int) -> int:
    """Return the highest level under `below` whose rates may change, or -1."""
    level = -1
    for i in range(w.num[DIRTY]):
        e = w.dirty[i]
        for a in range(m.on_start[e], m.on_start[e + 1]):
            f = m.on_flow[a]
            if s.active[f] and level < m.level[f] < below and m.level[f] <= w.dirty_level[e]:
                level = m.level[f]
    return level


@register_jitable
def gather(m: Model, s: State, w: Scratch, level: int) -> None:
    """List the open flows of a level that dirty links reach, link by link, and those links."""
    w.num[STAMP] += 1
    stamp = w.num[STAMP]
    num_links = num_flows = 0
    for i in range(w.num[DIRTY]):
        e = w.dirty[i]
        if w.dirty_level[e] >= level:
            w.link_mark[e] = stamp
            w.links[num_links] = e
            num_links += 1
    i = 0
    while i < num_links:
        e = w.links[i]
        i += 1
        for a in range(m.on_start[e], m.on_start[e + 1]):
            f = m.on_flow[a]
            if s.active[f] and m.level[f] == level and w.flow_mark[f] != stamp:
                w.flow_mark[f] = stamp
                w.flows[num_flows] = f
                num_flows += 1
                for b in range(m.path_start[f], m.path_start[f + 1]):
                    other = m.path_link[b]
                    if w.link_mark[other] != stamp:
                        w.link_mark[other] = stamp
                        w.links[num_links] = other
                        num_links += 1
    w.num[LINKS] = num_links
    w.num[FLOWS] = num_flows


@register_jitable
def leftover(m: Model, s: State, w: Scratch, level: int) -> None:
    """Fill free_e, and count the flows of the level, on the gathered links."""
    for i in range(w.num[LINKS]):
        e = w.links[i]
        free = m.bandwidth[e]
        unfixed = 0
        for a in range(m.on_start[e], m.on_start[e + 1]):
            f = m.on_flow[a]
            if s.active[f]:
                if m.level[f] > level:
                    free = free - s.rate[f]
                elif m.level[f] == level:
                    unfixed += 1
        w.free[e] = free if free > m.eps * m.bandwidth[e] else m.eps * 0
        w.unfixed[e] = unfixed


@register_jitable
def share_fairly(m: Model, s: State, w: Scratch) -> None:
    """Progressive filling: give the gathered flows their max-min fair rates, as `target`."""
    links, flows = w.links[: w.num[LINKS]], w.flows[: w.num[FLOWS]].copy()
    num_unfixed = len(flows)
    while num_unfixed > 0:
        for e in links:
            if w.unfixed[e] > 0:
                w.fair[e] = max(w.free[e], m.eps * 0) / w.unfixed[e]
                w.bottleneck[e] = 1
        for i in range(num_unfixed):
            f = flows[i]
            path = m.path_link[m.path_start[f] : m.path_start[f + 1]]
            tightest = w.fair[path[0]]
            for e in path[1:]:
                tightest = min(tightest, w.fair[e])
            for e in path:
                if tightest < w.fair[e]:
                    w.bottleneck[e] = 0
            w.tightest[f] = tightest
        kept = 0
        for i in range(num_unfixed):
            f = flows[i]
            path = m.path_link[m.path_start[f] : m.path_start[f + 1]]
            fixed = False
            for e in path:
                fixed = fixed or w.bottleneck[e] == 1
            if fixed:
                w.target[f] = w.tightest[f]
                for e in path:
                    w.free[e] -= w.tightest[f]
                    w.unfixed[e] -= 1
            else:
                flows[kept] = f
                kept += 1
        num_unfixed = kept


@register_jitable
def touch(w: Scratch, j: int) -> None:
    """Note that job j's next event has changed."""
    if w.job_mark[j] == 0:
        w.job_mark[j] = 1
        w.touched[w.num[TOUCHED]] = j
        w.num[TOUCHED] += 1


@register_jitable
def apply_rates(m: Model, s: State, w: Scratch, now: Any) -> None:
    """Give the gathered flows their new rates, and forecast when they finish."""
    for i in range(w.num[FLOWS]):
        f = w.flows[i]
        rate = w.target[f]
        if abs(rate - s.rate[f]) > m.eps * rate:
            left = s.remaining[f] - s.rate[f] * (now - s.since[f])
            s.remaining[f] = max(left, m.eps * 0)
            s.since[f] = now
            s.rate[f] = rate
            s.finish[f] = now + s.remaining[f] / rate if rate > 0 else INF
            touch(w, m.flow_job[f])
            mark_dirty(m, w, f)
            log(w, now, f, rate)


@register_jitable
def refill(m: Model, s: State, w: Scratch, now: Any) -> None:
    """Set all rates anew where they may have changed, level by level from the top."""
    level = highest_dirty_level(m, s, w, TOP)
    while level >= 0:
        gather(m, s, w, level)
        leftover(m, s, w, level)
        share_fairly(m, s, w)
        apply_rates(m, s, w, now)
        level = highest_dirty_level(m, s, w, level)
    for i in range(w.num[DIRTY]):
        w.dirty_level[w.dirty[i]] = -1
    w.num[DIRTY] = 0
    for i in range(w.num[TOUCHED]):
        j = w.touched[i]
        w.job_mark[j] = 0
        s.due[j] = next_due(m, s, j)
    w.num[TOUCHED] = 0


@register_jitable
def apart(a: Any, b: Any, slack: Any) -> bool:
    """Tell whether two times differ; INF equals INF."""
    if a < INF and b < INF:
        return bool(abs(a - b) > slack)
    return bool(a != b)


@register_jitable
def same_state(m: Model, s: State, saved: State) -> bool:
    """Tell whether the future from now equals the future from the saved moment."""
    now, then = s.now[0], saved.now[0]
    for j in range(len(m.compute)):
        if s.left[j] != saved.left[j]:
            return False
        if apart(s.opens[j] - now, saved.opens[j] - then, m.slack_s[j]):
            return False
        if apart(s.ends[j] - now, saved.ends[j] - then, m.slack_s[j]):
            return False
        for f in range(m.flow_first[j], m.flow_first[j + 1]):
            if s.active[f] != saved.active[f]:
                return False
            if s.active[f]:
                here = s.remaining[f] - s.rate[f] * (now - s.since[f])
                there = saved.remaining[f] - saved.rate[f] * (then - saved.since[f])
                slack = m.slack_s[j] * m.bandwidth[m.path_link[m.path_start[f]]]
                if abs(here - there) > slack:
                    return False
    return True


@register_jitable
def save(s: State, saved: State) -> None:
    """Copy the state."""
    saved.now[:] = s.now
    saved.begun[:] = s.begun
    saved.opens[:] = s.opens
    saved.ends[:] = s.ends
    saved.left[:] = s.left
    saved.iterations[:] = s.iterations
    saved.spent[:] = s.spent
    saved.computed[:] = s.computed
    saved.active[:] = s.active
    saved.remaining[:] = s.remaining
    saved.rate[:] = s.rate
    saved.since[:] = s.since
    saved.delivered[:] = s.delivered


@register_jitable
def has_cycled(m: Model, s: State, saved: State) -> bool:
    """Compare with the saved state; save anew after 1, 2, 4, ... steps (Brent's method)."""
    s.counter[1] += 1
    if same_state(m, s, saved):
        return True
    if s.counter[1] == s.counter[2]:
        save(s, saved)
        s.counter[1] = 0
        s.counter[2] *= 2
    return False


def advance(m: Model, s: State, w: Scratch, saved: State, stop: Stop) -> int:
    """Run until the horizon, a repeated state, or the end of the budget; return which.

    Events that lie within `eps` of each other are simultaneous: all are handled, then the rates are
    set once. States are compared where an iteration begins. Memory is that of the state.
    """
    while True:
        now = s.due[0]
        for j in range(1, len(s.due)):
            now = min(now, s.due[j])
        if now > stop.horizon * (1 + m.eps):
            s.now[0] = stop.horizon
            return HORIZON
        if s.counter[0] >= stop.max_events:
            return BUDGET
        if 0 < len(w.log_time) < w.num[LOG] + 8 * len(s.due) + 8 * len(s.rate):
            return LOG_FULL
        until = now + m.eps * now
        began = False
        for j in range(len(s.due)):
            while s.due[j] <= until and s.counter[0] < stop.max_events:
                began = fire(m, s, w, j, now) or began
                s.due[j] = next_due(m, s, j)
        refill(m, s, w, now)
        s.now[0] = now
        if stop.at_cycle and began and has_cycled(m, s, saved):
            return CYCLE


advance_compiled = njit(cache=True)(advance)
