"""The sync face of async code, also where an event loop is already running (notebooks)."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

from troth.judges.loops import OWN_LOOP

T = TypeVar("T")


def run_sync(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run `make()` to its end and return its result; no patching of asyncio.

    Inside a running loop a thread with a loop of its own does the work; Ctrl-C cancels it.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_own(make))
    return _in_thread(lambda: _own(make))


async def _own(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    OWN_LOOP.set(True)
    return await make()


def _in_thread(make: Callable[[], Coroutine[Any, Any, T]]) -> T:
    results: list[T] = []
    errors: list[BaseException] = []
    tasks: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any]]] = []

    async def main() -> T:
        if task := asyncio.current_task():
            tasks.append((asyncio.get_running_loop(), task))
        return await make()

    def work() -> None:
        try:
            results.append(asyncio.run(main()))
        except BaseException as error:  # handed to the caller's thread
            errors.append(error)

    thread = threading.Thread(target=contextvars.copy_context().run, args=(work,), daemon=True)
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:
        for loop, task in tasks:
            loop.call_soon_threadsafe(task.cancel)
        thread.join()
        raise
    if errors:
        raise errors[0]
    return results[0]
