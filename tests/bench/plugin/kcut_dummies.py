"""Solvers that misbehave, each in its own way; a plug-in that the tests put on the path."""

import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np

from kcut import Answer, Claim, Param, solver

TINY = 7  # the specimen of the warm-up has so many jobs; only what comes after it misbehaves


def _equal(instance, claim=Claim.FEASIBLE, **fields):
    return Answer(claim, np.zeros(instance.num_jobs, np.int64), **fields)


def _zeros(name, misbehave, **params):
    @solver("compression", name, exact=False, params=params)
    def solve(instance, *, limits, rng, **given):
        """Misbehave."""
        if instance.num_jobs > TINY:
            return misbehave(instance, **given)
        return _equal(instance)


def _raise(instance):
    raise ZeroDivisionError("two\nlines")


def _die(instance):
    os._exit(3)


def _die_by_signal(instance):
    os.kill(os.getpid(), signal.SIGSEGV)


def _hang(instance, pid_file):
    sleeper = subprocess.Popen(["sleep", "600"])
    Path(pid_file).write_text(f"{os.getpid()} {sleeper.pid}")
    time.sleep(600)


def _sleep(instance, seconds):
    time.sleep(seconds)
    return _equal(instance)


def _chatter(instance):
    print("chatter in Python")
    os.write(1, b"chatter below Python\n")
    return _equal(instance)


def _no_memory(instance):
    raise MemoryError


_zeros("dummy-raise", _raise)
_zeros("dummy-die", _die)
_zeros("dummy-signal", _die_by_signal)
_zeros("dummy-hang", _hang, pid_file=Param("", "where to note process ids"))
_zeros("dummy-sleep", _sleep, seconds=Param(0.1, "how long"))
_zeros("dummy-chatter", _chatter)
_zeros("dummy-no-memory", _no_memory)
_zeros("dummy-liar", lambda instance: _equal(instance, Claim.OPTIMAL))
_zeros("dummy-infeasible", lambda instance: Answer(Claim.FEASIBLE, instance.depth.astype(int)))
_zeros("dummy-text", lambda instance: "an answer")
