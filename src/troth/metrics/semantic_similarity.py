"""Semantic similarity: does the answer mean about what a reference means?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from troth.asks import Item
from troth.errors import UsageError
from troth.metric import Metric, Steps
from troth.sample import Sample
from troth.score import Score
from troth.similarity import Likeness, Similarity
from troth.verdicts import quote

BUILTIN = "builtin"


@dataclass(frozen=True, slots=True)
class SemanticSimilarity(Metric):
    """The encoder's similarity of answer and reference, in [-1, 1]; higher is better.

    `model` names the encoder: `"builtin"` (the default: a table that needs no download), a model's
    folder, an `.onnx` file in one, or a hub's name; see docs/encoders.md. Bi-encoders give a
    cosine, seldom below 0.0, cross-encoders a number in [0, 1]. Several references: the most
    similar one counts; `details["similarities"]` holds them all. Texts that are equal to a
    bi-encoder are exactly 1.0. An empty answer is what the encoder makes of it, 0.0 with the
    built-in one. Unscorable without a reference, and where a text holds words of which the built-in
    table knows none. `Score.support` is the value, not below 0. It runs only when named. Known as
    semantic answer similarity, SAS (Risch et al., 2021, https://aclanthology.org/2021.mrqa-1.15).
    """

    name: ClassVar = "semantic_similarity"
    needs: ClassVar = ("answer", "references")
    choice: ClassVar = "model"
    asked_only: ClassVar = True

    model: str = BUILTIN

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model.strip():
            raise UsageError(f"{self.name}: model must be a name or a path, not {self.model!r}")

    @property
    def label(self) -> str:
        """`semantic_similarity`, `semantic_similarity:MODEL`."""
        return self.name if self.model == BUILTIN else f"{self.name}:{self.model}"

    @property
    def encoder(self) -> str:
        """See `Metric`."""
        return self.model

    def steps(self, sample: Sample) -> Steps:
        """One ask: the similarity of the answer to each reference."""
        references = sample.references or ()
        if not references:
            return Score.unscorable("there is no reference to compare with")
        items = tuple(Item(f"r{n}", text) for n, text in enumerate(references, 1))
        [verdicts] = yield [Similarity(items=items, answer=sample.answer or "", model=self.model)]
        found = {v.id: v.value for v in verdicts if isinstance(v, Likeness)}
        details: dict[str, Any] = {"similarities": [found.get(item.id) for item in items]}
        if not found:
            return Score.unscorable(f"{self.model} knows no word of the answer or the references")
        best = max(items, key=lambda item: found.get(item.id, -2.0))
        value = found[best.id]
        reason = f"closest to {quote(best.text)}"
        return Score(value, reason=reason, support=min(1.0, max(0.0, value)), details=details)
