"""Correctness against references: what does each side say of the other's sentences?

Short answers decide: a reference is often one name or number. So a sentence of a reference is
looked for in the whole answer, by its words and by its letters; both views see what the other
misses (another inflection, another spelling).
"""

from __future__ import annotations

import unicodedata
from typing import Final, NamedTuple

from troth.asks import CONTRADICTED, MATCHED, SUPPORTED, UNMATCHED, Correctness, Item, Support
from troth.judges.builtin.evidence import Sentence
from troth.judges.builtin.relevance import told
from troth.judges.builtin.support import judge_support
from troth.judges.builtin.weights import NEW_NUMBER
from troth.score import Verdict
from troth.text.tokens import words

MATCHED_FROM: Final = 0.6  # the one threshold: coverage from which a sentence is called matched
_LETTERS: Final = 3
ANSWER: Final = "the answer"
REFERENCE: Final = "a reference"


class _Text(NamedTuple):
    """A text as both views see it."""

    sentence: Sentence
    grams: frozenset[str]

    @classmethod
    def of(cls, text: str) -> _Text:
        return cls(Sentence.of(text), _grams(text))


def judge_correctness(ask: Correctness) -> tuple[Verdict, ...]:
    """One verdict per item, in order; each depends on the item and the other side alone."""
    question = Sentence.of(ask.question or "")
    answer = _Text.of(" ".join(item.text for item in ask.answer))
    references = {item: _Text.of(item.text) for item in ask.references}
    verdicts = []
    for item in ask.items:
        if item in references:
            value = _coverage(references[item], answer, question)
            verdicts.append(_verdict(item, value, ask.answer, ANSWER))
        else:
            said = _Text.of(item.text)
            value = max((_coverage(r, said, question) for r in references.values()), default=0.0)
            verdicts.append(_verdict(item, value, ask.references, REFERENCE))
    return tuple(verdicts)


def _coverage(wanted: _Text, text: _Text, question: Sentence) -> float:
    """How much of `wanted` stands in `text`, in [0, 1], by words and by letters."""
    by_words = told(wanted.sentence, question, text.sentence)
    if wanted.sentence.numbers and by_words == 1.0:
        return 1.0  # "ten" is 10 whatever its letters
    by_letters = len(wanted.grams & text.grams) / len(wanted.grams)
    absent = any(not number.values & text.sentence.values for number in wanted.sentence.numbers)
    return (by_words + by_letters) / 2 * (NEW_NUMBER if absent else 1.0)


def _verdict(item: Item, value: float, others: tuple[Item, ...], whose: str) -> Verdict:
    if value >= MATCHED_FROM:
        return Verdict(item.id, MATCHED, value, f"shares {value:.0%} with {whose}")
    [found] = judge_support(Support(items=(item,), contexts=others))
    if found.label == CONTRADICTED:
        support = min(value, found.support)
        return Verdict(item.id, CONTRADICTED, support, found.reason, found.sources)
    # On short references the words in common are the better guide: measured on EVOUNA.
    if found.label == SUPPORTED and whose == REFERENCE:
        return Verdict(item.id, MATCHED, found.support, found.reason, found.sources)
    return Verdict(item.id, UNMATCHED, value, f"shares {value:.0%} with {whose}")


def _grams(text: str) -> frozenset[str]:
    """The runs of three characters of the words, without case and accents."""
    plain = unicodedata.normalize("NFKD", " ".join(words(text)).casefold())
    padded = f" {''.join(c for c in plain if not unicodedata.combining(c))} "
    count = max(1, len(padded) - _LETTERS + 1)
    return frozenset(padded[place : place + _LETTERS] for place in range(count))
