"""Why rows are missing that were there before: which ingredient of a run's key has changed."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kcut_bench.plan import PlannedRun, ingredients
from kcut_bench.store import Store

_SHOWN = 60  # longer values are digests or lists that say nothing to a reader


@dataclass(frozen=True, slots=True)
class Explanation:
    """What became of one planned run or one row.

    Attributes
    ----------
    key : str
        Of the planned run; of the row where no run is planned any more.
    what : str
        Solver and instance.
    state : str
        ``changed`` (a row of it is there, by another key), ``new`` (there is none), ``dropped``
        (a row is there that nothing planned resembles).
    changes : tuple of str
        What differs between the planned run and the row that resembles it most.
    """

    key: str
    what: str
    state: str
    changes: tuple[str, ...] = ()


def explain(store: Store, runs: list[PlannedRun]) -> list[Explanation]:
    """Explain each planned run without a row, and each row without a planned run.

    Parameters
    ----------
    store : Store
    runs : list of PlannedRun
        The plan as it is now; the store may hold that of an earlier day.

    Returns
    -------
    list of Explanation
        Runs in the order of the plan, then rows.
    """
    finished = store.finished()
    planned = {run.key for run in runs}
    known = store.ingredients()
    rows = store.identities()
    stale = {key: what for key, what in rows.items() if key not in planned}
    alike: dict[tuple[str, str], list[str]] = defaultdict(list)
    for key, (solver, instance) in stale.items():
        alike[solver, instance].append(key)
    explained = []
    used: set[str] = set()
    for run in runs:
        if run.key in finished:
            continue
        candidates = alike[run.solver, run.recipe.name]
        what = f"{run.solver} on {run.recipe.name}, K = {run.recipe.levels}, seed {run.seed}"
        if not candidates:
            explained.append(Explanation(run.key, what, "new"))
            continue
        now = ingredients(run)
        changes, nearest = _nearest(candidates, known, now)
        used.add(nearest)
        explained.append(Explanation(run.key, what, "changed", changes))
    for key, (solver, instance) in stale.items():
        if key not in used:
            explained.append(Explanation(key, f"{solver} on {instance}", "dropped"))
    return explained


def _nearest(
    candidates: list[str], known: dict[str, dict[str, Any]], now: dict[str, Any]
) -> tuple[tuple[str, ...], str]:
    """Return what differs from the row that differs least, and its key."""
    found = [(tuple(differences(known[key], now)), key) for key in candidates if key in known]
    if not found:
        return ("unknown: the row is older than the notes on keys",), candidates[0]
    return min(found, key=lambda pair: (len(pair[0]), pair[1]))


def differences(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield what differs between the ingredients of two keys."""
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            for part in sorted(old.keys() | new.keys()):
                if old.get(part) != new.get(part):
                    yield f"{name}: {part} {_show(old.get(part))} -> {_show(new.get(part))}"
        elif name.endswith("source"):
            yield f"{name} edited"
        elif name == "instance":
            # A digest; what it is of is named beside it, but for levels and parameters.
            if before.get("instance source") == now.get("instance source"):
                yield "instance parameters, seed or levels"
        else:
            yield f"{name} {_show(old)} -> {_show(new)}"


def _show(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + "..."
