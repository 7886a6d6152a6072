"""Rows × metrics, concurrently, handed on in the order of the rows.

Rows stream: a bounded window of them is in memory, whatever their number.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Sequence

from troth.account import Row
from troth.engine.app import AppFault
from troth.engine.asking import Asking, score_row, stopping
from troth.engine.desk import Desk
from troth.engine.joint import Round
from troth.engine.wave import Comparing, Wave
from troth.errors import TrothError
from troth.judges.base import Judge
from troth.metric import Metric
from troth.sample import Sample
from troth.score import Score

App = Callable[[Sample], Awaitable[Sample]]
APP_WIDTH = 8  # rows that wait for the user's application at once
BURST = 4  # rows whose asks are prepared before the network is looked at
SLACK = 4  # rows in the window per awaited reply: one slow row holds up none behind it

OnRow = Callable[[Row], None]


async def run_rows(
    samples: Iterable[Sample],
    metrics: Sequence[Metric],
    desk: Desk | Judge,
    *,
    app: App | None = None,
    on_row: OnRow | None = None,
) -> list[Row]:
    """Score every sample by every metric; `on_row` is told each row, in the order of the samples.

    Without `on_row` the rows are returned; row i belongs to sample i. A fault of the judge or of
    `app` ends its own row as `failed`; only what no row could survive (`JudgeSetupError`,
    `MissingExtra`, `StoreError`) is raised, and then no task is left behind.
    """
    desk = desk if isinstance(desk, Desk) else Desk(desk)
    rows: list[Row] = []
    tell = on_row or rows.append
    wave = Wave(metric.encoder for metric in metrics)
    window = max(SLACK * desk.width, APP_WIDTH if app else 0, wave.rows)
    asking_app = asyncio.Semaphore(APP_WIDTH)
    judged = any(metric.judged for metric in metrics)
    labelled = [(metric.label, metric) for metric in metrics]

    async def answered(sample: Sample) -> Sample:
        if app is None:
            return sample
        async with asking_app:
            return await app(sample)

    try:
        await wave.start()
        desk.encoders = wave.identities()
        if judged:
            await desk.judge.start()
        async with asyncio.TaskGroup() as group:
            rows_of = (_row(answered, sample, labelled, desk, wave) for sample in samples)
            try:
                await _in_order((group.create_task(row) for row in rows_of), window, tell)
            except asyncio.CancelledError:
                desk.stop()  # whoever waits for a place must not send when it becomes free
                raise
    except BaseExceptionGroup as errors:
        raise (error := _first(errors)) from error.__cause__
    finally:
        await wave.close()
        if judged:
            await desk.judge.close()
    return rows


async def _in_order(tasks: Iterable[asyncio.Task[Row]], window: int, tell: OnRow) -> None:
    """Tell each row in its turn; no more than `window` of them are begun and not told."""
    running: deque[asyncio.Task[Row]] = deque()
    for place, task in enumerate(tasks):
        running.append(task)
        if len(running) >= window:
            tell(await running.popleft())
        elif place % BURST == 0:
            await asyncio.sleep(0)  # what was asked goes out before more is prepared
    while running:
        tell(await running.popleft())


async def _row(
    answered: App, sample: Sample, metrics: Sequence[tuple[str, Metric]], desk: Desk, wave: Wave
) -> Row:
    try:
        sample = await answered(sample)
    # The user's code: its fault ends its row, not the run.
    except (Exception, asyncio.CancelledError) as error:
        if isinstance(error, asyncio.CancelledError) and stopping():
            raise
        raised = f"the application raised {type(error).__name__}: {error}"
        failed = Score.failed(str(error) if isinstance(error, AppFault) else raised)
        return Row(sample, dict.fromkeys((label for label, _ in metrics), failed))
    asking = [(label, metric) for label, metric in metrics if metric.judged or metric.encoder]
    judged = sum(metric.judged for _, metric in asking)
    joint = Round(desk, judged) if desk.joint and judged > 1 else None
    scores = {
        label: await score_row(metric, sample, Asking(desk))
        for label, metric in metrics
        if not (metric.judged or metric.encoder)
    }

    def answerer(metric: Metric) -> Asking:
        return Asking(desk, joint) if metric.judged else Comparing(desk, wave)

    if len(asking) == 1:
        [(label, metric)] = asking
        scores[label] = await score_row(metric, sample, answerer(metric))
    elif asking:
        async with asyncio.TaskGroup() as group:
            tasks = [
                (label, group.create_task(score_row(metric, sample, answerer(metric))))
                for label, metric in asking
            ]
        scores |= {label: task.result() for label, task in tasks}
    return Row(sample, {label: scores[label] for label, _ in metrics})


def _first(errors: BaseExceptionGroup[BaseException]) -> BaseException:
    """What ended the run: the first error of our own, else whatever a judge's code raised."""
    found: BaseException = errors.subgroup(TrothError) or errors
    while isinstance(found, BaseExceptionGroup):
        found = found.exceptions[0]
    return found
