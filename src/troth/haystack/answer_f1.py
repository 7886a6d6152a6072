"""The token-F1 component."""

from __future__ import annotations

import asyncio
from typing import Any

from haystack import component

from troth.haystack._answers import Truths, expect, given_or_not, output, row_by_row
from troth.haystack._component import flag, span
from troth.haystack._serialise import PUBLIC, Fixed, revived, serialised
from troth.metrics.token_f1 import TokenF1

_NAME = "AnswerF1Evaluator"


@component
class AnswerF1Evaluator(Fixed):
    """The overlap of predicted answers' tokens with ground truths', in [0, 1]; higher is better.

    `troth.metrics.token_f1.TokenF1` with the face of `AnswerExactMatchEvaluator`.

    - `normalize`: `"none"` splits at white space, `"squad"` is the official SQuAD script's F1.
    - `multiple_references`: `ground_truth_answers` is a list of lists, several truths per row, of
      which the best one counts.

    Raises `UsageError` for other values.
    """

    __module__ = PUBLIC

    def __init__(self, *, normalize: str = "none", multiple_references: bool = False) -> None:
        self.normalize = normalize
        self.multiple_references = flag(_NAME, "multiple_references", multiple_references)
        expect(self, several=multiple_references)
        self._metric = TokenF1(normalize)

    @component.output_types(individual_scores=list[float], score=float)
    def run(self, ground_truth_answers: Truths, predicted_answers: list[str]) -> dict[str, Any]:
        """Score row by row.

        Returns `individual_scores` in [0, 1] and `score`, their mean. With `multiple_references` a
        row whose list of truths is empty has the score `None` and is not in the mean, which is
        `None` where no row has a score. A predicted answer may be `None`: it matches no truth. A
        warning names the rows of both kinds.
        Raises `InputError` (a `ValueError`) for empty lists, lists of different lengths, and
        anything else that is no list of strings; a truth that is `None` is no truth.
        """
        several = self.multiple_references
        truths, answers, absent = given_or_not(
            _NAME, ground_truth_answers, predicted_answers, several=several
        )
        with span(_NAME, {"troth.metric": self._metric.label, "troth.total": len(answers)}):
            scores = row_by_row(self._metric, truths, answers, absent, several=several)
            return output(_NAME, scores)

    @component.output_types(individual_scores=list[float], score=float)
    async def run_async(
        self, ground_truth_answers: Truths, predicted_answers: list[str]
    ) -> dict[str, Any]:
        """`run`, in a thread: a million rows must not hold up the event loop."""
        return await asyncio.to_thread(self.run, ground_truth_answers, predicted_answers)

    def warm_up(self) -> None:
        """Nothing has to be loaded."""

    def close(self) -> None:
        """Nothing is held."""

    def to_dict(self) -> dict[str, Any]:
        """The component as basic types."""
        return serialised(
            self, normalize=self.normalize, multiple_references=self.multiple_references
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> AnswerF1Evaluator:
        """The component that `to_dict` wrote down."""
        return revived(cls, data)
