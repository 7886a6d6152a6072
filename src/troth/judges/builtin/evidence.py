"""The contexts of a row, indexed once so that every item is looked up in time that barely grows."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from troth.asks import Item
from troth.text.sentences import sentences
from troth.text.tokens import Number, is_content, is_negation, numbers, stem, words

_COMMONEST = 400  # a stem in more sentences than this finds no sentence, it only confirms one
_DEEPEST = 40


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence (of a context or an item) with what judging needs of it."""

    text: str
    source: str
    tokens: tuple[str, ...]
    stems: tuple[str, ...]
    content: frozenset[str]
    numbers: tuple[Number, ...]
    negations: int

    @classmethod
    def of(cls, text: str, source: str = "") -> Sentence:
        """Read `text`."""
        tokens = words(text)
        return cls(
            text,
            source,
            tuple(tokens),
            tuple(stem(token) for token in tokens),
            frozenset(stem(token) for token in tokens if is_content(token)),
            tuple(numbers(tokens)),
            sum(is_negation(token) for token in tokens),
        )


@dataclass(frozen=True, slots=True)
class Evidence:
    """All sentences of all contexts, and where each stem, pair of stems and number occurs."""

    sentences: tuple[Sentence, ...]
    places: dict[str, list[int]] = field(repr=False)
    pairs: frozenset[tuple[str, str]] = field(repr=False)
    values: frozenset[tuple[str, float]] = field(repr=False)
    prefixes: frozenset[str] = field(repr=False)

    def weight(self, stem_: str) -> float:
        """The inverse document frequency of a stem over the sentences; at least 1."""
        return 1 + math.log((len(self.sentences) + 1) / (len(self.places.get(stem_, ())) + 1))

    def best(self, stems_: Iterable[str], count: int) -> list[Sentence]:
        """The up to `count` sentences that share most of `stems_` by weight, best first."""
        found: dict[int, float] = defaultdict(float)
        for stem_ in stems_:
            places = self.places.get(stem_, ())
            weight = self.weight(stem_)
            for place in places[:_COMMONEST]:
                found[place] += weight
        # Of equally good sentences the first counts, so that the result is reproducible.
        ranked = sorted(found, key=lambda place: (-found[place], place))[:count]
        return [self.sentences[place] for place in ranked]


@lru_cache(maxsize=2)  # the metrics of one row ask about the same contexts, one after another
def evidence(contexts: tuple[Item, ...]) -> Evidence:
    """Index `contexts`; no context gives an index without sentences."""
    read = tuple(
        Sentence.of(text, context.id) for context in contexts for text in _statements(context.text)
    )
    places: dict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(read):
        for stem_ in set(sentence.stems):
            places[stem_].append(place)
    return Evidence(
        read,
        dict(places),
        frozenset(pair for s in read for pair in zip(s.stems, s.stems[1:], strict=False)),
        frozenset(value for s in read for number in s.numbers for value in number.values),
        frozenset(stem_[:5] for stem_ in places if len(stem_) >= 5),
    )


def _statements(text: str) -> Iterator[str]:
    """The sentences of a context; of a JSON object or list, each leaf under its names."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            yield from _leaves(json.loads(text), ())
            return
        except (ValueError, RecursionError):
            pass  # it only looked like JSON: read it as prose
    yield from sentences(text)


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict) and len(path) < _DEEPEST:
        for key, inner in value.items():
            yield from _leaves(inner, (*path, _spaced(key)))
    elif isinstance(value, list) and len(path) < _DEEPEST:
        for inner in value:
            yield from _leaves(inner, path)
    elif value is not None:  # null says that nothing is known
        name = " ".join(path[-2:])
        if value is False or value == "no" or value == "none":
            yield f"not {name}: no"
        elif value is True:
            yield f"{name}: yes"
        else:
            for sentence in sentences(str(value)):
                yield f"{name}: {sentence}"


def _spaced(key: str) -> str:
    """`RestaurantsTakeOut` and `take_out` as words."""
    spaced = "".join(f" {c}" if c.isupper() else c for c in key.replace("_", " "))
    return " ".join(spaced.split())
