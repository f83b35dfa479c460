"""Sweeps on a Dask cluster: the same isolated runs, on its workers, their rows written here."""

from __future__ import annotations

import contextlib
import importlib
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kcut.answer import Termination
from kcut.errors import InputError
from kcut_bench import host
from kcut_bench.isolate import OnRow
from kcut_bench.outcome import Lost, utc_now
from kcut_bench.plan import PlannedRun
from kcut_bench.record import RunRecord
from kcut_bench.scratch import new_folder

ATTEMPTS = 2
"""How often a run is tried whose worker dies."""
_LOOK_S = 1.0  # how often to see which workers there are
_CONNECT_S = 30.0


@dataclass(frozen=True, slots=True)
class _Attempt:
    """A run on its way to a worker or on it."""

    run: PlannedRun
    number: int
    started_at: str


@dataclass(frozen=True, slots=True)
class DaskCluster:
    """Runs on the workers of a Dask cluster, one for each of their threads.

    Attributes
    ----------
    address : str
        Of the scheduler, such as ``tcp://10.0.0.1:8786``; ``local`` for a cluster of this machine.
    patience_s : float
        How long to wait for a worker when there is none.
    """

    address: str
    patience_s: float = 300.0

    def run_all(self, plans: Iterable[PlannedRun], workers: int, on_row: OnRow) -> None:
        """Carry out all runs, at most `workers` at a time; call `on_row` here for each that ends.

        A run whose worker dies is tried once more, and is then recorded as crashed. If
        interrupted, the runs on their way are killed.

        Raises
        ------
        InputError
            If there is no scheduler, no worker for `patience_s`, a worker with other versions or
            sources than here, or no dask.distributed.
        """
        waiting = deque(_Attempt(run, 1, "") for run in plans)
        if not waiting:
            return
        variants = {(a.run.solver, str(a.run.params)): a.run for a in waiting}
        warm_up = list(variants.values())
        with self._connected(workers) as client:
            pool = client.get_executor(pure=False, retries=0)
            active: dict[Future[bytes], _Attempt] = {}
            try:
                while waiting or active:
                    room = min(workers, self._capacity(client, bool(active))) - len(active)
                    while waiting and room > 0:
                        attempt = waiting.popleft()
                        request = _request(attempt.run, warm_up)
                        attempt = _Attempt(attempt.run, attempt.number, utc_now())
                        active[pool.submit(host.carry_out, request)] = attempt
                        room -= 1
                    done, _ = wait(active, timeout=_LOOK_S, return_when=FIRST_COMPLETED)
                    for future in done:
                        attempt = active.pop(future)
                        row = self._row(future, attempt)
                        if row is None:
                            waiting.appendleft(_Attempt(attempt.run, attempt.number + 1, ""))
                        else:
                            on_row(attempt.run, row)
            finally:
                if active:
                    # Cancelling does not stop what runs already.
                    with contextlib.suppress(Exception):
                        client.run(host.stop_hosts)

    def _row(self, future: Future[bytes], attempt: _Attempt) -> RunRecord | None:
        """Return the row of a run; None if it is to be tried again."""
        try:
            reply = msgspec.json.decode(future.result(), type=host.Reply)
        except CancelledError:
            raise InputError("the scheduler is gone", "--dask", self.address) from None
        except Exception as error:
            if attempt.number < ATTEMPTS:
                return None
            detail = f"its worker died {attempt.number} times: {type(error).__name__}"
            return Lost(Termination.CRASHED, detail, attempt.started_at).row(attempt.run)
        if reply.row is None:
            raise InputError(f"worker differs: {reply.refusal}", "--dask", self.address)
        return reply.row

    def _capacity(self, client: Any, busy: bool) -> int:
        """Return the number of threads of all workers; wait for one if there is none."""
        deadline = time.monotonic() + self.patience_s
        while True:
            try:
                threads = sum(client.nthreads().values())
            except (OSError, RuntimeError, TimeoutError) as error:
                raise InputError("the scheduler is gone", "--dask", self.address) from error
            if threads > 0 or busy:
                return int(threads)
            if time.monotonic() > deadline:
                message = f"has had no worker for {self.patience_s:g} s"
                raise InputError(message, "--dask", self.address)
            time.sleep(_LOOK_S)

    @contextlib.contextmanager
    def _connected(self, workers: int) -> Iterator[Any]:
        try:
            distributed = importlib.import_module("distributed")
            config = importlib.import_module("dask").config
        except ImportError:
            message = "needs dask.distributed: pip install 'kcut[dask]'"
            raise InputError(message, "--dask", self.address) from None
        if self.address == "local":
            settings = {
                "distributed.scheduler.allowed-failures": 0,
                # Workers have their folders there, and it the locks on all of them.
                "temporary-directory": str(new_folder("dask-")),
            }
            with (
                config.set(settings),
                distributed.LocalCluster(
                    n_workers=workers,
                    threads_per_worker=1,
                    memory_limit=0,  # each run has its own
                    dashboard_address=None,
                    silence_logs=50,
                ) as cluster,
                distributed.Client(cluster) as client,
            ):
                yield client
            return
        try:
            client = distributed.Client(self.address, timeout=_CONNECT_S)
        except (OSError, TimeoutError, ValueError) as error:
            message = f"no Dask scheduler answers: {error}"
            raise InputError(message, "--dask", self.address) from None
        with client:
            # Whether a run is tried again is decided here, where it is recorded.
            client.run_on_scheduler(_allow_no_failures)
            yield client


def _allow_no_failures(dask_scheduler: Any) -> None:
    """Let the scheduler report a dead worker at once; it would silently try three times more."""
    dask_scheduler.allowed_failures = 0


def _request(run: PlannedRun, warm_up: list[PlannedRun]) -> bytes:
    path = run.recipe.path
    content = None if path is None else Path(path).read_bytes()
    return msgspec.json.encode(host.Request(run, content, warm_up, host.identity()))
