"""What the metrics of retrieval share: which documents of a row are relevant, and at what ranks."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from troth.metric import Metric
from troth.ranking import EXACT, MATCHES, Grades, Met, find, find_text, relevant
from troth.sample import Sample
from troth.score import Score
from troth.verdicts import quote

IDS, TEXTS = ("retrieved_ids", "relevant_ids"), ("contexts", "relevant_contexts")
NAMED = 5  # missed documents that a reason names


@dataclass(frozen=True, slots=True)
class RetrievalMetric(Metric):
    """Base of the metrics that compare what was retrieved, best first, with what is relevant.

    Ids are compared where a row has both `retrieved_ids` and `relevant_ids`; else `contexts` with
    `relevant_contexts`, by content. `match="overlap"` and `"span"` always compare texts, and find
    chunks of a relevant one (see `troth.ranking.find_text`). `k`: look at the first k alone.
    """

    needs: ClassVar[tuple[str, ...]] = ()
    either: ClassVar = (IDS, TEXTS)
    choice: ClassVar[str | None] = "match"
    choices: ClassVar = MATCHES
    ranked: ClassVar = True

    match: str = EXACT
    k: int | None = None

    @staticmethod
    def formula(met: Met, grades: Grades, k: int | None = None) -> float:
        """The metric's formula, one of `troth.ranking`."""
        raise NotImplementedError("a retrieval metric must name its formula")

    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The pairs of fields of which one must be there: ids cannot overlap."""
        return self.either if self.match == EXACT else (TEXTS,)

    def score(self, sample: Sample) -> Score:
        """See the class."""
        grades = self._relevant(sample)
        if not grades:
            return Score.unscorable("no document is marked as relevant")
        met = self._met(sample, grades)
        value = self.formula(met, grades, self.k)
        found = {document for _, document in met}
        missed = [str(document) for document in grades if document not in found]
        return Score(value, reason=self._reason([r for r, _ in met], missed), support=value)

    def _relevant(self, sample: Sample) -> dict[Hashable, float]:
        if self._by_ids(sample):
            return relevant(dict(sample.relevant_ids or ()))
        # A blank text is no document that could be found.
        return {text: 1.0 for text in sample.relevant_contexts or () if text.strip()}

    def _by_ids(self, sample: Sample) -> bool:
        both = sample.retrieved_ids is not None and sample.relevant_ids is not None
        return self.match == EXACT and both

    def _met(self, sample: Sample, grades: Grades) -> Met:
        texts = (sample.contexts or ())[: self.k]
        if self.match != EXACT:
            return find_text(texts, grades, self.match)
        ids = (sample.retrieved_ids or ())[: self.k]
        return find(ids if self._by_ids(sample) else texts, grades)

    def _reason(self, ranks: list[int], missed: list[str]) -> str:
        among = f" among the first {self.k}" if self.k else ""
        at = f", at rank {_listed(map(str, ranks))}" if ranks else ""
        lost = f"; missed {_listed(map(quote, missed))}" if missed else ""
        return f"{len(ranks)} of {len(ranks) + len(missed)} relevant found{among}{at}{lost}"


def _listed(words: Iterable[str]) -> str:
    shown = list(words)
    more = f" and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
    return ", ".join(shown[:NAMED]) + more
