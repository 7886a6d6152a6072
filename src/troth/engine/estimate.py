"""What a run would ask and cost, without asking: the metrics' own steps, driven over estimates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from troth.asks import Answer, Ask, Joint
from troth.engine.desk import Desk
from troth.engine.drive import drive
from troth.engine.fitting import excess, reply_tokens, split, tokens
from troth.errors import JudgeUnavailable
from troth.metric import Metric
from troth.sample import Sample
from troth.score import NO_USAGE, Usage, Verdict


@dataclass(slots=True)
class Estimate:
    """One metric: rows, those that need no judge, asks, asks the journal answers, and tokens.

    `usage` is what would be paid: calls that are not in the journal, and their tokens, estimated;
    `cost` is `None` where the judge's price is unknown, 0 where it costs nothing. Repeated asks
    after a bad reply are not foreseen.
    """

    metric: str
    rows: int = 0
    silent: int = 0
    asks: int = 0
    kept: int = 0
    usage: Usage = NO_USAGE
    cost: float | None = None


def estimates(samples: Iterable[Sample], metrics: Sequence[Metric], desk: Desk) -> list[Estimate]:
    """One `Estimate` per metric; equal asks are counted once, as they are asked once."""
    found = [Estimate(metric.label) for metric in metrics]
    seen: set[str] = set()
    for sample in samples:
        counting = _Counting(desk, seen)
        for metric, one in zip(metrics, found, strict=True):
            one.rows += 1
            counting.metric(one)
            if metric.judged and not metric.missing(sample):
                drive(metric.steps(sample), counting)
            one.silent += counting.first
        counting.row_ends()
    for one in found:
        if desk.price is not None or desk.judge.free:
            one.cost = desk.price.of(one.usage) if desk.price else 0.0
    return found


@dataclass(slots=True)
class _Counting:
    """Counts what the engine would ask (`asking.Asking`, `joint.Round`), in the same order."""

    desk: Desk
    seen: set[str]
    found: Estimate = field(default_factory=lambda: Estimate(""))
    first: bool = True  # a metric's first ask goes together with those of others
    waiting: list[tuple[Ask, Estimate]] = field(default_factory=list)  # what goes in one call

    def metric(self, found: Estimate) -> None:
        """The asks that follow are this metric's."""
        self.found, self.first = found, True

    def __call__(self, ask: Ask) -> Answer:
        if not self.desk.explain:
            ask = replace(ask, explain=False)
        if self.desk.joint and self.first:
            self.waiting.append((ask, self.found))
        else:
            self._single(ask, self.found)
        self.first = False
        label, support = next(iter(ask.labels.items()))
        return tuple(Verdict(item.id, label, support) for item in ask.items)

    def row_ends(self) -> None:
        """Count the asks that wait: together, if they fit, at the first one's metric."""
        joint = Joint.of(dict.fromkeys(ask for ask, _ in self.waiting))
        together = len(joint.parts) > 1 and not excess(self.desk.judge, joint)
        if together:
            first = next(found for ask, found in self.waiting if ask in joint.parts)
            self._count(joint, first)
        for ask, found in self.waiting:
            if together and ask in joint.parts:
                found.asks += 1
            else:
                self._single(ask, found)
        self.waiting = []

    def _single(self, ask: Ask, found: Estimate) -> None:
        if not excess(self.desk.judge, ask):
            found.asks += 1
            self._count(ask, found)
            return
        try:
            halves, _ = split(self.desk.judge, ask)
        except JudgeUnavailable:  # in the run this row fails, without a call
            return
        for half in halves:
            self._single(half, found)

    def _count(self, ask: Ask, found: Estimate) -> None:
        text = self.desk.judge.sent(ask)
        key = self.desk.judge.key(ask)
        if text is None or key in self.seen:
            return
        if key is not None:
            self.seen.add(key)
            if self.desk.replies is not None and self.desk.replies.get(f"{key}:0") is not None:
                found.kept += 1
                return
        found.usage += Usage(1, tokens(text), reply_tokens(ask))
