"""Candidate paths: those a flow names, else all shortest paths, which is what ECMP offers."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kcut.errors import InputError

if TYPE_CHECKING:
    import networkx as nx

MAX_CANDIDATES = 4096
"""Most candidate paths a flow may have."""

Path = tuple[int, ...]


class Routes(NamedTuple):
    """Candidate paths of all flows, packed.

    Attributes
    ----------
    first : ndarray of int64, shape (num_flows + 1,)
        Flow f has the candidates ``first[f]`` to ``first[f + 1] - 1``.
    start : ndarray of int64, shape (num_candidates + 1,)
        Candidate c has the links ``link[start[c]:start[c + 1]]``.
    link : ndarray of int32
        Link indices along each path.
    """

    first: NDArray[np.int64]
    start: NDArray[np.int64]
    link: NDArray[np.int32]

    @classmethod
    def pack(cls, candidates: Sequence[Sequence[Path]]) -> Routes:
        """Pack a list of candidate paths for each flow."""
        paths = list(itertools.chain.from_iterable(candidates))
        links = list(itertools.chain.from_iterable(paths))
        first = np.cumsum([0, *map(len, candidates)], dtype=np.int64)
        start = np.cumsum([0, *map(len, paths)], dtype=np.int64)
        return cls(first, start, np.array(links, np.int32))

    @property
    def num_candidates(self) -> NDArray[np.int64]:
        """Number of candidates of each flow, shape (num_flows,)."""
        return np.diff(self.first)

    def chosen(self, choice: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the links of the chosen path of each flow, packed.

        Parameters
        ----------
        choice : ndarray of int64, shape (num_flows,)
            Candidate index of each flow, 0-based within the flow.

        Returns
        -------
        start : ndarray of int64, shape (num_flows + 1,)
            Flow f crosses ``link[start[f]:start[f + 1]]``.
        link : ndarray of int32
        """
        candidate = self.first[:-1] + choice
        begin = self.start[candidate]
        length = self.start[candidate + 1] - begin
        start = np.concatenate([[0], np.cumsum(length)]).astype(np.int64)
        within = np.arange(start[-1]) - np.repeat(start[:-1], length)
        return start, self.link[np.repeat(begin, length) + within]


def ecmp(routes: Routes, rng: np.random.Generator) -> NDArray[np.int64]:
    """Hash each flow uniformly over its candidate paths, as ECMP does.

    Parameters
    ----------
    routes : Routes
    rng : numpy.random.Generator
        Stands for the hash.

    Returns
    -------
    ndarray of int64, shape (num_flows,)
        Candidate index of each flow.
    """
    return rng.integers(0, routes.num_candidates)


class RouteTable:
    """Finds candidate paths on a list of links; remembers the shortest paths it has found.

    Parameters
    ----------
    links : sequence of (name, source, target)
        Links with distinct names; several may join the same two nodes.
    """

    def __init__(self, links: Sequence[tuple[str, str, str]]) -> None:
        self._ends = [(source, target) for _, source, target in links]
        self._index = {name: e for e, (name, _, _) in enumerate(links)}
        self._between: dict[tuple[str, str], list[int]] = defaultdict(list)
        for e, ends in enumerate(self._ends):
            self._between[ends].append(e)
        self._nodes = {node for ends in self._ends for node in ends}
        self._found: dict[tuple[str, str], tuple[Path, ...]] = {}
        self._graph: nx.DiGraph[str] | None = None

    def candidates(
        self, source: str, target: str, named: Sequence[Sequence[str]] | None, field: str
    ) -> tuple[Path, ...]:
        """Return the candidate paths of a flow as link indices.

        Parameters
        ----------
        source, target : str
        named : sequence of paths as link names, or None
            None for all shortest paths.
        field : str
            Where the flow stands in the input; begins the field of an error.

        Raises
        ------
        InputError
            See `kcut.cluster.Cluster.build`.
        """
        for end, node in (("source", source), ("target", target)):
            if node not in self._nodes:
                raise InputError("no link begins or ends there", f"{field}.{end}", node)
        if source == target:
            raise InputError("is the source as well", f"{field}.target", target)
        if named is None:
            return self._shortest(source, target, field)
        if not named:
            raise InputError("a flow needs a path", f"{field}.paths", named)
        if len(named) > MAX_CANDIDATES:
            raise InputError(f"more than {MAX_CANDIDATES:,} paths", f"{field}.paths", len(named))
        return tuple(
            self._resolve(source, target, path, f"{field}.paths[{i}]")
            for i, path in enumerate(named)
        )

    def _resolve(self, source: str, target: str, path: Sequence[str], field: str) -> Path:
        at, links = source, []
        for i, name in enumerate(path):
            if name not in self._index:
                raise InputError("no such link", f"{field}[{i}]", name)
            e = self._index[name]
            if self._ends[e][0] != at:
                raise InputError(f"does not connect: must begin at {at}", f"{field}[{i}]", name)
            if e in links:
                raise InputError("repeats a link", f"{field}[{i}]", name)
            at = self._ends[e][1]
            links.append(e)
        if at != target:
            raise InputError(f"does not connect: ends at {at}, not {target}", field, list(path))
        return tuple(links)

    def _shortest(self, source: str, target: str, field: str) -> tuple[Path, ...]:
        if (source, target) not in self._found:
            paths: list[Path] = []
            for nodes in self._shortest_node_paths(source, target, field):
                hops = [self._between[pair] for pair in itertools.pairwise(nodes)]
                paths.extend(itertools.islice(itertools.product(*hops), MAX_CANDIDATES + 1))
                if len(paths) > MAX_CANDIDATES:
                    message = f"more than {MAX_CANDIDATES:,} shortest paths to {target}"
                    raise InputError(message, f"{field}.source", source)
            self._found[source, target] = tuple(sorted(paths))
        return self._found[source, target]

    def _shortest_node_paths(self, source: str, target: str, field: str) -> Iterator[list[str]]:
        import networkx as nx  # noqa: PLC0415 - most of kcut runs without it

        if self._graph is None:
            self._graph = nx.DiGraph(list(self._between))
        try:
            hops = len(nx.bidirectional_shortest_path(self._graph, source, target)) - 1
        except nx.NetworkXNoPath:
            message = f"no path leads from {source} to {target}"
            raise InputError(message, f"{field}.target", target) from None
        length = nx.single_source_shortest_path_length
        begin, end = hops - hops // 2, hops // 2
        from_source = length(self._graph, source, cutoff=begin)
        to_target = length(self._graph.reverse(copy=False), target, cutoff=end)
        # Shortest paths meet where both distances are full: walk back from there to both ends.
        middle = {node for node, d in from_source.items() if d == begin and node in to_target}
        near = _descend(self._graph.pred, from_source, middle)
        near |= _descend(self._graph.succ, to_target, middle)
        around = self._graph.subgraph(near).copy()
        shortest: Iterator[list[str]] = nx.all_shortest_paths(around, source, target)
        return shortest


def _descend(
    neighbours: Mapping[str, Iterable[str]], distance: Mapping[str, int], start: set[str]
) -> set[str]:
    """Return the nodes that are reached by steps which each reduce the distance by 1."""
    reached, frontier = set(start), list(start)
    for node in frontier:
        closer = [n for n in neighbours[node] if distance.get(n) == distance[node] - 1]
        frontier += [n for n in closer if n not in reached]
        reached.update(closer)
    return reached
