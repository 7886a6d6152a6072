"""The weights of the built-in judge, and the few numbers that its labels turn on.

Fitted by `benchmarks/fit_builtin.py` on labelled sets that permit it; docs/judges/builtin.md names
them. One vector serves all kinds of text.
"""

from __future__ import annotations

import math
from typing import Final

from troth.judges.builtin.features import Features

BIAS: Final = 1.5
WEIGHTS: Final = Features(
    uncovered=-0.9,
    unmatched=-1.5,
    foreign=-1.1,
    new_numbers=-2.1,
    new_names=-1.9,
    rewritten=-0.75,
    opposite=-0.2,
    negated=-0.3,
)


def probability(features: Features) -> float:
    """How likely the contexts support an item with these features, in (0, 1)."""
    logit = BIAS + math.fsum(w * x for w, x in zip(WEIGHTS, features, strict=True))
    return 1 / (1 + math.exp(-logit))
