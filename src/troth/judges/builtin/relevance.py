"""Relevance to a question, and a context's usefulness for arriving at a reference answer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from troth.asks import (
    IRRELEVANT,
    RELEVANT,
    USEFUL,
    USELESS,
    Item,
    Relevance,
    Usefulness,
)
from troth.judges.builtin.claims import claims_nothing
from troth.judges.builtin.evidence import Sentence
from troth.judges.builtin.lexicon import light
from troth.score import Verdict
from troth.text.tokens import names, stem, words

_LIGHT: Final = 0.3  # weight of a word that says little
_TYPE: Final = 0.25  # what holding the kind of thing that is asked for is worth
RELEVANT_FROM: Final = 0.4
_USEFUL_FROM: Final = 0.5
_BRIEF: Final = 6  # content words of a sentence that answers without repeating the question
_NUMERIC: Final = re.compile(
    r"\b(?:when|how (?:many|much|old|long|far|tall|high|big|large|often)|(?:what|which) "
    r"(?:year|date|day|month|time|number|percent\w*|age)|wann|wie ?viele?|combien|quand|cuándo|"
    r"cuánt\w+|когда|сколько)\b|多少|几|何時|いつ|何年",
    re.IGNORECASE,
)
_NAMED: Final = re.compile(
    r"\b(?:who|whom|whose|where|(?:what|which) (?:city|country|state|person|company|team|name|"
    r"place)|wer|wo|qui|où|quién|dónde|кто|где)\b|谁|哪里|誰|どこ",
    re.IGNORECASE,
)


def judge_relevance(ask: Relevance) -> tuple[Verdict, ...]:
    """One verdict per item, in order; each depends on the question and the item alone."""
    question = Sentence.of(ask.question)
    return tuple(_relevance(item, question, ask.subject) for item in ask.items)


def _relevance(item: Item, question: Sentence, subject: str) -> Verdict:
    sentence = Sentence.of(item.text)
    shared = _share(question, sentence)
    hint = _has_type(question, sentence)
    value = (1 - _TYPE) * shared + (_TYPE if hint else 0.0)
    reason = f"shares {_listed(question.content & sentence.content, sentence)} with the question"
    if hint:
        reason += f"; holds {hint}, which it asks for"
    # An answer need not repeat the question: "Paris." answers fully.
    brief = len(sentence.content) <= _BRIEF and not claims_nothing(sentence)
    if subject == "answer" and value < RELEVANT_FROM and (brief or hint or shared >= 0.25):
        value = RELEVANT_FROM + 0.5 * value
        reason += "; too brief to repeat the question" if brief and not shared else ""
    label = RELEVANT if value >= RELEVANT_FROM else IRRELEVANT
    return Verdict(item.id, label, value, reason, text=item.text)


def judge_usefulness(ask: Usefulness) -> tuple[Verdict, ...]:
    """One verdict per context, in order; each depends on that context alone."""
    question = Sentence.of(ask.question or "")
    references = tuple(Sentence.of(reference) for reference in ask.references)
    return tuple(_usefulness(item, question, references) for item in ask.items)


def _usefulness(item: Item, question: Sentence, references: tuple[Sentence, ...]) -> Verdict:
    context = Sentence.of(item.text)
    held = max((told(reference, question, context) for reference in references), default=0.0)
    asked = _share(question, context) if question.content or question.numbers else 1.0
    value = held * (0.6 + 0.4 * asked)
    reason = f"holds {held:.0%} of what a reference says and {asked:.0%} of what is asked"
    return Verdict(item.id, USEFUL if value >= _USEFUL_FROM else USELESS, value, reason)


def told(reference: Sentence, question: Sentence, context: Sentence) -> float:
    """The share of a reference that the context holds; what the question says does not count."""
    own = reference.content - question.content
    if own or reference.values:
        return _weighed(own, reference, context)
    return _share(reference, context) if reference.content else _literal(reference, context)


def _literal(reference: Sentence, context: Sentence) -> float:
    """For a reference of stop words alone (`"yes"`, `"it"`): is each in the context?"""
    stems = set(reference.stems)
    return len(stems & set(context.stems)) / len(stems) if stems else 0.0


def _share(wanted: Sentence, found: Sentence) -> float:
    """The weighted share, in [0, 1], of what `wanted` says that `found` holds; 0 for nothing."""
    return _weighed(wanted.content, wanted, found)


def _weighed(content: Iterable[str], wanted: Sentence, found: Sentence) -> float:
    stems, starts = set(found.stems), {word[:5] for word in found.stems if len(word) >= 5}
    values = found.values
    held = total = 0.0
    for word in sorted(content):
        weight = _LIGHT if word in light() else 1.0
        total += weight
        held += weight * (1.0 if word in stems else 0.5 if word[:5] in starts else 0.0)
    for number in wanted.numbers:
        total += 1.0
        held += bool(number.values & values)
    return held / total if total else 0.0


def _has_type(question: Sentence, sentence: Sentence) -> str:
    """The kind of thing that the question asks for, if the sentence adds one; else empty."""
    if _NUMERIC.search(question.text) and sentence.values - question.values:
        return "a number"
    if _NAMED.search(question.text):
        known = {word.casefold() for word in words(question.text)}
        if any(name.casefold() not in known for name in names(words(sentence.text))):
            return "a name"
    return ""


def _listed(stems: frozenset[str], sentence: Sentence) -> str:
    """The stems as the sentence writes them."""
    written = dict.fromkeys(word for word in words(sentence.text) if stem(word) in stems)
    return ", ".join(f"“{word}”" for word in list(written)[:4]) or "no word"
