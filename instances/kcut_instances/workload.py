"""Many jobs arrive on a fabric: draw their sizes and models, place them, and send their flows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kcut import InputError
from kcut.cluster import Cluster, Job
from kcut_instances.collectives import COLLECTIVES, Slot
from kcut_instances.fabrics import Fabric
from kcut_instances.models import MODELS, Model, fitting_models
from kcut_instances.slots import FreeGpus


def training_job(
    name: str, model: Model, slots: Sequence[Slot], *, slower: float = 1.0, larger: float = 1.0
) -> Job:
    """Build the job that trains a model on some GPUs.

    Parameters
    ----------
    name : str
    model : Model
    slots : sequence of Slot
    slower, larger : float, optional
        Factors of the model's computation time and of its bytes.

    Returns
    -------
    Job
        Its computation in whole milliseconds, its bytes whole.
    """
    gpus = sum(slot.gpus for slot in slots)
    compute_s = round(model.compute_s * slower, 3)
    flows = COLLECTIVES[model.collective](slots, model.exchanged_bytes * larger)
    work = model.work(gpus, compute_s)
    return Job(name, gpus, compute_s, work, flows, model.transfer_start)


def arrive(
    rng: np.random.Generator,
    fabric: Fabric,
    shares: dict[int, int],
    *,
    name: str,
    levels: int,
    num_jobs: int,
    placement: str,
    max_gpus: int,
) -> Cluster:
    """Let jobs arrive one after another on an empty fabric.

    Parameters
    ----------
    rng : numpy.random.Generator
    fabric : Fabric
    shares : dict of int to int
        Weights of the sizes in GPUs.
    name : str
    levels : int
    num_jobs : int
    placement : str
        One of `kcut_instances.slots.POLICIES`.
    max_gpus : int
        Larger sizes are not drawn.

    Returns
    -------
    Cluster
        A job trains a random model that fits its size, with computation and bytes each up to 20 %
        off the table's. A job that no longer fits gets what leaves a GPU for each later one.

    Raises
    ------
    InputError
        If there are more jobs than GPUs, or no size within `max_gpus`.
    """
    if num_jobs > fabric.gpus:
        raise InputError(f"more jobs than the {fabric.gpus} GPUs", "num_jobs", num_jobs)
    sizes = [size for size in shares if size <= max_gpus]
    if not sizes:
        raise InputError(f"must be at least {min(shares)}", "max_gpus", max_gpus)
    weight = np.array([shares[size] for size in sizes], float)
    wanted = rng.choice(sizes, size=num_jobs, p=weight / weight.sum())
    free = FreeGpus(fabric, placement, rng)
    jobs = []
    for j, size in enumerate(wanted.tolist()):
        slots = free.take(min(size, free.total - (num_jobs - 1 - j)))
        gpus = sum(slot.gpus for slot in slots)
        options = fitting_models(gpus) or [MODELS["gpt"]]
        model = options[int(rng.integers(len(options)))]
        slower, larger = rng.uniform(0.8, 1.2, 2).tolist()
        jobs.append(training_job(f"{model.name}-{j}", model, slots, slower=slower, larger=larger))
    return Cluster.build(fabric.links, jobs, levels=levels, name=name)
