"""Faithfulness: the share of the answer's claims that its contexts support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth.asks import SUPPORTED, UNMENTIONED, Support
from troth.metric import Metric, Steps
from troth.sample import Sample
from troth.score import Score
from troth.verdicts import claims_of, contexts_of, explain, joint_support, numbered, share


@dataclass(frozen=True, slots=True)
class Faithfulness(Metric):
    """Supported claims ÷ claims, in [0, 1]; higher is better.

    A claim that the contexts do not mention fails (`unverifiable="fails"`, the default) or passes
    as long as nothing contradicts it (`"counts"`, the rule of DeepEval's FaithfulnessMetric,
    https://deepeval.com/docs/metrics-faithfulness). The denominator is the number of sentences
    asked about, less those that claim nothing; a sentence with several claims counts in parts.
    `Score.support` is `troth.verdicts.joint_support` of the claims. Unscorable where the answer
    claims nothing, and under `"counts"` where there is no context.
    """

    name: ClassVar = "faithfulness"
    needs: ClassVar = ("answer", "contexts")
    judged: ClassVar = True
    choice: ClassVar = "unverifiable"
    choices: ClassVar = ("fails", "counts")

    unverifiable: str = "fails"

    def steps(self, sample: Sample) -> Steps:
        """One ask: support for every sentence of the answer."""
        items = numbered("a", sample.answer or "")
        contexts = contexts_of(sample)
        if not items:
            return Score.unscorable("the answer makes no claim")
        if not contexts and self.unverifiable == "counts":
            return Score.unscorable("there is no context that could contradict the answer")
        [verdicts] = yield [Support(items=items, contexts=contexts, question=sample.question)]
        claims = claims_of(verdicts)
        if not claims:
            return Score.unscorable("the answer makes no claim", verdicts)
        good = {SUPPORTED} if self.unverifiable == "fails" else {SUPPORTED, UNMENTIONED}
        return Score(
            share(claims, good),
            reason=explain(claims, good, "claims"),
            verdicts=verdicts,
            support=joint_support(claims),
        )
