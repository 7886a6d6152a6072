"""Similarities of many rows at once: an encoder is fast on a thousand texts and slow on two.

The rows of a run ask one by one, as for a judge. Here their asks wait until no row that could go on
has anything to add, and are answered together, in a thread, while others go on asking judges.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from troth.asks import Answer, Ask
from troth.encoders.base import Encoder
from troth.encoders.names import compared, load
from troth.engine.asking import Asking
from troth.engine.desk import Desk
from troth.score import Verdict
from troth.similarity import COMPARED, INCOMPARABLE, Likeness, Similarity

ROWS = 1024  # rows in flight, so that a wave is worth its while

Waiting = tuple[Similarity, asyncio.Future[Answer]]


class Wave:
    """The encoders of one run, by their names, and the asks that wait for them."""

    def __init__(self, names: Iterable[str | None]) -> None:
        self._names = sorted({name for name in names if name is not None})
        self._encoders: dict[str, Encoder] = {}
        self._waiting: list[Waiting] = []
        self._worker: asyncio.Task[None] | None = None

    @property
    def rows(self) -> int:
        """How many rows should be in flight: 0 where no metric needs an encoder."""
        return ROWS if self._names else 0

    async def start(self) -> None:
        """Load the encoders; raises `UsageError` or `MissingExtra` where that cannot be."""
        for name in self._names:
            self._encoders[name] = await asyncio.to_thread(load, name)

    def identities(self) -> dict[str, Mapping[str, Any]]:
        """What somebody needs to repeat the encoders' work, by their names."""
        return {name: encoder.identity() for name, encoder in self._encoders.items()}

    async def answer(self, ask: Similarity) -> Answer:
        """One verdict per item of `ask`: a `Likeness`, or a bare one where nothing compares."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((ask, future))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return await future

    async def close(self) -> None:
        """Answer nothing more, and release the encoders."""
        if self._worker is not None:
            self._worker.cancel()
            await asyncio.wait([self._worker])
        for encoder in self._encoders.values():
            encoder.close()

    async def _work(self) -> None:
        while self._waiting:
            seen = 0
            while seen < len(self._waiting):  # until nobody adds anything
                seen = len(self._waiting)
                await asyncio.sleep(0)
            wave, self._waiting = self._waiting, []
            for name in self._names:
                mine = [waiting for waiting in wave if waiting[0].model == name]
                await _answered(self._encoders[name], mine)


async def _answered(encoder: Encoder, wave: Sequence[Waiting]) -> None:
    pairs = [(ask.answer, item.text) for ask, _ in wave for item in ask.items]
    try:
        values = iter(await asyncio.to_thread(compared, encoder, pairs))
    except Exception as error:  # it is theirs who wait
        for _, future in wave:
            if not future.done():
                future.set_exception(error)
        return
    for ask, future in wave:
        answer = tuple(_verdict(item.id, next(values)) for item in ask.items)
        if not future.done():  # its row may have been cancelled
            future.set_result(answer)


def _verdict(item: str, value: float | None) -> Verdict:
    if value is None:
        return Verdict(item, INCOMPARABLE, 0.0)
    return Likeness(item, COMPARED, min(1.0, max(0.0, value)), value=value)


class Comparing(Asking):
    """Answers the asks of one row's metric by an encoder, which costs and saves no call."""

    def __init__(self, desk: Desk, wave: Wave) -> None:
        super().__init__(desk)
        self._wave = wave

    async def __call__(self, ask: Ask) -> Answer:
        """See `Asking`; raises `TypeError` for asks that no encoder can answer."""
        if not isinstance(ask, Similarity):
            raise TypeError(f"an encoder answers asks of similarity, not of {ask.name}")
        return await self._wave.answer(ask)
