"""Asks that are too long for a judge's window, cut into asks that fit. Nothing is left out.

Items are judged one by one anyway, so they are shared out first. A single item that does not fit
with all its contexts is held against some of them at a time: what any of them supports is
supported, and what none supports is contradicted if any contradicts it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from troth.asks import (
    CONTRADICTED,
    SUPPORTED,
    USEFUL,
    Answer,
    Ask,
    Item,
    Joint,
    Support,
    Usefulness,
)
from troth.errors import JudgeUnavailable
from troth.judges.base import Judge
from troth.score import Verdict
from troth.text.sentences import sentences

EXPLAINED, BARE = 40, 12  # tokens of a reply per item, with a reason and without
WORD = 2  # tokens of a reply that is one word

Merge = Callable[[Sequence[Answer]], Answer]


def excess(judge: Judge, ask: Ask) -> int:
    """By how many tokens (estimated) the ask and its reply exceed the judge's window; 0 if none."""
    if judge.window is None or (sent := judge.sent(ask)) is None:
        return 0
    return max(0, tokens(sent) + reply_tokens(ask) - judge.window)


def tokens(text: str) -> int:
    """About as many tokens as a language model's: four letters, or one character of CJK, each."""
    wide = sum(1 for c in text if ord(c) >= 0x2E80) if not text.isascii() else 0
    return wide + -(-(len(text) - wide) // 4)


def reply_tokens(ask: Ask) -> int:
    """About as many tokens as the reply to `ask` takes."""
    if isinstance(ask, Joint):
        return sum(reply_tokens(part) for part in ask.parts)
    if ask.one_word:
        return WORD
    return len(ask.items) * (EXPLAINED if ask.explain else BARE)


def split(judge: Judge, ask: Ask) -> tuple[tuple[Ask, Ask], Merge]:
    """Two smaller asks and how their answers become the answer to `ask`.

    Raises `JudgeUnavailable` where `ask` cannot be made smaller.
    """
    if len(ask.items) > 1:
        first, second = _halves(ask.items)
        return (replace(ask, items=first), replace(ask, items=second)), _one_after_the_other
    if isinstance(ask, Support) and (parts := _context_halves(ask.contexts)):
        first, second = parts
        return (replace(ask, contexts=first), replace(ask, contexts=second)), _any_supports
    if isinstance(ask, Usefulness) and (texts := _text_halves(ask.items[0].text)):
        name = ask.items[0].id
        one, two = (replace(ask, items=(Item(name, text),)) for text in texts)
        return (one, two), _most_useful
    raise JudgeUnavailable(
        f"the ask exceeds the judge's window of {judge.window} tokens by about "
        f"{excess(judge, ask)} and cannot be cut further: raise window=, or shorten the row"
    )


def _halves(items: tuple[Item, ...]) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Two parts of about equal length in characters, neither of them empty."""
    total, seen = sum(len(item.text) for item in items), 0
    for place, item in enumerate(items[:-1], 1):
        seen += len(item.text)
        if 2 * seen >= total:
            return items[:place], items[place:]
    return items[:-1], items[-1:]


def _context_halves(
    contexts: tuple[Item, ...],
) -> tuple[tuple[Item, ...], tuple[Item, ...]] | None:
    if len(contexts) > 1:
        return _halves(contexts)
    if contexts and (texts := _text_halves(contexts[0].text)):
        one, two = (Item(contexts[0].id, text) for text in texts)
        return (one,), (two,)
    return None


def _text_halves(text: str) -> tuple[str, str] | None:
    pieces = sentences(text)
    if len(pieces) < 2:
        return None
    first, second = _halves(tuple(Item("", piece) for piece in pieces))
    one, two = ("\n".join(item.text for item in half) for half in (first, second))
    return one, two


def _one_after_the_other(answers: Sequence[Answer]) -> Answer:
    return tuple(verdict for answer in answers for verdict in answer)


def _any_supports(answers: Sequence[Answer]) -> Answer:
    """Claim by claim what either half of the contexts says, where both name the same claims.

    A judge may word the claims of a sentence in two ways; then the better answer counts whole.
    """
    one, two = ({_folded(v.text): v for v in answer} for answer in answers)
    if one.keys() == two.keys() and len(one) == len(answers[0]) == len(answers[1]):
        return tuple(max(v, two[claim], key=_telling) for claim, v in one.items())
    return _best_supported(answers)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _telling(verdict: Verdict) -> tuple[bool, bool, float]:
    return verdict.label == SUPPORTED, verdict.label == CONTRADICTED, verdict.support


def _best_supported(answers: Sequence[Answer]) -> Answer:
    """The answer with the largest supported share; without any, one that contradicts."""

    def worth(answer: Answer) -> tuple[float, bool, float]:
        supported = sum(v.weight for v in answer if v.label == SUPPORTED)
        contradicted = any(v.label == CONTRADICTED for v in answer)
        return supported, contradicted, sum(v.weight * v.support for v in answer)

    return max(answers, key=worth)


def _most_useful(answers: Sequence[Answer]) -> Answer:
    return max(answers, key=lambda a: (a[0].label == USEFUL, a[0].support))
