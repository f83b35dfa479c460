"""HiGHS without its banner, and with as many threads as a run may use."""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
from typing import Any


def load() -> Any:
    """Import highspy, ready for a run with any number of threads.

    The pool of threads belongs to the process: a run that asks for another number than the one
    before is refused, unless the pool is let go in between.

    Returns
    -------
    module
        highspy.

    Raises
    ------
    ImportError
        If highspy is not installed.
    """
    highspy = _load_quietly()
    highspy.Highs.resetGlobalScheduler(True)
    return highspy


@functools.cache
def _load_quietly() -> Any:
    """Import highspy; let its once-per-process banner go nowhere.

    The first `Highs` a process makes prints the banner from C, before any option can be set, and
    it would end up among a command's own output. So one is made here, with the descriptor of
    standard output turned away and C's buffer flushed.
    """
    highspy = importlib.import_module("highspy")
    flush = ctypes.CDLL(None).fflush
    flush(None)
    kept = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        highspy.Highs()
        flush(None)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
    return highspy
