"""The job mixes of the paper's testbed experiments on the 96-GPU testbed, for simulation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from kcut import InputError, Param, family
from kcut.cluster import Cluster, Job
from kcut_instances.collectives import COLLECTIVES, Slot
from kcut_instances.fabrics import NIC_BANDWIDTH, Fabric, testbed_96
from kcut_instances.models import MODELS

PARAMS = {
    "figure": Param("19", "experiment by the paper's figure", choices=("19", "20", "21", "22")),
    "others": Param(2, "jobs beside the first, or GPUs / 8 of the BERT job in 22", minimum=1),
}

TIMES = {"gpt": (1.03, 0.5), "bert": (0.5, 0.25), "resnet": (0.15, 0.1)}
"""Seconds of computation, and of the transfer that follows, of each model alone.

Those of GPT and BERT reproduce the paper's measured pair in the fluid model. The jobs' own bytes
are not public, and published sizes of the models alone would leave these links nearly idle.
"""

LIMITS = {"19": 4, "20": 4, "21": 3, "22": 3}
"""Most `others` of each figure."""


@family("cluster", "testbed", params=PARAMS, reference="cao2024crux")
def testbed(
    rng: np.random.Generator, *, name: str, levels: int, figure: str, others: int
) -> Cluster:
    """Build a job mix of the paper's Figures 19 to 22 on the 96-GPU testbed.

    Parameters
    ----------
    rng : numpy.random.Generator
        Decides which hosts take which part.
    name : str
    levels : int
    figure : {'19', '20', '21', '22'}
        19: a 32-GPU GPT and `others` 8-GPU BERT, on network paths. 20: a 48-GPU GPT, two 16-GPU
        BERT and two 8-GPU ResNet; `others` has to be 4. 21: a 16-GPU BERT and `others` 4-GPU ResNet
        that share PCIe. 22: an 8-GPU ResNet and a BERT of 8 times `others` GPUs that share PCIe.
    others : int

    Returns
    -------
    Cluster
        The sizes are the paper's. Which hosts, and the times of `TIMES`, are ours.

    Raises
    ------
    InputError
        If the figure has no such number of others.

    References
    ----------
    Cao et al., Crux: GPU-Efficient Communication Scheduling for Deep Learning Training,
    SIGCOMM 2024, section 6.2, doi:10.1145/3651890.3672239.
    """
    if others > LIMITS[figure] or (figure == "20" and others != LIMITS[figure]):
        raise InputError(f"must be at most {LIMITS[figure]} (20: exactly)", "others", others)
    fabric = testbed_96()
    hosts = iter(rng.permutation(len(fabric.hosts)).tolist())
    make = {"19": _figure_19, "20": _figure_20, "21": _figure_21, "22": _figure_22}[figure]
    return Cluster.build(fabric.links, make(fabric, hosts, others), levels=levels, name=name)


def _job(
    fabric: Fabric, name: str, hosts: list[tuple[int, int]], collective: str = "hierarchical"
) -> Job:
    """Build a job by its name's model; each of its flows takes the model's transfer time alone."""
    model = name.split("-", maxsplit=1)[0]
    compute_s, transfer_s = TIMES[model]
    slots = []
    for host, gpus in hosts:
        ports = fabric.hosts[host].ports
        counts = [gpus // len(ports) + (p < gpus % len(ports)) for p in range(len(ports))]
        slots += [Slot(host, port, n) for port, n in zip(ports, counts, strict=True) if n]
    flows = COLLECTIVES[collective](slots, 1.0)
    sent = tuple(replace(flow, bytes=transfer_s * NIC_BANDWIDTH) for flow in flows)
    gpus = sum(count for _, count in hosts)
    return Job(name, gpus, compute_s, MODELS[model].work(gpus, compute_s), sent)


def _take(hosts: Iterator[int], count: int, gpus: int) -> list[tuple[int, int]]:
    return [(next(hosts), gpus) for _ in range(count)]


def _figure_19(fabric: Fabric, hosts: Iterator[int], others: int) -> list[Job]:
    gpt = _job(fabric, "gpt", _take(hosts, 4, 8))
    return [gpt, *(_job(fabric, f"bert-{i}", _take(hosts, 2, 4)) for i in range(others))]


def _figure_20(fabric: Fabric, hosts: Iterator[int], others: int) -> list[Job]:
    gpt = _job(fabric, "gpt", _take(hosts, 6, 8))
    berts = [_job(fabric, f"bert-{i}", _take(hosts, 2, 8)) for i in range(2)]
    shared = _take(hosts, 2, 4)
    return [gpt, *berts, *(_job(fabric, f"resnet-{i}", shared) for i in range(2))]


def _figure_21(fabric: Fabric, hosts: Iterator[int], others: int) -> list[Job]:
    shared = _take(hosts, 4, 4)
    bert = _job(fabric, "bert", shared, "ring")
    resnets = (_job(fabric, f"resnet-{i}", shared[i : i + 1], "ring") for i in range(others))
    return [bert, *resnets]


def _figure_22(fabric: Fabric, hosts: Iterator[int], others: int) -> list[Job]:
    shared = _take(hosts, 2, 4)
    resnet = _job(fabric, "resnet", shared, "ring")
    bert = _job(fabric, "bert", [*shared, *_take(hosts, others - 1, 8)], "ring")
    return [resnet, bert]
