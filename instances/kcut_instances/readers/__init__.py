"""Readers and writers of instances and solutions, one file for each format."""

from kcut_instances.readers.cluster import read_cluster, write_cluster
from kcut_instances.readers.compression import read_compression, write_compression
from kcut_instances.readers.graphml import (
    from_networkx,
    read_graphml,
    to_networkx,
    write_graphml,
)
from kcut_instances.readers.instance import read_instance
from kcut_instances.readers.priority import read_lolib, read_priority, write_priority
from kcut_instances.readers.solution import Solution, read_solution, write_solution

__all__ = [
    "Solution",
    "from_networkx",
    "read_cluster",
    "read_compression",
    "read_graphml",
    "read_instance",
    "read_lolib",
    "read_priority",
    "read_solution",
    "to_networkx",
    "write_cluster",
    "write_compression",
    "write_graphml",
    "write_priority",
    "write_solution",
]
