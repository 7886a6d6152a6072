"""The ask that encoders answer: how alike are two texts? No judge is asked it."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from troth.asks import Ask
from troth.score import Verdict

COMPARED, INCOMPARABLE = "compared", "incomparable"


class Likeness(Verdict, frozen=True):
    """An encoder's verdict: `value` is the similarity itself, `support` the same within [0, 1]."""

    value: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Similarity(Ask):
    """How alike is `answer` to each item (a reference), to the encoder called `model`?

    Verdicts are `Likeness`; where nothing can be compared they are bare and `incomparable`.
    """

    name = "similarity"
    labels = MappingProxyType({COMPARED: 1.0, INCOMPARABLE: 0.0})

    answer: str
    model: str
