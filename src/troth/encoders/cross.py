"""What a cross-encoder is: it reads both texts of a pair together and gives the pair one number."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from math import exp

from troth.encoders.base import Encoder, Pair, readable


class CrossEncoder(Encoder):
    """Gives each pair a logit, which a sigmoid turns into a similarity in [0, 1].

    The sigmoid is the same for all rows of all runs, whatever the logits: a score must not depend
    on what else is in the batch. Equal texts get the model's own number, which seldom is 1.0.
    Subclasses override `logits`.
    """

    @abstractmethod
    def logits(self, pairs: Sequence[Pair]) -> Sequence[float]:
        """One number per pair, in order. Its pairs are distinct and sorted by length."""

    def similarities(self, pairs: Sequence[Pair]) -> list[float | None]:
        """The similarity of each pair, in [0, 1], in order; equal pairs are read once."""
        clean = [(readable(a), readable(b)) for a, b in pairs]
        pool = sorted(dict.fromkeys(clean), key=lambda pair: (sum(map(len, pair)), pair))
        found = dict(zip(pool, self.logits(pool) if pool else (), strict=True))
        return [_sigmoid(float(found[pair])) for pair in clean]


def _sigmoid(logit: float) -> float:
    """1 / (1 + e^-logit), without overflow on either side."""
    small = exp(-abs(logit))
    return 1 / (1 + small) if logit >= 0 else small / (1 + small)
