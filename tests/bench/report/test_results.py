"""The reference of an instance, and gaps to it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from kcut_bench.record import RunRecord
from kcut_bench.results import (
    Reference,
    Results,
    counted_time_s,
    find_contradictions,
    find_references,
    instance_key,
    make_labels,
    relative_gap,
)

Records = tuple[RunRecord, ...]


def on_one_instance(records: Records) -> list[RunRecord]:
    """Return the compression runs of the first instance."""
    key = instance_key(records[0])
    return [record for record in records if instance_key(record) == key]


def test_reference_is_what_was_proven(records: Records) -> None:
    """With a checked certificate the reference is its value, whatever else was found."""
    runs = on_one_instance(records)
    proven = next(run for run in runs if run.proven)
    reference = find_references(runs)[instance_key(runs[0])]
    assert proven.value is not None
    assert reference == Reference(proven.value, proven.value, proven=True)


def test_without_a_proof_there_is_an_interval(records: Records) -> None:
    """Without a proof: best value and least certified bound; claims without a certificate never."""
    runs = [run for run in on_one_instance(records) if not run.exact]
    key, total = instance_key(runs[0]), runs[0].total_weight
    best = max(run.value for run in runs if run.value is not None)
    assert find_references(runs)[key] == Reference(best, total, proven=False)
    claimed = replace(runs[0], bound=best)
    assert find_references([claimed, *runs[1:]])[key].bound == total
    certified = replace(runs[0], bound=best + 1, certificate=b"cover")
    assert find_references([certified, *runs[1:]])[key] == Reference(best, best + 1, proven=False)
    results = Results(tuple(runs), references=find_references(runs))
    assert results.optimum(runs[0]) is None
    assert results.gap(runs[0]) is None


def test_rejected_runs_are_no_reference(records: Records) -> None:
    """A rejected run neither sets a reference nor has a gap."""
    runs = on_one_instance(records)
    lie = replace(runs[0], value=10**9, proven=True, verdict="rejected")
    references = find_references([lie, *runs[1:]])
    assert references == find_references(runs[1:])
    assert Results((lie,), references=references).gap(lie) is None


@pytest.mark.parametrize("reference", [2**62, 3, 10**17 + 1])
def test_gaps_of_integers_are_exact(reference: int) -> None:
    """Differences of one unit survive beyond the 53 bits of a float."""
    for value in (reference, reference - 1, 0):
        expected = float(Fraction(reference - value, reference))
        assert relative_gap(value, reference) == expected
    assert relative_gap(reference - 1, reference) > 0
    assert relative_gap(0, 0) == 0


def test_contradictions_are_found(records: Records) -> None:
    """A verified value above a proven optimum is reported; the real store has none."""
    assert find_contradictions(records) == []
    heuristic = next(run for run in records if run.solver == "crux")
    optimum = find_references(records)[instance_key(heuristic)].value
    above = replace(heuristic, value=int(optimum) + 1)
    found = find_contradictions([above, *records])
    assert len(found) == 1
    assert str(optimum) in found[0]
    assert heuristic.instance in found[0]


def test_labels_show_what_varies(records: Records) -> None:
    """A label holds exactly the parameters that a store varies."""
    labels = set(make_labels(records).values())
    names = {"varys", "min-cuts", "min-cost-flow", "max-k-cut-cp-sat"}
    assert labels == {"crux orders=2", "crux orders=10", *names}
    single = [record for record in records if "orders=2" not in record.solver_params]
    ten = [record for record in single if '"orders": 10' in record.solver_params]
    assert set(make_labels(ten).values()) == {"crux"}


def test_time_of_a_stopped_run_is_at_least_its_limit(records: Records) -> None:
    """Runs stopped count with the limit or more, those that crashed or were skipped not at all."""
    run = replace(records[0], time_limit_s=5.0, solve_s=0.25)
    assert counted_time_s(run) == 0.25
    assert counted_time_s(replace(run, termination="killed", solve_s=None)) == 5.0
    assert counted_time_s(replace(run, termination="time_limit", solve_s=7.5)) == 7.5
    assert counted_time_s(replace(run, termination="crashed")) is None
    assert counted_time_s(replace(run, termination="skipped", solve_s=None)) is None
