"""Which items claim nothing: short questions, courtesies, and saying that one cannot say.

A claim must not hide behind a polite phrase. So a courtesy is one that holds only words of
courtesy, and who says that nothing is known must say it in every clause.
"""

from __future__ import annotations

import re
from typing import Final

from troth.judges.builtin.evidence import Sentence
from troth.judges.builtin.phrases import (
    BOUND,
    CONDITION,
    COURTESY,
    FILLER,
    GOES_ON,
    LIST_ENDS,
    LISTS_ON,
    NAMES_SOURCE,
    PASSIVE,
    SUBJECT,
    UNABLE,
    UNSPACED_FILLER,
    UNSURE,
    polite,
    sources,
)
from troth.text.asides import without_asides

_QUESTION: Final = re.compile(r"[?？؟]\W*$")
_TELLING_QUESTION: Final = re.compile(r"\b(?:did|do) you know\b", re.IGNORECASE)
_SHORT: Final = 5  # content words up to which a question or a doubt is nothing more


def claims_nothing(item: Sentence) -> str | None:
    """Why the item claims nothing, or `None` if it claims something."""
    if not item.content and not item.numbers:
        return "it holds no word that says something"
    text = without_asides(item.text).replace("’", "'").strip()
    if _says_that_it_cannot(text):
        return "it says that it cannot say"
    short = len(item.content) <= _SHORT and not item.numbers
    if short and _QUESTION.search(text) and not _TELLING_QUESTION.search(text):
        return "it asks"
    return "it is a courtesy" if _is_courtesy(text) else None


def _is_courtesy(text: str) -> bool:
    rest = _without_courtesy(text)
    return rest is not None and _holds_only(rest, polite())


def _without_courtesy(text: str) -> str | None:
    """What follows the polite phrases at the start of `text`; `None` where there is none."""
    end = 0
    while found := COURTESY.match(text, end):
        end = found.end()
    return text[end:] if end else None


def _holds_only(text: str, allowed: frozenset[str]) -> bool:
    read = Sentence.of(UNSPACED_FILLER.sub(" ", text))
    return read.content <= allowed and not read.numbers


def _says_that_it_cannot(text: str) -> bool:
    clauses = BOUND.split(text)
    list_ends = max((n for n, clause in enumerate(clauses) if LIST_ENDS.match(clause)), default=-1)
    said = False
    for n, clause in enumerate(clauses):
        if _refuses(clause):
            if GOES_ON.search(clause):
                return False
            said = True
        # Behind a refusal, "the price, the hours, or the address" is what is not known.
        elif said and (n < list_ends or LISTS_ON.match(clause)) and not _numbers(clause):
            continue
        elif not _is_idle(clause):
            return False
    return said


def _is_idle(clause: str) -> bool:
    """Does a clause beside a refusal add nothing: "I'm sorry", "based on the passages"?"""
    if (NAMES_SOURCE.match(clause) or CONDITION.match(clause)) and not _numbers(clause):
        return True
    rest = _without_courtesy(clause)
    return _holds_only(clause if rest is None else rest, polite() | sources())


def _numbers(clause: str) -> bool:
    return bool(Sentence.of(clause).numbers)


def _refuses(clause: str) -> bool:
    found = UNABLE.search(clause)
    if found:
        return _holds_only(FILLER.sub(" ", clause[: found.start()]), polite() | sources())
    found = PASSIVE.search(clause)
    if found:
        return SUBJECT.fullmatch(clause, 0, found.start()) is not None
    found = UNSURE.search(clause)
    return (
        found is not None
        and _holds_only(clause[: found.start()], polite())
        and (len(Sentence.of(clause).content) <= _SHORT and not Sentence.of(clause).numbers)
    )
