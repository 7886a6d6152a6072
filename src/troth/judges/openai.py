"""A language model behind any OpenAI-compatible chat endpoint, as a judge."""

from __future__ import annotations

import asyncio
import hashlib
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import msgspec

from troth.asks import Ask
from troth.errors import JudgeError, JudgeSetupError, JudgeUnavailable
from troth.judges.base import Judge, Reply
from troth.judges.loops import Lock, PerLoop
from troth.judges.openai_body import Dialect, body, merged
from troth.judges.openai_reply import Passing, Refused, read
from troth.judges.openai_settings import Credentials, Key, base, check, extra, public, shown
from troth.judges.openai_tokens import labels_of
from troth.judges.openai_wire import Lane, Patience, Traffic, backoff, breather, open_lane
from troth.judges.pace import Pace
from troth.judges.window import Window
from troth.prompts.render import Prompt, hashes, render
from troth.score import NO_USAGE, Usage

OPENAI = "https://api.openai.com/v1"
_GRACE = 1.0  # seconds that later calls leave the first one to find out what is refused
_REPLY = 200  # tokens that a reply is taken to have before it is there


class OpenAIChat(Judge):
    """Asks `model` at `base_url` (default: `OPENAI_BASE_URL`, else OpenAI itself).

    `api_key` is a string, or a function that gives one for each request (keys that expire). It
    defaults to `OPENAI_API_KEY`, read when the judge is started; an endpoint other than OpenAI's
    needs none, and none is sent beside an authorization given in `headers`.
    `temperature` is in [0, 2], or `None` to send none. `timeout` bounds one request as a whole,
    `retries_for` the time that one ask is retried through throttling and faults, both in seconds.
    `concurrency` requests at most are in flight per event loop; fewer while the endpoint throttles.
    `rpm` and `tpm` are requests and tokens per minute that are never exceeded by more than a
    second's worth. `window` is how many tokens prompt and reply may have together.
    `language` is that of the prompts, or `"auto"` for that of the texts. `extra_body` is added to
    every request and is part of what identifies a reply.

    Structured output is asked for; an endpoint that refuses it is asked for a JSON object, then for
    plain text, and one that refuses `temperature` gets none. What was refused is remembered.
    `logprobs=None` asks for log-probabilities where they are not refused; `True` insists on them,
    `False` asks for none.
    One judge may serve several event loops and threads, each with its own connections; `traffic`
    counts what happens on them. Raises `UsageError` for settings that no endpoint can have.
    """

    joint = True

    def __init__(
        self,
        model: str = "gpt-4o-mini",
        *,
        base_url: str | None = None,
        api_key: Key | None = None,
        temperature: float | None = 0.0,
        timeout: float = 60.0,
        concurrency: int = 16,
        retries_for: float = 60.0,
        language: str = "en",
        headers: Mapping[str, str] | None = None,
        rpm: float | None = None,
        tpm: float | None = None,
        logprobs: bool | None = None,
        window: int | None = None,
        extra_body: Mapping[str, Any] | None = None,
    ) -> None:
        self.model = model
        self.temperature = temperature
        self.timeout = timeout
        self.concurrency = concurrency
        self.retries_for = retries_for
        self.language = language
        self.rpm = rpm
        self.tpm = tpm
        self.logprobs = logprobs
        self.window = window
        check(
            model=model, temperature=temperature, logprobs=logprobs,
            above={"timeout": timeout, "rpm": rpm, "tpm": tpm, "window": window},
            at_least={"concurrency": (concurrency, 1), "retries_for": (retries_for, 0)},
        )  # fmt: skip
        self.traffic = Traffic(window=concurrency)
        self._extra = extra(extra_body)
        self._base = base(base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI)
        self.base_url = public(self._base)
        self.name = f"openai/{model}" if self.base_url == OPENAI else f"{self.base_url}#{model}"
        self._credentials = Credentials(self._base.hostname or "", api_key, headers)
        self._dialect = Dialect()
        if logprobs is False:
            self._dialect = Dialect(alternatives=0)
        self._pace = Pace(rpm, tpm, retries_for)
        self._known = False  # has any request been accepted yet?
        self._reached = False  # has the endpoint ever responded?
        self._progress = 0.0  # when a call last went through
        self._lanes: PerLoop[Lane] = PerLoop()
        self._lock = Lock()

    def __repr__(self) -> str:
        return (
            f"OpenAIChat({self.model!r}, base_url={self.base_url!r}, "
            f"temperature={self.temperature!r}, language={self.language!r})"
        )

    def identity(self) -> Mapping[str, Any]:
        """Name, endpoint, model, parameters, and the hash of every prompt; no key, no header."""
        return {
            "name": self.name,
            "base_url": self.base_url,
            "model": self.model,
            "temperature": self.temperature,
            "logprobs": self.logprobs,
            "extra_body": shown(self._extra),
            "language": self.language,
            "prompts": hashes(self.language),
        }

    async def start(self) -> None:
        """Read the key and open the connections of the running event loop.

        Sends nothing. Raises `JudgeSetupError` where a key is needed and missing.
        """
        with self._named():
            self._lane().users += 1

    async def close(self) -> None:
        """Close the running event loop's connections once every run that started here is over."""
        loop = asyncio.get_running_loop()
        if (lane := self._lanes.get(loop)) is not None and lane.left():
            with self._lock:
                del self._lanes[loop]
            await lane.session.close()

    def key(self, ask: Ask, problem: str | None = None) -> str:
        """SHA-256 over the endpoint, the model, the parameters, the exact messages and the schema.

        Neither the API key nor the headers are part of it.
        """
        prompt = render(ask, self.language, problem)
        parts = (self.base_url, self._base.query, self.model, self.temperature)
        # None takes what there is; True is asked anew where a kept reply may have none.
        wanted = "insist" if self.logprobs else self.logprobs is None
        asked = (wanted, sorted(self._extra.items()))
        sent = msgspec.json.encode((*parts, *asked, merged(prompt.messages), prompt.schema))
        return hashlib.sha256(sent).hexdigest()

    def sent(self, ask: Ask) -> str:
        """All messages that would be sent for `ask`, as one text."""
        return "\n".join(m["content"] for m in render(ask, self.language).messages)

    async def reply(self, ask: Ask, problem: str | None = None) -> Reply:
        """The model's reply to `ask`, as text that still has to be decoded.

        Where the model refused, said nothing or was cut off, the reply has a `problem`. Raises the
        errors of `Judge.reply`.
        """
        prompt = render(ask, self.language, problem)
        with self._named():
            return await self._in_turn(self._lane(), prompt, labels_of(ask))

    async def _in_turn(self, lane: Lane, prompt: Prompt, labels: tuple[str, ...]) -> Reply:
        # The first call finds out what the endpoint refuses, so that not all of them do; since a
        # refusal comes at once but a reply may take long, the others wait for a moment only.
        if self._known:
            lane.settled.set()
        first, lane.fresh = lane.fresh, False
        if not first and not lane.settled.is_set():
            try:
                await asyncio.wait_for(lane.settled.wait(), _GRACE)
            except TimeoutError:
                lane.settled.set()
        try:
            return await self._persist(lane, prompt, labels)
        finally:
            if first:
                lane.settled.set()

    async def _persist(self, lane: Lane, prompt: Prompt, labels: tuple[str, ...]) -> Reply:
        patience, spent = Patience(self.retries_for), NO_USAGE
        try:
            while True:
                try:
                    usage, reply = await self._once(lane, prompt, labels, again=patience.tries > 0)
                except Passing as fault:
                    left = patience.after(fault, reached=self._reached, progress=self._progress)
                    self.traffic.retries += 1
                    if not fault.throttled and not fault.wait:
                        await asyncio.sleep(min(backoff(patience.tries), left))
                    continue
                spent += usage
                if reply is not None:
                    return reply if reply.usage == spent else replace(reply, usage=spent)
        except JudgeUnavailable as error:
            error.usage = spent
            raise

    async def _once(
        self, lane: Lane, prompt: Prompt, labels: tuple[str, ...], *, again: bool
    ) -> tuple[Usage, Reply | None]:
        """One request, as the endpoint's window and pace allow: what it cost, and the reply.

        No reply: something was learned about the endpoint, and it is to be asked in another way.
        """
        await lane.window.enter(again=again)
        try:
            spoken = self._dialect
            sent = body(self.model, prompt, spoken, temperature=self.temperature, extra=self._extra)
            guess = len(sent) / 4 + _REPLY
            await self._pace.turn(guess)
            sent_at = time.monotonic()
            response = await lane.post(sent, self._credentials.changing())
            self._reached = True
            self._pace.note(response.headers)
            reply, cut = read(response, labels if spoken.alternatives else ())
        except Passing as fault:
            self._slow_down(lane.window, fault, sent_at)
            if fault.throttled and not fault.wait:
                await asyncio.sleep(lane.window.time_of_a_call())
            raise
        except Refused as refusal:
            self._learn(spoken.without(refusal, prompt), refusal)
            return NO_USAGE, None
        else:
            lane.window.succeeded(time.monotonic() - sent_at)
            self._went_through(lane.window, reply.usage, guess)
        finally:
            lane.window.leave()
        if cut and prompt.schema is None and spoken.limit:
            # It thinks before it answers, or talks: our own limit is too small for it.
            self._learn(replace(spoken, limit=False))
            return reply.usage, None
        self._insist(reply)
        return reply.usage, reply

    def _went_through(self, window: Window, usage: Usage, guess: float) -> None:
        self._known = True
        self._progress = time.monotonic()
        self.traffic.window = int(window.size)
        if used := usage.input_tokens + usage.output_tokens:
            self._pace.correct(used - guess)

    def _slow_down(self, window: Window, fault: Passing, sent_at: float) -> None:
        much = fault.overloaded and (window.proven or not fault.silent)
        cut = much and window.throttled(sent_at)
        self.traffic.throttled += fault.overloaded
        self.traffic.window = int(window.size)
        if fault.wait and fault.wait <= self.retries_for:
            self._pace.pause(fault.wait)
        elif cut and fault.throttled:
            self._pace.pause(min(breather(window.barren), self.retries_for / 4))

    def _learn(self, rest: Dialect | None, refusal: Refused | None = None) -> None:
        """Remember what was refused; raises where there is no other way to ask."""
        if rest is None:
            raise JudgeUnavailable(str(refusal)) from None
        if self.logprobs and not rest.alternatives:
            raise JudgeSetupError(
                f"logprobs=True, but log-probabilities are refused: {refusal}"
            ) from None
        with self._lock:
            self._dialect = self._dialect.both(rest)

    def _insist(self, reply: Reply) -> None:
        if self.logprobs and not reply.tokens and not reply.problem:
            raise JudgeSetupError(
                "logprobs=True, but the reply carries no log-probabilities; "
                "logprobs=None does without where there are none"
            )

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Errors name the judge, and show no secret."""
        try:
            yield
        except JudgeError as error:
            text = f"{self.name}: {self._credentials.told(error)}"
            if isinstance(error, JudgeUnavailable):
                raise JudgeUnavailable(text, usage=error.usage) from None
            raise type(error)(text) from None

    def _lane(self) -> Lane:
        loop = asyncio.get_running_loop()
        lane = self._lanes.get(loop)
        if lane is None:
            url = self._base._replace(path=f"{self._base.path}/chat/completions").geturl()
            lane = open_lane(url, self._credentials.fixed(), self.timeout, self.concurrency)
            with self._lock:
                for dead in [other for other in self._lanes if other.is_closed()]:
                    del self._lanes[dead]
                self._lanes[loop] = lane
        return lane
