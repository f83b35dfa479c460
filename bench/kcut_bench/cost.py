"""What lost utilisation costs, in GPUs and in money, as the paper counts it."""

from __future__ import annotations

from dataclasses import dataclass

from kcut import InputError
from kcut.cluster import check_number

GPUS_PER_SERVER = 8
SERVER_HOUR_DOLLARS = 40.0
"""The paper's price of an hour of an 8-GPU server."""


@dataclass(frozen=True, slots=True)
class Loss:
    """GPUs that do as good as nothing, and their price.

    Attributes
    ----------
    gpus : float
    dollars_per_day : float
    """

    gpus: float
    dollars_per_day: float


def cost_of_loss(
    lost: float, gpus: int, *, server_hour_dollars: float = SERVER_HOUR_DOLLARS
) -> Loss:
    """Convert a share of utilisation that is lost into GPUs and dollars a day.

    Parameters
    ----------
    lost : float
        Share of the utilisation that is lost, 0 to 1.
    gpus : int
        GPUs of the cluster.
    server_hour_dollars : float, optional
        Price of an hour of a server with 8 GPUs.

    Returns
    -------
    Loss

    Raises
    ------
    InputError
        If a number is out of range.

    Examples
    --------
    >>> cost_of_loss(0.095, 1_000).gpus
    95.0
    >>> cost_of_loss(0.10, 10_000).dollars_per_day
    120000.0
    """
    check_number(lost, "lost")
    if lost > 1:
        raise InputError("must be between 0 and 1", "lost", lost)
    if isinstance(gpus, bool) or not isinstance(gpus, int) or gpus < 0:
        raise InputError("must be an integer, not negative", "gpus", gpus)
    check_number(server_hour_dollars, "server_hour_dollars")
    idle = lost * gpus
    return Loss(idle, idle / GPUS_PER_SERVER * server_hour_dollars * 24)
