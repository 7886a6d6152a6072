"""Contains: does the answer contain one of the references?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from troth.metric import Metric
from troth.sample import Sample
from troth.score import Score
from troth.text.normalize import NORMALIZATIONS
from troth.verdicts import quote


@dataclass(frozen=True, slots=True)
class Contains(Metric):
    """1.0 if a reference stands in the answer as it is, else 0.0; higher is better.

    `normalize="none"` looks for the reference's characters; `"squad"` normalises both sides first
    and looks for its tokens, so that "art" is not found in "party". Several references: one is
    enough. A reference that is empty (after normalisation) is contained in an empty answer only.
    Unscorable without a reference. Known as "lexical match" or "answer inclusion" in open-domain
    QA (Kamalloo et al., 2023, https://aclanthology.org/2023.acl-long.307).
    """

    name: ClassVar = "contains"
    needs: ClassVar = ("answer", "references")
    choice: ClassVar = "normalize"
    choices: ClassVar = tuple(NORMALIZATIONS)

    normalize: str = "none"

    def score(self, sample: Sample) -> Score:
        """See the class."""
        if not sample.references:
            return Score.unscorable("there is no reference to look for")
        answer = sample.answer or ""
        if self.normalize != "none":
            answer = self._tokens(answer)
        for reference in sample.references:
            if self._holds(answer, reference):
                return Score(1.0, reason=f"contains {quote(reference)}", support=1.0)
        wanted = " or ".join(quote(r) for r in sample.references[:3])
        return Score(0.0, reason=f"does not contain {wanted}", support=0.0)

    def _holds(self, answer: str, reference: str) -> bool:
        if self.normalize == "none":
            return reference in answer if reference else not answer
        needle = self._tokens(reference)
        return needle in answer if needle.strip() else not answer.strip()

    def _tokens(self, text: str) -> str:
        # A space cannot stand inside a token, so with one at either side a match is whole tokens.
        return f" {' '.join(NORMALIZATIONS[self.normalize].tokens(text))} "
