"""The laws of the fluid model, as one certificate to check at every moment of a time line."""

from __future__ import annotations

import numpy as np

from kcut.cluster import Cluster
from kcut.timeline import Timeline


def check_fluid_laws(
    cluster: Cluster, levels: list[int], choice: list[int], line: Timeline
) -> None:
    """Every open flow crosses a full link on which no flow of its level or lower is faster."""
    start, link = cluster.routes.chosen(np.array(choice, np.int64))
    paths = [link[start[f] : start[f + 1]].tolist() for f in range(cluster.num_flows)]
    level = [levels[j] for j in cluster.flow_job]
    rate: dict[int, float] = {}
    times = line.changes.time.tolist()
    for i, (time, flow, value) in enumerate(zip(*map(list, line.changes), strict=True)):
        rate[flow] = value
        if value < 0:
            del rate[flow]
        if i + 1 < len(times) and times[i + 1] == time:
            continue
        for e in {e for f in rate for e in paths[f]}:
            assert sum(r for f, r in rate.items() if e in paths[f]) <= cluster.bandwidth[e] * (
                1 + 1e-9
            )
        for f, r in rate.items():
            bottlenecks = [
                e
                for e in paths[f]
                if sum(s for g, s in rate.items() if e in paths[g] and level[g] >= level[f])
                >= cluster.bandwidth[e] * (1 - 1e-9)
                and all(
                    s <= r * (1 + 1e-9) + 1e-12
                    for g, s in rate.items()
                    if e in paths[g] and level[g] == level[f]
                )
            ]
            assert bottlenecks, f"flow {f} at level {level[f]} could be faster at {time}"
