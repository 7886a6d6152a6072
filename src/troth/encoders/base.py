"""What an encoder is: whatever says how alike in meaning two texts are. All are peers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from math import sqrt
from operator import mul
from typing import Any

Pair = tuple[str, str]
Vector = Any  # a sequence of numbers, or a one-dimensional numpy array: never imported here


class Encoder(ABC):
    """Scores pairs of texts. Subclass it and override `similarities`."""

    name: str  # short and reproducible: it is written beside every score

    @abstractmethod
    def similarities(self, pairs: Sequence[Pair]) -> list[float | None]:
        """How alike the texts of each pair are, in the order of `pairs`; `[]` for no pairs.

        Each pair is scored by itself, whatever stands beside it. Values are plain floats, in
        [-1, 1] for cosines and [0, 1] for cross-encoders; higher is more alike. `None` where a
        text holds nothing that can be compared.
        """

    def identity(self) -> Mapping[str, Any]:
        """What somebody needs to repeat this encoder's work; plain JSON values."""
        return {"name": self.name}

    def start(self) -> None:  # noqa: B027 - not every encoder has something to load
        """Load what is needed; called before the first pairs, and harmless when called again."""

    def close(self) -> None:  # noqa: B027
        """Release what was loaded. The encoder may be started again."""


class BiEncoder(Encoder):
    """Gives each text a vector; the similarity of two texts is the cosine of theirs.

    Subclasses override `vectors`, `key` where texts that differ mean the same to them, and
    `comparable` where a blank text has a vector too.
    """

    @abstractmethod
    def vectors(self, texts: Sequence[str]) -> Sequence[Vector | None]:
        """One vector per text, in order; `None` where a text holds nothing to compare.

        Its texts are distinct and sorted by length. A text's vector may depend on that text alone.
        """

    def key(self, text: str) -> str:
        """What this encoder sees of `text`: texts of equal keys are one text to it."""
        return text

    def comparable(self, key: str) -> bool:
        """Is there anything to compare in a text of this key? By default, unless it is blank."""
        return bool(key.strip())

    def similarities(self, pairs: Sequence[Pair]) -> list[float | None]:
        """The cosine of each pair, in [-1, 1], in the order of `pairs`; `[]` for no pairs.

        Texts of equal keys are exactly 1.0 and need no vector. A pair of which a text is not
        `comparable` or has no vector is `None`. Equal texts are encoded once.
        """
        keys = {text: self.key(text) for pair in pairs for text in pair}
        keyed = [(keys[a], keys[b]) for a, b in pairs]
        held = {key for key in keys.values() if self.comparable(key)}
        compared = {key for a, b in keyed if a != b and {a, b} <= held for key in (a, b)}
        pool = sorted(compared, key=lambda text: (len(text), text))
        found = dict(zip(pool, self.vectors(pool) if pool else (), strict=True))
        squares = {t: _dot(vector, vector) for t, vector in found.items() if vector is not None}
        return [self._similarity(a, b, found, squares) for a, b in keyed]

    def _similarity(
        self, a: str, b: str, vectors: Mapping[str, Vector | None], squares: Mapping[str, float]
    ) -> float | None:
        if a == b:
            return 1.0 if self.comparable(a) else None
        if not squares.get(a) or not squares.get(b):  # none, or zeros without a direction
            return None
        cosine = _dot(vectors[a], vectors[b]) / sqrt(squares[a] * squares[b])
        return max(-1.0, min(1.0, cosine))


def _dot(a: Vector, b: Vector) -> float:
    """The dot product, by the arrays' own `dot` where they have one; a plain float."""
    return float(a.dot(b)) if hasattr(a, "dot") else float(sum(map(mul, a, b)))


def readable(text: str) -> str:
    """`text` with halves of characters replaced, which tokenizers do not take."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
