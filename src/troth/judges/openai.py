"""A language model behind any OpenAI-compatible chat endpoint, as a judge."""

from __future__ import annotations

import asyncio
import hashlib
import os
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

import msgspec

from troth.asks import Ask
from troth.errors import JudgeError, JudgeSetupError, JudgeUnavailable, UsageError
from troth.judges.base import Judge, Reply
from troth.judges.openai_reply import Passing, Refused, read
from troth.judges.openai_wire import Lane, Patience, open_lane
from troth.prompts.render import Prompt, hashes, render

OPENAI = "https://api.openai.com/v1"
_FORMS = ("json_schema", "json_object", None)  # from the most to the least that may be asked for
_GRACE = 1.0  # seconds that later calls leave the first one to find out what is refused
_KEY_HEADERS = {"authorization", "api-key", "x-api-key"}


@dataclass(frozen=True, slots=True)
class _Dialect:
    """What the endpoint has not refused so far."""

    form: int = 0
    temperature: bool = True


class OpenAIChat(Judge):
    """Asks `model` at `base_url` (default: `OPENAI_BASE_URL`, else OpenAI itself).

    `api_key` defaults to `OPENAI_API_KEY`, read when the judge is started; an endpoint other than
    OpenAI's needs none, and none is sent beside an authorization given in `headers`.
    `temperature` is in [0, 2], or `None` to send none. `timeout` bounds one request, `retries_for`
    the time that one ask is retried through throttling and faults, both in seconds.
    `concurrency` requests at most are in flight per event loop.

    Structured output is asked for; an endpoint that refuses it is asked for a JSON object, then for
    plain text, and one that refuses `temperature` gets none. What was refused is remembered.
    One judge may serve several event loops and threads, each with its own connections.
    Raises `UsageError` for settings that no endpoint can have.
    """

    def __init__(
        self,
        model: str = "gpt-4o-mini",
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        temperature: float | None = 0.0,
        timeout: float = 60.0,
        concurrency: int = 16,
        retries_for: float = 60.0,
        language: str = "en",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.model = model
        self.temperature = temperature
        self.timeout = timeout
        self.concurrency = concurrency
        self.retries_for = retries_for
        self.language = language
        self._check()
        self._base = _base(base_url or os.environ.get("OPENAI_BASE_URL") or OPENAI)
        self.base_url = _public(self._base)
        self.name = f"openai/{model}" if self.base_url == OPENAI else f"{self.base_url}#{model}"
        self._given_key = api_key
        self._headers = dict(headers or {})
        self._secrets: tuple[str, ...] = ()
        self._dialect = _Dialect()
        self._known = False  # has any request been accepted yet?
        self._reached = False  # has the endpoint ever responded?
        self._paused_until = 0.0  # shared: what one call was told about throttling holds for all
        self._lanes: dict[asyncio.AbstractEventLoop, Lane] = {}
        self._lock = threading.Lock()

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
            "language": self.language,
            "prompts": hashes(self.language),
        }

    async def start(self) -> None:
        """Read the key and open the connections of the running event loop.

        Sends nothing. Raises `JudgeSetupError` where a key is needed and missing.
        """
        self._lane()

    async def close(self) -> None:
        """Close the connections of the running event loop; other loops keep theirs."""
        with self._lock:
            lane = self._lanes.pop(asyncio.get_running_loop(), None)
        if lane is not None:
            await lane.session.close()

    def key(self, ask: Ask, problem: str | None = None) -> str:
        """SHA-256 over the endpoint, the model, the parameters, the exact messages and the schema.

        Neither the API key nor the headers are part of it.
        """
        prompt = render(ask, self.language, problem)
        parts = (self.base_url, self._base.query, self.model, self.temperature)
        sent = msgspec.json.encode((*parts, prompt.messages, prompt.schema))
        return hashlib.sha256(sent).hexdigest()

    async def reply(self, ask: Ask, problem: str | None = None) -> Reply:
        """The model's reply to `ask`, as text that still has to be decoded.

        Where the model refused, said nothing or was cut off, the reply has a `problem`. Raises the
        errors of `Judge.reply`.
        """
        prompt = render(ask, self.language, problem)
        lane = self._lane()
        try:
            async with lane.slots:
                return await self._in_turn(lane, prompt)
        except JudgeError as error:
            raise type(error)(f"{self.name}: {self._clean(str(error))}") from None

    async def _in_turn(self, lane: Lane, prompt: Prompt) -> Reply:
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
            return await self._persist(lane, prompt)
        finally:
            if first:
                lane.settled.set()

    async def _persist(self, lane: Lane, prompt: Prompt) -> Reply:
        patience = Patience(self.retries_for)
        while True:
            await self._pause()
            spoken = self._dialect
            try:
                response = await lane.post(self._body(prompt, spoken))
                self._reached = True
                reply = read(response)
            except Refused as refusal:
                if not self._learn(spoken, refusal):
                    raise JudgeUnavailable(str(refusal)) from None
            except Passing as fault:
                delay = patience.after(fault, reached=self._reached)
                if fault.wait:
                    self._paused_until = max(self._paused_until, time.monotonic() + fault.wait)
                await asyncio.sleep(delay)
            else:
                self._known = True
                return reply

    async def _pause(self) -> None:
        while (left := self._paused_until - time.monotonic()) > 0:
            await asyncio.sleep(left)

    def _body(self, prompt: Prompt, spoken: _Dialect) -> bytes:
        body: dict[str, Any] = {"model": self.model, "messages": prompt.messages}
        if spoken.temperature and self.temperature is not None:
            body["temperature"] = self.temperature
        form = _FORMS[spoken.form]
        if form == "json_schema":
            schema = {"name": prompt.schema_name, "schema": prompt.schema, "strict": True}
            body["response_format"] = {"type": form, "json_schema": schema}
        elif form:
            body["response_format"] = {"type": form}
        return msgspec.json.encode(body)

    def _learn(self, spoken: _Dialect, refusal: Refused) -> bool:
        """Remember what was refused; is there another way to ask?"""
        form, temperature = spoken.form, spoken.temperature
        if refusal.form and form + 1 < len(_FORMS):
            form += 1
        elif refusal.temperature and temperature and self.temperature is not None:
            temperature = False
        else:
            return False
        with self._lock:
            now = self._dialect
            self._dialect = _Dialect(max(now.form, form), now.temperature and temperature)
        return True

    def _lane(self) -> Lane:
        loop = asyncio.get_running_loop()
        lane = self._lanes.get(loop)
        if lane is None:
            url = self._base._replace(path=f"{self._base.path}/chat/completions").geturl()
            lane = open_lane(url, self._sent_headers(), self.timeout, self.concurrency)
            with self._lock:
                for dead in [other for other in self._lanes if other.is_closed()]:
                    del self._lanes[dead]
                self._lanes[loop] = lane
        return lane

    def _sent_headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", **self._headers}
        key = (self._given_key or os.environ.get("OPENAI_API_KEY") or "").strip()
        authorized = any(name.lower() in _KEY_HEADERS for name in self._headers)
        if key and not authorized:
            if not (key.isascii() and key.isprintable()):
                raise JudgeSetupError(f"{self.name}: the API key holds characters no key can have")
            headers["Authorization"] = f"Bearer {key}"
        elif not authorized and _is_openai(self._base.hostname or ""):
            raise JudgeSetupError(
                f"{self.name} needs a key: set OPENAI_API_KEY (or OPENAI_BASE_URL for an endpoint "
                f"of your own), or use the judge 'builtin', which needs neither key nor network"
            )
        self._secrets = tuple(value for value in (key, *self._headers.values()) if len(value) > 5)
        return headers

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def _check(self) -> None:
        if not self.model:
            raise UsageError("model must name a model of the endpoint; it is empty")
        if self.temperature is not None and not 0 <= self.temperature <= 2:
            raise UsageError(f"temperature must be in [0, 2] or None, not {self.temperature!r}")
        if self.concurrency < 1 or self.timeout <= 0 or self.retries_for < 0:
            raise UsageError(
                "concurrency must be at least 1, timeout above 0 and retries_for not negative; got "
                f"{self.concurrency!r}, {self.timeout!r} and {self.retries_for!r}"
            )


def _base(url: str) -> SplitResult:
    try:
        parts = urlsplit(url.strip())
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        # The URL is not repeated: a password may stand in it.
        raise UsageError("base_url must look like https://host/v1 or http://127.0.0.1:8000/v1")
    path = parts.path.rstrip("/").removesuffix("/chat/completions")
    return parts._replace(path=path, fragment="")


def _public(parts: SplitResult) -> str:
    """The URL without what may hold a secret."""
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _is_openai(host: str) -> bool:
    return host == "api.openai.com" or host.endswith(".api.openai.com")
