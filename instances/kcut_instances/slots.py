"""Placing jobs GPU by GPU on the PCIe switches of a fabric: packed, spread or fragmented."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from kcut_instances.collectives import Slot
from kcut_instances.fabrics import Fabric

POLICIES = ("packed", "spread", "fragmented")

Counts = NDArray[np.int64]


class FreeGpus:
    """The GPUs of a fabric that no job has yet.

    Parameters
    ----------
    fabric : Fabric
    policy : {'packed', 'spread', 'fragmented'}
        packed: the first host with room for a whole job, else hosts in their order, the free ones
        first. spread: whole hosts, round robin over the groups of hosts. fragmented: random hosts,
        two or four GPUs at a time, four or eight for jobs from 8 up, over its PCIe switches, so
        that jobs share hosts, their PCIe links and their NICs.
    rng : numpy.random.Generator
        Used by fragmented alone.
    """

    def __init__(self, fabric: Fabric, policy: str, rng: np.random.Generator) -> None:
        self._hosts = fabric.hosts
        self._policy = policy
        self._rng = rng
        self._free = [np.full(len(host.ports), host.gpus_per_port) for host in fabric.hosts]
        seen: dict[int, int] = {}
        keys = []
        for index, host in enumerate(fabric.hosts):
            seen[host.group] = seen.get(host.group, -1) + 1
            keys.append((seen[host.group], host.group, index))
        self._round_robin = [index for _, _, index in sorted(keys)]

    @property
    def total(self) -> int:
        """Number of free GPUs."""
        return int(sum(free.sum() for free in self._free))

    def take(self, gpus: int) -> tuple[Slot, ...]:
        """Take GPUs for a job; there must be as many.

        Returns
        -------
        tuple of Slot
            By host, then by PCIe switch.
        """
        taken = [np.zeros_like(free) for free in self._free]
        wanted = gpus
        if self._policy == "fragmented":
            while wanted:
                room = [h for h, free in enumerate(self._free) if free.any()]
                host = int(self._rng.choice(room))
                chunk = min(wanted, int(self._rng.choice([2, 4] if gpus < 8 else [4, 8])))
                wanted -= self._take_across(host, chunk, taken)
        for host in self._order(gpus) if wanted else ():
            wanted -= self._take_along(host, wanted, taken)
        return tuple(
            Slot(h, self._hosts[h].ports[p], int(count))
            for h, counts in enumerate(taken)
            for p, count in enumerate(counts)
            if count
        )

    def _order(self, gpus: int) -> list[int]:
        """Return the hosts in the order in which they are filled."""
        order = self._round_robin if self._policy == "spread" else list(range(len(self._hosts)))
        free = [int(self._free[h].sum()) for h in range(len(self._hosts))]
        fits = [h for h in order if free[h] >= gpus]
        if self._policy == "packed" and fits:
            return [min(fits, key=lambda h: free[h])]
        return sorted(order, key=lambda h: free[h] < self._hosts[h].gpus)

    def _take_along(self, host: int, wanted: int, taken: list[Counts]) -> int:
        """Fill one PCIe switch after the other; return how many GPUs were taken."""
        left = wanted
        for p, free in enumerate(self._free[host]):
            count = min(left, int(free))
            self._free[host][p] -= count
            taken[host][p] += count
            left -= count
        return wanted - left

    def _take_across(self, host: int, wanted: int, taken: list[Counts]) -> int:
        """Take one GPU from each PCIe switch in turn; return how many GPUs were taken."""
        count = 0
        while count < wanted and self._free[host].any():
            p = int(np.argmax(self._free[host]))
            self._free[host][p] -= 1
            taken[host][p] += 1
            count += 1
        return count
