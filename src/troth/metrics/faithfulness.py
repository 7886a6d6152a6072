"""Faithfulness: the share of the answer's claims that its contexts support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth.asks import SUPPORTED, UNMENTIONED, YES, Item, Support, SupportWhole
from troth.errors import UsageError
from troth.metric import ANSWER, SENTENCE, Metric, Steps
from troth.sample import Sample
from troth.score import Score
from troth.verdicts import (
    NO_CONTEXT,
    claims_of,
    contexts_of,
    explain,
    joint_support,
    numbered,
    share,
    without_contexts,
)


@dataclass(frozen=True, slots=True)
class Faithfulness(Metric):
    """Supported claims ÷ claims, in [0, 1]; higher is better.

    A claim that the contexts do not mention fails (`unverifiable="fails"`, the default) or passes
    as long as nothing contradicts it (`"counts"`, the rule of DeepEval's FaithfulnessMetric,
    https://deepeval.com/docs/metrics-faithfulness). The denominator is the number of sentences
    asked about, less those that claim nothing; a sentence with several claims counts in parts.
    `Score.support` is `troth.verdicts.joint_support` of the claims. Unscorable where the answer
    claims nothing, and under `"counts"` where there is no context.

    `granularity="answer"` asks one yes or no for the whole answer instead: 1.0 or 0.0, no claims
    named; an answer that claims nothing passes. It goes with `unverifiable="fails"` alone.
    """

    name: ClassVar = "faithfulness"
    needs: ClassVar = ("answer", "contexts")
    judged: ClassVar = True
    choice: ClassVar = "unverifiable"
    choices: ClassVar = ("fails", "counts")
    granularities: ClassVar = (SENTENCE, ANSWER)

    unverifiable: str = "fails"
    granularity: str = SENTENCE

    def __post_init__(self) -> None:
        super(Faithfulness, self).__post_init__()
        if self.granularity == ANSWER and self.unverifiable != "fails":
            raise UsageError(
                f"faithfulness: granularity={ANSWER!r} asks whether the contexts support the "
                f"answer, yes or no; unverifiable={self.unverifiable!r} needs {SENTENCE!r}"
            )

    def steps(self, sample: Sample) -> Steps:
        """One ask: support for every sentence of the answer, or for the whole of it."""
        items = numbered("a", sample.answer or "")
        contexts = contexts_of(sample)
        if not items:
            return Score.unscorable("the answer makes no claim")
        if not contexts and self.unverifiable == "counts":
            return Score.unscorable("there is no context that could contradict the answer")
        if self.granularity == ANSWER:
            return (yield from _whole(sample, contexts))
        [verdicts] = yield [Support(items=items, contexts=contexts, question=sample.question)]
        if not contexts:
            verdicts = without_contexts(verdicts)
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


def _whole(sample: Sample, contexts: tuple[Item, ...]) -> Steps:
    if not contexts:
        return Score(0.0, reason=NO_CONTEXT, support=0.0)
    item = Item("a", (sample.answer or "").strip())
    [[verdict]] = yield [SupportWhole(items=(item,), contexts=contexts, question=sample.question)]
    yes = verdict.label == YES
    said = "the contexts support the whole answer" if yes else "not all of it is supported"
    reason = f"{said}: {verdict.reason}" if verdict.reason else said
    return Score(float(yes), reason=reason, verdicts=(verdict,), support=verdict.support)
