"""The closed account of a run, kept while its rows pass by: none has to be held or read again."""

from __future__ import annotations

import heapq
import math
from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Self

from troth.sample import Sample
from troth.score import NO_USAGE, Score, Status, Usage

KEPT = 50  # lowest rows that are kept whole
REASONS = 100  # different reasons without a score that are told apart, per metric
EXAMPLES = 3  # ids that are kept with a reason


@dataclass(frozen=True, slots=True)
class Row:
    """One sample and its scores by metric label."""

    sample: Sample
    scores: Mapping[str, Score]


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric over all rows: `total == scored + unscorable + failed`, always.

    `mean` is over the scored rows alone, and `None` where there is none.
    """

    metric: str
    mean: float | None
    total: int
    scored: int
    unscorable: int
    failed: int
    usage: Usage = NO_USAGE
    saved: Usage = NO_USAGE

    @classmethod
    def of(cls, metric: str, scores: Iterable[Score]) -> Summary:
        """Count and average `scores`; an empty sequence gives total 0 and mean `None`."""
        tally = Tally()
        for score in scores:
            tally.add(score, "")
        return tally.summary(metric)


@dataclass(slots=True)
class Tally:
    """One metric's values and the reasons of the rows that have none, with their first ids."""

    values: array[float] = field(default_factory=lambda: array("d"))
    unscored: dict[tuple[Status, str], tuple[int, list[str]]] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    saved: Usage = NO_USAGE

    def add(self, score: Score, row_id: str) -> None:
        """Count one more row."""
        self.usage += score.usage
        self.saved += score.saved
        if score.value is not None:
            self.values.append(score.value)
            return
        reason = (score.status, score.reason)
        if reason not in self.unscored and len(self.unscored) >= REASONS:
            reason = (score.status, "for other reasons")
        count, ids = self.unscored.setdefault(reason, (0, []))
        if len(ids) < EXAMPLES:
            ids.append(row_id)
        self.unscored[reason] = (count + 1, ids)

    def count(self, status: Status) -> int:
        """How many rows ended so."""
        if status is Status.SCORED:
            return len(self.values)
        return sum(n for (s, _), (n, _) in self.unscored.items() if s is status)

    def summary(self, metric: str) -> Summary:
        """Counts and mean."""
        scored, unscorable, failed = map(self.count, Status)
        mean = math.fsum(self.values) / scored if scored else None
        total = scored + unscorable + failed
        return Summary(metric, mean, total, scored, unscorable, failed, self.usage, self.saved)


class Account:
    """What is known of a run's rows once they have gone by.

    `ranking` names the metrics whose mean ranks the rows; all of them by default.
    """

    def __init__(self, metrics: Sequence[str], ranking: Sequence[str] = ()) -> None:
        self.metrics = tuple(metrics)
        self.ranking = tuple(ranking) or self.metrics
        self.tallies = {metric: Tally() for metric in self.metrics}
        self.rows = 0
        self._lowest: list[tuple[float, float, int, Row]] = []  # a heap, its highest row on top

    @classmethod
    def of(cls, metrics: Sequence[str], rows: Iterable[Row], ranking: Sequence[str] = ()) -> Self:
        """The account of rows that are at hand."""
        account = cls(metrics, ranking)
        for row in rows:
            account.add(row)
        return account

    def add(self, row: Row) -> None:
        """Count one more row, in the order of the input."""
        for metric, tally in self.tallies.items():
            tally.add(row.scores[metric], row.sample.id)
        if (rank := rank_of(row, self.ranking)) is not None:
            entry = (-rank[0], -rank[1], -self.rows, row)
            push = heapq.heappush if len(self._lowest) < KEPT else heapq.heappushpop
            push(self._lowest, entry)
        self.rows += 1

    def summary(self) -> dict[str, Summary]:
        """The account of every metric, by label."""
        return {metric: tally.summary(metric) for metric, tally in self.tallies.items()}

    def lowest(self, n: int) -> list[Row]:
        """The `n` lowest rows (at most `KEPT`), the lowest first, equals in input order."""
        return [row for *_, row in sorted(self._lowest, key=lambda e: (-e[0], -e[1], -e[2]))[:n]]


def rank_of(row: Row, metrics: Sequence[str]) -> tuple[float, float] | None:
    """The mean value of the scored ones of `metrics`, and the mean support; `None` without any."""
    scores = [row.scores[metric] for metric in metrics]
    values = [s.value for s in scores if s.value is not None]
    supports = [s.support for s in scores if s.support is not None]
    if not values:
        return None
    return math.fsum(values) / len(values), math.fsum(supports) / max(1, len(supports))
