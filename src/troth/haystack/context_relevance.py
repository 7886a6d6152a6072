"""Haystack's context relevance evaluator over Troth's contextual relevancy."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import component

from troth.asks import IRRELEVANT, RELEVANT, Ask
from troth.errors import BadReply
from troth.haystack._component import mean_of
from troth.haystack._inputs import Groups, Texts, columns
from troth.haystack._llm import Judged, LLMComponent, failed, said
from troth.haystack._serialise import PUBLIC, revived, serialised
from troth.judges.base import Judge, Reply
from troth.metrics.contextual_relevancy import ContextualRelevancy
from troth.sample import Sample
from troth.score import Score
from troth.verdicts import quote

_NAME = "ContextRelevanceEvaluator"
_INPUTS = {"questions": Texts, "contexts": Groups}
_OUTPUTS = ("relevant_statements",)
_WORD = re.compile(r"\w+")


@component
class ContextRelevanceEvaluator(LLMComponent):
    """Does any sentence of a row's contexts bear on its question? Which ones do?

    Every sentence is judged, by `metrics.ContextualRelevancy`. `examples` are shown to the judge:
    dicts with `inputs` (`questions`, `contexts`) and `outputs` (`relevant_statements`).
    `chat_generator` is any Haystack ChatGenerator; without one, and without `judge` (a judge's name
    or a `Judge`), it is `OpenAIChatGenerator` in JSON mode, whose key is looked for when the
    component warms up or runs. `raise_on_failure`: the first row that fails is a `RowFailed` (a
    `ValueError`) that names it; else the row has no score. `max_concurrency` (default 16, at least
    1), `journal` (the path of a store that keeps paid replies) and `progress_bar` are those of all
    judged components. Raises `UsageError` (a `ValueError`) for settings that cannot be.
    """

    __module__ = PUBLIC

    def __init__(
        self,
        examples: list[dict[str, Any]] | None = None,
        progress_bar: bool = True,
        raise_on_failure: bool = True,
        chat_generator: Any = None,
        *,
        judge: str | Judge | None = None,
        max_concurrency: int | None = None,
        journal: str | Path | None = None,
    ) -> None:
        self._set_up(
            _NAME,
            examples=examples,
            chat_generator=chat_generator,
            judge=judge,
            max_concurrency=max_concurrency,
            journal=journal,
            progress_bar=progress_bar,
            raise_on_failure=raise_on_failure,
            understand=_understood,
        )
        component.set_input_types(self, **_INPUTS)

    @component.output_types(
        score=float,
        individual_scores=list[float],
        results=list[dict[str, Any]],
        meta=list[dict[str, Any]] | None,
    )
    def run(self, **inputs: Any) -> dict[str, Any]:
        """Score `questions` and `contexts` (a list per question), lists of one length.

        Returns, in the order of the input:

        - `results`: per row a dict with `relevant_statements` (sentences of the contexts), `score`,
          1.0 where there is one and 0.0 where not, or `None`, and `status`: `evaluated`,
          `unscorable` (the contexts hold no sentence) or `error` (the judge did not deliver), the
          latter two with a `reason`;
        - `individual_scores`, and `score`, the mean of those that are there, `None` without any;
        - `meta`: per row the metadata of its last reply, `{}` where that has none or no call was
          made for the row.

        Empty lists give empty lists, and `None` as `meta`. Raises `InputError` (a `ValueError`) for
        inputs that are missing, of different lengths or of the wrong type, `RowFailed` as told, and
        `JudgeSetupError` (no `ValueError`) where no row can be judged (no key, ten failures and no
        success).
        """
        return _output(self._judged(ContextualRelevancy(), _samples(inputs)))

    @component.output_types(
        score=float,
        individual_scores=list[float],
        results=list[dict[str, Any]],
        meta=list[dict[str, Any]] | None,
    )
    async def run_async(self, **inputs: Any) -> dict[str, Any]:
        """`run` on the running event loop, with the same inputs and outputs."""
        return _output(await self._judged_async(ContextualRelevancy(), _samples(inputs)))

    def to_dict(self) -> dict[str, Any]:
        """The component as basic types; `SerializationError` where that cannot be."""
        return serialised(self, **self._parameters())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ContextRelevanceEvaluator:
        """The component that `to_dict` wrote down."""
        return revived(cls, data)


def _samples(inputs: Mapping[str, Any]) -> list[Sample]:
    rows = zip(*columns(_NAME, _INPUTS, inputs).values(), strict=True)
    return [
        Sample(str(place), question=question, contexts=contexts)
        for place, (question, contexts) in enumerate(rows)
    ]


def _output(judged: Judged) -> dict[str, Any]:
    results = [_result(score) for score in judged.scores]
    values = [result["score"] for result in results]
    return {
        "results": results,
        "score": mean_of(values),
        "individual_scores": values,
        "meta": judged.meta,
    }


def _result(score: Score) -> dict[str, Any]:
    return {
        "relevant_statements": [v.text for v in score.verdicts if v.label == RELEVANT],
        "score": None if score.value is None else float(score.value > 0),
        **failed(score),
    }


def _understood(ask: Ask, reply: Reply) -> Reply:
    """A reply with `relevant_statements`, in our form; others as they are.

    A sentence is relevant that a statement quotes, in part or whole. A statement that stands in no
    context is none of its sentences, and the reply is of no use.
    """
    value = said(str(reply.content), _OUTPUTS)
    if value is None:
        return reply
    statements = value["relevant_statements"]
    if not isinstance(statements, list):
        raise BadReply("relevant_statements must be a list")
    relevant: set[str] = set()
    for text in statements:
        if not isinstance(text, str) or not text.strip():
            raise BadReply("each of the relevant_statements must be a text")
        found = {item.id for item in ask.items if _shared(text, item.text)}
        if not found:
            raise BadReply(
                "relevant_statements must stand in the contexts, word by word; "
                f"this one does not: {quote(text)}"
            )
        relevant |= found
    verdicts = [
        {"id": item.id, "label": RELEVANT if item.id in relevant else IRRELEVANT}
        for item in ask.items
    ]
    return replace(reply, content=json.dumps({"verdicts": verdicts}), tokens=())


def _shared(one: str, other: str) -> bool:
    """Is one of the texts a part of the other, in whole words?"""
    if one.isascii() and other.isascii():
        one, other = (f" {' '.join(_WORD.findall(text.casefold()))} " for text in (one, other))
        return bool(one.strip() and other.strip()) and (one in other or other in one)
    one, other = ("".join(_WORD.findall(text.casefold())) for text in (one, other))
    return bool(one and other) and (one in other or other in one)
