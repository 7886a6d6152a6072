"""Rows × metrics, concurrently, back in the order of the rows."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from troth.engine.asking import Asking, Replies, score_row, stopping
from troth.errors import TrothError
from troth.judges.base import Judge
from troth.metric import Metric
from troth.run import Row
from troth.sample import Sample
from troth.score import Score

App = Callable[[Sample], Awaitable[Sample]]
APP_WIDTH = 8  # rows that wait for the user's application at once

OnRow = Callable[[Row], None]


async def run_rows(
    samples: Sequence[Sample],
    metrics: Sequence[Metric],
    judge: Judge,
    *,
    app: App | None = None,
    replies: Replies | None = None,
    concurrency: int | None = None,
    on_row: OnRow | None = None,
) -> tuple[Row, ...]:
    """Score every sample by every metric; row i of the result belongs to sample i.

    A fault of the judge or of `app` ends its own row as `failed`; only what no row could survive
    (`JudgeSetupError`, `MissingExtra`) is raised, and then no task is left behind.
    `on_row` is told each row as it is finished, in any order.
    """
    width = max(1, concurrency or judge.concurrency)
    limit = asyncio.Semaphore(width)
    rows: list[Row | None] = [None] * len(samples)
    waiting = iter(enumerate(samples))

    async def work() -> None:
        for place, sample in waiting:
            row = await _row(sample, metrics, judge, limit, app=app, replies=replies)
            rows[place] = row
            if on_row:
                on_row(row)
            await asyncio.sleep(0)  # an offline judge never waits: let Ctrl-C and others in

    judged = any(metric.judged for metric in metrics)
    try:
        if judged:
            await judge.start()
        async with asyncio.TaskGroup() as group:
            for _ in range(min(len(samples), max(width, APP_WIDTH if app else 1))):
                group.create_task(work())
    except* TrothError as errors:
        raise _first(errors) from None
    finally:
        if judged:
            await judge.close()
    done = tuple(row for row in rows if row is not None)
    if len(done) != len(samples):
        raise RuntimeError(f"{len(samples)} rows went in and {len(done)} came out")
    return done


async def _row(
    sample: Sample,
    metrics: Sequence[Metric],
    judge: Judge,
    limit: asyncio.Semaphore,
    *,
    app: App | None,
    replies: Replies | None,
) -> Row:
    if app:
        try:
            sample = await app(sample)
        # The user's code: its fault ends its row, not the run.
        except (Exception, asyncio.CancelledError) as error:
            if isinstance(error, asyncio.CancelledError) and stopping():
                raise
            failed = Score.failed(f"the application raised {type(error).__name__}: {error}")
            return Row(sample, {metric.label: failed for metric in metrics})
    async with asyncio.TaskGroup() as group:
        tasks = {
            metric.label: group.create_task(
                score_row(metric, sample, Asking(judge, limit, replies))
            )
            for metric in metrics
        }
    return Row(sample, {label: task.result() for label, task in tasks.items()})


def _first(errors: BaseExceptionGroup[TrothError]) -> TrothError:
    found: BaseException = errors
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    if not isinstance(found, TrothError):
        raise TypeError(f"unexpected {found!r}")
    return found
