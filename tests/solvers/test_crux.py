"""Crux: the same answer however many orders are cut at once."""

import numpy as np
import pytest

from kcut import Limits, Termination
from kcut.blocks import VARIANTS
from kcut.params import complete
from kcut.prefix import prefix_bytes
from kcut.registry import get_solver
from tests.contract.instances import middling


def crux(instance, limits, **params):
    """Run Crux with seed 7."""
    entry = get_solver("crux", ("compression",))
    rng = np.random.default_rng(7)
    return entry.solve(instance, limits=limits, rng=rng, **complete(entry.params, params))


@pytest.mark.parametrize("dp", VARIANTS)
def test_threads_change_nothing(dp):
    """Levels and the incumbents' values are those of one thread, for every number of threads."""
    instance = middling(5)
    alone = crux(instance, Limits(), dp=dp)
    for threads in (2, 3, 16):
        together = crux(instance, Limits(threads=threads), dp=dp)
        assert np.array_equal(together.solution, alone.solution)
        assert [i.value for i in together.incumbents] == [i.value for i in alone.incumbents]


def test_threads_keep_to_the_memory():
    """Memory for one matrix gives the same answer on one thread, memory for none gives none."""
    instance = middling(5)
    needed = prefix_bytes(instance)
    alone = crux(instance, Limits())
    tight = crux(instance, Limits(memory_bytes=needed, threads=4))
    assert np.array_equal(tight.solution, alone.solution)
    none = crux(instance, Limits(memory_bytes=needed - 1, threads=4))
    assert none.termination is Termination.MEMORY_LIMIT


def test_a_time_limit_ends_threads_too():
    """At most one batch of orders is cut when the time is over at once."""
    answer = crux(middling(5), Limits(time_s=1e-9, threads=2), orders=50)
    assert answer.termination is Termination.TIME_LIMIT
    assert answer.detail == "1 of 50 orders"
