"""The typed questions that metrics put to judges.

An ask carries everything a judge needs and nothing about how it is asked: a language model renders
it with a prompt file, the built-in judge reads the texts, a script looks the item up. What comes
back is one or more `Verdict`s per item, every item exactly once; `labels` says which words may
stand in a verdict and what each is worth as `support` when the judge gives no finer number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from troth.score import Verdict

SUPPORTED, CONTRADICTED, UNMENTIONED, NO_CLAIM = (
    "supported",
    "contradicted",
    "unmentioned",
    "no_claim",
)
RELEVANT, IRRELEVANT = "relevant", "irrelevant"
USEFUL, USELESS = "useful", "useless"

Answer = tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class Item:
    """One text to be judged, under an id that the verdict must bring back."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Base of all asks: `items` are judged one by one, each with one of `labels`."""

    name: ClassVar[str]
    labels: ClassVar[Mapping[str, float]]
    splits: ClassVar[bool] = False  # may a judge divide an item into several claims?

    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Support(Ask):
    """Does any context state what the item states?

    `no_claim` is for items that state nothing (greetings, questions, hedges); `subject` says what
    the items are cut from: the system's `"answer"` or a `"reference"`.
    """

    name = "support"
    labels = MappingProxyType({SUPPORTED: 1.0, UNMENTIONED: 0.25, CONTRADICTED: 0.0, NO_CLAIM: 1.0})
    splits = True

    contexts: tuple[Item, ...]
    question: str | None = None
    subject: str = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance(Ask):
    """Does the item bear on the question? `subject`: `"answer"` or `"context"` sentences."""

    name = "relevance"
    labels = MappingProxyType({RELEVANT: 1.0, IRRELEVANT: 0.0})

    question: str
    subject: str = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usefulness(Ask):
    """Does the item (one whole context) help to arrive at a reference answer?"""

    name = "usefulness"
    labels = MappingProxyType({USEFUL: 1.0, USELESS: 0.0})

    question: str | None
    references: tuple[str, ...]
