"""kcut: the mathematics of how far communication scheduling for GPU clusters is from optimal.

Problems, values, bounds, certificates, the Numba cores and the registry. This package knows no
solver library, no file and no clock.
"""

from kcut.answer import (
    Answer,
    Claim,
    Incumbent,
    Limits,
    Termination,
    Verdict,
    no_answer,
)
from kcut.certificate import Verification, bound, verify
from kcut.cluster import Cluster, Flow, Job, Link
from kcut.compression import CompressionInstance, cut_value, infeasibility
from kcut.errors import InputError, KcutError, SolverError
from kcut.judge import Judgement, judge
from kcut.params import Param
from kcut.registry import family, solver
from kcut.reoptimise import reoptimise, repair

__all__ = [
    "Answer",
    "Claim",
    "Cluster",
    "CompressionInstance",
    "Flow",
    "Incumbent",
    "InputError",
    "Job",
    "Judgement",
    "KcutError",
    "Limits",
    "Link",
    "Param",
    "SolverError",
    "Termination",
    "Verdict",
    "Verification",
    "bound",
    "cut_value",
    "family",
    "infeasibility",
    "judge",
    "no_answer",
    "reoptimise",
    "repair",
    "solver",
    "verify",
]
