"""The registry: one door for our solvers and those of plug-ins."""

import pytest

from kcut import InputError, SolverError, solver
from kcut.registry import get_family, get_solver, solvers


def test_every_solver_is_documented_and_cited():
    """Each has a summary line and the parameters it declares have help."""
    for entry in solvers():
        assert entry.summary.endswith("."), entry.name
        assert all(param.help for param in entry.params.values())


def test_unknown_names_list_the_known_ones():
    """A typo gets the list of what there is."""
    with pytest.raises(InputError, match=r"known: .*crux"):
        get_solver("cruks", ("compression",))
    with pytest.raises(InputError, match=r"known: .*random-dag"):
        get_family("random")


def test_a_name_is_registered_once():
    """A second function under a taken name is refused; the same one again is not."""
    solvers()

    def other(instance, *, limits, rng):
        """Do nothing."""

    with pytest.raises(SolverError, match="registered by"):
        solver("compression", "crux", exact=False)(other)
    again = get_solver("crux", ("compression",))
    solver("compression", "crux", exact=False, params=again.params, reference=again.reference)(
        again.solve
    )
