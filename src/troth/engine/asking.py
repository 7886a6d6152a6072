"""One metric on one row, asked of a judge: journal, reply, decoding, asking again."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import groupby

from troth.asks import Answer, Ask
from troth.engine.decode import Partial, decode
from troth.engine.desk import Desk
from troth.engine.drive import adrive
from troth.engine.fitting import excess, split
from troth.engine.joint import Round
from troth.engine.likelihood import weighed
from troth.errors import (
    BadReply,
    JudgeError,
    JudgeSetupError,
    JudgeUnavailable,
    MissingExtra,
    StoreError,
)
from troth.metric import Metric
from troth.sample import Sample
from troth.score import NO_USAGE, Score, Usage
from troth.text.plain import shorten

TRIES = 3  # one reply, and two more for what is missing or wrong
SAID = 60  # characters of an unusable reply that the reason repeats


def stopping() -> bool:
    """Is it this task that is being cancelled, and not something inside a judge or app?"""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


class Asking:
    """Answers the asks of one row's metric, and counts what that cost and what it saved."""

    def __init__(self, desk: Desk, joint: Round | None = None) -> None:
        self.desk = desk
        self.usage = self.saved = NO_USAGE
        self._joint = joint

    async def __call__(self, ask: Ask) -> Answer:
        """The reconciled verdicts, in the order of the ask's items; raises `JudgeError`."""
        if not self.desk.explain and ask.explain:
            ask = replace(ask, explain=False)
        if (joint := self._joint) is not None:
            self._joint = None
            if (answer := await joint.answer(ask, self._count)) is not None:
                return answer
        if excess(self.desk.judge, ask):
            halves, merge = split(self.desk.judge, ask)
            return merge([await self(half) for half in halves])
        return await self._answered(ask)

    async def leave(self) -> None:
        """Nothing more is asked: whoever waits for the first ask waits in vain."""
        if (joint := self._joint) is not None:
            self._joint = None
            await joint.leave()

    def _count(self, usage: Usage, saved: Usage) -> None:
        self.usage += usage
        self.saved += saved

    async def _answered(self, ask: Ask) -> Answer:
        wanted, problem, said, keys = ask, None, "", []
        came: dict[str, Answer] = {}
        for attempt in range(TRIES):
            try:
                try:
                    reply, usage, saved, key = await self.desk.reply(wanted, problem, attempt)
                except JudgeUnavailable as fault:
                    self._count(fault.usage or NO_USAGE, NO_USAGE)
                    raise
                self._count(usage, saved)
                keys.append(key)
                said = reply.content if isinstance(reply.content, str) else said
                if reply.problem:
                    raise BadReply(reply.problem)
                answer = decode(wanted, reply.content)
            except Partial as part:
                answer, lacking = part.answer, part.problem
                problem = None if answer else part.problem  # no progress: say what is wrong
            except BadReply as bad:
                lacking = problem = bad.problem
                continue
            answer = weighed(wanted, reply.content, answer, reply.tokens, insist=self.desk.insists)
            came |= {i: tuple(vs) for i, vs in groupby(answer, lambda v: v.id)}
            missing = tuple(item for item in ask.items if item.id not in came)
            if not missing:
                return tuple(v for item in ask.items for v in came[item.id])
            wanted = replace(ask, items=missing)
        for key in keys:
            if key is not None:
                self.desk.forget(key)
        heard = f"; it said {shorten(said, SAID)!r}" if said else ""
        raise BadReply(f"no usable reply in {TRIES} tries: {lacking}{heard}")


async def score_row(metric: Metric, sample: Sample, asking: Asking) -> Score:
    """The score of one row, whatever happens: a judge's fault makes it `failed`, not an error.

    Only what no other row could survive either is raised: `JudgeSetupError`, `MissingExtra`.
    """
    score = await _scored(metric, sample, asking)
    await asking.leave()
    return replace(score, usage=asking.usage, saved=asking.saved)


async def _scored(metric: Metric, sample: Sample, asking: Asking) -> Score:
    if missing := metric.missing(sample):
        return Score.unscorable(f"the row has no {' and no '.join(missing)}")
    try:
        return await adrive(metric.steps(sample), asking)
    except (JudgeSetupError, MissingExtra, StoreError):
        raise
    except JudgeError as error:
        return Score.failed(str(error))
    except asyncio.CancelledError:
        if stopping():
            raise
        return Score.failed("the judge's call was cancelled")
    except Exception as error:  # a judge of the user's: its fault ends its row, not the run
        return Score.failed(f"{type(error).__name__}: {error}")
