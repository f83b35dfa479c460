"""Models that train on a cluster: what a GPU computes and what is exchanged in an iteration.

The public trace has neither bytes nor iteration times, so these numbers are ours. Exchanged bytes
follow from published parameter counts (2 bytes a parameter in half, 4 in single precision); the
computation of an iteration is a plausible time on an A100, and its work that time at the share of
312 Tflop/s which such a model reaches. GPT and its time alone, 1.53 s, are the exception: computing
1.03 s and sending for 0.5 s reproduces the paper's measured pair in the fluid model.
"""

from __future__ import annotations

from dataclasses import dataclass

PEAK_FLOPS = 312e12
"""Dense half-precision flop per second of an A100."""


@dataclass(frozen=True, slots=True)
class Model:
    """A model as a workload.

    Attributes
    ----------
    name : str
    gpus : tuple of int
        Least and most GPUs of a job that trains it.
    compute_s : float
        Seconds of computation in an iteration.
    efficiency : float
        Share of `PEAK_FLOPS` it reaches while computing.
    exchanged_bytes : float
        Bytes of gradients (of embeddings, for all-to-all) that an iteration exchanges.
    transfer_start : float
        Share of the computation after which the exchange may begin.
    collective : {'hierarchical', 'ring', 'all-to-all'}
        See `kcut_instances.collectives`.
    source : str
        Where the size comes from.
    """

    name: str
    gpus: tuple[int, int]
    compute_s: float
    efficiency: float
    exchanged_bytes: float
    transfer_start: float
    collective: str
    source: str

    def work(self, gpus: int, compute_s: float) -> float:
        """Return W: flop of an iteration on some GPUs."""
        return float(round(gpus * compute_s * self.efficiency * PEAK_FLOPS))


MODELS = {
    model.name: model
    for model in (
        Model("gpt", (16, 400), 1.03, 0.45, 26e9, 1.0, "hierarchical", "13 G parameters, half"),
        Model("llama", (16, 256), 0.9, 0.45, 13.4e9, 0.6, "hierarchical", "6.7 G, half"),
        Model("moe", (16, 256), 0.6, 0.3, 8e9, 0.5, "all-to-all", "tokens to experts and back"),
        Model("bert", (4, 64), 0.4, 0.4, 1.36e9, 0.5, "hierarchical", "340 M, single"),
        Model("vit", (4, 64), 0.3, 0.35, 2.53e9, 0.5, "hierarchical", "632 M, single"),
        Model("nmt", (4, 32), 0.3, 0.3, 0.84e9, 0.5, "hierarchical", "210 M, single"),
        Model("resnet", (1, 32), 0.25, 0.2, 0.102e9, 0.3, "ring", "25.6 M, single"),
        Model("ctr", (1, 48), 0.2, 0.05, 1.6e9, 1.0, "all-to-all", "embeddings of a batch"),
    )
}
"""The table, by name."""


def fitting_models(gpus: int) -> list[Model]:
    """Return the models that jobs of this size train, in the order of the table."""
    return [model for model in MODELS.values() if model.gpus[0] <= gpus <= model.gpus[1]]


def guess_model(text: str, gpus: int) -> Model:
    """Return the model whose name occurs in a text, such as a trace's; else one by size.

    Without a name it is GPT from 32 GPUs up, BERT from 8, ResNet below.
    """
    for name, model in MODELS.items():
        if name in text.lower():
            return model
    return MODELS["gpt" if gpus >= 32 else "bert" if gpus >= 8 else "resnet"]
