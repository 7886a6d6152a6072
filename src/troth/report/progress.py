"""Progress on standard error, for work that takes longer than a second."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

PATIENCE = 1.0  # seconds before anything is shown
LINE_EVERY = 10.0  # seconds between the lines where there is no terminal


class Meter(Protocol):
    """What the engine counts while it works."""

    started: int
    in_flight: int
    failed: int
    usage: Any
    saved: Any


@contextmanager
def progress_bar(
    total: int, meter: Meter, wanted: bool | None = None
) -> Iterator[Callable[[], None]]:
    """Give a function to be called once per finished row.

    wanted: `True` or `False`, or `None` for "where standard error is a terminal". On a terminal it
    is a bar, elsewhere a line every ten seconds.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    if not (terminal if wanted is None else wanted):
        yield lambda: None
        return
    shown = _Bar(total, meter) if terminal else _Lines(total, meter)
    try:
        yield shown.step
    finally:
        shown.stop()


class _Lines:
    def __init__(self, total: int, meter: Meter) -> None:
        self.total = total
        self.meter = meter
        self.done = 0
        self.started = self.last = time.monotonic()

    def step(self) -> None:
        self.done += 1
        now = time.monotonic()
        if now - self.last >= LINE_EVERY:
            self.last = now
            left = (now - self.started) / self.done * (self.total - self.done)
            print(  # noqa: T201 - this is what it is for
                f"{self.done} of {self.total} rows, {self.work()}, {left:.0f} s left",
                file=sys.stderr,
                flush=True,
            )

    def work(self) -> str:
        """Rows per second, and what the judge is doing."""
        rate = self.done / max(1e-9, time.monotonic() - self.started)
        m = self.meter
        parts = [f"{rate:.1f} rows/s"]
        if m.started or m.saved.calls:
            tokens = m.usage.input_tokens + m.usage.output_tokens
            parts.append(f"{m.started} calls ({m.in_flight} in flight, {m.failed} failed)")
            parts += [f"{tokens:,} tokens"] if tokens else []
            parts += [f"{m.saved.calls} from the journal"] if m.saved.calls else []
        return ", ".join(parts)

    def stop(self) -> None:
        """Nothing is left on the screen."""


class _Bar(_Lines):
    def __init__(self, total: int, meter: Meter) -> None:
        super().__init__(total, meter)
        self.shown: tuple[Any, Any] | None = None

    def step(self) -> None:
        self.done += 1
        if self.shown is None and time.monotonic() - self.started > PATIENCE:
            self._show()
        if self.shown is not None:
            progress, task = self.shown
            progress.update(task, completed=self.done, work=self.work())

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
            BarColumn(bar_width=20),
            MofNCompleteColumn(),
            TextColumn("rows, {task.fields[work]}"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        progress.start()
        self.shown = (
            progress,
            progress.add_task("", total=self.total, completed=self.done, work=self.work()),
        )

    def stop(self) -> None:
        """Take the bar away."""
        if self.shown is not None:
            self.shown[0].stop()
