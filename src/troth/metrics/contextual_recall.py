"""Contextual recall: how much of what should be said do the contexts hold?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth.asks import SUPPORTED, YES, Item, Support, SupportWhole
from troth.metric import ANSWER, SENTENCE, Metric, Steps
from troth.sample import Sample
from troth.score import Score
from troth.verdicts import (
    NO_CONTEXT,
    claims_of,
    contexts_of,
    explain,
    mean_support,
    numbered,
    share,
)


@dataclass(frozen=True, slots=True)
class ContextualRecall(Metric):
    """Sentences of the reference attributable to the contexts ÷ its sentences, in [0, 1].

    Higher is better. Formula of DeepEval's ContextualRecallMetric
    (https://deepeval.com/docs/metrics-contextual-recall). Several references: all are asked about
    at once and the best one counts. `Score.support` is the mean support of that reference's
    sentences. No context at all gives 0.0; unscorable where no reference states anything.

    `granularity="answer"` asks one yes or no for each whole reference instead: 1.0 where the
    contexts hold all of at least one, else 0.0.
    """

    name: ClassVar = "contextual_recall"
    needs: ClassVar = ("references", "contexts")
    judged: ClassVar = True
    granularities: ClassVar = (SENTENCE, ANSWER)

    granularity: str = SENTENCE

    def steps(self, sample: Sample) -> Steps:
        """One ask: support for every sentence of every reference; or one per whole reference."""
        groups = [numbered(f"r{n}.", text) for n, text in enumerate(sample.references or (), 1)]
        items = tuple(item for group in groups for item in group)
        if not items:
            return Score.unscorable("no reference states anything")
        contexts = contexts_of(sample)
        if not contexts:
            return Score(0.0, reason=NO_CONTEXT, support=0.0)
        if self.granularity == ANSWER:
            return (yield from _whole(sample))
        [verdicts] = yield [
            Support(
                items=items,
                contexts=contexts,
                question=sample.question,
                subject="reference",
            )
        ]
        candidates = []
        for group in groups:
            ids = {item.id for item in group}
            stated = claims_of([v for v in verdicts if v.id in ids])
            if stated:
                candidates.append((share(stated, {SUPPORTED}), mean_support(stated), stated))
        if not candidates:
            return Score.unscorable("no reference states anything", verdicts)
        value, support, stated = max(candidates, key=lambda c: c[:2])
        reason = explain(stated, {SUPPORTED}, "reference sentences")
        return Score(value, reason=reason, verdicts=verdicts, support=support)


def _whole(sample: Sample) -> Steps:
    texts = enumerate(sample.references or (), 1)
    answers = yield [
        SupportWhole(
            items=(Item(f"r{n}", text.strip()),),
            contexts=contexts_of(sample),
            question=sample.question,
            subject="reference",
        )
        for n, text in texts
        if numbered("", text)
    ]
    verdicts = tuple(verdict for [verdict] in answers)
    best = max(verdicts, key=lambda v: (v.label == YES, v.support))
    yes = best.label == YES
    said = f"the contexts hold {f'all of {best.id}' if yes else 'no reference as a whole'}"
    reason = f"{said}: {best.reason}" if best.reason else said
    return Score(float(yes), reason=reason, verdicts=verdicts, support=best.support)
