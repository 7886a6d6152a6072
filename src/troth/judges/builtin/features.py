"""What can be seen of one item beside the contexts, and what of it speaks against the item."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from troth.judges.builtin.absent import absent
from troth.judges.builtin.evidence import NO, UNKNOWN, YES, Evidence, Fact, Sentence
from troth.judges.builtin.lexicon import contrasts, denied_by, light
from troth.text.tokens import Number, is_unspaced, names, stem, words

_MATCHES = 3  # context sentences an item is compared with
_LIGHT = 0.3  # weight of a word that says little
_NEAR = 0.5  # worth of a word of which only the beginning is in the contexts
_WELL = 0.6  # coverage from which on a sentence speaks of the same thing
_NEARLY = 0.4  # the same where the words that deny each other are part of what is not covered
_SAME = 0.9  # coverage from which on it says the same, but for a "not"
_CLAUSE_END = re.compile(
    r"[,:](?!\d)|[;，；：。]|\s[–—-]\s|\b(?:but|however|although|though|while|whereas|and|so|aber|"
    r"jedoch|sondern|und|mais|et|pero|sino|y)\b|但是?|不过|而是?|并且",
    re.IGNORECASE,
)
_UNSPACED_MODAL = re.compile(
    "不可以|不允许|不得|不能|不会|不再|没有|并不|并未|可以|允许|仍然?|[不没沒未无無非能会]"
)
_LONGEST_TEXT = 4000  # characters of a sentence whose clauses are read
_LONGEST_RUN = 300  # words compared one by one: a "sentence" may be a table of any length


class Features(NamedTuple):
    """What the weights apply to; each is in [0, 1], and 0 speaks for support."""

    unmatched: float  # weighted share of content missing from the best sentences
    foreign: float  # share of content words that are in no context, light words left out
    rewritten: float  # 1 - longest run of words copied from one best sentence / words


@dataclass(frozen=True, slots=True)
class Findings:
    """The features of an item, what it was compared with, and what speaks against it."""

    features: Features
    matches: tuple[Sentence, ...]
    coverage: float  # by the best sentence, in [0, 1]
    foreign: tuple[str, ...] = ()
    new_numbers: tuple[str, ...] = ()
    new_names: tuple[str, ...] = ()
    number_clash: str = ""  # the number that a well-matching sentence has instead
    opposite: tuple[str, str] | None = None  # (word of the item, its opposite in a match)
    negation: str = ""  # how the item and a match differ in negation
    denying: Sentence | None = None  # the match that denies what the item says
    denied: Fact | None = None
    absent: tuple[str, ...] = ()  # numbers, names and words, as written, that no context holds

    @property
    def well_matched(self) -> bool:
        """Does the best sentence speak of the same thing?"""
        return self.denying is not None or self.coverage >= (_NEARLY if self.opposite else _WELL)


def find(item: Sentence, evidence: Evidence) -> Findings:
    """Compare one item with the contexts."""
    matches = tuple(evidence.best(item.content, _MATCHES))
    best = frozenset(matches[0].vocabulary) if matches else frozenset[str]()
    top = frozenset(word for match in matches for word in match.vocabulary)
    coverage = 1 - _missing(item, best, evidence)
    if item.stems in evidence.verbatim:
        return Findings(Features(0.0, 0.0, 0.0), matches, coverage)
    foreign = _foreign(item, evidence)
    new = tuple(_spelt(number) for number in item.numbers if _is_new(number, evidence))
    named = _new_names(item, evidence)
    negation, denying = _negation(item, matches, evidence)
    return Findings(
        Features(
            _missing(item, top, evidence),
            len(foreign) / max(1, len(item.content)),
            1 - _copied(item, matches),
        ),
        matches,
        coverage,
        foreign,
        new,
        named,
        _other_number(item, matches[0]) if new and matches and coverage >= _WELL else "",
        _opposite(item, top),
        negation,
        denying,
        next((fact for fact in _facts(item, evidence) if _denies(fact, item)), None),
        absent(item, evidence, new, named, foreign),
    )


def _missing(item: Sentence, stems: frozenset[str], evidence: Evidence) -> float:
    missing = total = 0.0
    for word in sorted(item.content):  # in a fixed order: sums of floats depend on it
        weight = evidence.weight(word) * (_LIGHT if word in light() else 1.0)
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
    return tuple(
        word
        for word in dict.fromkeys(item.stems)
        if word in item.content
        and word not in evidence.places
        and word not in light()
        and not evidence.near(word)
    )


def _is_new(number: Number, evidence: Evidence) -> bool:
    # "one" is mostly a pronoun.
    return (
        number.surface != "one"
        and not number.values & evidence.values
        and stem(number.surface) not in evidence.places
    )


def _spelt(number: Number) -> str:
    """`3万` and not `3 万`, as its tokens are."""
    last = number.surface[-1]
    return number.surface.replace(" ", "") if is_unspaced(last) else number.surface


def _new_names(item: Sentence, evidence: Evidence) -> tuple[str, ...]:
    return tuple(
        name
        for name in dict.fromkeys(names(words(item.text)))
        if stem(name) in item.content and stem(name) not in evidence.places
    )


def _other_number(item: Sentence, best: Sentence) -> str:
    others = [n.surface for n in best.numbers if not n.values & item.values]
    return others[0] if others else ""


def _opposite(item: Sentence, top: frozenset[str]) -> tuple[str, str] | None:
    for word in sorted(item.content - top):
        other = denied_by(word, top)
        if other and other not in item.stems:
            return word, other
    return None


def _negation(
    item: Sentence, matches: Sequence[Sentence], evidence: Evidence
) -> tuple[str, Sentence | None]:
    """How the item and the matches differ in negation, and the match that denies the item."""
    if item.negations:
        denies = bool(matches) and not any(match.negations for match in matches)
        return ("the item denies", None) if denies else ("", None)
    # Of two clauses that match, one with and one without a "not", neither denies the item.
    alike = [
        (clause, match)
        for match in matches
        if match.negations
        for clause in _clauses(match)
        if _says_the_same(item, clause, evidence)
    ]
    if alike and all(clause.negations for clause, _ in alike):
        return "the context denies", alike[0][1]
    return "", None


def _clauses(sentence: Sentence) -> Iterator[Sentence]:
    """The sentence itself, and its clauses where it has several."""
    yield sentence
    parts = [part for part in _CLAUSE_END.split(sentence.text[:_LONGEST_TEXT]) if part.strip()]
    if len(parts) > 1:
        yield from (Sentence.of(part) for part in parts)


def _says_the_same(item: Sentence, clause: Sentence, evidence: Evidence) -> bool:
    """Does the clause say what the item says, no more and no less, but for a negation?"""
    item, bare = _unmodal(item), _unmodal(clause)
    if len(item.stems) < _SAME * len(bare.stems) - 2 or not item.content:
        return False
    same = 1 - _missing(item, frozenset(bare.vocabulary), evidence) >= _SAME
    return same and item.values <= clause.values


def _unmodal(sentence: Sentence) -> Sentence:
    """Without "not" and "may" where they are no words of their own but change pairs."""
    bare = _UNSPACED_MODAL.sub("", sentence.text)
    return sentence if bare == sentence.text else Sentence.of(bare, sentence.source)


def _facts(item: Sentence, evidence: Evidence) -> Iterator[Fact]:
    if evidence.facts:
        for word in dict.fromkeys(item.stems):
            yield from evidence.facts.get(word, ())


def _denies(fact: Fact, item: Sentence) -> bool:
    """Does the item claim the contrary of a field that is yes or no?"""
    if fact.state == UNKNOWN or not fact.stems <= item.content:
        return False
    place = min(place for place, word in enumerate(item.stems) if word in fact.stems)
    negated = any(_same_clause(item.stems, negation, place) for negation in item.negations)
    return fact.state == (YES if negated else NO)


def _same_clause(stems: Sequence[str], one: int, other: int) -> bool:
    first, last = min(one, other), max(one, other)
    return not any(word in contrasts() for word in stems[first:last])


def _copied(item: Sentence, matches: Sequence[Sentence]) -> float:
    """The longest run of words that the item has in common with a match, as a share of it."""
    if not item.stems:
        return 1.0
    longest = max((_longest(item.stems, match.stems) for match in matches), default=0)
    return longest / min(len(item.stems), _LONGEST_RUN)


def _longest(a: Sequence[str], b: Sequence[str]) -> int:
    where: dict[str, list[int]] = {}
    for place, word in enumerate(b[:_LONGEST_RUN]):
        where.setdefault(word, []).append(place)
    best = 0
    before: dict[int, int] = {}
    for word in a[:_LONGEST_RUN]:
        now = {place: before.get(place - 1, 0) + 1 for place in where.get(word, ())}
        best = max(best, *now.values()) if now else best
        before = now
    return best
