"""Event loops and threads: whose loop is running, what belongs to it, and how it is not held up."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import ContextVar
from queue import SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")

# What is opened on a loop of our own is of no use to the next run, and must not be left behind.
OWN_LOOP: ContextVar[bool] = ContextVar("troth_own_loop", default=False)


class Lock:
    """A lock. What holds it can be copied and pickled: the copy has a lock of its own."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def __reduce__(self) -> tuple[type[Lock], tuple[()]]:
        return Lock, ()


class PerLoop(dict[asyncio.AbstractEventLoop, T]):
    """What is open on each event loop; nothing of it is in a copy."""

    def __reduce__(self) -> tuple[Any, ...]:
        return PerLoop, ()


class Threads:
    """Runs blocking calls for one event loop, `most` at a time; its threads end with the process.

    Those of `ThreadPoolExecutor` do not: one call that hangs would keep the process from ending.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._count = 0
        self._idle = threading.Semaphore(0)
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()

    async def run(self, work: Callable[[], T]) -> T:
        """What `work` returns or raises; called on the loop alone."""
        future: Future[T] = Future()
        self._jobs.put((work, future))
        if not self._idle.acquire(blocking=False) and self._count < self._most:
            name = f"{self._name}_{self._count}"
            threading.Thread(target=self._serve, name=name, daemon=True).start()
            self._count += 1
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Let each thread end once it has nothing to do."""
        self._jobs.put(None)

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            _do(*job)
            del job  # an idle thread holds on to nothing
            self._idle.release()
        self._jobs.put(None)  # for the next thread


def _do(work: Callable[[], Any], future: Future[Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = work()
    except BaseException as error:  # it is whose call it was
        future.set_exception(error)
    else:
        future.set_result(result)
