"""Imported first by the server of runs: it goes when its sweep goes, however early that is.

From here on the sweep's janitor finds the server by where it works. If the sweep was gone before,
its janitor has cleared up already, and there is nothing to stay for.
"""

from __future__ import annotations

import os

from kcut_bench import PARENT_VARIABLE

if PARENT_VARIABLE in os.environ:
    try:
        os.chdir(os.environ["NUMBA_CACHE_DIR"])
    except FileNotFoundError:
        os._exit(1)
    if os.getppid() != int(os.environ[PARENT_VARIABLE]):
        os._exit(1)
