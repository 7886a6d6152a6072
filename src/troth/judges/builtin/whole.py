"""One text as a whole, yes or no: its sentences are judged, and one of them decides."""

from __future__ import annotations

from msgspec.structs import replace

from troth.asks import NO, NO_CLAIM, YES, Relevance, RelevanceWhole, Support, SupportWhole
from troth.asks import Item as Text
from troth.judges.builtin.relevance import RELEVANT_FROM, judge_relevance
from troth.judges.builtin.support import judge_support
from troth.judges.builtin.weights import SUPPORTED_FROM
from troth.score import Verdict
from troth.text.sentences import sentences


def judge_support_whole(ask: SupportWhole) -> tuple[Verdict, ...]:
    """The sentence with the least support decides; what claims nothing lacks no support."""
    answers = []
    for item in ask.items:
        parts = _parts(item)
        found = judge_support(Support(items=parts, contexts=ask.contexts))
        claims = [v for v in found if v.label != NO_CLAIM]
        if claims:
            answers.append(_said(item, min(claims, key=lambda v: v.support), SUPPORTED_FROM))
        else:
            answers.append(Verdict(item.id, YES, 1.0, "it claims nothing", text=item.text))
    return tuple(answers)


def judge_relevance_whole(ask: RelevanceWhole) -> tuple[Verdict, ...]:
    """The most relevant sentence decides; a text without a sentence is not relevant."""
    answers = []
    for item in ask.items:
        found = judge_relevance(
            Relevance(items=_parts(item), question=ask.question, subject=ask.subject)
        )
        if found:
            answers.append(_said(item, max(found, key=lambda v: v.support), RELEVANT_FROM))
        else:
            answers.append(Verdict(item.id, NO, 0.0, "it has no sentence", text=item.text))
    return tuple(answers)


def _parts(item: Text) -> tuple[Text, ...]:
    return tuple(Text(item.id, sentence) for sentence in sentences(item.text))


def _said(item: Text, deciding: Verdict, threshold: float) -> Verdict:
    label = YES if deciding.support >= threshold else NO
    return replace(deciding, label=label, text=item.text)
