"""One metric on one row, asked of a judge: journal, reply, decoding, asking again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from itertools import groupby
from typing import Any, Protocol

from troth.asks import Answer, Ask
from troth.engine.decode import Partial, decode
from troth.engine.drive import adrive
from troth.errors import BadReply, JudgeError, JudgeSetupError, MissingExtra, StoreError
from troth.judges.base import Judge, Reply
from troth.metric import Metric
from troth.sample import Sample
from troth.score import Score, Usage

TRIES = 3  # one reply, and two more for what is missing or wrong


def stopping() -> bool:
    """Is it this task that is being cancelled, and not something inside a judge or app?"""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class Replies(Protocol):
    """Where paid replies are kept (the store's journal)."""

    def get(self, key: str) -> Reply | None:
        """The reply kept under `key`."""

    def put(self, key: str, judge: str, reply: Reply) -> None:
        """Keep a reply; it is on disk when this returns."""

    def forget(self, key: str) -> None:
        """Drop a reply that turned out to be of no use, so that a later run asks anew."""


class Asking:
    """Answers the asks of one row's metric, and counts what that cost."""

    def __init__(
        self,
        judge: Judge,
        limit: AbstractAsyncContextManager[Any],
        replies: Replies | None = None,
    ) -> None:
        self.judge = judge
        self.limit = limit
        self.replies = replies
        self.usage = Usage()

    async def __call__(self, ask: Ask) -> Answer:
        """The reconciled verdicts, in the order of the ask's items; raises `BadReply`."""
        wanted, problem, keys = ask, None, []
        came: dict[str, Answer] = {}
        for attempt in range(TRIES):
            try:
                reply, key = await self._reply(wanted, problem, attempt)
                keys.append(key)
                if reply.problem:
                    raise BadReply(reply.problem)
                answer = decode(wanted, reply.content)
            except Partial as part:
                answer, lacking = part.answer, part.problem
                problem = None if answer else part.problem  # no progress: say what is wrong
            except BadReply as bad:
                lacking = problem = bad.problem
                continue
            came |= {i: tuple(vs) for i, vs in groupby(answer, lambda v: v.id)}
            wanted = replace(ask, items=tuple(i for i in ask.items if i.id not in came))
            if not wanted.items:
                return tuple(v for item in ask.items for v in came[item.id])
        self._forget(keys)
        raise BadReply(f"no usable reply in {TRIES} tries: {lacking}")

    async def _reply(self, ask: Ask, problem: str | None, attempt: int) -> tuple[Reply, str | None]:
        key = self.judge.key(ask, problem)
        if key is not None and self.replies is not None:
            key = f"{key}:{attempt}"
            if (kept := self.replies.get(key)) is not None:
                return kept, key
        async with self.limit:
            reply = await self.judge.reply(ask, problem)
        if not isinstance(reply, Reply):
            raise TypeError(f"{self.judge.name} returned {type(reply).__name__}, not a Reply")
        self.usage += reply.usage
        if key is not None and self.replies is not None and not reply.problem:
            self.replies.put(key, self.judge.name, reply)
        return reply, key

    def _forget(self, keys: Sequence[str | None]) -> None:
        """A later run asks anew instead of reading the same useless replies again."""
        for key in keys:
            if key is not None and self.replies is not None:
                self.replies.forget(key)


async def score_row(metric: Metric, sample: Sample, asking: Asking) -> Score:
    """The score of one row, whatever happens: a judge's fault makes it `failed`, not an error.

    Only what no other row could survive either is raised: `JudgeSetupError`, `MissingExtra`.
    """
    if missing := metric.missing(sample):
        return Score.unscorable(f"the row has no {' and no '.join(missing)}")
    try:
        score = await adrive(metric.steps(sample), asking)
    except (JudgeSetupError, MissingExtra, StoreError):
        raise
    except JudgeError as error:
        return Score.failed(str(error), asking.usage)
    except asyncio.CancelledError:
        if stopping():
            raise
        return Score.failed("the judge's call was cancelled", asking.usage)
    except Exception as error:  # a judge of the user's: its fault ends its row, not the run
        return Score.failed(f"{type(error).__name__}: {error}", asking.usage)
    return replace(score, usage=asking.usage)
