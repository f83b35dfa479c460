"""Public topologies from the `topohub` package, an optional extra, as fabrics."""

from __future__ import annotations

from typing import Any

from kcut import InputError, KcutError
from kcut_instances.fabrics import NIC_BANDWIDTH, Fabric, attach_host, cable


def topohub_fabric(key: str, *, hosts_per_node: int = 1, ports: int = 1) -> Fabric:
    """Build a fabric with the nodes of a public topology as switches and hosts below each.

    Parameters
    ----------
    key : str
        Such as ``topozoo/Abilene`` or ``sndlib/polska``.
    hosts_per_node : int, optional
    ports : int, optional
        NICs of a host, 1, 2, 4 or 8.

    Returns
    -------
    Fabric
        Every edge is a cable of `kcut_instances.fabrics.NIC_BANDWIDTH`: the topologies state none.

    Raises
    ------
    KcutError
        If topohub is not installed.
    InputError
        If it has no such topology, or a number is out of range.
    """
    try:
        import topohub  # noqa: PLC0415 - an optional extra
    except ImportError:
        message = "topologies need the package topohub: pip install kcut[topohub]"
        raise KcutError(message) from None
    if hosts_per_node < 1:
        raise InputError("must be at least 1", "hosts_per_node", hosts_per_node)
    if ports < 1 or 8 % ports:
        raise InputError("must divide the 8 GPUs of a host", "ports", ports)
    try:
        topology: dict[str, Any] = topohub.get(key)
    except (KeyError, OSError):
        raise InputError("topohub has no such topology", "key", key) from None
    hosts, links = [], []
    for group, node in enumerate(topology["nodes"]):
        for h in range(hosts_per_node):
            switches = [f"s{node['id']}"] * ports
            host, inside = attach_host(f"s{node['id']}.h{h}", group, switches)
            hosts.append(host)
            links += inside
    joined = {tuple(sorted((edge["source"], edge["target"]))) for edge in topology["edges"]}
    for a, b in sorted(joined):
        if a != b:
            links += cable(f"s{a}", f"s{b}", NIC_BANDWIDTH)
    return Fabric(key, tuple(hosts), tuple(links))
