"""Exact match: is the answer, character for character, one of the references?"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from operator import eq
from typing import ClassVar

from troth.metric import Metric
from troth.sample import Sample
from troth.score import Score
from troth.text.normalize import NONE, NORMALIZATIONS


@dataclass(frozen=True, slots=True)
class ExactMatch(Metric):
    """1.0 if the normalised answer equals a normalised reference, else 0.0; higher is better.

    `normalize="none"` (the default) compares character by character, as Haystack's
    `AnswerExactMatchEvaluator` does; `"squad"` is the official SQuAD script (Rajpurkar et al.,
    2016, https://aclanthology.org/D16-1264). Several references: one match is enough.
    Unscorable without a reference.
    """

    name: ClassVar = "exact_match"
    needs: ClassVar = ("answer", "references")
    choice: ClassVar = "normalize"
    choices: ClassVar = tuple(NORMALIZATIONS)

    normalize: str = "none"

    def score(self, sample: Sample) -> Score:
        """See the class."""
        if not sample.references:
            return Score.unscorable("there is no reference to compare with")
        normal = NORMALIZATIONS[self.normalize].text
        answer = normal(sample.answer or "")
        for place, reference in enumerate(sample.references, 1):
            if normal(reference) == answer:
                return Score(1.0, reason=f"equals reference {place}", support=1.0)
        count = len(sample.references)
        return Score(
            0.0,
            reason="differs from the reference" if count == 1 else f"differs from all {count}",
            support=0.0,
        )

    def hits(self, answers: Collection[str], references: Collection[str]) -> list[int]:
        """`score` for rows of one reference each: a 1 or a 0 per pair, without the reasons.

        The strings are plain ones. Raises `ValueError` for inputs of different lengths.
        """
        if len(answers) != len(references):
            raise ValueError(f"{len(answers)} answers do not go with {len(references)} references")
        rule = NORMALIZATIONS[self.normalize]
        pairs: tuple[Iterable[str], Iterable[str]] = (references, answers)
        if rule is not NONE:
            pairs = (map(rule.text, references), map(rule.text, answers))
        return list(bytes(map(eq, *pairs)))  # bytes: 1 and 0 at the speed of C
