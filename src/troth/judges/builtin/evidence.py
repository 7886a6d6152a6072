"""The contexts of a row, indexed once so that every item is looked up in time that barely grows."""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from troth.asks import Item
from troth.judges.builtin.lexicon import light
from troth.text.asides import without_asides
from troth.text.sentences import sentences
from troth.text.tokens import (
    Number,
    is_content,
    is_negation,
    is_unspaced,
    numbers,
    stem,
    words,
)

_COMMONEST = 400  # a stem in more sentences than this finds no sentence, it only confirms one
_DEEPEST = 40  # levels of a JSON text that are read
# "I'm not sure, but it opened in 1998" denies nothing about what opened.
_FIRST_PERSON: Final = frozenset({"I", "i", "I'm", "i'm", "I’m", "i’m", "I've", "i've"})
_NOT_ONLY: Final = (["only"], ["just"], ["merely"], ["nur"], ["seulement"], ["solo"], ["sólo"])
_CLOCK: Final = frozenset({"am", "pm"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-\s]+")

YES, NO, UNKNOWN = "yes", "no", "unknown"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, of a context or an item, with what judging needs of it.

    Citation markers and an answering "Yes," or "No," are in `text` alone. `content` holds the
    stems that say something by themselves; numbers are in `numbers` alone.
    """

    text: str
    source: str
    stems: tuple[str, ...]
    content: frozenset[str]
    numbers: tuple[Number, ...]
    negations: tuple[int, ...]

    @classmethod
    def of(cls, text: str, source: str = "") -> Sentence:
        """Read `text`; an empty one has no tokens."""
        tokens = words(without_asides(text))
        found = numbers(tokens)
        numeric = {part for number in found for part in number.surface.split()} | _CLOCK
        return cls(
            text,
            source,
            tuple(stem(token) for token in tokens),
            frozenset(
                stem(token)
                for token in tokens
                if (len(token) > 1 or not token.isascii())
                and token.casefold() not in numeric
                and is_content(token)
            ),
            tuple(found),
            tuple(
                place
                for place, token in enumerate(tokens)
                if is_negation(token)
                and not _FIRST_PERSON & {*tokens[max(0, place - 4) : place]}
                and tokens[place + 1 : place + 2] not in _NOT_ONLY
            ),
        )

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """Its distinct stems in order, and the single characters of those that are pairs.

        A pair of an unspaced script overlaps its neighbours, so that the 年 of "1983年以前" is a
        token only where a text ends behind it.
        """
        found = dict.fromkeys(self.stems)
        for word in self.stems:
            if not word.isascii() and is_unspaced(word):
                found.update(dict.fromkeys(word))
        return tuple(found)

    @property
    def values(self) -> frozenset[tuple[str, float]]:
        """All readings of all its numbers."""
        return frozenset(value for number in self.numbers for value in number.values)


@dataclass(frozen=True, slots=True)
class Fact:
    """A field of structured data that is yes, no or unknown: `OutdoorSeating: false`."""

    path: tuple[str, ...]
    source: str
    stems: frozenset[str]
    joined: str
    state: str

    @property
    def text(self) -> str:
        """The field as a sentence."""
        return f"{_spoken(self.path)}: {self.state}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """All sentences of all contexts; the sentences of each stem; the numbers; the fields."""

    sentences: tuple[Sentence, ...]
    places: dict[str, list[int]] = field(repr=False)
    values: frozenset[tuple[str, float]] = field(repr=False)
    prefixes: frozenset[str] = field(repr=False)
    facts: dict[str, list[Fact]] = field(repr=False)  # by the first of their stems
    verbatim: frozenset[tuple[str, ...]] = field(repr=False)
    folded: str = field(repr=False)  # all that the contexts write, as `folded` gives it

    def weight(self, word: str) -> float:
        """The inverse document frequency of a stem over the sentences; at least 1."""
        return 1 + math.log((len(self.sentences) + 1) / (len(self.places.get(word, ())) + 1))

    def near(self, word: str) -> bool:
        """Does some context hold a word that starts as this one does?"""
        return len(word) >= 5 and word[:5] in self.prefixes

    def writes(self, word: str) -> bool:
        """Do the contexts hold this very word, as a token or as a part of a longer word?"""
        if word[:1].isdigit():
            return stem(word) in self.places
        return stem(word) in self.places or folded(word) in self.folded

    def best(self, stems: Iterable[str], count: int) -> list[Sentence]:
        """The up to `count` sentences that share most of `stems` by weight, best first."""
        found: dict[int, float] = defaultdict(float)
        for word in sorted(stems):  # a set's order is not reproducible, nor is a sum's in it
            weight = self.weight(word)
            for place in self.places.get(word, ())[:_COMMONEST]:
                found[place] += weight
        ranked = sorted(found, key=lambda place: (-found[place], place))[:count]
        return [self.sentences[place] for place in ranked]


@lru_cache(maxsize=2)  # the metrics of one row ask about the same contexts, one after another
def evidence(contexts: tuple[Item, ...]) -> Evidence:
    """Index `contexts`; no context gives an index without sentences."""
    read: list[Sentence] = []
    facts: list[Fact] = []
    for context in contexts:
        for statement in _statements(context):
            if isinstance(statement, Fact):
                facts.append(statement)
            if not isinstance(statement, Fact) or statement.state != UNKNOWN:
                text = statement if isinstance(statement, str) else statement.text
                read.append(Sentence.of(text, context.id))
    places: dict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(read):
        for word in sentence.vocabulary:
            places[word].append(place)
    return Evidence(
        tuple(read),
        dict(places),
        frozenset(value for sentence in read for value in sentence.values),
        frozenset(word[:5] for word in places if len(word) >= 5),
        _telling(facts, places),
        frozenset(sentence.stems for sentence in read),
        folded("\n".join([*(context.text for context in contexts), *(s.text for s in read)])),
    )


def folded(text: str) -> str:
    """`text` as words are looked for in it by eye: without case and variants of characters."""
    return unicodedata.normalize("NFKC", text).casefold()


def _telling(facts: list[Fact], places: dict[str, list[int]]) -> dict[str, list[Fact]]:
    """The facts by the words that only they have; without those that prose speaks of too.

    A name in two words may be written as one ("WiFi"), so it stands under both forms.
    """
    shared = Counter(word for fact in facts for word in fact.stems)
    telling: dict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        own = frozenset(word for word in fact.stems if shared[word] < 3)
        for stems in (own, frozenset({fact.joined} - {""})):
            spoken_of = min((len(places.get(word, ())) for word in stems), default=2) > 1
            if not spoken_of and not stems <= light():
                telling[min(stems)].append(replace(fact, stems=stems))
    return dict(telling)


def _statements(context: Item) -> Iterator[str | Fact]:
    """The sentences of a context; of a JSON object or list, each leaf under its names."""
    if context.text.lstrip()[:1] in ("{", "["):
        try:
            yield from _leaves(json.loads(context.text), (), context.id)
            return
        except (ValueError, RecursionError):
            pass  # it only looked like JSON: read it as prose
    yield from sentences(context.text)


def _leaves(value: Any, path: tuple[str, ...], source: str) -> Iterator[str | Fact]:
    if isinstance(value, dict) and len(path) < _DEEPEST:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, key), source)
    elif isinstance(value, list) and len(path) < _DEEPEST:
        for inner in value:
            yield from _leaves(inner, path, source)
    elif path and (value is None or isinstance(value, bool) or value in (YES, NO, "none")):
        state = UNKNOWN if value is None else YES if value is True or value == YES else NO
        parts = _parts(path[-1])
        joined = stem("".join(parts[-2:])) if len(parts) > 1 else ""
        yield Fact(path[-2:], source, Sentence.of(" ".join(parts)).content, joined, state)
    else:
        name = _spoken(path[-2:])
        yield from (f"{name}: {sentence}" for sentence in sentences(str(value)))


def _spoken(path: tuple[str, ...]) -> str:
    """A path as prose: `RestaurantsTakeOut` and `take_out` as words, the last two joined too."""
    parts = [_parts(key) for key in path]
    joined = ["".join(parts[-1][-2:])] if parts and len(parts[-1]) > 1 else []
    return " ".join([*(word for key in parts for word in key), *joined])


def _parts(key: str) -> list[str]:
    return [part for part in _HUMP.split(key) if part]
