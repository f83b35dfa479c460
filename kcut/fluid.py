"""The fluid model's inner loop: strict priority between levels, max-min fairness within one.

A job computes for c seconds; after a share of them its flows open. A flow of level l on link e gets
what the flows of higher levels leave of B_e, and the flows of one level share that max-min fairly:

    free_e = B_e - sum of the rates above l        fair_e = free_e / (flows of l without a rate)
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


def job_fields(number: str) -> list[tuple[str, str]]:
    """Return the fields of a job; `number` is the type of times and bytes."""
    constant = [(name, number) for name in ("compute", "share", "slack_s")]
    flows = [("first", "i8"), ("last", "i8")]  # it owns the flows first .. last - 1
    times = [(name, number) for name in ("begun", "opens", "ends", "due")]  # INF: not scheduled
    counts = [("left", "i8"), ("iterations", "i8"), ("touched", "i8")]  # left: flows not ended
    totals = [("spent", number), ("computed", number)]  # seconds of completed iterations, ...
    return [*constant, *flows, *times, *counts, *totals, ("random", "u8")]


def flow_fields(number: str) -> list[tuple[str, str]]:
    """Return the fields of a flow, which crosses the links path[first .. last - 1]."""
    constant = [("volume", number), ("first", "i8"), ("last", "i8"), ("job", "i8"), ("level", "i8")]
    state = [(name, number) for name in ("rate", "remaining", "since", "finish")]
    work = [("tightest", number), ("target", number), ("mark", "i8")]
    return [*constant, *state, ("open", "i8"), ("delivered", "i8"), *work]


def link_fields(number: str) -> list[tuple[str, str]]:
    """Return the fields of a link: its flows are on[first .. last - 1], by falling level."""
    constant = [("bandwidth", number), ("first", "i8"), ("last", "i8")]
    work = [("free", number), ("fair", number), ("top", number)]
    counts = [(name, "i8") for name in ("unfixed", "bottleneck", "full")]
    stamps = [(name, "i8") for name in ("mark", "measured", "changed")]
    # Dirty: the highest level of which a rate has changed on the link, or -1.
    return [*constant, *work, *counts, *stamps, ("dirty", "i8")]


class World(NamedTuple):
    """All there is. `dirty`, `reached`, `gathered` and `touched` are lists of `num` entries."""

    jobs: Array
    flows: Array
    links: Array
    path: Array
    on: Array
    clock: Array  # (1,) now
    dirty: Array  # links on which a rate has changed
    gathered: Array  # flows of the level in work whose rates are set anew
    reached: Array  # links they cross
    touched: Array  # jobs whose next event has changed
    num: Array  # (9,) see below
    log: Array  # the time line, if it has a length
    eps: Any  # events and rates that differ by less than this share are equal
    jitter: float  # computations last c (1 + jitter u), u uniform in -1 .. 1


DIRTY, REACHED, GATHERED, TOUCHED, STAMP, ROUND, LOG, EVENTS, STEPS = range(9)
LOG_FIELDS = [("time", "f8"), ("what", "i8"), ("value", "f8")]
"""Flow `what` got the rate `value`, 0 as it opens, or job -1 - `what` computes (1) or not (0)."""


class Stop(NamedTuple):
    """When to stop."""

    horizon: Any  # time; INF for none
    max_events: int
    at_cycle: bool  # where a state repeats


class Saved(NamedTuple):
    """A state to compare with."""

    jobs: Array
    flows: Array
    clock: Array
    next_step: Array  # (1,) the step, a power of two, at which to save next


@register_jitable
def note(w: World, what: Any, value: Any) -> None:
    """Add a line to the time line, if one is kept."""
    if len(w.log) > 0:
        line = w.log[w.num[LOG]]
        line.time = w.clock[0]
        line.what = what
        line.value = value
        w.num[LOG] += 1


@register_jitable
def uniform(job: Any) -> float:
    """Draw from 0 .. 1 (splitmix64; each job has its own stream, so levels change no draw)."""
    job.random += np.uint64(0x9E3779B97F4A7C15)
    z = job.random
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return float(z >> np.uint64(11)) * 2.0**-53


@register_jitable
def begin(w: World, j: int) -> None:
    """Begin an iteration of job j."""
    job = w.jobs[j]
    now = w.clock[0]
    c = job.compute
    if w.jitter > 0:
        c = c * (1 + w.jitter * (2 * uniform(job) - 1))
    job.begun = now
    job.opens = now + job.share * c
    job.ends = now + c
    job.left = job.last - job.first
    note(w, -1 - j, 1.0)


@register_jitable
def mark_dirty(w: World, f: int) -> None:
    """Note that what flow f takes of its links has changed."""
    flow = w.flows[f]
    for a in range(flow.first, flow.last):
        link = w.links[w.path[a]]
        if link.dirty < 0:
            w.dirty[w.num[DIRTY]] = w.path[a]
            w.num[DIRTY] += 1
        link.dirty = max(link.dirty, flow.level)


@register_jitable
def fire(w: World, j: int, until: Any) -> bool:
    """Handle the events of job j that are due; tell whether it began an iteration."""
    job = w.jobs[j]
    if job.opens <= until:
        job.opens = INF
        w.num[EVENTS] += 1
        for f in range(job.first, job.last):
            flow = w.flows[f]
            flow.open = 1
            flow.remaining = flow.volume
            flow.since = w.clock[0]
            mark_dirty(w, f)
            note(w, f, 0.0)
    if job.ends <= until:
        job.computed += job.ends - job.begun
        job.ends = INF
        w.num[EVENTS] += 1
        note(w, -1 - j, 0.0)
    for f in range(job.first, job.last):
        flow = w.flows[f]
        if flow.finish <= until:
            flow.open = 0
            flow.rate = 0 * flow.rate
            flow.finish = INF
            flow.delivered += 1
            job.left -= 1
            w.num[EVENTS] += 1
            mark_dirty(w, f)
            note(w, f, FINISHED)
    if job.left > 0 or job.opens < INF or job.ends < INF:
        return False
    job.iterations += 1
    job.spent += w.clock[0] - job.begun
    begin(w, j)
    return True


@register_jitable
def schedule(w: World, j: int) -> None:
    """Find the time of job j's next event."""
    job = w.jobs[j]
    due = min(job.opens, job.ends)
    for f in range(job.first, job.last):
        due = min(due, w.flows[f].finish)
    job.due = due


@register_jitable
def highest_dirty_level(w: World, below: int) -> int:
    """Return the highest level under `below` whose rates may change, or -1."""
    highest = -1
    for i in range(w.num[DIRTY]):
        link = w.links[w.dirty[i]]
        for a in range(link.first, link.last):
            flow = w.flows[w.on[a]]
            if flow.open and flow.level < below and flow.level <= link.dirty:
                highest = max(highest, flow.level)
                break
    return highest


@register_jitable
def gather(w: World, level: int) -> None:
    """List the open flows of a level on dirty links: their rates are set anew first."""
    w.num[STAMP] += 1
    w.num[GATHERED] = 0
    for i in range(w.num[DIRTY]):
        link = w.links[w.dirty[i]]
        if link.dirty >= level:
            link.changed = w.num[STAMP]
            for a in range(link.first, link.last):
                flow = w.flows[w.on[a]]
                if flow.open and flow.level == level:
                    add_flow(w, w.on[a])


@register_jitable
def add_flow(w: World, f: int) -> None:
    """List flow f, once."""
    flow = w.flows[f]
    if flow.mark != w.num[STAMP]:
        flow.mark = w.num[STAMP]
        flow.target = flow.rate
        w.gathered[w.num[GATHERED]] = f
        w.num[GATHERED] += 1


@register_jitable
def reach(w: World, level: int) -> bool:
    """List the links of the gathered flows, with what all other flows leave of them.

    Tell whether flows of the level are among the others.
    """
    alone = True
    w.num[ROUND] += 1
    w.num[REACHED] = 0
    for i in range(w.num[GATHERED]):
        flow = w.flows[w.gathered[i]]
        for a in range(flow.first, flow.last):
            link = w.links[w.path[a]]
            if link.mark == w.num[ROUND]:
                continue
            link.mark = w.num[ROUND]
            w.reached[w.num[REACHED]] = w.path[a]
            w.num[REACHED] += 1
            link.free = link.bandwidth
            link.unfixed = 0
            for b in range(link.first, link.last):
                other = w.flows[w.on[b]]
                if other.level < level:
                    break
                if not other.open:
                    continue
                if other.mark == w.num[STAMP]:
                    link.unfixed += 1
                else:
                    link.free -= other.rate
                    alone = alone and other.level > level
            if link.free < w.eps * link.bandwidth:
                link.free = 0 * link.bandwidth
    return not alone


@register_jitable
def share_fairly(w: World) -> None:
    """Progressive filling: give the gathered flows their max-min fair rates, as `target`."""
    unfixed = w.num[GATHERED]
    while unfixed > 0:
        for i in range(w.num[REACHED]):
            link = w.links[w.reached[i]]
            if link.unfixed > 0:
                link.fair = max(link.free, 0 * link.free) / link.unfixed
                link.bottleneck = 1
        for i in range(unfixed):
            flow = w.flows[w.gathered[i]]
            flow.tightest = w.links[w.path[flow.first]].fair
            for a in range(flow.first + 1, flow.last):
                flow.tightest = min(flow.tightest, w.links[w.path[a]].fair)
            for a in range(flow.first, flow.last):
                if flow.tightest < w.links[w.path[a]].fair:
                    w.links[w.path[a]].bottleneck = 0
        # Flows across a bottleneck are settled: they move behind the others in the list.
        i = 0
        while i < unfixed:
            flow = w.flows[w.gathered[i]]
            settled = False
            for a in range(flow.first, flow.last):
                settled = settled or w.links[w.path[a]].bottleneck == 1
            if settled:
                flow.target = flow.tightest
                for a in range(flow.first, flow.last):
                    w.links[w.path[a]].free -= flow.tightest
                    w.links[w.path[a]].unfixed -= 1
                unfixed -= 1
                w.gathered[i], w.gathered[unfixed] = w.gathered[unfixed], w.gathered[i]
            else:
                i += 1


@register_jitable
def rate_of(w: World, f: int) -> Any:
    """Return the rate flow f is about to have."""
    flow = w.flows[f]
    return flow.target if flow.mark == w.num[STAMP] else flow.rate


@register_jitable
def measure(w: World, e: int, level: int) -> None:
    """Find whether link e is full, counting the flows of a level and above, and its fastest."""
    link = w.links[e]
    if link.measured == w.num[ROUND]:
        return
    link.measured = w.num[ROUND]
    link.top = 0 * link.bandwidth
    left = link.bandwidth
    for a in range(link.first, link.last):
        flow = w.flows[w.on[a]]
        if flow.level < level:
            break
        if flow.open:
            rate = rate_of(w, w.on[a])
            left = left - rate
            if flow.level == level:
                link.top = max(link.top, rate)
    link.full = 1 if left <= 10 * w.eps * link.bandwidth else 0


@register_jitable
def has_bottleneck(w: World, f: int, level: int) -> bool:
    """Tell whether flow f crosses a full link on which no flow of its level is faster."""
    flow = w.flows[f]
    rate = rate_of(w, f)
    for a in range(flow.first, flow.last):
        measure(w, w.path[a], level)
        link = w.links[w.path[a]]
        if link.full and link.top - rate <= 10 * w.eps * link.top:
            return True
    return False


@register_jitable
def spread(w: World, level: int) -> bool:
    """Gather flows that must change because others did; tell whether there were any.

    Rates are max-min fair exactly if every flow has a bottleneck. Those that have none now are
    gathered, and those that are faster than them on a full link.
    """
    before = w.num[GATHERED]
    for i in range(before):
        flow = w.flows[w.gathered[i]]
        if abs(flow.target - flow.rate) > w.eps * flow.target:
            for a in range(flow.first, flow.last):
                w.links[w.path[a]].changed = w.num[STAMP]
    for i in range(w.num[REACHED]):
        link = w.links[w.reached[i]]
        if link.changed != w.num[STAMP]:
            continue
        for a in range(link.first, link.last):
            f = w.on[a]
            flow = w.flows[f]
            if not flow.open or flow.level != level or has_bottleneck(w, f, level):
                continue
            add_flow(w, f)
            for b in range(flow.first, flow.last):
                other = w.links[w.path[b]]
                for c in range(other.first, other.last):
                    g = w.on[c]
                    rival = w.flows[g]
                    if rival.open and rival.level == level and rate_of(w, g) > rate_of(w, f):
                        add_flow(w, g)
    return bool(w.num[GATHERED] > before)


@register_jitable
def apply_rates(w: World) -> None:
    """Give the gathered flows their new rates, and forecast when they finish."""
    now = w.clock[0]
    for i in range(w.num[GATHERED]):
        f = w.gathered[i]
        flow = w.flows[f]
        if abs(flow.target - flow.rate) <= w.eps * flow.target:
            continue
        left = flow.remaining - flow.rate * (now - flow.since)
        flow.remaining = max(left, 0 * left)
        flow.since = now
        flow.rate = flow.target
        flow.finish = now + flow.remaining / flow.rate if flow.rate > 0 else INF
        mark_dirty(w, f)
        note(w, f, flow.rate)
        job = w.jobs[flow.job]
        if not job.touched:
            job.touched = 1
            w.touched[w.num[TOUCHED]] = flow.job
            w.num[TOUCHED] += 1


@register_jitable
def refill(w: World) -> None:
    """Set all rates anew where they may have changed, level by level from the top."""
    level = highest_dirty_level(w, TOP)
    while level >= 0:
        gather(w, level)
        growing = True
        while growing:
            others = reach(w, level)
            share_fairly(w)
            growing = others and spread(w, level)
        apply_rates(w)
        level = highest_dirty_level(w, level)
    for i in range(w.num[DIRTY]):
        w.links[w.dirty[i]].dirty = -1
    w.num[DIRTY] = 0
    for i in range(w.num[TOUCHED]):
        w.jobs[w.touched[i]].touched = 0
        schedule(w, w.touched[i])
    w.num[TOUCHED] = 0


@register_jitable
def apart(a: Any, b: Any, slack: Any) -> bool:
    """Tell whether two times differ; INF equals INF."""
    if a < INF and b < INF:
        return bool(abs(a - b) > slack)
    return bool(a != b)


@register_jitable
def same_state(w: World, saved: Saved) -> bool:
    """Tell whether the future from now equals the future from the saved moment."""
    now, then = w.clock[0], saved.clock[0]
    for j in range(len(w.jobs)):
        job, old = w.jobs[j], saved.jobs[j]
        if job.left != old.left or apart(job.opens - now, old.opens - then, job.slack_s):
            return False
        if apart(job.ends - now, old.ends - then, job.slack_s):
            return False
        for f in range(job.first, job.last):
            flow, was = w.flows[f], saved.flows[f]
            if flow.open != was.open:
                return False
            if flow.open:
                here = flow.remaining - flow.rate * (now - flow.since)
                there = was.remaining - was.rate * (then - was.since)
                if abs(here - there) > job.slack_s * w.links[w.path[flow.first]].bandwidth:
                    return False
    return True


@register_jitable
def has_cycled(w: World, saved: Saved) -> bool:
    """Compare with the saved state; save anew after 1, 2, 4, ... steps (Brent's method)."""
    w.num[STEPS] += 1
    if same_state(w, saved):
        return True
    if w.num[STEPS] == saved.next_step[0]:
        saved.jobs[:] = w.jobs
        saved.flows[:] = w.flows
        saved.clock[0] = w.clock[0]
        saved.next_step[0] *= 2
    return False


def advance(w: World, saved: Saved, stop: Stop) -> int:
    """Run until the horizon, a repeated state, or the end of the budget; return which.

    Events that lie within `eps` of each other are simultaneous: all are handled, then the rates are
    set once. States are compared where an iteration begins. Memory is that of the state.
    """
    while True:
        now = w.jobs[0].due
        for j in range(1, len(w.jobs)):
            now = min(now, w.jobs[j].due)
        if now > stop.horizon * (1 + w.eps):
            w.clock[0] = stop.horizon
            return HORIZON
        if w.num[EVENTS] >= stop.max_events:
            return BUDGET
        if 0 < len(w.log) < w.num[LOG] + 8 * len(w.jobs) + 8 * len(w.flows):
            return LOG_FULL
        w.clock[0] = now
        until = now + w.eps * now
        began = False
        for j in range(len(w.jobs)):
            while w.jobs[j].due <= until and w.num[EVENTS] < stop.max_events:
                began = fire(w, j, until) or began
                schedule(w, j)
        refill(w)
        if stop.at_cycle and began and has_cycled(w, saved):
            return CYCLE


advance_compiled = njit(cache=True, error_model="numpy")(advance)
