"""A fabric for a map of hosts: the map tells which switches a host is below, not their cables.

Ours are the numbers: every switch group has one access switch, every pod `POD_SWITCHES` aggregation
switches, each joined to every access switch of the pod and to `CORES_EACH` core switches of its
own, which join the pods.
"""

from __future__ import annotations

from kcut_instances.fabrics import NIC_BANDWIDTH, Fabric, attach_host, cable
from kcut_instances.host_map import HostMap

POD_SWITCHES = 8
CORES_EACH = 2
PORTS = 4


def host_map_fabric(hosts: HostMap, name: str = "lingjun") -> Fabric:
    """Build the fabric of a host map, each host with 8 GPUs and four NICs.

    Parameters
    ----------
    hosts : HostMap
    name : str, optional

    Returns
    -------
    Fabric
        Hosts in the order of the map and with its names; an access switch is a group of the map.
    """
    built, links = [], []
    pod_of_group = dict(zip(hosts.group.tolist(), hosts.pod.tolist(), strict=True))
    for address, group in zip(hosts.hosts, hosts.group.tolist(), strict=True):
        host, inside = attach_host(address, group, [f"asw{group}"] * PORTS)
        built.append(host)
        links += inside
    for group, pod in pod_of_group.items():
        for k in range(POD_SWITCHES):
            links += cable(f"asw{group}", f"psw{pod}.{k}", NIC_BANDWIDTH)
    for pod in sorted(set(pod_of_group.values())):
        for k in range(POD_SWITCHES):
            for c in range(CORES_EACH):
                links += cable(f"psw{pod}.{k}", f"dsw{k}.{c}", NIC_BANDWIDTH)
    return Fabric(name, tuple(built), tuple(links))
