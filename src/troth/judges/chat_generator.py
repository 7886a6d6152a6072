"""Any Haystack ChatGenerator as a judge. Haystack is imported when it is first asked, not before.

troth.evaluate(rows, ["faithfulness"], judge=OpenAIChatGenerator(model="gpt-4o-mini"))
"""

from __future__ import annotations

import asyncio
import contextvars
import functools
import hashlib
import os
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import msgspec

from troth.asks import Ask
from troth.errors import JudgeError, JudgeSetupError, JudgeUnavailable, UsageError
from troth.judges.base import Judge, Reply
from troth.judges.chat_replies import read
from troth.judges.loops import OWN_LOOP, Lock, PerLoop, Threads
from troth.judges.openai_body import merged
from troth.judges.openai_settings import shown
from troth.prompts.render import hashes, render

CONCURRENCY = 16
THREADS = 512  # at most; the desk limits the calls, and threads are made as calls need them
_HOPELESS = {401, 404}  # HTTP: a wrong key, an unknown model: no other row could be answered

# Whoever sets a list here is told the metadata of every reply, in order: `ChatMessage.meta`.
heard: ContextVar[list[dict[str, Any]] | None] = ContextVar("troth_heard", default=None)

# The loop on which a generator's asynchronous side was first used: its connections live there.
_bound: weakref.WeakKeyDictionary[Any, weakref.ref[asyncio.AbstractEventLoop]] = (
    weakref.WeakKeyDictionary()
)


class ChatGeneratorJudge(Judge):
    """Asks `generator`: any object whose `run(messages=...)` gives `{"replies": [ChatMessage]}`.

    In async code its `run_async` is awaited, on the first loop that it is used on; without one, on
    other loops, and behind `troth.evaluate` or a component's `run`, its `run` is called in threads.
    `concurrency` calls at most are awaited at once, at least 1: use 1 where the generator is a
    model in this process that takes one call at a time. `language` is that of the prompts, or
    `"auto"`; `window` is how many tokens prompt and reply may have together.

    The generator decides how replies are made and retried; no schema is sent. It is warmed up and
    never closed. Replies can be kept in a journal where it can be serialised by Haystack; where it
    cannot (a `Secret.from_token`, a lambda), they are not, and equal asks are all made.
    Raises `UsageError` for what is no generator and for settings that cannot be.
    """

    joint = True

    def __init__(
        self,
        generator: Any,
        *,
        concurrency: int = CONCURRENCY,
        language: str = "en",
        window: int | None = None,
    ) -> None:
        if isinstance(generator, type) or not callable(getattr(generator, "run", None)):
            raise UsageError(
                "a ChatGenerator is an object with run(messages), such as OpenAIChatGenerator(), "
                f"not {generator!r}"
            )
        if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
            raise UsageError(f"concurrency must be at least 1, not {concurrency!r}")
        self.generator = generator
        self.concurrency = concurrency
        self.language = language
        self.window = window
        kind, model = type(generator).__name__, getattr(generator, "model", None)
        self.name = f"haystack:{kind}/{model}" if isinstance(model, str) else f"haystack:{kind}"
        self._fingerprint: str | None = None
        self._fingerprinted = False
        self._pools: PerLoop[Threads] = PerLoop()
        self._lock = Lock()

    def __repr__(self) -> str:
        return f"ChatGeneratorJudge({type(self.generator).__name__}, language={self.language!r})"

    def identity(self) -> Mapping[str, Any]:
        """Name, `generation_kwargs`, the hash of all its parameters, and of every prompt."""
        settings = getattr(self.generator, "generation_kwargs", None)
        plain = settings if isinstance(settings, dict) else {}
        return {
            "name": self.name,
            "type": f"{type(self.generator).__module__}.{type(self.generator).__qualname__}",
            "generation_kwargs": _plain(
                {k: v for k, v in shown(plain).items() if "header" not in k}
            ),
            "sha256": self._known(),
            "language": self.language,
            "prompts": hashes(self.language),
        }

    def key(self, ask: Ask, problem: str | None = None) -> str | None:
        """SHA-256 over the generator's serialised parameters and the exact messages.

        Secrets are no part of it. `None` where the generator cannot be serialised.
        """
        if (known := self._known()) is None:
            return None
        prompt = render(ask, self.language, problem)
        sent = msgspec.json.encode((known, merged(prompt.messages)))
        return hashlib.sha256(sent).hexdigest()

    def sent(self, ask: Ask) -> str:
        """The text of all messages."""
        return "\n".join(m["content"] for m in render(ask, self.language).messages)

    async def start(self) -> None:
        """Warm the generator up; `JudgeSetupError` where it cannot (no key, no such model)."""
        self._fingerprinted = False  # its settings may have been changed since the last run
        try:
            if self._awaits() and hasattr(self.generator, "warm_up_async"):
                await self.generator.warm_up_async()
            elif hasattr(self.generator, "warm_up"):
                await self._in_thread(self._warm_up)
        except Exception as error:
            raise self._named(JudgeSetupError, error) from None

    async def close(self) -> None:
        """Let the threads of the running loop go; the generator itself stays open."""
        with self._lock:
            pool = self._pools.pop(asyncio.get_running_loop(), None)
        if pool is not None:
            pool.close()

    async def reply(self, ask: Ask, problem: str | None = None) -> Reply:
        """The generator's first reply to `ask`, as text that still has to be decoded.

        A reply without text, none at all, or one that was cut off or withheld has a `problem`.
        What the generator raises becomes `JudgeUnavailable`, or `JudgeSetupError` for a key or a
        model that the endpoint does not know.
        """
        messages = self._messages(ask, problem)
        with self._span(messages) as span:
            try:
                result = await self._said(messages)
            except Exception as error:
                final = getattr(error, "status_code", None) in _HOPELESS
                kind: type[JudgeError] = JudgeSetupError if final else JudgeUnavailable
                raise self._named(kind, error) from None
            span.set_content_tag("haystack.component.output", result)
        reply, meta = read(result)
        if (listener := heard.get()) is not None:
            listener.append(meta)
        return reply

    async def _said(self, messages: list[Any]) -> Any:
        if self._awaits():
            return await self.generator.run_async(messages=messages)
        return await self._in_thread(lambda: self.generator.run(messages=messages))

    def _awaits(self) -> bool:
        """May `run_async` be used on the running loop?

        Not on a loop of our own: the generator's connections would outlive it, to nobody's use. Nor
        on a second loop, where those of the first are of no use.
        """
        if OWN_LOOP.get() or not hasattr(self.generator, "run_async"):
            return False
        loop = asyncio.get_running_loop()
        try:
            return _bound.setdefault(self.generator, weakref.ref(loop))() is loop
        except TypeError:  # it can be in no dictionary
            return False

    def _warm_up(self) -> None:
        with self._lock:
            self.generator.warm_up()

    async def _in_thread(self, work: Callable[[], Any]) -> Any:
        loop = asyncio.get_running_loop()
        with self._lock:
            pool = self._pools.get(loop)
            if pool is None:
                for dead in [other for other in self._pools if other.is_closed()]:
                    self._pools.pop(dead).close()
                pool = self._pools[loop] = Threads(THREADS, "troth-generator")
        context = contextvars.copy_context()
        return await pool.run(functools.partial(context.run, _guarded, work))

    def _messages(self, ask: Ask, problem: str | None) -> list[Any]:
        from haystack.dataclasses import ChatMessage  # noqa: PLC0415 - half a second

        makes = {"system": ChatMessage.from_system, "user": ChatMessage.from_user}
        prompt = render(ask, self.language, problem)
        return [makes[m["role"]](m["content"]) for m in merged(prompt.messages)]

    @contextmanager
    def _span(self, messages: list[Any]) -> Iterator[Any]:
        from haystack.tracing.tracer import tracer  # noqa: PLC0415 - half a second

        tags = {
            "haystack.component.name": "chat_generator",
            "haystack.component.type": type(self.generator).__name__,
        }
        name, parent = "haystack.chat_generator.run", tracer.current_span()
        with tracer.trace(name, tags, parent_span=parent) as span:
            span.set_content_tag("haystack.component.input", {"messages": messages})
            yield span

    def _named(self, kind: type[JudgeError], error: BaseException) -> JudgeError:
        """What went wrong, and with whom; no secret of the generator's stands in it."""
        text = f"{self.name}: {type(error).__name__}: {error}"
        for value in vars(self.generator).values() if hasattr(self.generator, "__dict__") else ():
            if (secret := _resolved(value)) is not None:
                text = text.replace(secret, "***")
        return kind(text)

    def _known(self) -> str | None:
        """The hash of the generator's parameters, less its secrets; `None` where there is none."""
        if not self._fingerprinted:
            self._fingerprint = _fingerprint(self.generator)
            self._fingerprinted = True
        return self._fingerprint


async def close_async(generator: Any) -> None:
    """Close the asynchronous side of `generator`, as far as the running loop can.

    Connections that another loop uses are left to it; those of a loop that has ended are gone.
    """
    try:
        bound = _bound.get(generator)
    except TypeError:  # it can be in no dictionary
        bound = None
    loop = None if bound is None else bound()
    ours = bound is None or loop is asyncio.get_running_loop()
    if not ours and loop is not None and not loop.is_closed():
        return
    try:
        await generator.close_async()
    except RuntimeError:  # its connections would have to be closed on the loop that has ended
        if ours:
            raise
    else:
        if bound is not None:
            _bound.pop(generator, None)  # the next loop may open its own


def _fingerprint(generator: Any) -> str | None:
    from haystack.core.serialization import component_to_dict  # noqa: PLC0415

    try:
        data = _without_secrets(component_to_dict(generator, "chat_generator"))
        # The endpoint of OpenAI's library, where the generator names none.
        data["environment"] = os.environ.get("OPENAI_BASE_URL")
        return hashlib.sha256(msgspec.json.encode(data, order="deterministic")).hexdigest()
    except Exception:  # whatever a foreign `to_dict` raises: it cannot be told from another
        return None


def _without_secrets(value: Any) -> Any:
    if isinstance(value, dict):
        if value.get("type") == "env_var" and "env_vars" in value:
            return None
        return {name: _without_secrets(part) for name, part in value.items()}
    return [_without_secrets(part) for part in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """`value` as JSON holds it; what it cannot hold by its type's name."""
    return msgspec.to_builtins(value, enc_hook=lambda other: type(other).__name__, str_keys=True)


def _resolved(value: Any) -> str | None:
    try:
        secret = value.resolve_value() if hasattr(value, "resolve_value") else None
    except ValueError:  # its variable is not set
        return None
    return secret if isinstance(secret, str) and secret else None


def _guarded(work: Callable[[], Any]) -> Any:
    try:
        return work()
    except StopIteration as error:  # no future can carry it: it would hang instead
        raise RuntimeError("StopIteration (next() on an empty iterator?)") from error
