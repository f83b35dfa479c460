"""The one sentence a store supports, and where its numbers come from."""

from __future__ import annotations

import statistics as plain
from typing import Any

from kcut_bench.results import (
    InstanceKey,
    Results,
    counted_time_s,
    instance_key,
    is_solved,
    per_instance,
)
from kcut_bench.statistics import TIME_SHIFT_S, shifted_geometric_mean
from kcut_bench.table import percent, ratio


def headline(results: Results) -> str:
    """Return how far Crux is from the proven optimum and what proving it costs, in a sentence.

    The sentence follows from the records alone and says so where they do not suffice.
    """
    crux = results.crux_label
    if crux is None:
        return "This store holds no run of Crux's compression, so there is no gap in cut to report."
    runs = results.by_label(results.compression)[crux]
    gaps = per_instance(runs, results.gap)
    if not any(map(is_solved, runs)):
        return f"No run of {_name(crux)} gave a solution yet, so there is no gap to report."
    if not gaps:
        return (
            f"No instance that {_name(crux)} solved has a proven optimum yet, so its gap is not "
            "known: best values and bounds are only the two ends of an interval."
        )
    worst = max(gap for gap in map(results.gap, runs) if gap is not None)
    at_optimum = sum(gap == 0 for gap in gaps.values())
    if worst == 0:
        quality = f"{_name(crux)} reaches the proven optimum on {_all(len(gaps))} that have one"
    else:
        quality = (
            f"On the {_count(len(gaps))} with a proven optimum, {_name(crux)} stays a median "
            f"{percent(plain.median(gaps.values()))} below it, at worst {percent(worst)}, and "
            f"reaches it on {at_optimum}"
        )
    return f"{quality}; {_speed(results, crux)}."


def _speed(results: Results, crux: str) -> str:
    exact = fastest_exact(results)
    if exact is None:
        return "no exact solver proved an optimum in time that was measured"
    groups = results.by_label(results.compression)
    own = per_instance(groups[crux], counted_time_s)
    proven = [run for run in groups[exact] if run.proven]
    other = per_instance(proven, counted_time_s)
    factors = [own[key] / other[key] for key in own.keys() & other.keys() if other[key] > 0]
    if not factors:
        return f"no instance was both timed with {_name(crux)} and proven by {exact}"
    factor = ratio(plain.median(factors))
    return (
        f"it takes a median {factor} times as long as {exact}, the fastest exact solver, takes to "
        f"prove the optimum ({_count(len(factors))})"
    )


def fastest_exact(results: Results) -> str | None:
    """Return the exact solver with the most proven instances, of these the fastest.

    Speed is the shifted geometric mean of its proven runs.
    """
    ranks: dict[str, tuple[int, float]] = {}
    for label, runs in results.by_label(results.compression).items():
        proven = [run for run in runs if run.exact and run.proven]
        times = [time for time in map(counted_time_s, proven) if time is not None]
        if times:
            solved: set[InstanceKey] = {instance_key(run) for run in proven}
            ranks[label] = (-len(solved), shifted_geometric_mean(times, TIME_SHIFT_S))
    return min(ranks, key=lambda label: ranks[label], default=None)


def provenance(results: Results) -> str:
    """Return study, commit, dates and coverage in a sentence of Markdown."""
    parts = [f"{len(results.records):,} of {len(results.planned):,} planned runs"]
    study = study_name(results.manifest)
    if study:
        parts.insert(0, f"Study `{study}`")
    parts.append(f"mode {results.mode}")
    commit = commit_of(results.manifest)
    if commit:
        parts.append(f"commit {commit}")
    dates = sorted(record.started_at[:10] for record in results.records)
    if dates:
        parts.append(dates[0] if dates[0] == dates[-1] else f"{dates[0]} to {dates[-1]}")
    return ", ".join(parts) + "."


def study_name(manifest: dict[str, Any]) -> str:
    """Return the name of the study, empty if the manifest gives none."""
    return str(manifest.get("study") or manifest.get("name") or "")


def commit_of(manifest: dict[str, Any]) -> str:
    """Return the commit, marked where the tree was dirty; empty if unknown."""
    commit, dirty = manifest.get("commit"), manifest.get("dirty")
    if not commit:
        return ""
    return f"{str(commit)[:12]}{' with uncommitted changes' if dirty else ''}"


def _count(number: int) -> str:
    return f"{number:,} instance{'' if number == 1 else 's'}"


def _all(number: int) -> str:
    return "the one instance" if number == 1 else f"all {number:,} instances"


def _name(label: str) -> str:
    name, _, params = label.partition(" ")
    shown = "Crux" if name == "crux" else name
    return f"{shown} ({params})" if params else shown
