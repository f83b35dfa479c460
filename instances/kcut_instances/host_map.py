"""The real host map of an Alibaba cluster (alibaba-lingjun-dataset-2023, Apache-2.0)."""

from __future__ import annotations

import functools
import os
from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from kcut import InputError
from kcut_instances.readers.table import Row, read_table


@dataclass(frozen=True, slots=True, eq=False)
class HostMap:
    """Where each host stands below the three layers of switches, sorted by pod, then group.

    Attributes
    ----------
    hosts : tuple of str
        Hashed addresses, in the order of the file within a group.
    pod : ndarray of int64, shape (num_hosts,)
        Index of the host's aggregation switches (column PSW).
    group : ndarray of int64, shape (num_hosts,)
        Index of the host's access switches (columns PSW and ASW together).

    Notes
    -----
    The labels of access switches repeat from pod to pod: 48 labels, but 119 pairs of PSW and ASW
    with at most 8 hosts each. So a switch group is a pair.
    """

    hosts: tuple[str, ...]
    pod: NDArray[np.int64]
    group: NDArray[np.int64]

    @property
    def num_hosts(self) -> int:
        """Number of hosts."""
        return len(self.hosts)


COLUMNS = ("ip", "DSW", "PSW", "ASW")


def read_host_map(path: str | os.PathLike[str]) -> HostMap:
    """Read a host map in the format of the trace's ``topo.csv``.

    Parameters
    ----------
    path : str or path-like
        CSV with a header and the columns ip, DSW, PSW and ASW, among others.

    Returns
    -------
    HostMap

    Raises
    ------
    InputError
        Names the file, the row and the column: a missing column, an empty field, a host that
        occurs twice, no hosts at all.
    """
    return _parse(read_table(path, COLUMNS), str(path))


@functools.cache
def lingjun_hosts() -> HostMap:
    """Read the map that comes with the package: 847 hosts, 3 pods, 119 switch groups.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, doi:10.1145/3651890.3672239.
    """
    file = resources.files("kcut_instances") / "data" / "lingjun-topo.csv"
    with resources.as_file(file) as path:
        return read_host_map(path)


def _parse(rows: list[Row], source: str) -> HostMap:
    seen: set[str] = set()
    for row in rows:
        for column in COLUMNS:
            row.text(column)
        if row["ip"] in seen:
            raise row.error("the host occurs twice", "ip")
        seen.add(row["ip"])
    if not rows:
        raise InputError("has no hosts", source=source)
    rows = sorted(rows, key=lambda row: (row["PSW"], row["ASW"]))
    pods = np.array([row["PSW"] for row in rows])
    pairs = np.array([f"{row['PSW']}/{row['ASW']}" for row in rows])
    pod = np.unique(pods, return_inverse=True)[1]
    group = np.unique(pairs, return_inverse=True)[1]
    return HostMap(tuple(row["ip"] for row in rows), pod, group)
