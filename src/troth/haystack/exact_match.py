"""The exact-match component."""

from __future__ import annotations

from statistics import fmean
from typing import Any, cast

from haystack import component

from troth.errors import InputError
from troth.haystack._inputs import Texts, columns
from troth.metrics.exact_match import ExactMatch
from troth.sample import Sample

_NAME = "AnswerExactMatchEvaluator"
_INPUTS = {"ground_truth_answers": Texts, "predicted_answers": Texts}


@component
class AnswerExactMatchEvaluator:
    """Compares predicted answers with ground truths, character by character.

    The face of Haystack's component of this name over `troth.metrics.exact_match.ExactMatch`.
    """

    @component.output_types(individual_scores=list[int], score=float)
    def run(self, ground_truth_answers: list[str], predicted_answers: list[str]) -> dict[str, Any]:
        """Score row by row.

        Returns `individual_scores`, a 1 or a 0 per row, and `score`, their mean in [0, 1].
        Raises `InputError` (a `ValueError`) for empty lists, lists of different lengths, and
        anything that is no list of strings; `None` is no answer and equals nothing.
        """
        given = {
            "ground_truth_answers": ground_truth_answers,
            "predicted_answers": predicted_answers,
        }
        truths, answers = columns(_NAME, _INPUTS, given).values()
        if not len(truths):  # a data frame column has no truth value
            raise InputError("the lists are empty; at least one row is needed", source=_NAME)
        metric = ExactMatch()
        # Every row has its reference, so that every row has a value.
        scores = [
            int(cast("float", metric.score(Sample(answer=answer, references=(truth,))).value))
            for truth, answer in zip(truths, answers, strict=True)
        ]
        return {"individual_scores": scores, "score": fmean(scores)}
