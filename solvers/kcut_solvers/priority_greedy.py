"""Orders by simple rules, as starts of searches."""

from __future__ import annotations

import numpy as np

from kcut import Limits
from kcut.linear_order import Order
from kcut.priority import PriorityInstance
from kcut_solvers.priority.bssi import bssi
from kcut_solvers.priority.crux import PARAMS, crux
from kcut_solvers.priority.sebf import sebf
from kcut_solvers.priority_insertion import insertion_order


def starts(instance: PriorityInstance, rng: np.random.Generator) -> list[Order]:
    """Return distinct orders: by intensity, of Crux, SEBF and BSSI, and one of large gains.

    A matrix has the first and the last alone.
    """
    orders = [np.array(instance.ranking, np.int64)]
    if instance.cluster is not None:
        declared = {name: param.default for name, param in PARAMS.items()}
        corrected = crux(instance, limits=Limits(), rng=rng, **declared)  # type: ignore[arg-type]
        for answer in (
            corrected,
            sebf(instance, limits=Limits(), rng=rng),
            bssi(instance, limits=Limits(), rng=rng),
        ):
            assert answer.solution is not None
            orders.append(answer.solution.astype(np.int64))
    orders.append(insertion_order(instance.gains.weight, orders[0]))
    return list({order.tobytes(): order for order in orders}.values())
