"""What can be seen of one item beside the contexts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from troth.judges.builtin.evidence import NO, UNKNOWN, YES, Evidence, Fact, Sentence
from troth.judges.builtin.lexicon import contrasts, denied_by, light
from troth.text.tokens import Number, names, stem

_MATCHES = 3  # context sentences an item is compared with
_LIGHT = 0.3  # weight of a word that says little
_NEAR = 0.5  # worth of a word of which only the beginning is in the contexts


class Features(NamedTuple):
    """What the weights apply to; every feature is in [0, 1], and 0 speaks for support."""

    uncovered: float  # weighted share of content stems missing from the best sentence
    unmatched: float  # the same for the three best sentences, light words counting less
    foreign: float  # share of content stems that are in no context, light words left out
    new_numbers: float  # numbers that are in no context (3 or more: 1)
    new_names: float  # named things that are in no context (3 or more: 1)
    rewritten: float  # 1 - longest run of words copied from a best sentence / words
    opposite: float  # is there a word whose opposite stands in a best sentence?
    negated: float  # is there a negation where the best sentences have none?


@dataclass(frozen=True, slots=True)
class Findings:
    """The features with what they were read from, for labels and reasons."""

    features: Features
    matches: tuple[Sentence, ...]
    coverage: float
    foreign: tuple[str, ...]
    numbers: tuple[str, ...]
    names: tuple[str, ...]
    opposites: tuple[tuple[str, str], ...]
    denied: tuple[Fact, ...]


def find(item: Sentence, evidence: Evidence) -> Findings:
    """Compare one item with the contexts."""
    matches = evidence.best(item.content, _MATCHES)
    best = frozenset(matches[0].stems) if matches else frozenset[str]()
    top = frozenset(word for match in matches for word in match.stems)
    foreign = _foreign(item, evidence)
    new_numbers = [n.surface for n in item.numbers if _is_new(n, evidence)]
    new_names = [
        name
        for name in dict.fromkeys(names(list(item.tokens)))
        if stem(name) not in evidence.places and stem(name) in item.content
    ]
    opposites = _opposites(item, top)
    uncovered = _uncovered(item, best, evidence, 1.0)
    features = Features(
        uncovered,
        _uncovered(item, top, evidence, _LIGHT),
        len(foreign) / max(1, len(item.content)),
        min(len(new_numbers), 3) / 3,
        min(len(new_names), 3) / 3,
        1 - _copied(item, matches),
        float(bool(opposites)),
        float(bool(item.negations) and not any(match.negations for match in matches)),
    )
    return Findings(
        features,
        tuple(matches),
        1 - uncovered,
        foreign,
        tuple(new_numbers),
        tuple(new_names),
        opposites,
        tuple(fact for fact in evidence.facts if _denies(fact, item)),
    )


def _uncovered(item: Sentence, stems: frozenset[str], evidence: Evidence, lightly: float) -> float:
    missing = total = 0.0
    for word in sorted(item.content):
        weight = evidence.weight(word) * (lightly if word in light() else 1.0)
        total += weight
        if word not in stems:
            missing += weight * (1 - _NEAR if evidence.near(word) else 1.0)
    for number in item.numbers:
        new = _is_new(number, evidence)
        weight = evidence.weight(number.surface if new else stem(number.surface))
        total += weight
        missing += weight * new
    return missing / total if total else 0.0


def _foreign(item: Sentence, evidence: Evidence) -> tuple[str, ...]:
    known = evidence.places.keys() | light()
    return tuple(
        word
        for word in dict.fromkeys(item.stems)
        if word in item.content and word not in known and not evidence.near(word)
    )


def _is_new(number: Number, evidence: Evidence) -> bool:
    # "one" is mostly a pronoun.
    return (
        number.surface != "one"
        and not number.values & evidence.values
        and stem(number.surface) not in evidence.places
    )


def _opposites(item: Sentence, top: frozenset[str]) -> tuple[tuple[str, str], ...]:
    found = []
    for word in sorted(item.content - top):
        other = denied_by(word, top)
        if other and other not in item.stems:
            found.append((word, other))
    return tuple(found)


def _denies(fact: Fact, item: Sentence) -> bool:
    """Does the item claim the contrary of a yes/no field, or anything about an unknown one?"""
    if not fact.stems <= item.content:
        return False
    if fact.state == UNKNOWN:
        return True
    places = [place for place, word in enumerate(item.stems) if word in fact.stems]
    negated = any(_same_clause(item.stems, negation, places[0]) for negation in item.negations)
    return fact.state == (YES if negated else NO)


def _same_clause(stems: Sequence[str], one: int, other: int) -> bool:
    first, last = min(one, other), max(one, other)
    return not any(word in contrasts() for word in stems[first:last])


def _copied(item: Sentence, matches: Sequence[Sentence]) -> float:
    """The longest run of words that the item has in common with a match, as a share of it."""
    if not item.stems:
        return 1.0
    return max((_longest(item.stems, match.stems) for match in matches), default=0) / len(
        item.stems
    )


def _longest(a: Sequence[str], b: Sequence[str]) -> int:
    where: dict[str, list[int]] = {}
    for place, word in enumerate(b[:300]):  # bounded: a "sentence" may be a table of any length
        where.setdefault(word, []).append(place)
    best = 0
    before: dict[int, int] = {}
    for word in a[:300]:
        now = {place: before.get(place - 1, 0) + 1 for place in where.get(word, ())}
        best = max(best, *now.values()) if now else best
        before = now
    return best
