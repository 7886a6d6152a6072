"""The typed questions that metrics put to judges.

An ask carries everything a judge needs and nothing about how it is asked: a language model renders
it with a prompt file, the built-in judge reads the texts, a script looks the item up. What comes
back is one or more `Verdict`s per item, every item exactly once; `labels` says which words may
stand in a verdict and what each is worth as `support` when the judge gives no finer number.

    Support, Relevance, Usefulness    item by item
    Correctness                       answer and references, sentence by sentence, both ways
    SupportWhole, RelevanceWhole      one text as a whole, yes or no: a reply of one word
    RubricLevel                         one level of a scale that the user wrote
    Form                              a value for each of the user's own outputs
    Joint                             several of the first kind about one row, in one call
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

import msgspec

from troth.score import Verdict

SUPPORTED, CONTRADICTED, UNMENTIONED, NO_CLAIM = (
    "supported",
    "contradicted",
    "unmentioned",
    "no_claim",
)
RELEVANT, IRRELEVANT = "relevant", "irrelevant"
USEFUL, USELESS = "useful", "useless"
MATCHED, UNMATCHED = "matched", "unmatched"
YES, NO = "yes", "no"
FILLED = "filled"

Answer = tuple[Verdict, ...]


class Item(msgspec.Struct, frozen=True):
    """One text to be judged, under an id that the verdict must bring back."""

    id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """Base of all asks: `items` are judged one by one, each with one of `labels`.

    `explain=False` asks a language model for the labels alone: no claims, reasons or sources, so
    that a reply costs a fraction of the tokens. Verdicts then carry the item's own text.
    `examples` are the user's own, a JSON array in text; a language model is shown them as data.
    """

    name: ClassVar[str]
    splits: ClassVar[bool] = False  # may a judge divide an item into several claims?
    one_word: ClassVar[bool] = False  # is the reply one of the labels and nothing else?

    items: tuple[Item, ...]
    explain: bool = True
    examples: str = ""

    @property
    def labels(self) -> Mapping[str, float]:
        """What may stand in a verdict, and its worth as `support`; the best label first."""
        raise NotImplementedError(f"{type(self).__name__} must say its labels")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Correctness(Ask):
    """Does the other side state what the item states?

    An item of `answer` is held against the `references`, of which any one will do; an item of a
    reference against the answer. `items` are those still to be judged; a judge is shown all.
    """

    name = "correctness"
    labels = MappingProxyType({MATCHED: 1.0, UNMATCHED: 0.25, CONTRADICTED: 0.0})

    references: tuple[Item, ...]
    answer: tuple[Item, ...]
    question: str | None = None

    @property
    def others(self) -> tuple[Item, ...]:
        """The sentences that are shown and not asked about."""
        return tuple(i for i in (*self.references, *self.answer) if i not in self.items)


@dataclass(frozen=True, slots=True, kw_only=True)
class Whole(Ask):
    """Base of asks about one text as a whole, which are answered by one word: yes or no."""

    labels = MappingProxyType({YES: 1.0, NO: 0.0})
    one_word = True

    def __post_init__(self) -> None:
        if len(self.items) > 1:
            raise ValueError(f"{self.name} is about one item, not about {len(self.items)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class SupportWhole(Whole):
    """Do the contexts state all that the item claims? What claims nothing lacks no support.

    `subject`: the item is the system's `"answer"` or a `"reference"`.
    """

    name = "support_whole"

    contexts: tuple[Item, ...]
    question: str | None = None
    subject: str = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevanceWhole(Whole):
    """Does the item answer the question, or a part of it?"""

    name = "relevance_whole"

    question: str
    subject: str = "answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class RubricLevel(Ask):
    """Which level of the user's own scale does `material` reach?

    The one item is the criterion. `material` holds the row's fields by their names. `scale` is
    (label, meaning, worth in [0, 1]) for each level.
    """

    name = "rubric"

    material: tuple[Item, ...]
    scale: tuple[tuple[str, str, float], ...]
    steps: tuple[str, ...] = ()

    @property
    def labels(self) -> Mapping[str, float]:
        """The levels by their labels."""
        return {label: worth for label, _, worth in self.scale}

    @property
    def levels(self) -> tuple[dict[str, str], ...]:
        """The scale as a judge is shown it."""
        return tuple({"label": label, "meaning": meaning} for label, meaning, _ in self.scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Ask):
    """A JSON value for each of the user's own outputs, found by the user's own instructions.

    The items are the outputs, by name; `given` (what is judged) and a verdict's text are JSON.
    """

    name = "form"
    labels = MappingProxyType({FILLED: 1.0})

    instructions: str
    given: str

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of the outputs."""
        return tuple(item.id for item in self.items)

    @property
    def reply(self) -> dict[str, msgspec.Raw]:
        """What a reply looks like, less its values: `{"score":...}`."""
        return dict.fromkeys(self.outputs, msgspec.Raw(b"..."))

    @property
    def inputs(self) -> Any:
        """What is judged, by the names of the inputs."""
        return json.loads(self.given)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joint(Ask):
    """Several asks about one row in one call; what they share is sent once.

    `parts` are answered under the names `t1`, `t2`, ... in their order. It has no items or labels
    of its own: each part's answer is reconciled with that part.
    """

    name = "joint"

    parts: tuple[Support | Relevance | Usefulness | Correctness, ...]

    @classmethod
    def of(cls, asks: Iterable[Ask]) -> Joint:
        """Those of `asks` that can go together; an ask of another kind must go by itself."""
        kinds = (Support, Relevance, Usefulness, Correctness)
        parts = tuple(ask for ask in asks if isinstance(ask, kinds))
        return cls(items=(), parts=parts, explain=all(part.explain for part in parts))

    @property
    def labels(self) -> Mapping[str, float]:
        """None: the parts have theirs."""
        return {}

    @property
    def blocks(self) -> frozenset[str]:
        """Which parts of the instructions are needed."""
        return frozenset({*(p.name for p in self.parts), "explained" if self.explain else "brief"})

    @property
    def question(self) -> str | None:
        """The row's question."""
        return next((part.question for part in self.parts if part.question is not None), None)

    @property
    def references(self) -> tuple[str, ...]:
        """The row's references, where a part asks about usefulness for them."""
        return next((p.references for p in self.parts if isinstance(p, Usefulness)), ())

    @property
    def contexts(self) -> tuple[dict[str, Any], ...]:
        """The row's contexts, cut into sentences where a part asks about those."""
        sentences: dict[str, list[Item]] = {}
        for part in self.parts:
            if isinstance(part, Relevance) and part.subject == "context":
                for item in part.items:
                    sentences.setdefault(item.id.partition(".")[0], []).append(item)
        whole: dict[str, str] = {}
        for part in self.parts:
            shown = part.contexts if isinstance(part, Support) else ()
            shown = part.items if isinstance(part, Usefulness) else shown
            whole |= {item.id: item.text for item in shown}
        return tuple(
            {"id": name, "sentences": sentences[name]}
            if name in sentences
            else {"id": name, "text": whole[name]}
            for name in dict.fromkeys((*whole, *sentences))
        )

    @property
    def texts(self) -> tuple[Item, ...]:
        """The items that are not contexts, each once."""
        return tuple(
            dict.fromkeys(
                item
                for part in self.parts
                if not isinstance(part, Usefulness) and getattr(part, "subject", "") != "context"
                for item in part.items
            )
        )

    @property
    def tasks(self) -> tuple[dict[str, Any], ...]:
        """What is to be judged, by the ids of contexts, their sentences, and texts."""
        return tuple(
            {"id": f"t{n}", "task": part.name, "items": [item.id for item in part.items]}
            for n, part in enumerate(self.parts, 1)
        )
