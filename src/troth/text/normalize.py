"""Named normalisations: what two texts may differ in and still count as equal.

A metric names the normalisation it compares under, so that the name stands in its identity and a
result can be repeated. A new one is a function and a line in `NORMALIZATIONS`; a change to what an
existing one does raises its `version`.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")


@dataclass(frozen=True, slots=True)
class Normalization:
    """A frozen, named rule. Two normalised texts are equal exactly when they are `==`.

    `text` maps a string to its normalised form; the empty string is a possible result
    (`squad` of `"The"`). `tokens` gives the normalised form's tokens, `[]` where nothing is left.
    Neither raises on any string.
    """

    name: str
    version: int
    text: Callable[[str], str] = field(repr=False)
    split: Callable[[str], list[str]] = field(default=str.split, repr=False)

    def tokens(self, text: str) -> list[str]:
        """The tokens of the normalised `text`, in order, repeats kept."""
        return self.split(self.text(text))


def _identity(text: str) -> str:
    return text


def _squad(text: str) -> str:
    # The order is the official one, and it matters: "a.m." loses its full stops before the
    # articles go, so it ends as "am" and not as "m".
    without_punctuation = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", without_punctuation).split())


NONE = Normalization("none", 1, _identity)
# The rule of the evaluation scripts of SQuAD 1.1 (Rajpurkar et al., EMNLP 2016) and
# SQuAD 2.0 (ACL 2018): lower case, ASCII punctuation out, articles out, white space collapsed.
SQUAD = Normalization("squad", 1, _squad)

NORMALIZATIONS: Mapping[str, Normalization] = MappingProxyType(
    {rule.name: rule for rule in (NONE, SQUAD)}
)
