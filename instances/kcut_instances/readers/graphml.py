"""Contention DAGs as networkx graphs and as GraphML files."""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

import numpy as np

from kcut import CompressionInstance, InputError
from kcut_instances.readers.compression import weight_array, weights_as_given
from kcut_instances.readers.files import read_bytes, write_bytes

if TYPE_CHECKING:
    import networkx as nx


def from_networkx(
    graph: nx.Graph[Any], levels: int, weight: str = "weight", name: str | None = None
) -> CompressionInstance:
    """Make an instance of a networkx DAG.

    Parameters
    ----------
    graph : networkx.DiGraph
        An edge runs from the job that outranks to the one outranked. Nodes are jobs in the
        graph's order, named by ``str(node)``. If the nodes have an attribute ``rank`` (all the
        numbers 0..n-1, 0 the highest priority), it is the order of the jobs.
    levels : int
        K.
    weight : str
        Name of the edge attribute.
    name : str, optional
        Else the graph's own, if it has one.

    Returns
    -------
    CompressionInstance
        Edges in the order of ``graph.edges``.

    Raises
    ------
    InputError
        If the graph is undirected or a multigraph, if a weight is missing, no number, negative or
        not finite, or if the edges form a cycle. An edge is named by its two nodes.
    """
    if not graph.is_directed():
        raise InputError("edges must be directed", "edgedefault", "undirected")
    edges: list[tuple[Any, Any, Any]] = list(graph.edges(data=weight))
    if graph.is_multigraph():
        seen: set[tuple[Any, Any]] = set()
        for u, v, _ in edges:
            if (u, v) in seen:
                raise InputError("a duplicate edge", "edges", f"{u} -> {v}")
            seen.add((u, v))
    for u, v, w in edges:
        if isinstance(w, bool) or not isinstance(w, int | float | np.integer | np.floating):
            raise InputError("must be a number", f"edge {u} -> {v}: {weight}", w)
    index = {node: i for i, node in enumerate(graph)}
    try:
        return CompressionInstance.from_edges(
            len(index),
            [index[u] for u, _, _ in edges],
            [index[v] for _, v, _ in edges],
            weight_array([w.item() if isinstance(w, np.generic) else w for _, _, w in edges]),
            levels=levels,
            name=name or str(graph.graph.get("name") or "unnamed"),
            labels=tuple(map(str, index)),
            order=_order(graph),
        )
    except InputError as error:
        raise _in_terms_of_nodes(error, list(index), edges, weight) from None


def to_networkx(instance: CompressionInstance) -> nx.DiGraph[Any]:
    """Make a networkx graph of an instance.

    Parameters
    ----------
    instance : CompressionInstance

    Returns
    -------
    networkx.DiGraph
        Nodes are the labels, or else 0..n-1; edges have ``weight`` in its own unit; the graph has
        the attributes ``name`` and ``levels``; the nodes have ``rank`` where an order was given.
        networkx groups edges by their upper node, so their order may change.
    """
    import networkx as nx  # noqa: PLC0415 - slow to import

    graph: nx.DiGraph[Any] = nx.DiGraph(name=instance.name, levels=int(instance.levels))
    nodes = list(instance.labels or range(instance.num_jobs))
    graph.add_nodes_from(nodes)
    if instance.given_order is not None:
        for rank, job in enumerate(instance.given_order.tolist()):
            graph.nodes[nodes[job]]["rank"] = rank
    rows = (instance.upper, instance.lower, weights_as_given(instance))
    for u, v, w in zip(*(row.tolist() for row in rows), strict=True):
        graph.add_edge(nodes[u], nodes[v], weight=w)
    return graph


def read_graphml(path: str | os.PathLike[str], levels: int | None = None) -> CompressionInstance:
    """Read an instance from GraphML.

    Parameters
    ----------
    path : str or path-like
    levels : int, optional
        K; else the graph's attribute ``levels``.

    Returns
    -------
    CompressionInstance
        As `from_networkx` makes it.

    Raises
    ------
    InputError
        Names the file, and the field and the value where there is one.
    """
    import networkx as nx  # noqa: PLC0415 - slow to import

    data = read_bytes(path)
    try:
        if b"<!DOCTYPE" in data or b"<!ENTITY" in data:
            raise InputError("document type declarations are not read", value="<!DOCTYPE")
        try:
            graph = nx.read_graphml(io.BytesIO(data))
        except Exception as error:  # networkx raises whatever its parsing runs into
            raise InputError(f"not GraphML: {type(error).__name__}: {error}") from None
        _check_names(data)
        given = graph.graph.get("levels") if levels is None else levels
        if given is None:
            raise InputError("is missing: give the number of levels, or this attribute", "levels")
        return from_networkx(graph, given)
    except InputError as error:
        raise error.within(str(path)) from None


def write_graphml(instance: CompressionInstance, path: str | os.PathLike[str]) -> None:
    """Write an instance as GraphML.

    Parameters
    ----------
    instance : CompressionInstance
    path : str or path-like
        Compressed if it ends in ``.gz``.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    import networkx as nx  # noqa: PLC0415 - slow to import

    buffer = io.BytesIO()
    nx.write_graphml_xml(to_networkx(instance), buffer)
    write_bytes(path, buffer.getvalue())


def _check_names(data: bytes) -> None:
    """Refuse nodes that occur twice and edges to none, of which networkx makes the best."""
    names: set[str | None] = set()
    elements = list(ElementTree.fromstring(data).iter())
    for element in elements:
        if element.tag.rpartition("}")[2] == "node":
            name = element.get("id")
            if name in names:
                raise InputError("a duplicate name", "node: id", name)
            names.add(name)
    for element in elements:
        if element.tag.rpartition("}")[2] == "edge":
            for end in ("source", "target"):
                if element.get(end) not in names:
                    raise InputError("no such node", f"edge: {end}", element.get(end))


def _order(graph: nx.Graph[Any]) -> list[int] | None:
    ranks = [rank for _, rank in graph.nodes(data="rank")]
    if all(rank is None for rank in ranks):
        return None
    job_at: dict[int, int] = {}
    for job, (node, rank) in enumerate(graph.nodes(data="rank")):
        if type(rank) is not int or not 0 <= rank < len(ranks) or rank in job_at:
            message = f"the ranks must be all of 0..{len(ranks) - 1}"
            raise InputError(message, f"node {node}: rank", rank)
        job_at[rank] = job
    return [job_at[rank] for rank in range(len(ranks))]


def _in_terms_of_nodes(
    error: InputError, nodes: list[Any], edges: list[tuple[Any, Any, Any]], weight: str
) -> InputError:
    """Replace indices of jobs and edges, which no one sees in a graph, by the names of nodes."""
    if error.field == "edges" and isinstance(error.value, str):
        steps = error.value.split(" -> ")
        shown = " -> ".join(str(nodes[int(step)]) if step.isdigit() else step for step in steps)
        return InputError(error.message, "edges", shown)
    if not error.field.startswith("edges["):
        return error
    index, _, rest = error.field.removeprefix("edges[").partition("]")
    u, v, _ = edges[int(index)]
    field = f"edge {u} -> {v}" + (f": {weight}" if rest == "[2]" else "")
    return InputError(error.message, field, error.value)
