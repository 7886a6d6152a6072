"""Contextual relevancy: how much of what was retrieved bears on the question?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth.asks import RELEVANT, Relevance
from troth.metric import Metric, Steps
from troth.sample import Sample
from troth.score import Score
from troth.verdicts import explain, mean_support, numbered, share


@dataclass(frozen=True, slots=True)
class ContextualRelevancy(Metric):
    """Relevant sentences of the contexts ÷ their sentences, in [0, 1]; higher is better.

    Pooled over all contexts, the formula of DeepEval's ContextualRelevancyMetric
    (https://deepeval.com/docs/metrics-contextual-relevancy); `details["per_context"]` keeps the
    share of each context (`None` where it has no sentence). `Score.support` is the sentences' mean
    support. Unscorable where no context holds a sentence.
    """

    name: ClassVar = "contextual_relevancy"
    needs: ClassVar = ("question", "contexts")
    judged: ClassVar = True

    def steps(self, sample: Sample) -> Steps:
        """One ask: the relevance of every sentence of every context."""
        groups = [numbered(f"c{n}.", text) for n, text in enumerate(sample.contexts or (), 1)]
        items = tuple(item for group in groups for item in group)
        if not items:
            return Score.unscorable("the contexts hold no sentence")
        [verdicts] = yield [
            Relevance(items=items, question=sample.question or "", subject="context")
        ]
        by_id = {v.id: v for v in verdicts}
        per_context = [
            share([by_id[item.id] for item in group], {RELEVANT}) if group else None
            for group in groups
        ]
        return Score(
            share(verdicts, {RELEVANT}),
            reason=explain(verdicts, {RELEVANT}, "context sentences"),
            verdicts=verdicts,
            support=mean_support(verdicts),
            details={"per_context": per_context},
        )
