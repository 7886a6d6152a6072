"""Contextual precision: do the useful contexts stand in front?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from troth.asks import USEFUL, Usefulness
from troth.metric import Metric, Steps
from troth.sample import Sample
from troth.score import Score
from troth.text.sentences import says_anything
from troth.verdicts import contexts_of, explain


@dataclass(frozen=True, slots=True)
class ContextualPrecision(Metric):
    """Average precision of the contexts, in the order given, in [0, 1]; higher is better.

    A context is useful or not for arriving at a reference; the score is the mean of precision@k
    over the ranks k of the useful ones (formula of DeepEval's ContextualPrecisionMetric,
    https://deepeval.com/docs/metrics-contextual-precision). No useful context gives 0.0.
    `Score.support` is the same formula over the verdicts' supports instead of 0 and 1.
    Unscorable without a context or without a reference.
    """

    name: ClassVar = "contextual_precision"
    needs: ClassVar = ("references", "contexts")
    judged: ClassVar = True

    def steps(self, sample: Sample) -> Steps:
        """One ask: the usefulness of every context."""
        contexts = contexts_of(sample)
        references = tuple(r for r in sample.references or () if says_anything(r))
        if not contexts:
            return Score.unscorable("there is no context")
        if not references:
            return Score.unscorable("no reference states anything")
        [verdicts] = yield [
            Usefulness(items=contexts, question=sample.question, references=references)
        ]
        # A blank context holds its rank: nobody needs to be asked whether it is useful.
        ranked = {v.id: v for v in verdicts}
        ranks = [ranked.get(f"c{n}") for n in range(1, len(sample.contexts or ()) + 1)]
        return Score(
            average_precision([float(v is not None and v.label == USEFUL) for v in ranks]),
            reason=explain(verdicts, {USEFUL}, "contexts"),
            verdicts=verdicts,
            support=average_precision([v.support if v else 0.0 for v in ranks]),
        )


def average_precision(gains: Sequence[float]) -> float:
    """Mean of precision@k weighted by the gain at rank k; gains in [0, 1]; 0.0 if all are 0."""
    total = sum(gains)
    if total == 0:
        return 0.0
    seen = weighted = 0.0
    for rank, gain in enumerate(gains, 1):
        seen += gain
        weighted += gain * seen / rank
    return min(1.0, weighted / total)
