"""A progress bar on standard error, for work that takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0  # seconds before the bar appears


@contextmanager
def progress_bar(total: int, wanted: bool | None = None) -> Iterator[Callable[[Any], None]]:
    """Give a function to be called once per finished row.

    wanted: `True` or `False`, or `None` for "where standard error is a terminal".
    """
    if not (sys.stderr.isatty() if wanted is None else wanted):
        yield lambda _row: None
        return
    bar = _Bar(total)
    try:
        yield bar.step
    finally:
        bar.stop()


class _Bar:
    def __init__(self, total: int) -> None:
        self.total = total
        self.done = 0
        self.started = time.monotonic()
        self.shown: tuple[Any, Any] | None = None

    def step(self, _row: Any) -> None:
        self.done += 1
        if self.shown is None and time.monotonic() - self.started > PATIENCE:
            self._show()
        if self.shown is not None:
            progress, task = self.shown
            progress.update(task, completed=self.done)

    def _show(self) -> None:
        # 100 ms of import that a run of a second need not pay.
        from rich.console import Console  # noqa: PLC0415
        from rich.progress import (  # noqa: PLC0415
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        progress = Progress(
            TextColumn("scoring"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("rows"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        progress.start()
        self.shown = progress, progress.add_task("scoring", total=self.total, completed=self.done)

    def stop(self) -> None:
        if self.shown is not None:
            self.shown[0].stop()
