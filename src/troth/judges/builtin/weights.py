"""The numbers of the built-in judge: three fitted weights, and a few set by hand.

`benchmarks/fit_builtin.py` fits `BIAS` and `WEIGHTS` on labelled sets that permit it
(docs/judges/builtin.md names them) and prints what to write here. The penalties and the label's
threshold are round numbers. All of them serve all kinds of text.
"""

from __future__ import annotations

import math
from typing import Final

from troth.judges.builtin.features import Features, Findings

BIAS: Final = 2.6
WEIGHTS: Final = Features(unmatched=-1.85, foreign=-1.15, rewritten=-0.9)
SUPPORTED_FROM: Final = 0.6  # support from which an item is called supported

NEW_NUMBER: Final = 0.5
NUMBER_CLASH: Final = 0.5
NEW_NAME: Final = 0.6
OPPOSITE: Final = 0.6
NEGATION: Final = 0.85
NEGATION_CLASH: Final = 0.6
DENIED: Final = 0.2


def penalties(findings: Findings) -> dict[str, float]:
    """What speaks against an item, by kind, with the factor that it costs."""
    well = findings.well_matched
    found = {
        "new_number": (bool(findings.new_numbers), NEW_NUMBER),
        "number_clash": (bool(findings.number_clash), NUMBER_CLASH),
        "new_name": (bool(findings.new_names), NEW_NAME),
        "opposite": (findings.opposite is not None, OPPOSITE),
        "negation": (bool(findings.negation), NEGATION_CLASH if well else NEGATION),
        "denied": (findings.denied is not None, DENIED),
    }
    return {kind: factor for kind, (present, factor) in found.items() if present}


def linear(features: Features) -> float:
    """The probability of support that the weights give to `features`, in (0, 1)."""
    logit = BIAS + math.fsum(w * x for w, x in zip(WEIGHTS, features, strict=True))
    return 1 / (1 + math.exp(-logit))


def support(findings: Findings) -> float:
    """How firmly the contexts support an item, in (0, 1)."""
    return linear(findings.features) * math.prod(penalties(findings).values())
