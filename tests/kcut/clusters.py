"""Small clusters for the tests."""

from __future__ import annotations

import numpy as np

from kcut.cluster import Cluster, Flow, Job, Link


def on_one_link(*jobs: Job, levels: int = 8, bandwidth: float = 1.0) -> Cluster:
    """Build a cluster of one link from a to b, as in the paper's examples."""
    return Cluster.build([Link("e", "a", "b", bandwidth)], jobs, levels=levels, name="one-link")


def sender(
    name: str,
    gpus: int,
    compute_s: float,
    work: float,
    sent: float,
    *,
    transfer_start: float = 1.0,
) -> Job:
    """Build a job that sends some bytes from a to b."""
    return Job(name, gpus, compute_s, work, (Flow("a", "b", sent),), transfer_start)


def example1() -> Cluster:
    """Build the paper's Example 1: equal intensity, compute 2 s and 1 s, transfer 2 s and 1 s."""
    return on_one_link(sender("J1", 10, 2.0, 10.0, 2.0), sender("J2", 10, 1.0, 5.0, 1.0))


def example2() -> Cluster:
    """Build the paper's Example 2: transfers may start at half of the computation."""
    return on_one_link(
        sender("J1", 2, 4.0, 10.0, 1.0, transfer_start=0.5),
        sender("J2", 12, 2.0, 30.0, 3.0, transfer_start=0.5),
    )


def random_cluster(rng: np.random.Generator, *, max_jobs: int = 4, max_flows: int = 3) -> Cluster:
    """Draw a cluster of a few links in a line, with decimal numbers and explicit paths."""
    num_links = int(rng.integers(1, 5))
    links = [
        Link(f"e{i}", f"n{i}", f"n{i + 1}", float(rng.integers(1, 9))) for i in range(num_links)
    ]
    links += [Link(f"f{i}", f"n{i}", f"n{i + 1}", float(rng.integers(1, 9))) for i in range(2)][
        :num_links
    ]
    jobs = []
    for j in range(int(rng.integers(1, max_jobs + 1))):
        flows = []
        for _ in range(int(rng.integers(0, max_flows + 1))):
            first = int(rng.integers(num_links))
            last = int(rng.integers(first, num_links)) + 1
            path = tuple(
                f"{rng.choice(['e', 'f']) if i < 2 else 'e'}{i}" for i in range(first, last)
            )
            plain = tuple(f"e{i}" for i in range(first, last))
            size = float(rng.integers(0, 40)) / 4
            flows.append(Flow(f"n{first}", f"n{last}", size, (path, plain)))
        # A job that neither computes nor sends is refused, so computations take some time.
        compute = float(rng.integers(1, 30)) / 10
        share = float(rng.choice([0.0, 0.25, 0.5, 1.0, 1.0]))
        jobs.append(Job(f"j{j}", int(rng.integers(1, 9)), compute, 1.0, tuple(flows), share))
    return Cluster.build(links, jobs, levels=4)
