"""DeepEval's five RAG metrics as the component that DeepEval's integration offers.

Everything that differs between the metrics stands in one table; scoring is the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from haystack import component

from troth.account import Row
from troth.engine.runner import run_rows
from troth.engine.sync import run_sync
from troth.errors import UsageError
from troth.haystack._inputs import Groups, Texts, columns, shown
from troth.haystack._judge import judge_for
from troth.judges.base import Judge
from troth.metric import Metric
from troth.metrics.answer_relevancy import AnswerRelevancy
from troth.metrics.contextual_precision import ContextualPrecision
from troth.metrics.contextual_recall import ContextualRecall
from troth.metrics.contextual_relevancy import ContextualRelevancy
from troth.metrics.faithfulness import Faithfulness
from troth.sample import Sample


class DeepEvalMetric(StrEnum):
    """The metrics of `DeepEvalEvaluator`; all take `questions`, `contexts` and `responses`.

    Contextual precision and recall take `ground_truths` as well.
    """

    ANSWER_RELEVANCY = "answer_relevancy"
    FAITHFULNESS = "faithfulness"
    CONTEXTUAL_PRECISION = "contextual_precision"
    CONTEXTUAL_RECALL = "contextual_recall"
    CONTEXTUAL_RELEVANCE = "contextual_relevance"

    @classmethod
    def from_str(cls, string: str) -> DeepEvalMetric:
        """The metric of this name; raises `UsageError` (a `ValueError`) that lists all names."""
        try:
            return cls(string)
        except ValueError:
            raise UsageError(
                f"there is no DeepEval metric {string!r}; there are {', '.join(cls)}"
            ) from None


def _faithfulness(*, penalize_ambiguous_claims: bool = False) -> Metric:
    if not isinstance(penalize_ambiguous_claims, bool):
        raise UsageError(
            "penalize_ambiguous_claims must be True or False, "
            f"not {shown(penalize_ambiguous_claims)}"
        )
    return Faithfulness(unverifiable="fails" if penalize_ambiguous_claims else "counts")


# Input of the component -> its type, and the field of a sample that it fills.
_FIELDS: dict[str, tuple[Any, str]] = {
    "questions": (Texts, "question"),
    "contexts": (Groups, "contexts"),
    "responses": (Texts, "answer"),
    "ground_truths": (Texts, "references"),
}
_ROW = ("questions", "contexts", "responses")
_ROW_AND_TRUTH = (*_ROW, "ground_truths")

# Metric -> what builds it, the options that takes, and the inputs.
_METRICS: dict[DeepEvalMetric, tuple[Callable[..., Metric], tuple[str, ...], tuple[str, ...]]] = {
    DeepEvalMetric.ANSWER_RELEVANCY: (AnswerRelevancy, (), _ROW),
    DeepEvalMetric.FAITHFULNESS: (_faithfulness, ("penalize_ambiguous_claims",), _ROW),
    DeepEvalMetric.CONTEXTUAL_PRECISION: (ContextualPrecision, (), _ROW_AND_TRUTH),
    DeepEvalMetric.CONTEXTUAL_RECALL: (ContextualRecall, (), _ROW_AND_TRUTH),
    DeepEvalMetric.CONTEXTUAL_RELEVANCE: (ContextualRelevancy, (), _ROW),
}
_JUDGE_OPTIONS = ("model", "base_url")


@component
class DeepEvalEvaluator:
    """Scores rows of a RAG system by one of `DeepEvalMetric`, given by name or as the enum.

    `metric_params` may hold:

    - `model`: a model of OpenAI or of `base_url` (`"gpt-4"`), a judge's name (`"builtin"`, which
      needs no key, `"openai/gpt-4o"`, `"http://127.0.0.1:11434/v1#qwen3"`) or a `Judge`;
    - `base_url`: another OpenAI-compatible endpoint; default `OPENAI_BASE_URL`, else OpenAI;
    - `penalize_ambiguous_claims` (faithfulness alone, default `False`): does a claim fail that no
      context mentions?

    Without `metric_params` OpenAI's default model judges. The key is `OPENAI_API_KEY`; it is
    looked for when the component runs, never before. Raises `UsageError` for other parameters.
    """

    def __init__(
        self, metric: str | DeepEvalMetric, metric_params: Mapping[str, Any] | None = None
    ) -> None:
        self.metric = DeepEvalMetric.from_str(str(metric))
        self.metric_params = metric_params
        self._metric, self._judge = _configured(self.metric, metric_params)
        self._inputs = {name: _FIELDS[name][0] for name in _METRICS[self.metric][2]}
        component.set_input_types(self, **self._inputs)

    @component.output_types(results=list[list[dict[str, Any]]])
    def run(self, **inputs: Any) -> dict[str, Any]:
        """Score `questions`, `contexts`, `responses` (and `ground_truths`), lists of one length.

        Returns `results`: per row, in the order of the input, a list of one dict with `name` (the
        metric's), `score` in [0, 1] and `explanation`. A row that could not be judged, or in which
        there is nothing to judge, has the score `None` and the explanation says why. Empty lists
        give empty `results`.
        Raises `InputError` (a `ValueError`) for inputs that are missing, of different lengths or
        of the wrong type, and `JudgeSetupError` where no row can be judged (no key).
        """
        given = columns("DeepEvalEvaluator", self._inputs, inputs)
        samples = [_sample(given, row) for row in zip(*given.values(), strict=True)]
        rows = run_sync(lambda: run_rows(samples, [self._metric], self._judge))
        return {"results": [self._result(row) for row in rows]}

    def _result(self, row: Row) -> list[dict[str, Any]]:
        score = row.scores[self._metric.label]
        return [{"name": self.metric.value, "score": score.value, "explanation": score.reason}]


def _configured(metric: DeepEvalMetric, params: Mapping[str, Any] | None) -> tuple[Metric, Judge]:
    if params is not None and not isinstance(params, Mapping):
        raise UsageError(f"metric_params must be a dict or None, not {shown(params)}")
    given = dict(params or {})
    build, options, _ = _METRICS[metric]
    known = (*_JUDGE_OPTIONS, *options)
    if unknown := [name for name in given if name not in known]:
        raise UsageError(
            f"metric_params of {metric} cannot hold {', '.join(map(repr, unknown))}; "
            f"known are {', '.join(known)}"
        )
    judge = judge_for(given.pop("model", None), given.pop("base_url", None))
    return build(**given), judge


def _sample(names: Mapping[str, Any], row: tuple[Any, ...]) -> Sample:
    values = {_FIELDS[name][1]: value for name, value in zip(names, row, strict=True)}
    if "references" in values:
        values["references"] = (values["references"],)
    return Sample(**values)
