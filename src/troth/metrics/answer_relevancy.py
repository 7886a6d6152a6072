"""Answer relevancy: how much of the answer bears on the question?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth.asks import RELEVANT, Relevance
from troth.metric import Metric, Steps
from troth.sample import Sample
from troth.score import Score
from troth.verdicts import explain, mean_support, numbered, share


@dataclass(frozen=True, slots=True)
class AnswerRelevancy(Metric):
    """Relevant sentences of the answer ÷ its sentences, in [0, 1]; higher is better.

    Formula of DeepEval's AnswerRelevancyMetric
    (https://deepeval.com/docs/metrics-answer-relevancy). It says nothing about truth.
    `Score.support` is the sentences' mean support. Unscorable for an answer without a sentence.
    """

    name: ClassVar = "answer_relevancy"
    needs: ClassVar = ("question", "answer")
    judged: ClassVar = True

    def steps(self, sample: Sample) -> Steps:
        """One ask: the relevance of every sentence of the answer."""
        items = numbered("a", sample.answer or "")
        if not items:
            return Score.unscorable("the answer is empty")
        [verdicts] = yield [Relevance(items=items, question=sample.question or "")]
        return Score(
            share(verdicts, {RELEVANT}),
            reason=explain(verdicts, {RELEVANT}, "sentences"),
            verdicts=verdicts,
            support=mean_support(verdicts),
        )
