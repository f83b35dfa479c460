"""The JSON format ``kcut/cluster``: links, jobs, flows and, where they are given, their paths."""

from __future__ import annotations

import os
from typing import Any

import msgspec
from msgspec import UNSET, Struct, UnsetType

from kcut import InputError
from kcut.cluster import EDGE_WEIGHTS, Cluster, Flow, Job, Link
from kcut_instances.readers.document import Format, read_document
from kcut_instances.readers.files import write_bytes

Number = int | float


class LinkBody(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One element of ``links``."""

    name: str
    source: str
    target: str
    bandwidth: Number
    kind: str | UnsetType = UNSET


class FlowBody(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One element of ``flows``."""

    source: str
    target: str
    bytes: Number
    paths: list[list[str]] | UnsetType = UNSET


class JobBody(Struct, forbid_unknown_fields=True, kw_only=True, omit_defaults=True):
    """One element of ``jobs``."""

    name: str
    gpus: int
    compute_s: Number
    work: Number
    intensity: Number | UnsetType = UNSET
    transfer_start: Number | UnsetType = UNSET
    flows: list[FlowBody]


class Body(Struct, forbid_unknown_fields=True, kw_only=True):
    """All fields of a file."""

    format: str
    version: int
    name: str
    levels: int
    weights: str | UnsetType = UNSET
    links: list[LinkBody]
    jobs: list[JobBody]


def read_cluster(path: str | os.PathLike[str]) -> Cluster:
    """Read a cluster.

    Parameters
    ----------
    path : str or path-like
        A JSON file, or one compressed with gzip.

    Returns
    -------
    Cluster
        A flow without ``paths`` may take all shortest paths; a link without ``kind`` is a network
        link.

    Raises
    ------
    InputError
        Names the file, the field (such as ``jobs[0].flows[1].paths[0][2]``) and the value.
    """
    cluster: Cluster = read_document(path, {CLUSTER.name: CLUSTER})
    return cluster


def write_cluster(cluster: Cluster, path: str | os.PathLike[str]) -> None:
    """Write a cluster; reading it gives the same ``sha256``.

    Parameters
    ----------
    cluster : Cluster
    path : str or path-like
        Compressed if it ends in ``.gz``.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    head = {
        "format": CLUSTER.name,
        "version": CLUSTER.version,
        "name": cluster.name,
        "levels": cluster.levels,
    }
    if cluster.weights != EDGE_WEIGHTS[0]:
        head["weights"] = cluster.weights
    try:
        fields = [msgspec.json.encode(k) + b": " + msgspec.json.encode(v) for k, v in head.items()]
        fields.append(_lines("links", [_link_body(link) for link in cluster.links]))
        fields.append(_lines("jobs", [_job_body(job) for job in cluster.jobs]))
    except UnicodeEncodeError as error:
        raise InputError("a name is not valid Unicode", "name", error.object) from None
    write_bytes(path, b"{" + b",\n ".join(fields) + b"}\n")


def _lines(key: str, bodies: list[Any]) -> bytes:
    """Encode a list, one element a line."""
    rows = b",\n  ".join(msgspec.json.encode(body) for body in bodies)
    return msgspec.json.encode(key) + b": [\n  " + rows + b"]"


def _link_body(link: Link) -> LinkBody:
    kind = UNSET if link.kind == "network" else link.kind
    return LinkBody(
        name=link.name,
        source=link.source,
        target=link.target,
        bandwidth=link.bandwidth,
        kind=kind,
    )


def _job_body(job: Job) -> JobBody:
    return JobBody(
        name=job.name,
        gpus=job.gpus,
        compute_s=job.compute_s,
        work=job.work,
        intensity=UNSET if job.intensity is None else job.intensity,
        transfer_start=UNSET if job.transfer_start == 1 else job.transfer_start,
        flows=[
            FlowBody(
                source=flow.source,
                target=flow.target,
                bytes=flow.bytes,
                paths=UNSET if flow.paths is None else [list(path) for path in flow.paths],
            )
            for flow in job.flows
        ],
    )


def _build(body: Body) -> Cluster:
    links = [
        Link(
            link.name,
            link.source,
            link.target,
            link.bandwidth,
            "network" if link.kind is UNSET else link.kind,
        )
        for link in body.links
    ]
    jobs = [_job(job) for job in body.jobs]
    cluster = Cluster.build(links, jobs, levels=body.levels, name=body.name)
    return cluster if body.weights is UNSET else cluster.with_weights(body.weights)


def _job(body: JobBody) -> Job:
    flows = tuple(
        Flow(
            flow.source,
            flow.target,
            flow.bytes,
            None if flow.paths is UNSET else tuple(map(tuple, flow.paths)),
        )
        for flow in body.flows
    )
    start, intensity = body.transfer_start, body.intensity
    return Job(
        body.name,
        body.gpus,
        body.compute_s,
        body.work,
        flows,
        1.0 if start is UNSET else start,
        None if intensity is UNSET else intensity,
    )


CLUSTER = Format("kcut/cluster", 1, Body, _build)
