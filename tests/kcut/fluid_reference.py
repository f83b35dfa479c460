"""A slow, exact simulator of the fluid model, written from its definition, to test the fast one.

It shares nothing with kcut.fluid: fractions throughout, jobs as small objects, all rates computed
anew at every event by raising them together until links fill up, one after the other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from kcut.cluster import Cluster


def decimal(number: float) -> Fraction:
    """Take a number as the decimal it is written as."""
    return Fraction(repr(number))


@dataclass
class RefJob:
    """A job, what it is doing and what it has done."""

    compute: Fraction
    share: Fraction
    level: int
    flows: list[tuple[Fraction, tuple[int, ...]]]
    begun: Fraction = Fraction(0)
    started: bool = False
    opened: bool = False
    left: dict[int, Fraction] = field(default_factory=dict)
    sent: list[Fraction] = field(default_factory=list)
    finished: list[Fraction] = field(default_factory=list)
    busy: Fraction = Fraction(0)

    def computing_until(self) -> Fraction:
        """Return when its computation ends."""
        return self.begun + self.compute

    def opening(self) -> Fraction:
        """Return when its flows open."""
        return self.begun + self.share * self.compute


def fair_rates(
    demands: list[tuple[int, tuple[int, ...]]], capacity: dict[int, Fraction]
) -> list[Fraction]:
    """Rates of open flows (level, links): levels in turn, each filled until links are full."""
    rate = [Fraction(0)] * len(demands)
    room = dict(capacity)
    for level in sorted({lv for lv, _ in demands}, reverse=True):
        growing = [i for i, (lv, _) in enumerate(demands) if lv == level]
        while growing:
            crossing = {e: sum(1 for i in growing if e in demands[i][1]) for e in room}
            step = min(room[e] / n for e, n in crossing.items() if n)
            for i in growing:
                rate[i] += step
            for e, n in crossing.items():
                room[e] -= step * n
            full = {e for e, n in crossing.items() if n and room[e] == 0}
            growing = [i for i in growing if not full & set(demands[i][1])]
    return rate


def settle(job: RefJob, now: Fraction) -> bool:
    """Apply one transition that is due; tell whether there was one."""
    if not job.started:
        if job.begun > now:
            return False
        job.started = True
    if not job.opened and job.opening() <= now:
        job.opened = True
        job.left = {i: size for i, (size, _) in enumerate(job.flows) if size > 0}
        return True
    if job.opened and not job.left and job.computing_until() <= now:
        job.finished.append(now)
        job.begun, job.opened = now, False
        return True
    return False


def reference(
    cluster: Cluster, levels: list[int], choice: list[int], horizon: Fraction, shifts: list[float]
) -> list[RefJob]:
    """Simulate from 0 to the horizon and return the jobs with what they did."""
    names = {link.name: e for e, link in enumerate(cluster.links)}
    capacity = {e: decimal(link.bandwidth) for e, link in enumerate(cluster.links)}
    jobs, picks = [], iter(choice)
    for job, level, shift in zip(cluster.jobs, levels, shifts, strict=True):
        flows = []
        for flow in job.flows:
            assert flow.paths is not None
            path = tuple(names[name] for name in flow.paths[next(picks)])
            flows.append((decimal(flow.bytes), path))
        share = decimal(job.transfer_start)
        ref = RefJob(decimal(job.compute_s), share, level, flows, begun=decimal(shift))
        ref.sent = [Fraction(0)] * len(flows)
        jobs.append(ref)
    now = Fraction(0)
    while True:
        while any([settle(job, now) for job in jobs]):  # noqa: C419 - all must settle
            pass
        if now == horizon:
            return jobs
        open_flows = [(job, i) for job in jobs for i in job.left]
        rates = fair_rates([(job.level, job.flows[i][1]) for job, i in open_flows], capacity)
        times = [horizon]
        for job in jobs:
            candidates = [job.computing_until(), job.begun]
            if not job.opened:
                candidates.append(job.opening())
            times += [time for time in candidates if time > now]
        times += [
            now + job.left[i] / rate
            for (job, i), rate in zip(open_flows, rates, strict=True)
            if rate > 0
        ]
        then = min(times)
        for (job, i), rate in zip(open_flows, rates, strict=True):
            moved = rate * (then - now)
            job.sent[i] += moved
            job.left[i] -= moved
            if job.left[i] == 0:
                del job.left[i]
        for job in jobs:
            if job.started and job.computing_until() > now:
                job.busy += min(then, job.computing_until()) - now
        now = then
