"""Small random Clos clusters for the tests of path selection."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from kcut.cluster import Cluster, Flow, Job, Link
from kcut.paths import Choice, PathsInstance


def clos(
    rng: np.random.Generator,
    *,
    jobs: int,
    flows: int = 2,
    tors: int = 3,
    aggs: int = 2,
    levels: int = 2,
    stated: bool = True,
) -> Cluster:
    """Draw jobs whose flows run between ToR switches over any aggregation switch."""
    links = []
    for t, a in itertools.product(range(tors), range(aggs)):
        links += [
            Link(f"t{t}>a{a}", f"t{t}", f"a{a}", 4.0),
            Link(f"a{a}>t{t}", f"a{a}", f"t{t}", 4.0),
        ]
    made = []
    for j in range(jobs):
        sent = []
        for _ in range(int(rng.integers(1, flows + 1))):
            source, target = rng.choice(tors, 2, replace=False).tolist()
            sent.append(Flow(f"t{source}", f"t{target}", float(rng.integers(0, 9))))
        intensity = float(rng.integers(0, 12)) if stated else None
        compute_s, work = float(rng.integers(1, 9)) / 2, float(rng.integers(1, 99)) / 7
        start = float(rng.choice([0.5, 1.0]))
        made.append(
            Job(f"j{j}", int(rng.integers(1, 9)), compute_s, work, tuple(sent), start, intensity)
        )
    return Cluster.build(links, made, levels=levels, name="small-clos")


def tiny(seed: int, objective: str = "contention", stretch: float = 0.0) -> PathsInstance:
    """Draw an instance of at most 128 choices; every third derives its intensities."""
    rng = np.random.default_rng(seed)
    aggs = int(rng.integers(2, 4))
    most = 4 if aggs == 3 else 7
    while True:
        made = clos(rng, jobs=int(rng.integers(2, 6)), aggs=aggs, stated=seed % 3 > 0)
        if 1 <= made.num_flows <= most:
            return PathsInstance(made, objective, stretch)


def all_choices(instance: PathsInstance) -> Iterator[Choice]:
    """Yield every choice of paths."""
    most = instance.cluster.routes.num_candidates.tolist()
    for choice in itertools.product(*map(range, most)):
        yield np.array(choice, np.int64)
