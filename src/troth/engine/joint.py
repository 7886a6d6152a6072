"""All that a row's metrics ask first, in one call: the row's texts are sent once.

Each metric goes its own way until it asks; when all of a row have asked, or ended without, the
asks become one. A part of the reply that is of no use is asked about again by itself, as is
whatever a metric asks later.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from troth.asks import Answer, Ask, Joint
from troth.engine.decode import decode_joint
from troth.engine.desk import Desk
from troth.engine.fitting import excess
from troth.engine.likelihood import weighed
from troth.errors import BadReply, JudgeUnavailable
from troth.score import NO_USAGE, Usage

Count = Callable[[Usage, Usage], None]


@dataclass(slots=True)
class _Waiting:
    ask: Ask
    count: Count
    answer: asyncio.Future[Answer | None]


class Round:
    """The first asks of `members` metrics of one row."""

    def __init__(self, desk: Desk, members: int) -> None:
        self._desk = desk
        self._members = members
        self._waiting: list[_Waiting] = []

    async def answer(self, ask: Ask, count: Count) -> Answer | None:
        """The answer to a member's first ask, or `None` where it must be asked by itself.

        `count` is told this ask's part of what the call cost and saved.
        """
        waiting = _Waiting(ask, count, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        await self._left()
        return await waiting.answer

    async def leave(self) -> None:
        """A member has ended without asking."""
        await self._left()

    async def _left(self) -> None:
        self._members -= 1
        if self._members == 0 and self._waiting:
            await self._ask()

    async def _ask(self) -> None:
        joint = Joint.of(dict.fromkeys(waiting.ask for waiting in self._waiting))
        answers: dict[Ask, Answer] = {}
        try:
            if len(joint.parts) > 1 and not excess(self._desk.judge, joint):
                answers = await self._answers(joint)
        except Exception as error:  # it is theirs who wait; whoever made the call may have ended
            for waiting in self._waiting:
                if not waiting.answer.done():
                    waiting.answer.set_exception(error)
                    waiting.answer.exception()  # whoever was cancelled does not come for it
            return
        for waiting in self._waiting:
            if not waiting.answer.done():
                waiting.answer.set_result(answers.get(waiting.ask))

    async def _answers(self, joint: Joint) -> dict[Ask, Answer]:
        """The usable answers by ask; a part without one is asked again by itself."""
        asked = [w for w in self._waiting if w.ask in joint.parts]
        try:
            reply, usage, saved, _ = await self._desk.reply(joint, None, 0)
        except JudgeUnavailable as fault:
            asked[0].count(fault.usage or NO_USAGE, NO_USAGE)
            raise
        used, kept = _shares(usage, len(asked)), _shares(saved, len(asked))
        for waiting, paid, free in zip(asked, used, kept, strict=True):
            waiting.count(paid, free)
        try:
            if reply.problem:
                raise BadReply(reply.problem)
            answers = decode_joint(joint, reply.content)
        except BadReply:
            return {}
        insist = self._desk.insists
        return {
            part: weighed(
                part, reply.content, answers[part], reply.tokens, part=f"t{n}", insist=insist
            )
            for n, part in enumerate(joint.parts, 1)
            if part in answers
        }


def _shares(usage: Usage, n: int) -> list[Usage]:
    """`usage` in `n` parts that add up to it: the call is the first one's, tokens are shared."""
    into, out = divmod(usage.input_tokens, n), divmod(usage.output_tokens, n)
    first = Usage(usage.calls, into[0] + into[1], out[0] + out[1])
    return [first, *[Usage(0, into[0], out[0])] * (n - 1)]
