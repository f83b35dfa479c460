"""How to run a priority solver, and instances of every kind."""

from __future__ import annotations

import numpy as np

from kcut import Answer, Limits
from kcut.linear_order import Gains
from kcut.params import complete
from kcut.priority import PriorityInstance
from kcut.registry import get_family, solvers
from kcut.views import own_params
from tests.kcut.clusters import example1, example2, on_one_link, random_cluster, sender

SOLVERS = {s.name: s for s in solvers("priority") if not s.name.startswith("dummy-")}


def run(name: str, instance: PriorityInstance, *, seed=0, limits=None, **params) -> Answer:
    """Run a priority solver with its default parameters but for those given."""
    entry = SOLVERS[name]
    own = own_params("priority", complete(entry.params, params))
    rng = np.random.default_rng(seed)
    return entry.solve(instance, limits=limits or Limits(), rng=rng, **own)


def made(family, **params):
    """Return the instance of a family at seed 0, the other parameters at their defaults."""
    entry = get_family(family)
    return entry.generate(complete(entry.params, params), 4, 0)


def instances():
    """Return instances of every kind by name."""
    rng = np.random.default_rng(0)
    silent = sender("silent", 8, 1.0, 5.0, 0.0)
    clusters = {
        "example-1": example1(),
        "example-2": example2(),
        "one-job": on_one_link(sender("only", 1, 1.0, 1.0, 1.0)),
        "silent": on_one_link(silent, sender("a", 1, 1.0, 1.0, 1.0), sender("b", 2, 0.5, 1.0, 1.0)),
        "no-compute": on_one_link(sender("a", 1, 0.0, 0.0, 1.0), sender("b", 1, 1.0, 1.0, 1.0)),
        "no-work": on_one_link(sender("a", 1, 1.0, 0.0, 1.0), sender("b", 1, 1.0, 0.0, 2.0)),
        "random": random_cluster(rng),
        "one-link": made("contending-jobs", num_jobs=4, overlap=0.5),
        "clos": made("contending-jobs", num_jobs=5, fabric="clos"),
    }
    matrices = {
        "one-row": [[7]],
        "zeros": np.zeros((4, 4), int),
        "symmetric": [[0, 3, 3], [3, 0, 3], [3, 3, 0]],
        "negative": -rng.integers(1, 9, (5, 5)),
        "floats": rng.normal(size=(6, 6)),
        "huge": rng.integers(0, 2**54, (6, 6)),
        "random": rng.integers(0, 50, (9, 9)),
    }
    return {
        **{name: PriorityInstance(cluster) for name, cluster in clusters.items()},
        **{
            f"matrix-{name}": PriorityInstance(matrix=Gains.from_matrix(matrix))
            for name, matrix in matrices.items()
        },
    }
