"""Answer correctness: does the answer say what a reference says, and nothing against it?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from msgspec.structs import replace

from troth.asks import CONTRADICTED, MATCHED, UNMATCHED, Correctness, Item
from troth.metric import Metric, Steps
from troth.sample import Sample
from troth.score import Score, Verdict
from troth.verdicts import mean_support, numbered, quote

COVERED, MISSING = "covered", "missing"
CORRECT, EXTRA, WRONG = "correct", "extra", "wrong"
OF_REFERENCE = {MATCHED: COVERED, UNMATCHED: MISSING, CONTRADICTED: CONTRADICTED}
OF_ANSWER = {MATCHED: CORRECT, UNMATCHED: EXTRA, CONTRADICTED: WRONG}
NAMED = 3  # sentences of each kind that the reason quotes; the details hold the ids of all


class _Held(NamedTuple):
    """The answer held against one reference, the better one first in order."""

    value: float
    support: float
    verdicts: tuple[Verdict, ...]  # on the sentences of that reference


@dataclass(frozen=True, slots=True)
class AnswerCorrectness(Metric):
    """F-measure of the answer against a reference, in [0, 1]; higher is better.

    Recall is covered ÷ all sentences of the reference, precision correct ÷ (correct + wrong)
    sentences of the answer; their harmonic mean is the score. What the reference does not speak of
    (`extra`) counts against neither, as a reference does not hold all that is true. Where no
    sentence of the answer is correct or wrong, the score is the recall. Claim recall and precision
    against a reference follow RAGChecker (Ru et al., 2024, https://arxiv.org/abs/2408.08067),
    which counts extra claims as errors.
    Several references: one call; the best one counts. `details["verdict"]` is `right` (all covered,
    nothing wrong), `wrong` (nothing covered) or `partly`. `Score.support` is the mean support of
    the reference's sentences × the share of the answer's that are not wrong. An answer without a
    sentence scores 0.0 and costs no call; unscorable where no reference states anything.
    """

    name: ClassVar = "answer_correctness"
    needs: ClassVar = ("answer", "references")
    judged: ClassVar = True

    def steps(self, sample: Sample) -> Steps:
        """One ask: every sentence of the answer and of every reference, held against the other."""
        answer = numbered("a", sample.answer or "")
        groups = [numbered(f"r{n}.", text) for n, text in enumerate(sample.references or (), 1)]
        references = tuple(item for group in groups for item in group)
        if not references:
            return Score.unscorable("no reference states anything")
        if answer:
            [verdicts] = yield [
                Correctness(
                    items=references + answer,
                    references=references,
                    answer=answer,
                    question=sample.question,
                )
            ]
        else:
            verdicts = tuple(
                Verdict(item.id, UNMATCHED, 0.0, "the answer is empty", text=item.text)
                for item in references
            )
        return _conclude(groups, verdicts)


def _conclude(groups: Sequence[tuple[Item, ...]], verdicts: Sequence[Verdict]) -> Score:
    stated = {item.id for group in groups for item in group}
    named = tuple(
        replace(v, label=(OF_REFERENCE if v.id in stated else OF_ANSWER)[v.label]) for v in verdicts
    )
    said = tuple(v for v in named if v.id not in stated)
    best = max((_held(group, named, said) for group in groups if group), key=lambda h: h[:2])
    verdict = _verdict(best.verdicts, said)
    ids = {
        label: [v.id for v in (*best.verdicts, *said) if v.label == label]
        for label in (COVERED, MISSING, CONTRADICTED, CORRECT, EXTRA, WRONG)
    }
    return Score(
        best.value,
        reason=_reason(verdict, (*best.verdicts, *said)),
        verdicts=named,
        support=best.support,
        details={"verdict": verdict, **ids},
    )


def _held(group: Sequence[Item], named: Sequence[Verdict], said: Sequence[Verdict]) -> _Held:
    ids = {item.id for item in group}
    own = tuple(v for v in named if v.id in ids)
    recall = _count(own, COVERED) / len(own)
    correct, wrong = _count(said, CORRECT), _count(said, WRONG)
    precision = correct / (correct + wrong) if correct + wrong else 1.0
    if not correct + wrong:
        value = recall
    elif recall + precision:
        value = 2 * recall * precision / (recall + precision)
    else:
        value = 0.0
    unspoiled = 1 - wrong / len(said) if said else 1.0
    return _Held(value, mean_support(own) * unspoiled, own)


def _count(verdicts: Sequence[Verdict], label: str) -> int:
    return sum(v.label == label for v in verdicts)


def _verdict(own: Sequence[Verdict], said: Sequence[Verdict]) -> str:
    covered = _count(own, COVERED)
    if not covered:
        return "wrong"
    return "right" if covered == len(own) and not _count(said, WRONG) else "partly"


def _reason(verdict: str, verdicts: Sequence[Verdict]) -> str:
    """The verdict in a word, then what is amiss, worst first, and what goes beyond."""
    parts = []
    for label in (CONTRADICTED, WRONG, MISSING, EXTRA):
        found = [v for v in verdicts if v.label == label]
        listed = [f"{v.id} {quote(v.text)}" for v in found[:NAMED]]
        if len(found) > NAMED:
            listed.append(f"and {len(found) - NAMED} more")
        if listed:
            parts.append(f"{label}: {', '.join(listed)}")
    return "; ".join([verdict, *parts])
