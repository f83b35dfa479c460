"""The JSON format ``kcut/compression``: a contention DAG and a number of levels."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, Struct, UnsetType
from numpy.typing import NDArray

from kcut import CompressionInstance, InputError
from kcut.weights import MAX_TOTAL
from kcut_instances.readers.document import Format, int64_array, read_document
from kcut_instances.readers.files import write_bytes


class Edge(Struct, array_like=True, forbid_unknown_fields=True, gc=False, frozen=True):
    """One element of ``edges``."""

    upper: int
    lower: int
    weight: int | float


class Body(Struct, forbid_unknown_fields=True, kw_only=True):
    """All fields of a file."""

    format: str
    version: int
    name: str
    levels: int
    num_jobs: int
    edges: list[Edge]
    labels: list[str] | UnsetType = UNSET
    order: list[int] | UnsetType = UNSET


def read_compression(path: str | os.PathLike[str]) -> CompressionInstance:
    """Read an instance of priority compression.

    Parameters
    ----------
    path : str or path-like
        A JSON file, or one compressed with gzip.

    Returns
    -------
    CompressionInstance

    Raises
    ------
    InputError
        Names the file, the field (such as ``edges[3][2]``) and the value.
    """
    instance: CompressionInstance = read_document(path, {COMPRESSION.name: COMPRESSION})
    return instance


def write_compression(instance: CompressionInstance, path: str | os.PathLike[str]) -> None:
    """Write an instance of priority compression; reading it gives the same ``sha256``.

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
    try:
        head = {
            "format": COMPRESSION.name,
            "version": COMPRESSION.version,
            "name": instance.name,
            "levels": int(instance.levels),
            "num_jobs": int(instance.num_jobs),
        }
        tail: dict[str, Any] = {}
        if instance.labels is not None:
            tail["labels"] = instance.labels
        if instance.given_order is not None:
            tail["order"] = instance.given_order.tolist()
        fields = [_field(key, value) for key, value in head.items()]
        fields += [b'"edges": ' + _edge_lines(instance)]
        fields += [_field(key, value) for key, value in tail.items()]
    except UnicodeEncodeError as error:
        raise InputError("a name is not valid Unicode", "name", error.object) from None
    write_bytes(path, b"{" + b",\n ".join(fields) + b"}\n")


def weights_as_given(instance: CompressionInstance) -> NDArray[np.int64] | NDArray[np.float64]:
    """Return the weights in their own unit: integers, or the floats that were scaled."""
    if instance.is_integer:
        return instance.weight
    if instance.original is not None:
        return instance.original
    return instance.weight / instance.scale


def _field(key: str, value: Any) -> bytes:
    return msgspec.json.encode(key) + b": " + msgspec.json.encode(value)


def _edge_lines(instance: CompressionInstance) -> bytes:
    """Encode the edges, one a line."""
    columns = (instance.upper, instance.lower, weights_as_given(instance))
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    # Rows hold numbers alone, so these brackets stand between rows and nowhere else.
    lines = msgspec.json.encode(rows).replace(b"],[", b"],\n  [")
    return lines.replace(b"[[", b"[\n  [", 1)


def _build(body: Body) -> CompressionInstance:
    upper = _ends((edge.upper for edge in body.edges), body, 0)
    lower = _ends((edge.lower for edge in body.edges), body, 1)
    return CompressionInstance.from_edges(
        body.num_jobs,
        upper,
        lower,
        weight_array([edge.weight for edge in body.edges]),
        levels=body.levels,
        name=body.name,
        labels=None if body.labels is UNSET else tuple(body.labels),
        order=None if body.order is UNSET else int64_array(body.order, "order"),
    )


def _ends(ends: Iterable[int], body: Body, position: int) -> NDArray[np.int64]:
    try:
        return np.fromiter(ends, np.int64, len(body.edges))
    except OverflowError:
        e, job = next(
            (e, edge.lower if position else edge.upper)
            for e, edge in enumerate(body.edges)
            if not -(2**63) <= (edge.lower if position else edge.upper) < 2**63
        )
        message = f"no job of 0..{body.num_jobs - 1}"
        raise InputError(message, f"edges[{e}][{position}]", job) from None


def weight_array(weights: list[int | float]) -> NDArray[np.int64] | NDArray[np.float64]:
    """Return weights as one array: int64 if all are integers, else float64.

    Raises
    ------
    InputError
        If an integer does not fit, or would be rounded beside floats; names ``edges[e][2]``.
    """
    if float in set(map(type, weights)):
        return _float_weights(weights)
    try:
        return np.fromiter(weights, np.int64, len(weights))
    except OverflowError:
        e = next(e for e, weight in enumerate(weights) if not 0 <= weight <= MAX_TOTAL)
        message = "must not be negative" if weights[e] < 0 else "larger than 2^62"
        raise InputError(message, f"edges[{e}][2]", weights[e]) from None


def _float_weights(weights: list[int | float]) -> NDArray[np.float64]:
    for e, weight in enumerate(weights):
        if isinstance(weight, int) and not -(2**53) <= weight <= 2**53:
            message = "an integer beyond 2^53 among weights that are floats"
            raise InputError(message, f"edges[{e}][2]", weight)
    return np.fromiter(weights, np.float64, len(weights))


COMPRESSION = Format("kcut/compression", 1, Body, _build)
