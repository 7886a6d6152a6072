"""What the three LLM evaluators share: the default generator, examples, metadata, the reading.

Their judge is wrapped twice. On the way out every ask is given the user's examples. On the way back
a reply in the form of Haystack's own evaluators is put into ours, so that generators that were
told that form (by a `response_format`, or in a test) go on working; what is wrong in it is asked
for again like anything else.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Generator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from troth.asks import Answer, Ask
from troth.engine.among import object_among
from troth.errors import BadReply, JudgeSetupError, UsageError
from troth.haystack._component import JudgedComponent, Judging, concurrency_of
from troth.haystack._inputs import shown
from troth.haystack._judge import judge_of
from troth.judges.base import Judge, Reply
from troth.judges.chat_generator import CONCURRENCY, ChatGeneratorJudge, close_async, heard
from troth.metric import Metric
from troth.sample import Sample
from troth.score import Score

Understand = Callable[[Ask, Reply], Reply]
FORM = {"response_format": {"type": "json_object"}, "seed": 42}  # as Haystack asks OpenAI


class Asked(Judge):
    """`judge` (default: Haystack's, made when it is first needed), given examples, understood."""

    def __init__(
        self, judge: Judge | None, examples: str = "", understand: Understand | None = None
    ) -> None:
        self.given = judge
        free = 'judge="builtin", which needs neither key nor network'
        self.instead = free if understand else "the name of a language model as judge="
        self.examples = examples
        self.understand = understand or _as_it_is
        self.name = judge.name if judge else "haystack:OpenAIChatGenerator"
        self.concurrency = judge.concurrency if judge else CONCURRENCY
        self.window = judge.window if judge else None
        self.logprobs = getattr(judge, "logprobs", None)

    @cached_property
    def inner(self) -> Judge:
        """Who answers in the end."""
        if self.given is not None:
            return self.given
        from haystack.components.generators.chat import OpenAIChatGenerator  # noqa: PLC0415

        return ChatGeneratorJudge(OpenAIChatGenerator(generation_kwargs=dict(FORM)))

    @property
    def made(self) -> Any:
        """The default generator, where it has been made."""
        inner = vars(self).get("inner") if self.given is None else None
        return inner.generator if isinstance(inner, ChatGeneratorJudge) else None

    @property
    def free(self) -> bool:
        """Does the inner judge cost nothing?"""
        return self.inner.free

    def _shown(self, ask: Ask) -> Ask:
        return replace(ask, examples=self.examples) if self.examples else ask

    async def reply(self, ask: Ask, problem: str | None = None) -> Reply:
        """The inner judge's reply, in our form."""
        reply = await self.inner.reply(self._shown(ask), problem)
        if reply.problem or not isinstance(reply.content, str):
            return reply
        try:
            return self.understand(ask, reply)
        except BadReply as bad:
            return replace(reply, problem=bad.problem)

    def key(self, ask: Ask, problem: str | None = None) -> str | None:
        """The inner judge's key."""
        return self.inner.key(self._shown(ask), problem)

    def sent(self, ask: Ask) -> str | None:
        """What the inner judge would send."""
        return self.inner.sent(self._shown(ask))

    def identity(self) -> Mapping[str, Any]:
        """The inner judge's identity."""
        return self.inner.identity()

    async def start(self) -> None:
        """Start the inner judge; where the default one cannot start, say what would do instead."""
        self.name = self.inner.name
        try:
            await self.inner.start()
        except JudgeSetupError as error:
            if self.given is not None:
                raise
            raise JudgeSetupError(f"{error}; or give a chat_generator= or {self.instead}") from None

    async def close(self) -> None:
        """Close the inner judge."""
        await self.inner.close()


@dataclass(frozen=True, slots=True, repr=False)
class Heard(Metric):
    """`inner`, with the metadata of the replies that each sample led to, by the sample's id."""

    name: ClassVar = "heard"
    needs: ClassVar = ()
    judged: ClassVar = True

    inner: Metric
    metas: dict[str, list[dict[str, Any]]] = field(default_factory=dict, compare=False)

    def __repr__(self) -> str:
        return repr(self.inner)

    @property
    def label(self) -> str:
        """That of the inner metric."""
        return self.inner.label

    def missing(self, sample: Sample) -> tuple[str, ...]:
        """What the inner metric lacks."""
        return self.inner.missing(sample)

    def steps(self, sample: Sample) -> Generator[Sequence[Ask], Sequence[Answer], Score]:
        """Those of the inner metric."""
        listening: list[dict[str, Any]] = []
        self.metas[sample.id] = listening
        heard.set(listening)  # within the task of this row
        return (yield from self.inner.steps(sample))


class Judged(NamedTuple):
    """The rows' scores, and the metadata of each row's last reply; `None` for no rows at all."""

    scores: list[Score]
    meta: list[dict[str, Any]] | None


class LLMComponent(JudgedComponent):
    """Base of the LLM evaluators; a subclass calls `_set_up` in its constructor."""

    _asked: Asked

    def _set_up(
        self,
        source: str,
        *,
        examples: Any,
        chat_generator: Any,
        judge: str | Judge | None,
        max_concurrency: int | None,
        journal: str | Path | None,
        progress_bar: bool,
        raise_on_failure: bool,
        understand: Understand | None = None,
    ) -> None:
        concurrency_of(source, max_concurrency)
        given = None
        if judge is not None or chat_generator is not None:
            given = judge_of(source, judge, chat_generator, max_concurrency)
        self._asked = Asked(given, _examples(source, examples), understand)
        self._shown = deepcopy(examples)  # whoever changes a list afterwards changes no component
        self.examples = deepcopy(examples)
        self.chat_generator = chat_generator
        self.judge = judge
        self._judging = Judging(
            source,
            self._asked,
            generator=chat_generator,
            max_concurrency=max_concurrency,
            journal=journal,
            progress_bar=progress_bar,
            raise_on_failure=raise_on_failure,
        )
        self.progress_bar = self._judging.progress_bar
        self.raise_on_failure = self._judging.raise_on_failure

    def _parameters(self) -> dict[str, Any]:
        """The shared settings, for `to_dict`; without a generator the default one stands for it."""
        own = {"chat_generator": self.chat_generator, "judge": self.judge}
        return {"examples": self._shown, **own, **self._judging.options()}

    def _judged(self, metric: Metric, samples: Sequence[Sample]) -> Judged:
        listening = Heard(metric)
        return _judged(self._judging.scores(listening, samples), samples, listening)

    async def _judged_async(self, metric: Metric, samples: Sequence[Sample]) -> Judged:
        listening = Heard(metric)
        scores = await self._judging.scores_async(listening, samples)
        return _judged(scores, samples, listening)

    def close(self) -> None:
        """Close the generator. The component may be used again."""
        JudgedComponent.close(self)
        if (made := self._asked.made) is not None:
            made.close()

    async def close_async(self) -> None:
        """`close` on the running event loop."""
        await JudgedComponent.close_async(self)
        if (made := self._asked.made) is not None:
            await close_async(made)
            made.close()  # which answered where there was another loop


def _as_it_is(ask: Ask, reply: Reply) -> Reply:
    return reply


def said(text: str, names: Sequence[str]) -> dict[str, Any] | None:
    """The object with any of `names` in a reply; `None` where the reply names none of them.

    Raises `BadReply` where it does and cannot be read.
    """
    answer = text.rpartition("</think>")[2]
    return object_among(names, answer) if any(f'"{name}"' in answer for name in names) else None


def failed(score: Score) -> dict[str, Any]:
    """What a result says beside its own fields: how the row ended, and why it has no score."""
    if score.value is not None:
        return {"status": "evaluated"}
    status = "error" if score.status == "failed" else "unscorable"
    return {"status": status, "reason": score.reason}


def _judged(scores: list[Score], samples: Sequence[Sample], listening: Heard) -> Judged:
    replies = [listening.metas.get(sample.id) or [{}] for sample in samples]
    return Judged(scores, [found[-1] for found in replies] or None)


def _examples(source: str, examples: Any) -> str:
    """`examples` as JSON; `UsageError` (a `ValueError`) for what is none."""
    if not examples and isinstance(examples, (list, type(None))):
        return ""
    if not isinstance(examples, list) or not all(map(_is_example, examples)):
        raise UsageError(
            f"{source}: examples must be a list of dicts with the keys 'inputs' and 'outputs', "
            f"each a dict with names as its keys; not {shown(examples)}"
        )
    try:
        return json.dumps(examples, ensure_ascii=False)
    except (TypeError, ValueError) as error:
        raise UsageError(f"{source}: examples must be plain JSON values: {error}") from None


def _is_example(example: Any) -> bool:
    return (
        isinstance(example, dict)
        and example.keys() == {"inputs", "outputs"}
        and all(isinstance(part, dict) and all(isinstance(k, str) for k in part)
                for part in example.values())
    )  # fmt: skip
