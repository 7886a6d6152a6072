"""Haystack's faithfulness evaluator over Troth's metric."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import component

from troth.asks import SUPPORTED, UNMENTIONED, Ask
from troth.errors import BadReply
from troth.haystack._component import mean_of
from troth.haystack._inputs import Groups, Texts, columns
from troth.haystack._llm import Judged, LLMComponent, failed, said
from troth.haystack._serialise import PUBLIC, revived, serialised
from troth.judges.base import Judge, Reply
from troth.metrics.faithfulness import Faithfulness
from troth.sample import Sample
from troth.score import Score
from troth.verdicts import claims_of

_NAME = "FaithfulnessEvaluator"
_INPUTS = {"questions": Texts, "contexts": Groups, "predicted_answers": Texts}
_OUTPUTS = ("statements", "statement_scores")


@component
class FaithfulnessEvaluator(LLMComponent):
    """The share of each answer's statements that its contexts support, by `metrics.Faithfulness`.

    `examples` are shown to the judge: dicts with `inputs` (`questions`, `contexts`,
    `predicted_answers`) and `outputs` (`statements`, `statement_scores`). `chat_generator` is any
    Haystack ChatGenerator; without one, and without `judge` (a judge's name or a `Judge`), it is
    `OpenAIChatGenerator` in JSON mode, whose key is looked for when the component warms up or runs.
    `raise_on_failure`: the first row that fails is a `RowFailed` (a `ValueError`) that names it;
    else the row has no score. `max_concurrency` (default 16, at least 1), `journal` (the path of a
    store that keeps paid replies) and `progress_bar` are those of all judged components.
    Raises `UsageError` (a `ValueError`) for settings that cannot be.
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
        individual_scores=list[float],
        score=float,
        results=list[dict[str, Any]],
        meta=list[dict[str, Any]] | None,
    )
    def run(self, **inputs: Any) -> dict[str, Any]:
        """Score `questions`, `contexts` and `predicted_answers`, lists of one length.

        Returns, in the order of the input:

        - `results`: per row a dict with `statements`, `statement_scores` (a 1 or a 0 each), `score`
          in [0, 1] or `None`, and `status`: `evaluated`, `unscorable` (nothing to judge: the answer
          claims nothing) or `error` (the judge did not deliver), the latter two with a `reason`;
        - `individual_scores`, and `score`, the mean of those that are there, `None` without any;
        - `meta`: per row the metadata of its last reply, `{}` where that has none or no call was
          made for the row.

        Empty lists give empty lists, and `None` as `meta`. Raises `InputError` (a `ValueError`) for
        inputs that are missing, of different lengths or of the wrong type, `RowFailed` as told, and
        `JudgeSetupError` (no `ValueError`) where no row can be judged (no key, ten failures and no
        success).
        """
        return _output(self._judged(Faithfulness(), _samples(inputs)))

    @component.output_types(
        individual_scores=list[float],
        score=float,
        results=list[dict[str, Any]],
        meta=list[dict[str, Any]] | None,
    )
    async def run_async(self, **inputs: Any) -> dict[str, Any]:
        """`run` on the running event loop, with the same inputs and outputs."""
        return _output(await self._judged_async(Faithfulness(), _samples(inputs)))

    def to_dict(self) -> dict[str, Any]:
        """The component as basic types; `SerializationError` where that cannot be."""
        return serialised(self, **self._parameters())

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> FaithfulnessEvaluator:
        """The component that `to_dict` wrote down."""
        return revived(cls, data)


def _samples(inputs: Mapping[str, Any]) -> list[Sample]:
    given = columns(_NAME, _INPUTS, inputs)
    rows = zip(*given.values(), strict=True)
    return [
        Sample(str(place), question=question, contexts=contexts, answer=answer)
        for place, (question, contexts, answer) in enumerate(rows)
    ]


def _output(judged: Judged) -> dict[str, Any]:
    values = [score.value for score in judged.scores]
    return {
        "results": [_result(score) for score in judged.scores],
        "score": mean_of(values),
        "individual_scores": values,
        "meta": judged.meta,
    }


def _result(score: Score) -> dict[str, Any]:
    # The same claim of two sentences is one statement.
    claims = dict.fromkeys((v.text, int(v.label == SUPPORTED)) for v in claims_of(score.verdicts))
    return {
        "statements": [text for text, _ in claims],
        "statement_scores": [worth for _, worth in claims],
        "score": score.value,
        **failed(score),
    }


def _understood(ask: Ask, reply: Reply) -> Reply:
    """A reply with `statements` and `statement_scores`, in our form; others as they are.

    Which sentence a statement is from is not in it, so that each stands for every sentence: the
    score is the mean of the statement scores.
    """
    value = said(str(reply.content), _OUTPUTS)
    if value is None:
        return reply
    statements, scores = (value.get(name) for name in _OUTPUTS)
    if not isinstance(statements, list) or not isinstance(scores, list):
        raise BadReply("statements and statement_scores must both be there, and be lists")
    if not statements or len(statements) != len(scores):
        raise BadReply(f"there are {len(statements)} statements, {len(scores)} statement_scores")
    if not all(isinstance(text, str) and text.strip() for text in statements):
        raise BadReply("each of the statements must be a text")
    if not all(type(score) in (int, float) and score in (0, 1) for score in scores):
        raise BadReply(f"each of the statement_scores must be 0 or 1, not {str(scores)[:40]}")
    claims = [
        {"claim": text, "label": SUPPORTED if score else UNMENTIONED}
        for text, score in zip(statements, scores, strict=True)
    ]
    verdicts = [{"id": item.id, "claims": claims} for item in ask.items]
    return replace(reply, content=json.dumps({"verdicts": verdicts}, ensure_ascii=False), tokens=())
