"""Local search over the paths of flows, for any objective, anytime."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from kcut import Answer, Incumbent, Limits, Param, Termination, solver
from kcut.own_paths import best_own_times
from kcut.path_objectives import evaluate, predict, predictor, simulated
from kcut.paths import SHARE_SCALE, Choice, PathsInstance
from kcut_solvers.paths_common import Slots, feasible_answer, pack_slots
from kcut_solvers.paths_greedy import least_congested
from kcut_solvers.paths_moves import descend, move, set_up
from kcut_solvers.paths_walks import anneal, search_tabu

PARAMS = {
    "rounds": Param(4, "annealing or tabu runs; descents, where the objective has none", minimum=0),
    "steps": Param(100_000, "moves of an annealing run", minimum=1),
}

_HOT, _COLD = (1.0, 2.0, 0.5), 0.05
"""Temperatures, in units of the mean weight; runs take the hot ones in turn."""

_SAFE_SHARE = 0.85
"""Of the time that is left a run may take this; setting up and evaluating take time as well."""

_FEW_CANDIDATES = 5_000
"""Tabu search looks at all moves; where a cluster has more candidates than that, it is left out."""

_TABU_SHARE, _TABU_COSTS = 0.3, 50
"""How long a move may not be undone, see `search_tabu`; what a step costs in annealing steps."""

_SEARCH_EVENTS = 5_000
"""Events of a simulation inside the search; the harness simulates the result at length."""


@solver("paths", "local-search", exact=False, params=PARAMS, reference="lourenco2003ils")
def local_search(
    instance: PathsInstance,
    *,
    limits: Limits,
    rng: np.random.Generator,
    rounds: int,
    steps: int,
) -> Answer:
    """Move single flows, evaluated incrementally, from the best greedy choice on.

    Parameters
    ----------
    instance : PathsInstance
    limits : Limits
        Checked between runs and passes; a run takes no more steps than fit the time that is left.
    rng : numpy.random.Generator
    rounds, steps : int
        Without a time limit they decide when to stop; with one, whichever is first.

    Returns
    -------
    Answer
        Feasible, with incumbents.

    Notes
    -----
    Contention: descent, then rounds of annealing and of tabu search from the best choice so far. A
    step of annealing costs the jobs on the links it changes, one of tabu search those of all
    candidates of the flows that meet somebody, so it is left out where there are many. Other moves
    of annealing: all flows of a job at once, exchanges of two flows or of two jobs. max-load:
    descent on the peak of each flow's path, with kicks. The other objectives are evaluated from
    scratch, move by move, in random order, first improvement, and again from the best with some
    flows moved; utilisations from the better of a greedy choice and one of little contention.

    References
    ----------
    Hertz & de Werra, Using tabu search techniques for graph coloring, Computing 39, 1987,
    doi:10.1007/BF02239976.
    Lourenço, Martin & Stützle, Iterated Local Search, in: Handbook of Metaheuristics, 2003,
    doi:10.1007/0-306-48056-5_11.
    """
    search = Search(instance, limits, rng)
    choice = start_of(instance)
    if instance.infeasibility(choice) is not None:
        return feasible_answer(instance, choice)
    search.offer(choice)
    if len(search.slots.movable):
        if instance.objective == "contention":
            _anneal_runs(search, rounds, steps)
        elif instance.objective == "max-load":
            _level_loads(search, rounds)
        else:
            if instance.maximise:
                # What meets least is often far from what greedy rules reach, and better.
                few = None if limits.time_s is None else 0.2 * limits.time_s
                met = local_search(
                    instance.with_objective("contention"),
                    limits=Limits(few),
                    rng=rng,
                    rounds=min(6, rounds),
                    steps=steps,
                )
                if met.solution is not None:
                    search.offer(met.solution.astype(np.int64))
            _first_improvement(search, rounds)
    assert search.best is not None
    return feasible_answer(
        instance,
        search.best,
        termination=Termination.TIME_LIMIT if search.late() else Termination.FINISHED,
        incumbents=search.incumbents,
    )


@dataclass(slots=True)
class Search:
    """What a search knows: its instance, its clock and the best choice so far."""

    instance: PathsInstance
    limits: Limits
    rng: np.random.Generator
    started: float = field(default_factory=time.perf_counter)
    slots: Slots = field(init=False)
    best: Choice | None = None
    value: int = 0
    incumbents: list[Incumbent] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.slots = pack_slots(self.instance)

    def seconds(self) -> float:
        """Return the time since the start."""
        return time.perf_counter() - self.started

    def late(self) -> bool:
        """Whether the time is over."""
        return self.limits.time_s is not None and self.seconds() >= self.limits.time_s

    def offer(self, choice: Choice) -> bool:
        """Take a choice as the best if it is better; return whether it is."""
        value = evaluate(self.instance, choice)
        sign = -1 if self.instance.maximise else 1
        if self.best is not None and sign * value >= sign * self.value:
            return False
        self.best, self.value = choice.copy(), value
        self.incumbents.append(Incumbent(self.seconds(), value))
        self.limits.on_incumbent(self.best)
        return True


def start_of(instance: PathsInstance) -> Choice:
    """Return the best feasible of the greedy choices; each job by itself where none is feasible."""
    greedy = [
        least_congested(instance, instance.ranking, metric, 1)
        for metric in ("bottleneck", "intensity-weighted", "flow-count")
    ]
    fine = [choice for choice in greedy if instance.infeasibility(choice) is None]
    if not fine:
        return best_own_times(instance.cluster, instance.time).choice
    sign = -1 if instance.maximise else 1
    cheap = "predicted-utilisation" if instance.objective == "simulated" else instance.objective
    return min(fine, key=lambda choice: sign * evaluate(instance, choice, cheap))


def _anneal_runs(search: Search, rounds: int, steps: int) -> None:
    assert search.best is not None
    choice = search.best.copy()
    board = set_up(search.instance, choice, search.slots)
    movable = search.slots.movable
    part = max(1, 200_000 // max(1, len(movable)))
    for _ in range(3):
        rise = 0
        for flows in np.array_split(movable, max(1, len(movable) // (10 * part + 1))):
            rise += descend(board, choice, flows, False)
            if search.late():
                break
        if rise == 0 or search.late():
            break
    search.offer(choice)
    mean = max(1.0, float(search.instance.weight.mean()))
    few = len(search.slots.start) <= _FEW_CANDIDATES
    pace = {"anneal": 0.0, "tabu": 0.0}

    def go(kind: str, start: Choice, length: int, hot: float = 0.0) -> tuple[Choice, bool]:
        """Search from a choice; return what was found, and whether it is the best so far."""
        choice = start.copy()
        board = set_up(search.instance, choice, search.slots)
        begun = time.perf_counter()
        if kind == "anneal":
            _, found = anneal(board, choice, movable, length, hot, _COLD * mean, search.rng)
        else:
            _, found = search_tabu(board, choice, movable, length, _TABU_SHARE, search.rng)
        pace[kind] = length / max(1e-9, time.perf_counter() - begun)
        return np.asarray(found), search.offer(found)

    def fitting(kind: str, most: int) -> int:
        """Return how many steps fit the time that is left."""
        if search.limits.time_s is None:
            return most
        if pace[kind] == 0.0:
            go(kind, found, 1_000 if kind == "anneal" else 20, mean)
        left = search.limits.time_s - search.seconds()
        return max(1, min(most, int(_SAFE_SHARE * left * pace[kind])))

    # Annealing is better where much meets, tabu search where little does; so each is tried, and
    # the one the best choice is of then has three rounds in four.
    hotter, by_tabu, found = 0, few, search.best
    for r in range(rounds):
        if search.late():
            return
        found = search.best
        if not few or by_tabu == (r % 4 == 1):
            hot = _HOT[hotter % len(_HOT)] * mean
            hotter += 1
            found, better = go("anneal", found, fitting("anneal", steps), hot)
            by_tabu &= not better
        if few and not search.late():
            _, better = go("tabu", found, fitting("tabu", 1 + steps // _TABU_COSTS))
            by_tabu |= better


def _level_loads(search: Search, rounds: int) -> None:
    assert search.best is not None
    movable = search.slots.movable
    choice = search.best.copy()
    board = set_up(search.instance, choice, search.slots)
    most = search.instance.cluster.routes.num_candidates
    for _ in range(rounds * 50):
        for _ in range(50):
            before = choice.copy()
            descend(board, choice, search.rng.permutation(movable), True)
            if search.late() or np.array_equal(before, choice):
                break
        search.offer(choice)
        if search.late():
            return
        for f in search.rng.choice(movable, min(len(movable), 3), replace=False).tolist():
            to, back = int(search.rng.integers(most[f])), int(choice[f])
            move(board, choice, f, to)
            if np.any(board.own > board.limit[board.job]):
                move(board, choice, f, back)


def _first_improvement(search: Search, rounds: int) -> None:
    """Descend, and again from the best choice with a few flows moved at random."""
    worth = _worth_of(search.instance)
    assert search.best is not None
    best = search.best.copy()
    value = worth(best)
    for r in range(rounds):
        choice = best.copy() if r == 0 else _kicked(search, best)
        reached = _descend_by(search, choice, worth)
        search.offer(choice)
        if reached > value:
            best, value = choice, reached
        if search.late():
            return


def _kicked(search: Search, choice: Choice) -> Choice:
    """Return a choice with two to five flows, or all of a job, moved at random; feasible."""
    instance, movable = search.instance, search.slots.movable
    most = instance.cluster.routes.num_candidates
    job = instance.cluster.flow_job
    for _ in range(20):
        moved = choice.copy()
        if search.rng.random() < 0.5:
            some = movable[job[movable] == job[search.rng.choice(movable)]]
            c = int(search.rng.integers(most[some].min()))
            moved[some] = c
        else:
            size = min(len(movable), int(search.rng.integers(2, 6)))
            some = search.rng.choice(movable, size, replace=False)
            moved[some] = search.rng.integers(0, most[some])
        if instance.time_limit is None or instance.infeasibility(moved) is None:
            return moved
    return choice.copy()


def _descend_by(search: Search, choice: Choice, worth: Callable[[Choice], float]) -> float:
    """Move single flows in random order as long as that is better; return what is reached."""
    instance = search.instance
    most = instance.cluster.routes.num_candidates
    limited = instance.time_limit is not None
    now = worth(choice)
    improved = True
    while improved:
        improved = False
        for f in search.rng.permutation(search.slots.movable).tolist():
            for c in search.rng.permutation(int(most[f])).tolist():
                if search.late():
                    return now
                old = int(choice[f])
                if c == old:
                    continue
                choice[f] = c
                value = now
                if not limited or instance.infeasibility(choice) is None:
                    value = worth(choice)
                if value > now:
                    now, improved = value, True
                else:
                    choice[f] = old
    return now


def _worth_of(instance: PathsInstance) -> Callable[[Choice], float]:
    """Return what to maximise: the objective, or a shorter simulation."""
    if instance.objective == "predicted-utilisation":
        known = predictor(instance)
        return lambda choice: predict(known, choice)
    if instance.objective == "simulated":
        return lambda choice: simulated(instance, choice, _SEARCH_EVENTS) / SHARE_SCALE
    return lambda choice: -evaluate(instance, choice)
