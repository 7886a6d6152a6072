"""DeepEval's five RAG metrics as the component that DeepEval's integration offers.

Everything that differs between the metrics stands in one table; scoring is the engine's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from haystack import component

from troth.errors import UsageError
from troth.haystack._component import JudgedComponent, Judging, concurrency_of, mean_of
from troth.haystack._deepeval_params import Params, read
from troth.haystack._inputs import Groups, Texts, columns
from troth.haystack._judge import judge_for, judge_of
from troth.haystack._serialise import PUBLIC, revived, serialised
from troth.judges.base import Judge
from troth.metric import Metric
from troth.metrics.answer_relevancy import AnswerRelevancy
from troth.metrics.contextual_precision import ContextualPrecision
from troth.metrics.contextual_recall import ContextualRecall
from troth.metrics.contextual_relevancy import ContextualRelevancy
from troth.metrics.faithfulness import Faithfulness
from troth.sample import Sample
from troth.score import Score

_NAME = "DeepEvalEvaluator"


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


@component
class DeepEvalEvaluator(JudgedComponent):
    """Scores rows of a RAG system by one of `DeepEvalMetric`, given by name or as the enum.

    `metric_params` may hold:

    - `model`: a model of OpenAI or of `base_url` (`"gpt-4"`), a judge's name (`"builtin"`, which
      needs no key, `"openai/gpt-4o"`, `"http://127.0.0.1:11434/v1#qwen3"`) or a `Judge`;
    - `base_url`: another OpenAI-compatible endpoint; default `OPENAI_BASE_URL`, else OpenAI;
    - `api_key`: a Haystack `Secret`; default the environment variable `OPENAI_API_KEY`;
    - `threshold` in [0, 1]: rows get `success`, whether their score reaches it;
    - `strict_mode`: a score below 1 counts as 0, and the threshold is 1;
    - `include_reason` (default `True`): without it labels alone are asked for, which is cheaper;
    - `penalize_ambiguous_claims` (faithfulness alone, default `False`): does a claim fail that no
      context mentions?

    `judge` (a name or a `Judge`) or `chat_generator` (any Haystack ChatGenerator) may judge instead
    of `model`; `max_concurrency`, `journal`, `progress_bar` and `raise_on_failure` are those of
    `troth.haystack._component.Judging`. Without any of it OpenAI's default model judges. Keys are
    looked for when the component warms up or runs, never before. Raises `UsageError` for other
    parameters.
    """

    __module__ = PUBLIC

    def __init__(
        self,
        metric: str | DeepEvalMetric,
        metric_params: Mapping[str, Any] | None = None,
        *,
        judge: str | Judge | None = None,
        chat_generator: Any = None,
        max_concurrency: int | None = None,
        journal: str | Path | None = None,
        progress_bar: bool = True,
        raise_on_failure: bool = False,
    ) -> None:
        self.metric = DeepEvalMetric.from_str(str(metric))
        self._params = read(self.metric, metric_params, _METRICS[self.metric][1])
        self.metric_params = None if metric_params is None else {**metric_params}
        self._given = None if metric_params is None else {**metric_params}
        self.judge = judge
        self.chat_generator = chat_generator
        build, _, inputs = _METRICS[self.metric]
        self._metric = build(**self._params.options)
        self._judging = Judging(
            _NAME,
            _judge(self._params, judge, chat_generator, max_concurrency),
            generator=chat_generator,
            max_concurrency=max_concurrency,
            journal=journal,
            progress_bar=progress_bar,
            raise_on_failure=raise_on_failure,
            explain=self._params.include_reason,
        )
        self._inputs = {name: _FIELDS[name][0] for name in inputs}
        component.set_input_types(self, **self._inputs)

    @component.output_types(
        results=list[list[dict[str, Any]]], score=float, individual_scores=list[float]
    )
    def run(self, **inputs: Any) -> dict[str, Any]:
        """Score `questions`, `contexts`, `responses` (and `ground_truths`), lists of one length.

        Returns, in the order of the input,

        - `results`: per row a list of one dict with `name` (the metric's), `score` in [0, 1],
          `explanation`; where there is no score, `status` (`unscorable`: nothing to judge, or
          `failed`: the judge did not deliver); where there is a threshold, `success`;
        - `individual_scores`: the rows' scores;
        - `score`: their mean.

        A row without a score has `None` in both lists, its explanation says why, and it is not in
        the mean, which is `None` where no row has a score. Empty lists give empty lists.
        Raises `InputError` (a `ValueError`) for inputs that are missing, of different lengths or
        of the wrong type, and `JudgeSetupError` where no row can be judged (no key).
        """
        return self._output(self._judging.scores(self._metric, self._samples(inputs)))

    @component.output_types(
        results=list[list[dict[str, Any]]], score=float, individual_scores=list[float]
    )
    async def run_async(self, **inputs: Any) -> dict[str, Any]:
        """`run` on the running event loop, with the same inputs and outputs."""
        return self._output(await self._judging.scores_async(self._metric, self._samples(inputs)))

    def _samples(self, inputs: Mapping[str, Any]) -> list[Sample]:
        given = columns(_NAME, self._inputs, inputs)
        return [_sample(given, row) for row in zip(*given.values(), strict=True)]

    def _output(self, scores: Sequence[Score]) -> dict[str, Any]:
        values = [self._params.counted(score.value) for score in scores]
        results = [[self._result(s, value)] for s, value in zip(scores, values, strict=True)]
        return {"results": results, "score": mean_of(values), "individual_scores": values}

    def _result(self, score: Score, value: float | None) -> dict[str, Any]:
        said = self._params.include_reason or value is None
        result = {
            "name": self.metric.value,
            "score": value,
            "explanation": score.reason if said else None,
        }
        if value is None:  # rows with a score have the keys that the integration gives, no more
            result["status"] = score.status.value
        if (threshold := self._params.threshold) is not None:
            result["success"] = value is not None and value >= threshold
        return result

    def to_dict(self) -> dict[str, Any]:
        """The component as basic types; `SerializationError` where a judge is not named."""
        return serialised(
            self,
            metric=self.metric,
            metric_params=self._given,
            judge=self.judge,
            chat_generator=self.chat_generator,
            **self._judging.options(),
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> DeepEvalEvaluator:
        """The component that `to_dict` wrote down."""
        return revived(cls, data)


def _judge(
    params: Params, judge: str | Judge | None, generator: Any, max_concurrency: int | None
) -> Judge:
    if judge is None and generator is None:
        concurrency_of(_NAME, max_concurrency)
        return judge_for(**params.judge, max_concurrency=max_concurrency)
    if params.judge:
        named = "judge" if judge is not None else "chat_generator"
        raise UsageError(f"{_NAME}: {named} cannot go with metric_params {', '.join(params.judge)}")
    return judge_of(_NAME, judge, generator, max_concurrency)


def _sample(names: Mapping[str, Any], row: tuple[Any, ...]) -> Sample:
    values = {_FIELDS[name][1]: value for name, value in zip(names, row, strict=True)}
    if "references" in values:
        values["references"] = (values["references"],)
    return Sample(**values)
