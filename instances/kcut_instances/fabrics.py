"""Fabrics: hosts with PCIe switches and NICs, below Clos networks of two or three layers.

Inside a host each PCIe switch has some of the GPUs and a NIC, and reaches the other PCIe switches
through the root: links ``h/p0 - h/n0`` (to the NIC) and ``h/p0 - h/root``, both kinds "pcie". What
GPUs exchange over NVLink crosses none of them. Every cable is two directed links.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from kcut import InputError
from kcut.cluster import Link

NIC_BANDWIDTH = 25e9
"""Bytes per second of a NIC and of a cable between switches: 200 Gbit/s."""

PCIE_BANDWIDTH = 25e9
"""Bytes per second of a PCIe link: about what 16 lanes of generation 4 deliver."""


@dataclass(frozen=True, slots=True)
class Host:
    """A host.

    Attributes
    ----------
    name : str
    ports : tuple of str
        Its PCIe switches, the ends of flows.
    gpus_per_port : int
    group : int
        Hosts of the same group are below the same access switches.
    """

    name: str
    ports: tuple[str, ...]
    gpus_per_port: int
    group: int

    @property
    def gpus(self) -> int:
        """Number of GPUs."""
        return len(self.ports) * self.gpus_per_port


@dataclass(frozen=True, slots=True)
class Fabric:
    """Hosts and the links inside and between them."""

    name: str
    hosts: tuple[Host, ...]
    links: tuple[Link, ...]

    @property
    def gpus(self) -> int:
        """Number of GPUs of all hosts."""
        return sum(host.gpus for host in self.hosts)


def cable(a: str, b: str, bandwidth: float, kind: str = "network") -> list[Link]:
    """Return the two directed links of a cable."""
    return [
        Link(f"{a}>{b}", a, b, bandwidth, kind),
        Link(f"{b}>{a}", b, a, bandwidth, kind),
    ]


def attach_host(
    name: str, group: int, switches: Sequence[str], gpus: int = 8
) -> tuple[Host, list[Link]]:
    """Build a host with one PCIe switch and one NIC for each of the given access switches."""
    links: list[Link] = []
    ports = tuple(f"{name}/p{i}" for i in range(len(switches)))
    for i, (port, switch) in enumerate(zip(ports, switches, strict=True)):
        links += cable(port, f"{name}/root", PCIE_BANDWIDTH, "pcie")
        links += cable(port, f"{name}/n{i}", PCIE_BANDWIDTH, "pcie")
        links += cable(f"{name}/n{i}", switch, NIC_BANDWIDTH)
    return Host(name, ports, gpus // len(ports), group), links


def two_layer(
    *, hosts: int, tors: int, aggs: int, uplinks: int = 1, ports: int = 4, name: str = "two-layer"
) -> Fabric:
    """Build a two-layer Clos: every ToR switch has cables to every aggregation switch.

    Parameters
    ----------
    hosts, tors, aggs : int
        Numbers of hosts, dealt evenly to the ToR switches, and of switches.
    uplinks : int, optional
        Parallel cables between a ToR and an aggregation switch.
    ports : int, optional
        NICs of a host, 1, 2, 4 or 8, all to one ToR switch.
    name : str, optional

    Raises
    ------
    InputError
        If a number is below 1, or `ports` does not divide the 8 GPUs of a host.
    """
    numbers = {"hosts": hosts, "tors": tors, "aggs": aggs, "uplinks": uplinks, "ports": ports}
    _check_positive(numbers)
    if 8 % ports:
        raise InputError("must divide the 8 GPUs of a host", "ports", ports)
    built: list[Host] = []
    links: list[Link] = []
    for h in range(hosts):
        tor = h * tors // hosts
        host, inside = attach_host(f"h{h}", tor, [f"t{tor}"] * ports)
        built.append(host)
        links += inside
    for t in range(tors):
        for a in range(aggs):
            for u in range(uplinks):
                links += _parallel(f"t{t}", f"a{a}", u)
    return Fabric(name, tuple(built), tuple(links))


def three_layer(
    *,
    hosts: int = 24,
    pods: int = 3,
    aggs: int = 12,
    cores: int = 32,
    name: str = "three-layer",
) -> Fabric:
    """Build a double-sided three-layer Clos: a host's eight NICs go to the two ToRs of its pod.

    Parameters
    ----------
    hosts : int, optional
    pods : int, optional
        Each has two ToR switches, one on each side.
    aggs, cores : int, optional
        Every aggregation switch belongs to one side of one pod, every core switch to one side and
        one aggregation switch of each pod on it.
    name : str, optional

    Raises
    ------
    InputError
        If a number is below 1 or the switches cannot be dealt evenly.

    Notes
    -----
    The defaults have 6 ToR, 12 aggregation and 32 core switches. How they are joined is ours: the
    paper gives the numbers alone.
    """
    _check_positive({"hosts": hosts, "pods": pods, "aggs": aggs, "cores": cores})
    if aggs % (2 * pods):
        raise InputError(f"must be a multiple of twice the {pods} pods", "aggs", aggs)
    per_side = aggs // (2 * pods)
    if cores % (2 * per_side):
        raise InputError(f"must be a multiple of {2 * per_side}", "cores", cores)
    built: list[Host] = []
    links: list[Link] = []
    for h in range(hosts):
        pod = h * pods // hosts
        sides = [f"t{2 * pod}"] * 4 + [f"t{2 * pod + 1}"] * 4
        host, inside = attach_host(f"h{h}", pod, sides)
        built.append(host)
        links += inside
    per_agg = cores // (2 * per_side)
    for pod in range(pods):
        for side in range(2):
            for k in range(per_side):
                agg = f"a{(2 * pod + side) * per_side + k}"
                links += cable(f"t{2 * pod + side}", agg, NIC_BANDWIDTH)
                for c in range(per_agg):
                    core = f"c{(side * per_side + k) * per_agg + c}"
                    links += cable(agg, core, NIC_BANDWIDTH)
    return Fabric(name, tuple(built), tuple(links))


def testbed_96() -> Fabric:
    """Build the paper's testbed: 12 hosts, 6 ToR and 8 aggregation switches, 4 links a host."""
    return two_layer(hosts=12, tors=6, aggs=8, name="testbed-96")


def tor_173() -> Fabric:
    """Build the paper's two-layer simulation fabric: 173 ToR and 16 aggregation switches."""
    return two_layer(hosts=346, tors=173, aggs=16, name="tor-173")


PRESETS: dict[str, Callable[[], Fabric]] = {
    "testbed-96": testbed_96,
    "tor-173": tor_173,
    "three-layer": three_layer,
}
"""Fabrics of the paper's evaluation by name."""


def _parallel(a: str, b: str, index: int) -> list[Link]:
    if index == 0:
        return cable(a, b, NIC_BANDWIDTH)
    return [
        Link(f"{link.name}#{index}", link.source, link.target, link.bandwidth, link.kind)
        for link in cable(a, b, NIC_BANDWIDTH)
    ]


def _check_positive(numbers: dict[str, int]) -> None:
    for field, number in numbers.items():
        if number < 1:
            raise InputError("must be at least 1", field, number)
