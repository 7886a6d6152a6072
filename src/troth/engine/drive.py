"""Driving a metric's steps: one body, three drivers.

A metric yields asks and is sent their answers. Who answers, and whether that takes a network, is
the driver's business: `drive` answers at once, `adrive` awaits, `drive_wave` collects the asks of
many rows and has them answered in one batch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence

from troth.asks import Answer, Ask
from troth.metric import Steps
from troth.score import Score


def drive(steps: Steps, answer: Callable[[Ask], Answer]) -> Score:
    """Run `steps` to its score, answering each ask as it comes."""
    return drive_wave([steps], lambda asks: [answer(ask) for ask in asks])[0]


async def adrive(steps: Steps, answer: Callable[[Ask], Awaitable[Answer]]) -> Score:
    """Run `steps` to its score; asks that are yielded together are awaited together."""
    try:
        asks = next(steps)
        while True:
            if len(asks) == 1:  # nothing to wait for beside it
                asks = steps.send([await answer(asks[0])])
                continue
            try:
                async with asyncio.TaskGroup() as group:
                    tasks = [group.create_task(_await(answer(ask))) for ask in asks]
            except* Exception as errors:
                raise errors.exceptions[0] from None
            asks = steps.send([task.result() for task in tasks])
    except StopIteration as end:
        return _concluded(end)


def drive_wave(
    many: Iterable[Steps], answer_all: Callable[[Sequence[Ask]], Sequence[Answer]]
) -> list[Score]:
    """Run many `steps` side by side: in each wave all their asks are answered in one call.

    `answer_all` gives one answer per ask, in order. The scores come back in the order of `many`.
    """
    running = dict(enumerate(many))
    scores: dict[int, Score] = {}
    replies: dict[int, Sequence[Answer]] = {}
    while running:
        waiting: dict[int, Sequence[Ask]] = {}
        for place, steps in list(running.items()):
            try:
                waiting[place] = steps.send(replies[place]) if place in replies else next(steps)
            except StopIteration as end:
                scores[place] = _concluded(end)
                del running[place]
        asks = [ask for batch in waiting.values() for ask in batch]
        answers = list(answer_all(asks)) if asks else []
        if len(answers) != len(asks):
            raise ValueError(f"{len(asks)} asks were answered by {len(answers)} answers")
        rest = iter(answers)
        replies = {place: [next(rest) for _ in batch] for place, batch in waiting.items()}
    return [scores[place] for place in sorted(scores)]


async def _await(answer: Awaitable[Answer]) -> Answer:
    return await answer


def _concluded(end: StopIteration) -> Score:
    if not isinstance(end.value, Score):
        raise TypeError(f"a metric must return a Score, not {end.value!r}")
    return end.value
