"""What a run would ask and cost, without asking: the metrics' own steps, driven over estimates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from troth.asks import Answer, Ask
from troth.engine.budget import Price
from troth.engine.desk import Replies
from troth.engine.drive import drive
from troth.judges.base import Judge
from troth.metric import Metric
from troth.sample import Sample
from troth.score import NO_USAGE, Usage, Verdict

EXPLAINED, BARE = 40, 12  # tokens of a reply per item, with a reason and without


@dataclass(slots=True)
class Estimate:
    """One metric: rows, those that need no judge, asks, asks the journal answers, and tokens.

    `usage` is what would be paid: calls that are not in the journal, and their tokens, estimated.
    A metric that asks again because of what a first answer says is counted as if all went well.
    """

    metric: str
    rows: int = 0
    silent: int = 0
    asks: int = 0
    kept: int = 0
    usage: Usage = NO_USAGE

    def cost(self, price: Price | None) -> float | None:
        """What `usage` costs; `None` where the price is unknown."""
        return None if price is None else price.of(self.usage)


def estimate(
    samples: Iterable[Sample],
    metrics: Sequence[Metric],
    judge: Judge,
    replies: Replies | None = None,
) -> list[Estimate]:
    """One `Estimate` per metric; equal asks are counted once, as they are asked once."""
    estimates = [Estimate(metric.label) for metric in metrics]
    seen: set[str] = set()
    for sample in samples:
        for metric, found in zip(metrics, estimates, strict=True):
            found.rows += 1
            before = found.asks
            if not metric.missing(sample):
                drive(metric.steps(sample), _Counting(judge, replies, seen, found))
            found.silent += found.asks == before
    return estimates


def tokens(text: str) -> int:
    """About as many tokens as a language model's: four letters, or one character of CJK, each."""
    wide = sum(1 for c in text if ord(c) >= 0x2E80) if not text.isascii() else 0
    return wide + -(-(len(text) - wide) // 4)


@dataclass(slots=True)
class _Counting:
    judge: Judge
    replies: Replies | None
    seen: set[str]
    found: Estimate

    def __call__(self, ask: Ask) -> Answer:
        self.found.asks += 1
        key = self.judge.key(ask)
        text = self.judge.sent(ask)
        if text is None or key in self.seen:
            return _first_labels(ask)
        if key is not None:
            self.seen.add(key)
            if self.replies is not None and self.replies.get(f"{key}:0") is not None:
                self.found.kept += 1
                return _first_labels(ask)
        out = len(ask.items) * (EXPLAINED if ask.explain else BARE)
        self.found.usage += Usage(1, tokens(text), out)
        return _first_labels(ask)


def _first_labels(ask: Ask) -> Answer:
    label, support = next(iter(ask.labels.items()))
    return tuple(Verdict(item.id, label, support) for item in ask.items)
