"""The frontier: the optimum for every number of levels, each value proven by its own cover."""

from __future__ import annotations

from dataclasses import dataclass

from kcut.ascent import Step, ascend
from kcut.certificate import Verification, meets, original_bound, verify
from kcut.compression import CompressionInstance, original_weight


@dataclass(frozen=True, slots=True)
class Frontier:
    """Optimal cut values by number of levels.

    Attributes
    ----------
    levels : tuple of int
        1..K.
    values, bounds : tuple of int or float
        Cut value and proven upper bound, in the unit of the weights as given.
    proven : tuple of bool
        Whether value equals bound in exact integers (see `kcut.certificate.meets`).
    """

    levels: tuple[int, ...]
    values: tuple[int | float, ...]
    bounds: tuple[int | float, ...]
    proven: tuple[bool, ...]


def frontier(instance: CompressionInstance, max_levels: int | None = None) -> Frontier:
    """Compute the optimum for 1..max_levels levels, and check each against its cover.

    Parameters
    ----------
    instance : CompressionInstance
    max_levels : int, optional
        The instance's own number of levels unless given.

    Returns
    -------
    Frontier
        Concave and non-decreasing; constant from the longest path on.

    Notes
    -----
    At most max_levels - 1 maximum flows, and one pass over the edges for each check.
    """
    most = instance.levels if max_levels is None else max_levels
    rows: list[tuple[int | float, int | float, bool]] = []
    for step in ascend(instance.with_levels(most), most):
        assert step.cover is not None
        last = most if step.finished else step.num_levels
        for k in range(step.num_levels, last + 1):
            stated = instance.with_levels(k)
            checked = verify(stated, step.levels, step.cover)
            assert checked.value is not None
            assert checked.bound is not None
            value, upper = _as_given(stated, step, checked)
            rows.append((value, upper, meets(checked.value, checked.bound, value, upper)))
            if step.finished:
                # More levels change nothing: the cover starts no path, so K drops out of it.
                rows.extend([rows[-1]] * (last - k))
                break
    values, bounds, proven = zip(*rows, strict=True)
    return Frontier(tuple(range(1, most + 1)), values, bounds, proven)


def _as_given(
    instance: CompressionInstance, step: Step, checked: Verification
) -> tuple[int | float, int | float]:
    """Return value and bound of a checked step in the unit of the weights as given."""
    assert checked.value is not None
    assert checked.bound is not None
    assert step.cover is not None
    if instance.is_integer:
        return checked.value, checked.bound
    cut = step.levels[instance.upper] > step.levels[instance.lower]
    return original_weight(instance, cut), original_bound(instance, step.cover)
