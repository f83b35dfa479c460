"""Rescheduling: optimal from any start, and nearly free when little changes."""

import numpy as np
import pytest

from kcut import CompressionInstance, InputError, cut_value, infeasibility, verify
from kcut.ascent import ascend
from kcut.reoptimise import reoptimise, repair
from tests.contract.instances import feasible_assignments, middling, tiny


def optimum(instance):
    """Return the optimal value for the instance's own K."""
    *_, last = ascend(instance, instance.levels, covers=False)
    return cut_value(instance, last.levels)


@pytest.mark.parametrize("seed", range(80))
def test_repaired_levels_are_the_least_feasible_ones_above(seed):
    """No feasible assignment above the clipped levels is below the repaired ones anywhere."""
    instance = tiny(seed)
    given = np.random.default_rng(seed).integers(-2, instance.levels + 2, instance.num_jobs)
    fixed = repair(instance, given)
    clipped = np.clip(given, 0, instance.levels - 1)
    assert infeasibility(instance, fixed) is None
    assert (fixed >= clipped).all()
    every = feasible_assignments(instance)
    above = every[(every >= clipped).all(axis=1)]
    assert np.array_equal(above.min(axis=0), fixed)


@pytest.mark.parametrize("seed", range(40))
def test_any_levels_lead_to_a_proven_optimum(seed):
    """From arbitrary integers, infeasible ones too, the result is optimal and proven."""
    instance = middling(seed)
    given = np.random.default_rng(seed).integers(-1, instance.levels, instance.num_jobs)
    found = reoptimise(instance, given)
    checked = verify(instance, found.levels, found.cover)
    assert checked.optimal
    assert checked.value == optimum(instance)


@pytest.mark.parametrize("seed", range(30))
def test_an_arrival_costs_few_cuts(seed):
    """The cuts are bounded by the largest rise and fall from the repaired levels, and two."""
    whole = middling(seed)
    newcomer = whole.num_jobs - 1
    kept = (whole.upper != newcomer) & (whole.lower != newcomer)
    before = CompressionInstance.from_edges(
        newcomer, whole.upper[kept], whole.lower[kept], whole.weight[kept], levels=whole.levels
    )
    *_, last = ascend(before, before.levels, covers=False)
    start = repair(whole, np.append(last.levels, -1))
    found = reoptimise(whole, np.append(last.levels, -1))
    assert verify(whole, found.levels, found.cover).optimal
    change = found.levels - start
    # Steps up may pass the optimum that steps down end in, so the moves bound the cuts from below.
    assert found.num_cuts <= 2 * whole.levels
    assert found.num_cuts >= max(change.max(initial=0), -change.min(initial=0))


def test_malformed_levels_are_refused():
    """Floats and wrong lengths are named."""
    instance = middling(1)
    for bad in (np.zeros(3, int), np.zeros(instance.num_jobs)):
        with pytest.raises(InputError, match="integers"):
            reoptimise(instance, bad)


@pytest.mark.parametrize("seed", range(120))
def test_few_changes_are_the_fewest_of_all_optima(seed):
    """No optimal assignment is nearer to the levels before, over all of them by enumeration."""
    instance = tiny(seed)
    rng = np.random.default_rng(seed)
    before = rng.integers(-1, instance.levels, instance.num_jobs)
    found = reoptimise(instance, before, few_changes=True)
    assert verify(instance, found.levels, found.cover).optimal
    every = feasible_assignments(instance)
    values = np.array([cut_value(instance, levels) for levels in every])
    optimal = every[values == values.max()]
    distance = (np.abs(optimal - before) * (before >= 0)).sum(axis=1)
    assert (np.abs(found.levels - before) * (before >= 0)).sum() == distance.min()


@pytest.mark.parametrize("seed", range(20))
def test_nothing_changes_where_nothing_has_to(seed):
    """Levels that are optimal already are kept, to the last job."""
    instance = middling(seed)
    *_, best = ascend(instance, instance.levels, covers=False)
    again = reoptimise(instance, best.levels, few_changes=True)
    assert np.array_equal(again.levels, best.levels)
