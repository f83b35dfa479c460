"""Collective communication as flows between the PCIe switches that hold a job's GPUs.

With n GPUs and S bytes exchanged, a ring all-reduce sends 2 (n - 1) / n S over every hop of the
ring, whatever its length.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kcut.cluster import Flow


@dataclass(frozen=True, slots=True)
class Slot:
    """GPUs of one job at one PCIe switch.

    Attributes
    ----------
    host : int
    port : str
        Name of the PCIe switch.
    gpus : int
    """

    host: int
    port: str
    gpus: int


def ring(slots: Sequence[Slot], exchanged_bytes: float) -> tuple[Flow, ...]:
    """Ring all-reduce through all PCIe switches of the job, host by host; crosses PCIe roots."""
    n = sum(slot.gpus for slot in slots)
    ports = [slot.port for slot in slots]
    return _cycle(ports, 2 * (n - 1) / n * exchanged_bytes)


def hierarchical(slots: Sequence[Slot], exchanged_bytes: float) -> tuple[Flow, ...]:
    """NVLink inside hosts, then one ring over the hosts for each PCIe switch, sharing the bytes.

    Hosts that hold GPUs at fewer PCIe switches than others use each of them for several rings.
    """
    by_host: dict[int, list[str]] = {}
    for slot in slots:
        by_host.setdefault(slot.host, []).append(slot.port)
    num_hosts, num_rings = len(by_host), max(map(len, by_host.values()))
    sent = 2 * (num_hosts - 1) / num_hosts * exchanged_bytes / num_rings
    flows: list[Flow] = []
    for r in range(num_rings):
        flows += _cycle([ports[r % len(ports)] for ports in by_host.values()], sent)
    return tuple(flows)


def all_to_all(slots: Sequence[Slot], exchanged_bytes: float) -> tuple[Flow, ...]:
    """Every host sends an equal part of its share to every other; PCIe switches take turns."""
    by_host: dict[int, list[str]] = {}
    for slot in slots:
        by_host.setdefault(slot.host, []).append(slot.port)
    hosts = list(by_host.values())
    sent = float(round(exchanged_bytes / len(hosts)))
    return tuple(
        Flow(mine[(a + b) % len(mine)], theirs[(a + b) % len(theirs)], sent)
        for a, mine in enumerate(hosts)
        for b, theirs in enumerate(hosts)
        if a != b
    )


COLLECTIVES: dict[str, Callable[[Sequence[Slot], float], tuple[Flow, ...]]] = {
    "ring": ring,
    "hierarchical": hierarchical,
    "all-to-all": all_to_all,
}
"""Collectives by name. A job inside one PCIe switch, or one host with NVLink, sends nothing."""


def _cycle(ports: list[str], sent: float) -> tuple[Flow, ...]:
    """Send from each port to the next and from the last to the first, in whole bytes."""
    if len(ports) < 2:
        return ()
    following = [*ports[1:], ports[0]]
    return tuple(
        Flow(source, target, float(round(sent)))
        for source, target in zip(ports, following, strict=True)
    )
