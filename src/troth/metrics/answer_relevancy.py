"""Answer relevancy: how much of the answer bears on the question?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth.asks import RELEVANT, YES, Item, Relevance, RelevanceWhole
from troth.metric import ANSWER, SENTENCE, Metric, Steps
from troth.sample import Sample
from troth.score import Score
from troth.verdicts import explain, mean_support, numbered, share


@dataclass(frozen=True, slots=True)
class AnswerRelevancy(Metric):
    """Relevant sentences of the answer ÷ its sentences, in [0, 1]; higher is better.

    Formula of DeepEval's AnswerRelevancyMetric
    (https://deepeval.com/docs/metrics-answer-relevancy). It says nothing about truth.
    `Score.support` is the sentences' mean support. Unscorable for an answer without a sentence.

    `granularity="answer"` asks one yes or no instead, 1.0 or 0.0: does the answer as a whole answer
    the question, or a part of it?
    """

    name: ClassVar = "answer_relevancy"
    needs: ClassVar = ("question", "answer")
    judged: ClassVar = True
    granularities: ClassVar = (SENTENCE, ANSWER)

    granularity: str = SENTENCE

    def steps(self, sample: Sample) -> Steps:
        """One ask: the relevance of every sentence of the answer, or of the whole of it."""
        items = numbered("a", sample.answer or "")
        if not items:
            return Score.unscorable("the answer is empty")
        if self.granularity == ANSWER:
            return (yield from _whole(sample))
        [verdicts] = yield [Relevance(items=items, question=sample.question or "")]
        return Score(
            share(verdicts, {RELEVANT}),
            reason=explain(verdicts, {RELEVANT}, "sentences"),
            verdicts=verdicts,
            support=mean_support(verdicts),
        )


def _whole(sample: Sample) -> Steps:
    item = Item("a", (sample.answer or "").strip())
    [[verdict]] = yield [RelevanceWhole(items=(item,), question=sample.question or "")]
    yes = verdict.label == YES
    said = f"the answer {'answers' if yes else 'does not answer'} the question"
    reason = f"{said}: {verdict.reason}" if verdict.reason else said
    return Score(float(yes), reason=reason, verdicts=(verdict,), support=verdict.support)
