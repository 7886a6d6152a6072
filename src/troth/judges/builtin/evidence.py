"""The contexts of a row, indexed once so that every item is looked up in time that barely grows."""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from troth.asks import Item
from troth.text.sentences import sentences
from troth.text.tokens import Number, is_content, is_negation, numbers, stem, words

_COMMONEST = 400  # a stem in more sentences than this finds no sentence, it only confirms one
_DEEPEST = 40  # levels of a JSON text that are read
_CLOCK: Final = frozenset({"am", "pm"})
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_\-\s]+")

YES, NO, UNKNOWN = "yes", "no", "unknown"


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence, of a context or an item, with what judging needs of it.

    `content` holds the stems that say something by themselves; numbers are in `numbers` alone.
    """

    text: str
    source: str
    tokens: tuple[str, ...]
    stems: tuple[str, ...]
    content: frozenset[str]
    numbers: tuple[Number, ...]
    negations: tuple[int, ...]

    @classmethod
    def of(cls, text: str, source: str = "") -> Sentence:
        """Read `text`; an empty one has no tokens."""
        tokens = words(text)
        found = numbers(tokens)
        numeric = {part for number in found for part in number.surface.split()} | _CLOCK
        return cls(
            text,
            source,
            tuple(tokens),
            tuple(stem(token) for token in tokens),
            frozenset(
                stem(token)
                for token in tokens
                if (len(token) > 1 or not token.isascii())
                and token.casefold() not in numeric
                and is_content(token)
            ),
            tuple(found),
            tuple(place for place, token in enumerate(tokens) if is_negation(token)),
        )


@dataclass(frozen=True, slots=True)
class Fact:
    """A field of structured data that is yes, no or unknown: `OutdoorSeating: false`."""

    name: str
    source: str
    stems: frozenset[str]
    state: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """All sentences of all contexts; the sentences of each stem; the numbers; the fields."""

    sentences: tuple[Sentence, ...]
    places: dict[str, list[int]] = field(repr=False)
    values: frozenset[tuple[str, float]] = field(repr=False)
    prefixes: frozenset[str] = field(repr=False)
    facts: tuple[Fact, ...] = field(repr=False)

    def weight(self, word: str) -> float:
        """The inverse document frequency of a stem over the sentences; at least 1."""
        return 1 + math.log((len(self.sentences) + 1) / (len(self.places.get(word, ())) + 1))

    def near(self, word: str) -> bool:
        """Does some context hold a word that starts as this one does?"""
        return len(word) >= 5 and word[:5] in self.prefixes

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
                text = statement if isinstance(statement, str) else _spoken(statement)
                read.append(Sentence.of(text, context.id))
    places: dict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(read):
        for word in dict.fromkeys(sentence.stems):
            places[word].append(place)
    return Evidence(
        tuple(read),
        dict(places),
        frozenset(value for s in read for number in s.numbers for value in number.values),
        frozenset(word[:5] for word in places if len(word) >= 5),
        _telling(facts, places),
    )


def _telling(facts: list[Fact], places: dict[str, list[int]]) -> tuple[Fact, ...]:
    """The facts under the stems that only they have; without those that prose speaks of too."""
    shared = Counter(word for fact in facts for word in fact.stems)
    telling = []
    for fact in facts:
        stems = frozenset(word for word in fact.stems if shared[word] < 3)
        if stems and min(len(places.get(word, ())) for word in stems) <= 1:
            telling.append(Fact(fact.name, fact.source, stems, fact.state))
    return tuple(telling)


def _spoken(fact: Fact) -> str:
    return f"{fact.name}: {fact.state}"


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
            yield from _leaves(inner, (*path, _spaced(key)), source)
    elif isinstance(value, list) and len(path) < _DEEPEST:
        for inner in value:
            yield from _leaves(inner, path, source)
    elif path and (value is None or isinstance(value, bool) or value in (YES, NO, "none")):
        state = UNKNOWN if value is None else YES if value is True or value == YES else NO
        yield Fact(" ".join(path[-2:]), source, Sentence.of(path[-1]).content, state)
    else:
        name = " ".join(path[-2:])
        yield from (f"{name}: {sentence}" for sentence in sentences(str(value)))


def _spaced(key: str) -> str:
    """`RestaurantsTakeOut` and `take_out` as words, the last two also joined, as prose may."""
    parts = [part for part in _HUMP.split(key) if part]
    return " ".join([*parts, "".join(parts[-2:])] if len(parts) > 1 else parts)
