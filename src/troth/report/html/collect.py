"""One pass over a run's rows: every value and every slice, and the rows that a page holds."""

from __future__ import annotations

import heapq
import random
from array import array
from collections import Counter
from collections.abc import Sequence
from typing import Any

from troth.account import Account, Row, rank_of
from troth.errors import UsageError
from troth.pairing import OWN, value_of
from troth.sample import Sample
from troth.text.plain import shorten

MOST_ROWS = 5_000  # that a page holds
WORST = 3_000  # of them the lowest, where there are more rows
SILENT = 500  # and those without any score
MOST_VALUES = 12  # different values of a column that makes slices
MOST_COLUMNS = 8
MOST_INTERVALS = 400  # of slices, in all metrics: each takes some milliseconds
LONGEST_VALUE = 60  # characters; longer ones are texts, not names of slices
NAN = float("nan")


class Collected:
    """What one pass found. `values[metric]` has a number per row, not-a-number without a score."""

    def __init__(
        self, count: int, metrics: Sequence[str], ranking: Sequence[str], cluster: str | None
    ) -> None:
        self.metrics = tuple(metrics)
        self.ranking = tuple(ranking)
        self.values = {metric: array("d") for metric in metrics}
        self.labels: dict[str, Counter[str]] = {metric: Counter() for metric in metrics}
        self.clusters: list[str | None] | None = [] if cluster else None
        self.columns: dict[str, _Column] = {}
        self.account = Account(metrics, ranking)
        self._cluster = cluster or ""
        self._dropped: set[str] = {cluster} if cluster else set()
        self._all: list[tuple[int, Row]] | None = [] if count <= MOST_ROWS else None
        self._worst: list[tuple[float, float, int, Row]] = []
        self._sample: list[tuple[float, int, Row]] = []
        self._silent: list[tuple[int, Row]] = []
        self._random = random.Random(0)  # noqa: S311 - the same rows every time

    @classmethod
    def of(
        cls,
        rows: Sequence[Row],
        metrics: Sequence[str],
        ranking: Sequence[str],
        cluster: str | None = None,
    ) -> Collected:
        """Everything that a page says about `rows`; `cluster` names the column of groups.

        `UsageError` where no row has that column.
        """
        found = cls(len(rows), metrics, ranking, cluster)
        known: dict[str, None] = dict.fromkeys(OWN)
        for row in rows:
            found.add(row)
            known |= dict.fromkeys(map(str, row.sample.meta))
        if found.clusters and not any(group is not None for group in found.clusters):
            raise UsageError(f"no row has the column {cluster!r}; there are {', '.join(known)}")
        return found

    def add(self, row: Row) -> None:
        """Count one more row."""
        for metric, values in self.values.items():
            score = row.scores[metric]
            values.append(NAN if score.value is None else score.value)
            if score.verdicts:
                counts = self.labels[metric]
                for verdict in score.verdicts:
                    counts[verdict.label] += 1
        if self.clusters is not None:
            self.clusters.append(value_of(row.sample, self._cluster))
        self._slice(row.sample)
        self._keep(row)
        self.account.add(row)

    def kept(self) -> list[tuple[int, Row]]:
        """The rows that the page holds, with their places, in the order of the input."""
        if self._all is not None:
            return self._all
        chosen = dict(self._silent)
        chosen |= {-place: row for *_, place, row in self._worst}
        for _, place, row in sorted(self._sample, reverse=True, key=lambda kept: kept[0]):
            if len(chosen) >= MOST_ROWS:
                break
            chosen[place] = row
        return sorted(chosen.items())

    def slices(self) -> Sequence[tuple[str, list[str], Sequence[int]]]:
        """Per column that makes slices: its name, its values, and a value's number per row."""
        made: list[tuple[str, list[str], Sequence[int]]] = []
        left = MOST_INTERVALS
        for name, column in sorted(self.columns.items(), key=lambda item: len(item[1].names)):
            count = len(column.names)
            if count > 1 and count * 2 <= self.account.rows and count * len(self.metrics) <= left:
                made.append((name, column.names, column.codes))
                left -= count * len(self.metrics)
        return made[:MOST_COLUMNS]

    def _slice(self, sample: Sample) -> None:
        for name in sample.meta:
            if name not in self.columns and name not in self._dropped:
                self.columns[name] = _Column(self.account.rows)
        for name, column in list(self.columns.items()):
            if not column.add(sample.meta.get(name)):
                del self.columns[name]
                self._dropped.add(name)

    def _keep(self, row: Row) -> None:
        place = self.account.rows
        if self._all is not None:
            self._all.append((place, row))
            return
        rank = rank_of(row, self.ranking)
        if rank is None:
            if len(self._silent) < SILENT:
                self._silent.append((place, row))
        else:
            # Places are negative, so that of equal rows the first ones stay.
            _push(self._worst, (-rank[0], -rank[1], -place, row), WORST)
        _push(self._sample, (self._random.random(), place, row), MOST_ROWS)


class _Column:
    """A column of the user's that may make slices: few, short, plain values."""

    def __init__(self, missed: int) -> None:
        self.names: list[str] = []
        self.codes = array("b")
        self._known: dict[tuple[type, Any], int] = {}
        for _ in range(missed):
            self.add(None)

    def add(self, value: Any) -> bool:
        """Take one more row's value; false where the column can make no slices."""
        if value is not None and not isinstance(value, (str, int)):
            return False
        code = self._known.get((type(value), value))
        if code is None:
            if len(self.names) == MOST_VALUES or (
                isinstance(value, str) and len(value) > LONGEST_VALUE
            ):
                return False
            code = self._known[type(value), value] = len(self.names)
            self.names.append(_named(value))
        self.codes.append(code)
        return True


def _named(value: str | int | None) -> str:
    if value is None:
        return "(none)"
    if isinstance(value, bool):
        return "true" if value else "false"
    return shorten(str(value), LONGEST_VALUE) or "(empty)"


def _push(heap: list[Any], entry: Any, most: int) -> None:
    if len(heap) < most:
        heapq.heappush(heap, entry)
    else:
        heapq.heappushpop(heap, entry)
