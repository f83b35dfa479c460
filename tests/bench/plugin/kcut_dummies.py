"""Solvers that misbehave, each in its own way; a plug-in that the tests put on the path."""

import contextlib
import ctypes
import functools
import os
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from kcut import Answer, Claim, Param, solver

TINY = 7  # the specimen of the warm-up has so many jobs; only what comes after it misbehaves
NOTE = Param("", "where to note process ids")


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


def _exit(instance):
    raise SystemExit(5)


def _die_by_signal(instance):
    os.kill(os.getpid(), signal.SIGSEGV)


def _segfault(instance):
    ctypes.string_at(0)


def _hang(instance, pid_file):
    sleeper = subprocess.Popen(["sleep", "600"])
    Path(pid_file).write_text(f"{os.getpid()} {sleeper.pid}")
    time.sleep(600)


def _sleep(instance, seconds):
    time.sleep(seconds)
    return _equal(instance)


def _sleep_in_c(instance):
    # A PyDLL keeps the interpreter's lock: no signal handler and no other thread runs meanwhile.
    ctypes.PyDLL(None).sleep(600)
    return _equal(instance)


@functools.cache
def _spinner():
    from numba import njit

    @njit
    def spin(n):
        x = np.uint64(n)
        while x != 0:
            x = x * np.uint64(3) | np.uint64(1)
        return x

    return spin


def _spin(instance):
    _spinner()(instance.num_jobs)
    return _equal(instance)


def _chatter(instance):
    print("chatter in Python")
    os.write(1, b"chatter below Python\n")
    return _equal(instance)


def _megabytes(instance):
    for _ in range(40):
        os.write(1, b"o" * 2**20)
        os.write(2, b"e" * 2**20)
    return _equal(instance)


def _no_memory(instance):
    raise MemoryError


def _allocate(instance):
    return _equal(instance, detail=str(np.ones(10 * 2**27).sum()))  # 10 GB


def _allocate_natively(instance):
    # What std::bad_alloc does to a process when no one catches it.
    libc = ctypes.CDLL(None)
    libc.malloc.restype = ctypes.c_void_p
    if not libc.malloc(ctypes.c_size_t(10 * 2**30)):
        os.write(2, b"terminate called after throwing an instance of 'std::bad_alloc'\n")
        os.abort()
    return _equal(instance)


def _stay(instance, pid_file):
    """Leave a process in a session of its own, where killing the run's group misses it."""
    code = "import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(600)"
    stayer = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    Path(pid_file).write_text(f"{os.getpid()} {stayer.stdout.readline()}")
    return _equal(instance)


def _daemon(instance, pid_file, then):
    """Leave a process that has done all that daemons do to be nobody's."""
    code = (
        "import os, time\nif os.fork(): os._exit(0)\nos.setsid()\nif os.fork(): os._exit(0)\n"
        "os.chdir('/'); print(os.getpid(), flush=True); time.sleep(600)"
    )
    # Without a trace in its environment either.
    starter = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env={}, close_fds=True
    )
    Path(pid_file).write_text(f"{os.getpid()} {starter.stdout.readline()}")
    if then == "hang":
        _sleep_in_c(instance)
    return _equal(instance)


def _scribble(instance, text):
    """Write to all files that are open and not one's own, as a stray descriptor would."""
    for number in range(3, 64):
        with contextlib.suppress(OSError):
            if stat.S_ISFIFO(os.fstat(number).st_mode):
                os.write(number, text.encode("latin-1"))
    time.sleep(600)


def _close_all(instance):
    os.closerange(3, 256)
    time.sleep(600)


def _leave_no_folder(instance):
    shutil.rmtree(Path.cwd())
    time.sleep(600)


def _litter(instance, pid_file):
    """Write temporary files wherever a program may think they belong."""
    import tempfile

    paths = [tempfile.mkstemp()[1], str(Path("here").absolute()), os.environ["TMPDIR"] + "/there"]
    for path in paths:
        Path(path).write_text("litter")
    Path(pid_file).write_text("\n".join(paths))
    return _equal(instance)


@solver("compression", "dummy-streamer", exact=False, params={"then": Param("hang", "what next")})
def _stream(instance, *, limits, rng, then):
    """Report solutions, the last of them no better or infeasible, and never come back."""
    if instance.num_jobs > TINY:
        nothing = np.zeros(instance.num_jobs, np.int64)
        some = nothing.copy()
        some[instance.depth == 0] = 1
        for levels in (nothing, some, nothing, 1 - some, some[:3], some * 1000, "text"):
            limits.on_incumbent(levels)
        some[:] = -1  # what was reported has been copied
        if then == "memory":
            raise MemoryError
        if then == "crash":
            os._exit(1)
        _sleep_in_c(instance)
    return _equal(instance)


_zeros("dummy-raise", _raise)
_zeros("dummy-die", _die)
_zeros("dummy-exit", _exit)
_zeros("dummy-signal", _die_by_signal)
_zeros("dummy-segfault", _segfault)
_zeros("dummy-hang", _hang, pid_file=NOTE)
_zeros("dummy-sleep", _sleep, seconds=Param(0.1, "how long"))
_zeros("dummy-sleep-in-c", _sleep_in_c)
_zeros("dummy-spin", _spin)
_zeros("dummy-chatter", _chatter)
_zeros("dummy-megabytes", _megabytes)
_zeros("dummy-no-memory", _no_memory)
_zeros("dummy-allocate", _allocate)
_zeros("dummy-allocate-natively", _allocate_natively)
_zeros("dummy-stay", _stay, pid_file=NOTE)
_zeros("dummy-daemon", _daemon, pid_file=NOTE, then=Param("return", "what next"))
_zeros("dummy-scribble", _scribble, text=Param("", "what to write"))
_zeros("dummy-close-all", _close_all)
_zeros("dummy-leave-no-folder", _leave_no_folder)
_zeros("dummy-litter", _litter, pid_file=NOTE)
_zeros("dummy-liar", lambda instance: _equal(instance, Claim.OPTIMAL))
_zeros("dummy-false-bound", lambda instance: _equal(instance, bound=-1))
_zeros(
    "dummy-false-cover",
    lambda instance: _equal(instance, Claim.OPTIMAL, certificate=np.full(instance.num_edges, -1)),
)
_zeros("dummy-infeasible", lambda instance: Answer(Claim.FEASIBLE, instance.depth.astype(int)))
_zeros("dummy-no-solution", lambda instance: Answer(Claim.INFEASIBLE))
_zeros("dummy-text", lambda instance: "an answer")


def _assassinate(instance, victims):
    """Kill the process among `victims` that this one descends from."""
    pid, doomed = os.getpid(), set(map(int, victims.split()))
    while pid > 1 and pid not in doomed:
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    if pid > 1:
        os.kill(pid, signal.SIGKILL)
    time.sleep(600)


def _patricide(instance):
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(600)


_zeros("dummy-patricide", _patricide)
_zeros("dummy-assassin", _assassinate, victims=Param("", "process ids"))
