"""HiGHS without its banner, which would end up among a command's own output."""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
from typing import Any


@functools.cache
def load() -> Any:
    """Import highspy; let its once-per-process banner go nowhere.

    The first `Highs` a process makes prints the banner from C, before any option can be set. So
    one is made here, with the descriptor of standard output turned away and C's buffer flushed.

    Returns
    -------
    module
        highspy.

    Raises
    ------
    ImportError
        If highspy is not installed.
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
