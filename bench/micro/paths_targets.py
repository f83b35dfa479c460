"""Path selection against its targets: proofs and gaps in contention, and speed at 10,000 flows.

Run with ``python bench/micro/paths_targets.py [--long]``; about one minute, with ``--long`` seven.
"""

from __future__ import annotations

import argparse
from typing import Any

from kcut import Limits
from kcut.params import complete
from kcut.paths import PathsInstance
from kcut.registry import get_family, get_solver
from kcut_bench.run import run_solver

QUICK = (
    ("10 jobs, 8 aggregation switches", {"num_jobs": 10, "tors": 4}, "cp-sat", 10.0),
    ("40 jobs, 16 ToR", {"num_jobs": 40, "tors": 16}, "cp-sat", 30.0),
    ("20 jobs, 6 ToR", {"num_jobs": 20}, "cp-sat", 30.0),
    ("40 jobs, 6 ToR", {"num_jobs": 40}, "local-search", 1.0),
)
LONG = (
    ("30 jobs, 6 ToR", {"num_jobs": 30}, "cp-sat", 60.0),
    ("40 jobs, 6 ToR", {"num_jobs": 40}, "cp-sat", 300.0),
)
LARGE = {"num_jobs": 1000, "flows": 10.0, "tors": 173, "aggs": 16}


def main() -> None:
    """Print one line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--long", action="store_true", help="also what takes minutes")
    parser.add_argument("--seed", type=int, default=1, help="of the instances")
    options = parser.parse_args()
    for title, params, solver, time_s in (*QUICK, *(LONG if options.long else ())):
        measure(title, make(params, options.seed), solver, time_s)
    large = make(LARGE, options.seed)
    measure("1,000 jobs, 173 ToR", large, "crux", None)
    measure("1,000 jobs, 173 ToR", large, "local-search", 10.0)


def make(params: dict[str, Any], seed: int) -> PathsInstance:
    """Generate an instance of clos-paths."""
    family = get_family("clos-paths")
    return PathsInstance(family.generate(complete(family.params, params), 8, seed))


def measure(title: str, instance: PathsInstance, name: str, time_s: float | None) -> None:
    """Run a solver on two threads and print what came of it."""
    solver = get_solver(name, ("paths",))
    more = {"rounds": 1000} if name == "local-search" else {}
    answer, found, timings = run_solver(
        instance, solver, complete(solver.params, more), Limits(time_s, threads=2), 1
    )
    gap = "" if found.gap is None else f", bound {found.bound:,}, gap {found.gap:.2%}"
    proof = "certified" if found.proven else answer.claim.value
    print(
        f"{title}, {instance.num_flows:,} flows: {name} {found.value:,}{gap}, {proof},"
        f" {timings.solve_s:.2f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
