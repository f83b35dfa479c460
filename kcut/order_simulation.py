"""Simulate many orders of the same jobs: arrays are built once, and repeated parts remembered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kcut.cluster import Cluster
from kcut.fairness import MAX_SLOWDOWN
from kcut.fluid_setup import Group, Scenario, build_group, contending_groups
from kcut.intensity import period_alone, traffic
from kcut.paths import SHARE_SCALE
from kcut.priority import SLOWDOWN_SCALE
from kcut.priority_objectives import ORDER_EVENTS
from kcut.simulate import Rates, steady_rates

Jobs = tuple[int, ...]

_MOST_REMEMBERED = 200_000


@dataclass(slots=True, eq=False)
class _Template:
    """A group and copies of its arrays as they are at the start."""

    jobs: NDArray[np.int64]
    group: Group
    pristine: tuple[Any, ...]
    link: NDArray[np.int64]  # of each entry of `flow`, ascending
    flow: NDArray[np.int64]


class OrderSimulator:
    """Simulates jobs of a cluster in given orders, each on a level of its own.

    Jobs of strictly higher priority do not notice lower ones, so what the first jobs of an order do
    is what they do without the others: `rates` takes orders of some jobs alone.

    Parameters
    ----------
    cluster : Cluster
        Paths by ECMP hashing with seed 0.
    max_events : int, optional
        See `kcut.simulate.simulate`.
    """

    def __init__(self, cluster: Cluster, max_events: int = ORDER_EVENTS) -> None:
        sent = traffic(cluster)
        self.cluster = cluster
        self.max_events = max_events
        self.alone_s = period_alone(cluster, sent)
        self.groups: list[Jobs] = [
            tuple(jobs.tolist())
            for jobs in contending_groups(cluster.num_jobs, cluster.num_links, sent)
        ]
        self.num_simulations = 0
        self._group_of = {job: g for g, jobs in enumerate(self.groups) for job in jobs}
        self._scenario = Scenario(
            cluster,
            np.zeros(cluster.num_jobs, np.int64),
            *cluster.routes.chosen(cluster.path_choice(None)),
            np.zeros(cluster.num_jobs),
            self.alone_s,
            0.0,
            0,
        )
        self._templates: dict[Jobs, _Template] = {}
        self._known: dict[Jobs, Rates] = {}

    def rates(self, order: Jobs) -> Rates:
        """Return what jobs of one group do, in the sequence of `order`; others are not there."""
        found = self._known.get(order)
        if found is None:
            found = self._run(order)
            if len(self._known) >= _MOST_REMEMBERED:
                self._known.clear()
            self._known[order] = found
        return found

    def split(self, order: NDArray[np.integer[Any]]) -> list[Jobs]:
        """Return the orders within the groups."""
        parts: list[list[int]] = [[] for _ in self.groups]
        for job in order.tolist():
            parts[self._group_of[job]].append(job)
        return [tuple(part) for part in parts]

    def value(self, order: NDArray[np.integer[Any]], objective: str) -> int:
        """Return the utilisation or the largest slowdown, as `kcut.priority_objectives` does."""
        busy, speed = np.zeros((2, self.cluster.num_jobs))
        for part in self.split(order):
            found = self.rates(part)
            busy[list(part)], speed[list(part)] = found.busy, found.speed
        if objective == "utilisation":
            gpus = self.cluster.gpus
            return int(float((gpus * busy).sum() / gpus.sum()) * SHARE_SCALE)
        return int(self.slowdowns(busy, speed, slice(None)).max() * SLOWDOWN_SCALE)

    def slowdowns(self, busy: Any, speed: Any, jobs: Any) -> NDArray[np.float64]:
        """Return the slowdowns of some jobs from their rates."""
        done = np.array(speed, np.float64)
        compute_s = self.cluster.compute_s[jobs]
        np.divide(busy, compute_s, out=done, where=compute_s > 0)
        with np.errstate(divide="ignore"):
            limited: NDArray[np.float64] = np.minimum(
                1.0 / (done * self.alone_s[jobs]), MAX_SLOWDOWN
            )
        return limited

    def _run(self, order: Jobs) -> Rates:
        jobs = tuple(sorted(order))
        template = self._templates.get(jobs)
        if template is None:
            template = self._templates[jobs] = self._template(jobs)
        place = np.searchsorted(template.jobs, order)
        level = np.empty(len(order), np.int64)
        level[place] = np.arange(len(order) - 1, -1, -1)
        group, world = template.group, template.group.world
        for table, copy in zip(self._tables(group), template.pristine, strict=True):
            table[:] = copy
        flow_level = level[world.flows["job"]]
        world.flows["level"] = flow_level
        by_level = np.lexsort((template.flow, -flow_level[template.flow], template.link))
        world.on[:] = template.flow[by_level]
        group.saved.flows[:] = world.flows
        self.num_simulations += 1
        found = steady_rates(group, self.max_events)
        return Rates(found.busy[place], found.speed[place], found.cycled)

    def _template(self, jobs: Jobs) -> _Template:
        array = np.array(jobs, np.int64)
        group = build_group(self._scenario, array, exact=False, keep_log=False)
        links = group.world.links
        link = np.repeat(np.arange(len(links)), links["last"] - links["first"])
        flow = group.world.on.copy()
        pristine = tuple(table.copy() for table in self._tables(group))
        return _Template(array, group, pristine, link, flow)

    @staticmethod
    def _tables(group: Group) -> tuple[Any, ...]:
        world, saved = group.world, group.saved
        return (
            world.run,
            world.jobs,
            world.flows,
            world.links,
            saved.jobs,
            saved.flows,
            saved.run,
            saved.next_step,
        )
