"""Token F1: the overlap of the answer's tokens with a reference's."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from troth.metric import Metric
from troth.sample import Sample
from troth.score import Score
from troth.text.normalize import NORMALIZATIONS


@dataclass(frozen=True, slots=True)
class TokenF1(Metric):
    """Harmonic mean of token precision and recall, in [0, 1]; higher is better.

    Tokens are counted as a multiset. `normalize="none"` splits at white space; `"squad"` is the
    official SQuAD script (Rajpurkar et al., 2016, https://aclanthology.org/D16-1264), with the
    no-answer rule of 2.0: where either side has no token, 1.0 if neither has one, else 0.0.
    Several references: the best one counts. Unscorable without a reference.
    """

    name: ClassVar = "token_f1"
    needs: ClassVar = ("answer", "references")
    choice: ClassVar = "normalize"
    choices: ClassVar = tuple(NORMALIZATIONS)

    normalize: str = "none"

    def score(self, sample: Sample) -> Score:
        """See the class."""
        if not sample.references:
            return Score.unscorable("there is no reference to compare with")
        tokens = NORMALIZATIONS[self.normalize].tokens
        answer = tokens(sample.answer or "")
        pairs = [_overlap(answer, tokens(reference)) for reference in sample.references]
        value, common, wanted = max(pairs)
        reason = f"{common} of the answer's {len(answer)} tokens, {wanted} in the reference"
        return Score(value, reason=reason, support=value)


def _overlap(answer: list[str], reference: list[str]) -> tuple[float, int, int]:
    """F1, the number of common tokens, and the number of tokens of the reference."""
    common = (Counter(answer) & Counter(reference)).total()
    if not answer or not reference:
        return float(answer == reference), common, len(reference)
    return 2 * common / (len(answer) + len(reference)), common, len(reference)
