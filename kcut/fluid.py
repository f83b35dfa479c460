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
    flows = [("first", "i4"), ("last", "i4")]  # it owns the flows first .. last - 1
    times = [(name, number) for name in ("begun", "opens", "ends", "due")]  # INF: not scheduled
    counts = [("left", "i8"), ("iterations", "i8"), ("touched", "i8")]  # left: flows not ended
    totals = [("spent", number), ("computed", number)]  # seconds of completed iterations, ...
    return [*constant, *flows, *times, *counts, *totals, ("random", "u8"), ("nth_touched", "i8")]


def flow_fields(number: str) -> list[tuple[str, str]]:
    """Return the fields of a flow, which crosses the links path[first .. last - 1]."""
    constant = [("volume", number), ("first", "i4"), ("last", "i4"), ("job", "i4"), ("level", "i8")]
    state = [(name, number) for name in ("rate", "remaining", "since", "finish")]
    work = [("tightest", number), ("target", number), ("mark", "i8"), ("nth_gathered", "i4")]
    return [*constant, *state, *work, *[(n, "i8") for n in ("open", "delivered", "checked")]]


def link_fields(number: str) -> list[tuple[str, str]]:
    """Return the fields of a link: its flows are on[first .. last - 1], by falling level."""
    constant = [("bandwidth", number), ("first", "i4"), ("last", "i4")]
    work = [("free", number), ("fair", number), ("top", number)]
    counts = [(name, "i4") for name in ("unfixed", "bottleneck", "full")]
    stamps = [(name, "i8") for name in ("mark", "measured", "changed")]
    # Dirty: the highest level of which a rate has changed on the link, or -1.
    return [*constant, *work, *counts, *stamps, *[(n, "i8") for n in ("dirty", *LINK_LISTS)]]


LINK_LISTS = ("nth_dirty", "nth_reached")
"""Lists are columns: the links on which rates have changed are links[0 .. num_dirty - 1].nth_dirty.

Reached are the links of the gathered flows, those of the level in work whose rates are set anew;
touched are the jobs whose next event has changed.
"""


def run_fields(number: str) -> list[tuple[str, str]]:
    """Return the fields of the run itself: the time, tolerance, jitter, lengths and counts."""
    lengths = ["num_dirty", "num_reached", "num_gathered", "num_touched", "num_logged"]
    counts = [(name, "i8") for name in (*lengths, "stamp", "sweep", "events", "steps")]
    # Events and rates that differ by less than eps of them are equal.
    # Computations last c (1 + jitter u), u uniform in -1 .. 1.
    return [("now", number), ("eps", number), ("jitter", "f8"), *counts]


LOG_FIELDS = [("time", "f8"), ("what", "i8"), ("value", "f8")]
"""Flow `what` got the rate `value`, 0 as it opens, or job -1 - `what` computes (1) or not (0)."""


class World(NamedTuple):
    """All there is."""

    run: Array  # (1,)
    jobs: Array
    flows: Array
    links: Array
    path: Array
    on: Array
    log: Array  # the time line, if it has a length


class Stop(NamedTuple):
    """When to stop."""

    horizon: Any  # time; INF for none
    max_events: int
    at_cycle: bool  # where a state repeats


class Saved(NamedTuple):
    """A state to compare with."""

    jobs: Array
    flows: Array
    run: Array
    next_step: Array  # (1,) the step, a power of two, at which to save next


@register_jitable
def note(run: Any, log: Array, what: Any, value: Any) -> None:
    """Add a line to the time line, if one is kept."""
    if len(log) > 0:
        line = log[run.num_logged]
        line.time = run.now
        line.what = what
        line.value = value
        run.num_logged += 1


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
def begin(run: Any, job: Any) -> None:
    """Begin an iteration of a job."""
    c = job.compute
    if run.jitter > 0:
        c = c * (1 + run.jitter * (2 * uniform(job) - 1))
    job.begun = run.now
    job.opens = run.now + job.share * c
    job.ends = run.now + c
    job.left = job.last - job.first


@register_jitable
def mark_dirty(run: Any, links: Array, path: Array, flow: Any) -> None:
    """Note that what a flow takes of its links has changed."""
    for a in range(flow.first, flow.last):
        link = links[path[a]]
        if link.dirty < 0:
            links[run.num_dirty].nth_dirty = path[a]
            run.num_dirty += 1
        link.dirty = max(link.dirty, flow.level)


@register_jitable
def fire(
    run: Any, jobs: Array, flows: Array, links: Array, path: Array, log: Array, j: int, until: Any
) -> bool:
    """Handle the events of job j that are due; tell whether it began an iteration."""
    job = jobs[j]
    if job.opens <= until:
        job.opens = INF
        run.events += 1
        for f in range(job.first, job.last):
            flow = flows[f]
            flow.open = 1
            flow.remaining = flow.volume
            flow.since = run.now
            mark_dirty(run, links, path, flow)
            note(run, log, f, 0.0)
    if job.ends <= until:
        job.computed += job.ends - job.begun
        job.ends = INF
        run.events += 1
        note(run, log, -1 - j, 0.0)
    for f in range(job.first, job.last):
        flow = flows[f]
        if flow.finish <= until:
            flow.open = 0
            flow.rate = 0 * flow.rate
            flow.finish = INF
            flow.delivered += 1
            job.left -= 1
            run.events += 1
            mark_dirty(run, links, path, flow)
            note(run, log, f, FINISHED)
    if job.left > 0 or job.opens < INF or job.ends < INF:
        return False
    job.iterations += 1
    job.spent += run.now - job.begun
    begin(run, job)
    note(run, log, -1 - j, 1.0)
    return True


@register_jitable
def schedule(job: Any, flows: Array) -> None:
    """Find the time of a job's next event."""
    due = min(job.opens, job.ends)
    for f in range(job.first, job.last):
        due = min(due, flows[f].finish)
    job.due = due


@register_jitable
def highest_dirty_level(run: Any, flows: Array, links: Array, on: Array, below: int) -> int:
    """Return the highest level under `below` whose rates may change, or -1."""
    highest = -1
    for i in range(run.num_dirty):
        link = links[links[i].nth_dirty]
        for a in range(link.first, link.last):
            flow = flows[on[a]]
            if flow.open and flow.level < below and flow.level <= link.dirty:
                highest = max(highest, flow.level)
                break
    return highest


@register_jitable
def gather(run: Any, flows: Array, links: Array, on: Array, level: int) -> None:
    """List the open flows of a level on dirty links: their rates are set anew first."""
    run.stamp += 1
    run.num_gathered = 0
    for i in range(run.num_dirty):
        link = links[links[i].nth_dirty]
        if link.dirty >= level:
            link.changed = run.stamp
            for a in range(link.first, link.last):
                flow = flows[on[a]]
                if flow.open and flow.level == level:
                    add_flow(run, flows, on[a])


@register_jitable
def add_flow(run: Any, flows: Array, f: int) -> None:
    """List flow f, once."""
    flow = flows[f]
    if flow.mark != run.stamp:
        flow.mark = run.stamp
        flow.target = flow.rate
        flows[run.num_gathered].nth_gathered = f
        run.num_gathered += 1


@register_jitable
def reach(run: Any, flows: Array, links: Array, path: Array, on: Array, level: int) -> bool:
    """List the links of the gathered flows, with what all other flows leave of them.

    Tell whether flows of the level are among the others.
    """
    alone = True
    run.sweep += 1
    run.num_reached = 0
    for i in range(run.num_gathered):
        flow = flows[flows[i].nth_gathered]
        for a in range(flow.first, flow.last):
            link = links[path[a]]
            if link.mark == run.sweep:
                continue
            link.mark = run.sweep
            links[run.num_reached].nth_reached = path[a]
            run.num_reached += 1
            link.free = link.bandwidth
            link.unfixed = 0
            for b in range(link.first, link.last):
                other = flows[on[b]]
                if other.level < level:
                    break
                if not other.open:
                    continue
                if other.mark == run.stamp:
                    link.unfixed += 1
                else:
                    link.free -= other.rate
                    alone = alone and other.level > level
            if link.free < run.eps * link.bandwidth:
                link.free = 0 * link.bandwidth
    return not alone


@register_jitable
def share_fairly(run: Any, flows: Array, links: Array, path: Array) -> None:
    """Progressive filling: give the gathered flows their max-min fair rates, as `target`."""
    unfixed = run.num_gathered
    while unfixed > 0:
        for i in range(run.num_reached):
            link = links[links[i].nth_reached]
            if link.unfixed > 0:
                link.fair = max(link.free, 0 * link.free) / link.unfixed
                link.bottleneck = 1
        for i in range(unfixed):
            flow = flows[flows[i].nth_gathered]
            flow.tightest = links[path[flow.first]].fair
            for a in range(flow.first + 1, flow.last):
                flow.tightest = min(flow.tightest, links[path[a]].fair)
            for a in range(flow.first, flow.last):
                if flow.tightest < links[path[a]].fair:
                    links[path[a]].bottleneck = 0
        # Flows across a bottleneck are settled: they move behind the others in the list.
        i = 0
        while i < unfixed:
            f = flows[i].nth_gathered
            flow = flows[f]
            settled = False
            for a in range(flow.first, flow.last):
                settled = settled or links[path[a]].bottleneck == 1
            if settled:
                flow.target = flow.tightest
                for a in range(flow.first, flow.last):
                    links[path[a]].free -= flow.tightest
                    links[path[a]].unfixed -= 1
                unfixed -= 1
                flows[i].nth_gathered = flows[unfixed].nth_gathered
                flows[unfixed].nth_gathered = f
            else:
                i += 1


@register_jitable
def rate_of(flow: Any, stamp: int) -> Any:
    """Return the rate a flow is about to have."""
    return flow.target if flow.mark == stamp else flow.rate


@register_jitable
def measure(run: Any, flows: Array, on: Array, link: Any, level: int) -> None:
    """Find whether a link is full, counting the flows of a level and above, and its fastest."""
    link.measured = run.sweep
    link.top = 0 * link.bandwidth
    left = link.bandwidth
    for a in range(link.first, link.last):
        flow = flows[on[a]]
        if flow.level < level:
            break
        if flow.open:
            rate = rate_of(flow, run.stamp)
            left = left - rate
            if flow.level == level:
                link.top = max(link.top, rate)
    link.full = 1 if left <= 10 * run.eps * link.bandwidth else 0


@register_jitable
def has_bottleneck(run: Any, flows: Array, links: Array, path: Array, on: Array, flow: Any) -> bool:
    """Tell whether a flow crosses a full link on which no flow of its level is faster."""
    rate = rate_of(flow, run.stamp)
    for a in range(flow.first, flow.last):
        link = links[path[a]]
        if link.measured != run.sweep:
            measure(run, flows, on, link, flow.level)
        if link.full and link.top - rate <= 10 * run.eps * link.top:
            return True
    return False


@register_jitable
def mark_changed(run: Any, flows: Array, links: Array, path: Array) -> None:
    """Mark the links on which a gathered flow gets another rate."""
    for i in range(run.num_gathered):
        flow = flows[flows[i].nth_gathered]
        if abs(flow.target - flow.rate) > run.eps * flow.target:
            for a in range(flow.first, flow.last):
                links[path[a]].changed = run.stamp


@register_jitable
def spread(run: Any, flows: Array, links: Array, path: Array, on: Array, level: int) -> bool:
    """Gather flows that must change because others did; tell whether there were any.

    Rates are max-min fair exactly if every flow has a bottleneck. Those that have none now are
    gathered, and those that are faster than them on a link they cross.
    """
    mark_changed(run, flows, links, path)
    before = run.num_gathered
    for i in range(run.num_reached):
        link = links[links[i].nth_reached]
        if link.changed != run.stamp:
            continue
        for a in range(link.first, link.last):
            flow = flows[on[a]]
            if not flow.open or flow.level != level or flow.checked == run.sweep:
                continue
            flow.checked = run.sweep
            if has_bottleneck(run, flows, links, path, on, flow):
                continue
            add_flow(run, flows, on[a])
            for b in range(flow.first, flow.last):
                other = links[path[b]]
                for c in range(other.first, other.last):
                    rival = flows[on[c]]
                    if not rival.open or rival.level != level:
                        continue
                    if rate_of(rival, run.stamp) > rate_of(flow, run.stamp):
                        add_flow(run, flows, on[c])
    return bool(run.num_gathered > before)


@register_jitable
def apply_rates(run: Any, jobs: Array, flows: Array, links: Array, path: Array, log: Array) -> None:
    """Give the gathered flows their new rates, and forecast when they finish."""
    for i in range(run.num_gathered):
        f = flows[i].nth_gathered
        flow = flows[f]
        if abs(flow.target - flow.rate) <= run.eps * flow.target:
            continue
        left = flow.remaining - flow.rate * (run.now - flow.since)
        flow.remaining = max(left, 0 * left)
        flow.since = run.now
        flow.rate = flow.target
        flow.finish = run.now + flow.remaining / flow.rate if flow.rate > 0 else INF
        mark_dirty(run, links, path, flow)
        note(run, log, f, flow.rate)
        job = jobs[flow.job]
        if not job.touched:
            job.touched = 1
            jobs[run.num_touched].nth_touched = flow.job
            run.num_touched += 1


@register_jitable
def refill(
    run: Any, jobs: Array, flows: Array, links: Array, path: Array, on: Array, log: Array
) -> None:
    """Set all rates anew where they may have changed, level by level from the top."""
    level = highest_dirty_level(run, flows, links, on, TOP)
    while level >= 0:
        gather(run, flows, links, on, level)
        growing = True
        while growing:
            others = reach(run, flows, links, path, on, level)
            share_fairly(run, flows, links, path)
            growing = others and spread(run, flows, links, path, on, level)
        apply_rates(run, jobs, flows, links, path, log)
        level = highest_dirty_level(run, flows, links, on, level)
    for i in range(run.num_dirty):
        links[links[i].nth_dirty].dirty = -1
    run.num_dirty = 0
    for i in range(run.num_touched):
        job = jobs[jobs[i].nth_touched]
        job.touched = 0
        schedule(job, flows)
    run.num_touched = 0


@register_jitable
def apart(a: Any, b: Any, slack: Any) -> bool:
    """Tell whether two times differ; INF equals INF."""
    if a < INF and b < INF:
        return bool(abs(a - b) > slack)
    return bool(a != b)


@register_jitable
def same_state(w: World, saved: Saved) -> bool:
    """Tell whether the future from now equals the future from the saved moment."""
    jobs, flows, links, path = w.jobs, w.flows, w.links, w.path
    now, then = w.run[0].now, saved.run[0].now
    for j in range(len(jobs)):
        job, old = jobs[j], saved.jobs[j]
        if job.left != old.left or apart(job.opens - now, old.opens - then, job.slack_s):
            return False
        if apart(job.ends - now, old.ends - then, job.slack_s):
            return False
        for f in range(job.first, job.last):
            flow, was = flows[f], saved.flows[f]
            if flow.open != was.open:
                return False
            if flow.open:
                here = flow.remaining - flow.rate * (now - flow.since)
                there = was.remaining - was.rate * (then - was.since)
                if abs(here - there) > job.slack_s * links[path[flow.first]].bandwidth:
                    return False
    return True


@register_jitable
def has_cycled(w: World, saved: Saved) -> bool:
    """Compare with the saved state; save anew after 1, 2, 4, ... steps (Brent's method)."""
    run = w.run[0]
    run.steps += 1
    if same_state(w, saved):
        return True
    if run.steps == saved.next_step[0]:
        saved.jobs[:] = w.jobs
        saved.flows[:] = w.flows
        saved.run[:] = w.run
        saved.next_step[0] *= 2
    return False


def advance(w: World, saved: Saved, stop: Stop) -> int:
    """Run until the horizon, a repeated state, or the end of the budget; return which.

    Events that lie within `eps` of each other are simultaneous: all are handled, then the rates are
    set once. States are compared where an iteration begins. Memory is that of the state.
    """
    # Numba counts references to what is taken out of a tuple, so it is taken out once.
    jobs, flows, links, path, on, log = w.jobs, w.flows, w.links, w.path, w.on, w.log
    run = w.run[0]
    while True:
        now = jobs[0].due
        for j in range(1, len(jobs)):
            now = min(now, jobs[j].due)
        if now > stop.horizon * (1 + run.eps):
            run.now = stop.horizon
            return HORIZON
        if run.events >= stop.max_events:
            return BUDGET
        if 0 < len(log) < run.num_logged + 8 * len(jobs) + 8 * len(flows):
            return LOG_FULL
        run.now = now
        until = now + run.eps * now
        began = False
        for j in range(len(jobs)):
            while jobs[j].due <= until and run.events < stop.max_events:
                began = fire(run, jobs, flows, links, path, log, j, until) or began
                schedule(jobs[j], flows)
        refill(run, jobs, flows, links, path, on, log)
        if stop.at_cycle and began and has_cycled(w, saved):
            return CYCLE


advance_compiled = njit(cache=True, error_model="numpy")(advance)
