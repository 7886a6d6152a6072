"""Where all asks of one run meet the judge: journal, equal asks, concurrency, budget, giving up."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from troth.asks import Ask
from troth.engine.budget import Budget, Price
from troth.engine.fitting import tokens
from troth.errors import JudgeSetupError, JudgeUnavailable, StoreError, TrothError
from troth.judges.base import Judge, Reply
from troth.score import NO_USAGE, Usage

HOPELESS = 10  # asks that fail before any succeeds, and the run is given up


class Replies(Protocol):
    """Where paid replies are kept (the store's journal)."""

    def get(self, key: str) -> Reply | None:
        """The reply kept under `key`, with what it once cost."""

    async def put(self, key: str, judge: str, reply: Reply) -> None:
        """Keep a reply; it is on disk when this returns."""

    def forget(self, key: str) -> None:
        """Drop a reply that turned out to be of no use, so that a later run asks anew."""


class Handed(NamedTuple):
    """A reply, what it cost this time, and what it would have cost had it not been there."""

    reply: Reply
    usage: Usage
    saved: Usage
    key: str | None


@dataclass
class Meter:
    """What has happened at a desk so far."""

    usage: Usage = NO_USAGE
    saved: Usage = NO_USAGE
    started: int = 0  # calls, those in flight included
    in_flight: int = 0
    failed: int = 0


class Desk:
    """Hands asks to one judge, each question once, as many at a time as it takes.

    `concurrency` is how many replies are awaited at once (default: the judge's own). Without
    `explain` labels alone are asked for, which is cheaper; with `joint`, and a judge that can, all
    asks of a row go in one call.
    """

    def __init__(
        self,
        judge: Judge,
        *,
        replies: Replies | None = None,
        concurrency: int | None = None,
        budget: Budget | None = None,
        price: Price | None = None,
        explain: bool = True,
        joint: bool = False,
    ) -> None:
        self.judge = judge
        self.replies = replies
        self.width = max(1, concurrency or judge.concurrency)
        self.budget = budget or Budget()
        self.price = price
        self.explain = explain
        self.joint = joint and judge.joint
        # Only judges behind an endpoint know this setting.
        self.insists = getattr(judge, "logprobs", None) is True
        self.meter = Meter()
        self.encoders: Mapping[str, Any] = {}  # what a run's encoders are, by name
        self._limit = asyncio.Semaphore(self.width)
        self._flights: dict[str, asyncio.Future[Reply]] = {}
        self._successes = 0
        self._budgeted = NO_USAGE  # as used, or estimated where the judge does not say
        self._over: TrothError | None = None  # why nothing more may be asked

    async def reply(self, ask: Ask, problem: str | None, attempt: int) -> Handed:
        """The reply to `ask`: from the journal, from an equal ask in flight, or from the judge."""
        try:
            return await self._handed(ask, problem, attempt)
        except (JudgeSetupError, StoreError) as error:
            self._over = error
            raise

    async def _handed(self, ask: Ask, problem: str | None, attempt: int) -> Handed:
        key = self.judge.key(ask, problem)
        if key is None:
            reply = await self._paid(ask, problem, None)
            return Handed(reply, reply.usage, NO_USAGE, None)
        key = f"{key}:{attempt}"
        if self.replies is not None and (kept := self.replies.get(key)) is not None:
            self.meter.saved += kept.usage
            return Handed(kept, NO_USAGE, kept.usage, key)
        if (flight := self._flights.get(key)) is not None:
            reply = await asyncio.shield(flight)
            self.meter.saved += reply.usage
            return Handed(reply, NO_USAGE, reply.usage, key)
        return await self._led(ask, problem, key)

    async def _led(self, ask: Ask, problem: str | None, key: str) -> Handed:
        """Ask on behalf of all equal asks that come while this one is in flight."""
        flight = self._flights[key] = asyncio.get_running_loop().create_future()
        flight.add_done_callback(_retrieved)
        try:
            reply = await self._paid(ask, problem, key)
        except asyncio.CancelledError:
            flight.set_exception(JudgeUnavailable("an equal ask was cancelled"))
            raise
        except BaseException as error:
            # Who waits for this flight has not paid for it.
            shared = JudgeUnavailable(str(error)) if isinstance(error, JudgeUnavailable) else error
            flight.set_exception(shared)
            raise
        else:
            flight.set_result(reply)
            return Handed(reply, reply.usage, NO_USAGE, key)
        finally:
            del self._flights[key]

    async def _paid(self, ask: Ask, problem: str | None, key: str | None) -> Reply:
        """Ask the judge; the reply is on disk before the next call may take this one's place."""
        async with self._limit:
            if self._over is not None:
                raise self._over
            self.budget.check(self.meter.started, self._budgeted, self.price)
            self.meter.started += 1
            self.meter.in_flight += 1
            try:
                reply = await self.judge.reply(ask, problem)
            except JudgeUnavailable as error:
                self.meter.usage += error.usage or NO_USAGE
                self._failed(error)
                raise
            finally:
                self.meter.in_flight -= 1
            if not isinstance(reply, Reply):
                raise TypeError(f"{self.judge.name} returned {type(reply).__name__}, not a Reply")
            self._successes += 1
            self.meter.usage += reply.usage
            self._budgeted += reply.usage if _counted(reply.usage) else self._guessed(ask, reply)
            if key is not None and self.replies is not None:
                await self.replies.put(key, self.judge.name, reply)
        return reply

    def _guessed(self, ask: Ask, reply: Reply) -> Usage:
        said = reply.content if isinstance(reply.content, str) else ""
        return Usage(reply.usage.calls, tokens(self.judge.sent(ask) or ""), tokens(said))

    def _failed(self, error: JudgeUnavailable) -> None:
        self.meter.failed += 1
        if not self._successes and self.meter.failed >= HOPELESS:
            raise JudgeSetupError(
                f"given up: the first {self.meter.failed} asks all failed; the last one: {error}"
            ) from None

    def stop(self) -> None:
        """Make no further call: the run is being cancelled."""
        self._over = self._over or JudgeSetupError("the run was stopped")

    def forget(self, key: str) -> None:
        """Let a later run ask anew instead of reading the same useless reply again."""
        if self.replies is not None:
            self.replies.forget(key)


def _counted(usage: Usage) -> bool:
    return bool(usage.input_tokens or usage.output_tokens)


def _retrieved(flight: asyncio.Future[Reply]) -> None:
    if not flight.cancelled():
        flight.exception()  # nobody may have waited: that is no error
