"""The memory limit of a run: address space beyond what its process has mapped already."""

from __future__ import annotations

import contextlib
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

OUT_OF_MEMORY = (
    b"bad_alloc",
    b"MemoryError",
    b"out of memory",
    b"Out of memory",
    b"Cannot allocate memory",
    b"Unable to allocate",
    b"Resource temporarily unavailable",
)
"""Last words of processes that ran out of memory, or of address space for a thread's stack."""


@contextlib.contextmanager
def confined(memory_bytes: int | None) -> Iterator[None]:
    """Let this process map so much more than it has now (RLIMIT_AS), and not a page beyond.

    Parameters
    ----------
    memory_bytes : int or None
        None for no limit.

    Notes
    -----
    The libraries that are imported before any run (0.8 GB of addresses, most never touched) do not
    count. Address space is what the kernel can refuse at once; it counts when it is reserved, so a
    thread costs its stack and its arena. A child process starts with the limit of its parent, for
    itself. Without Linux's /proc the limit is left to the solver.
    """
    if memory_bytes is None or sys.platform != "linux":
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    allowed = mapped_bytes() + memory_bytes
    if hard != resource.RLIM_INFINITY:
        allowed = min(allowed, hard)
    resource.setrlimit(resource.RLIMIT_AS, (allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def mapped_bytes() -> int:
    """Return the size of this process's address space (Linux)."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * resource.getpagesize()


def peak_rss_bytes() -> int:
    """Return this process's peak resident memory and that of the largest child it waited for."""
    unit = 1 if sys.platform == "darwin" else 1024
    processes = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(resource.getrusage(who).ru_maxrss for who in processes) * unit
