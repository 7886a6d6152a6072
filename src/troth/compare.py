"""Two runs compared: is B better than A, how sure is that, and which rows changed?

Rows are paired by the id of their sample. What is said of a metric rests on the rows that both
runs scored; the others are counted and named.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from troth.account import Row
from troth.differing import warnings_of
from troth.errors import InputError, UsageError
from troth.pairing import Pairs, Unpaired
from troth.run import Run
from troth.stats.paired import Paired, holm, paired
from troth.stats.power import rows_needed

CHANGED = 20  # rows that are kept each way, of those that changed most
SLICES = 20  # values of one column that are told apart, those with most rows
SMALLEST = 0.005  # differences below half a point are not worth a number of rows
FARTHEST = 100  # times as many rows are no advice any more


class Outcome(StrEnum):
    """What may be said of a metric."""

    BETTER = "better"
    WORSE = "worse"
    UNCLEAR = "cannot tell"
    EQUAL = "equal"  # not one row differs
    NOTHING = "nothing to compare"  # no row is scored in both runs


@dataclass(frozen=True, slots=True)
class Difference:
    """One metric in two runs (or in one slice of them): B - A over the rows scored in both.

    `p_adjusted` is Holm's, over all metrics of the comparison (over all slices and metrics, for a
    slice). `more_rows` is how many more would show a difference as large as the one that was seen;
    `None` where it was shown, or is too small to look for. `neither` rows are scored in no run.
    """

    metric: str
    paired: Paired | None
    p_adjusted: float | None = None
    more_rows: int | None = None
    unpaired: tuple[Unpaired, ...] = ()
    neither: int = 0
    tests: int = 1  # how many tests `p_adjusted` is corrected for

    @property
    def outcome(self) -> Outcome:
        """Better or worse where the corrected test says so at the interval's level."""
        if self.paired is None or self.p_adjusted is None:
            return Outcome.NOTHING
        if not self.paired.better and not self.paired.worse:
            return Outcome.EQUAL
        if self.p_adjusted > self._alpha:
            return Outcome.UNCLEAR
        return Outcome.BETTER if self.paired.difference > 0 else Outcome.WORSE

    @property
    def words(self) -> str:
        """The outcome as a person would say it, with what would make it clearer."""
        if self.paired is None or self.outcome is not Outcome.UNCLEAR:
            return str(self.outcome)
        parts = []
        if self.paired.p_value <= self._alpha:
            parts.append(f"clear alone, not among {self.tests} tests")
        if self.paired.detectable is None:
            parts.append(f"n={self.paired.n} cannot show anything")
        else:
            seen = f"{100 * self.paired.detectable:.2g} points"
            parts.append(f"n={self.paired.n} cannot see less than {seen}")
        if self.more_rows is not None:
            parts.append(f"add {self.more_rows:,} rows")
        return f"{self.outcome}: {'; '.join(parts)}" if parts else str(self.outcome)

    @property
    def _alpha(self) -> float:
        return 1 - self.paired.interval.confidence if self.paired else 0.0


@dataclass(frozen=True, slots=True)
class Slice:
    """The pairs that have one value in one column."""

    column: str
    value: str
    rows: int
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class Changed:
    """A row whose scores changed: `differences` (B - A) by metric, and what it is ranked by."""

    id: str
    a: Row
    b: Row
    differences: Mapping[str, float]
    change: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs side by side. `rows` is how many were paired.

    `changed` holds the rows that changed most, up to as many for the worse as for the better, the
    largest change first. `warnings` say what, besides the answers, differs between the runs.
    """

    a: Run
    b: Run
    rows: int
    differences: tuple[Difference, ...]
    slices: tuple[Slice, ...]
    changed: tuple[Changed, ...]
    only_a: tuple[str, ...]
    only_b: tuple[str, ...]
    warnings: tuple[str, ...]
    cluster: str | None
    confidence: float

    def __getitem__(self, metric: str) -> Difference:
        """The difference in one metric; `KeyError` where it is not in both runs."""
        for one in self.differences:
            if one.metric == metric:
                return one
        raise KeyError(metric)


def compare(
    a: Run,
    b: Run,
    *,
    metrics: Sequence[str] | None = None,
    cluster: str | None = None,
    slices: Sequence[str] = (),
    confidence: float = 0.95,
    changed: int = CHANGED,
) -> Comparison:
    """Compare run `b` (the new one) with run `a`, rows paired by id.

    metrics: labels; by default all that both runs have.
    cluster: a column whose equal values mark rows that belong together (a document, a question).
    slices: columns by whose values the comparison is repeated, for the most frequent values.
    changed: how many rows that changed most are kept, each way.

    Raises `InputError` where no row has the same id in both, and `UsageError` for metrics that are
    not in both runs and for columns that no row has.
    """
    shared = _shared(a, b, metrics)
    pairs = Pairs.of(a, b, shared, [*([cluster] if cluster else []), *slices])
    if not len(pairs):
        raise InputError(
            f"no row of A ({len(a)} rows) has the id of a row of B ({len(b)} rows); "
            "give both the same column `id`"
        )
    tester = _Tester(pairs, shared, cluster, confidence)
    return Comparison(
        a,
        b,
        len(pairs),
        tester.differences(),
        tester.slices(tuple(dict.fromkeys(slices))),
        tuple(_changed(a, b, pairs, shared, changed)),
        tuple(pairs.only_a),
        tuple(pairs.only_b),
        (*warnings_of(a, b, pairs, shared), *(_alone(a, b) if metrics is None else ())),
        cluster,
        confidence,
    )


def _shared(a: Run, b: Run, metrics: Sequence[str] | None) -> tuple[str, ...]:
    both = tuple(m for m in a.metrics if m in b.metrics)
    has = f"A has {', '.join(a.metrics)}; B has {', '.join(b.metrics)}"
    for metric in metrics or ():
        if metric not in both:
            raise UsageError(f"{metric!r} is not a metric of both runs: {has}")
    if not both:
        raise UsageError(f"the runs have no metric in common: {has}")
    return both if metrics is None else tuple(dict.fromkeys(metrics))


def _alone(a: Run, b: Run) -> Iterator[str]:
    for name, run, other in (("A", a, b), ("B", b, a)):
        if alone := [metric for metric in run.metrics if metric not in other.metrics]:
            yield f"in {name} only, and not compared: {', '.join(alone)}"


class _Tester:
    """The tests over one set of pairs."""

    def __init__(
        self, pairs: Pairs, metrics: Sequence[str], cluster: str | None, confidence: float
    ) -> None:
        self.pairs = pairs
        self.metrics = metrics
        self.cluster = cluster
        self.confidence = confidence
        self.scored = {metric: pairs.scored(metric) for metric in metrics}

    def differences(self) -> tuple[Difference, ...]:
        """One per metric, with the rows that only one run scored."""
        found = []
        for metric in self.metrics:
            unpaired, neither = self.pairs.unpaired(metric)
            tested = self._test(metric, self.scored[metric])
            found.append(replace(tested, unpaired=unpaired, neither=neither))
        return tuple(_corrected(found))

    def slices(self, columns: Sequence[str]) -> tuple[Slice, ...]:
        """The same in the most frequent values of each column."""
        cut = [(column, *found) for column in columns for found in self._values(column)]
        found = []
        for _, _, numbers in cut:
            inside = set(numbers)
            for metric in self.metrics:
                found.append(self._test(metric, [n for n in self.scored[metric] if n in inside]))
        corrected, width = _corrected(found), len(self.metrics)
        return tuple(
            Slice(column, value, len(numbers), tuple(corrected[width * n : width * (n + 1)]))
            for n, (column, value, numbers) in enumerate(cut)
        )

    def _values(self, column: str) -> list[tuple[str, list[int]]]:
        """The most frequent values and the pairs that have them."""
        found: dict[str, list[int]] = {}
        for n in range(len(self.pairs)):
            if (value := self.pairs.group(column, n)) is not None:
                found.setdefault(value, []).append(n)
        return sorted(found.items(), key=lambda item: -len(item[1]))[:SLICES]

    def _test(self, metric: str, numbers: Sequence[int]) -> Difference:
        a, b = self.pairs.values(metric, numbers)
        groups = self.pairs.groups(self.cluster, numbers) if self.cluster else None
        found = paired(a, b, clusters=groups, confidence=self.confidence)
        more = None
        if found and found.interval.trusted and abs(found.difference) >= SMALLEST:
            seen = abs(found.difference)
            total = rows_needed(a, b, seen, clusters=groups, confidence=self.confidence)
            more = total - found.n if 0 < total - found.n < FARTHEST * found.n else None
        return Difference(metric, found, more_rows=more)


def _corrected(found: Sequence[Difference]) -> list[Difference]:
    """Holm over all of them that could be tested; those that are clear need no more rows."""
    ps = [one.paired.p_value for one in found if one.paired is not None]
    adjusted = iter(holm(ps))
    result = []
    for one in found:
        if one.paired is not None:
            one = replace(one, p_adjusted=next(adjusted), tests=len(ps))  # noqa: PLW2901
            if one.outcome is not Outcome.UNCLEAR:
                one = replace(one, more_rows=None)  # noqa: PLW2901
        result.append(one)
    return result


def _changed(a: Run, b: Run, pairs: Pairs, metrics: Sequence[str], keep: int) -> Iterator[Changed]:
    """The rows that lost and that won most, by the metrics that rank rows, then by all."""
    first = [m for m in b.account.ranking if m in metrics] or metrics
    by_pair: dict[int, dict[str, float]] = {}
    for metric in metrics:
        numbers = pairs.scored(metric)
        for n, x, y in zip(numbers, *pairs.values(metric, numbers), strict=True):
            if x != y:
                by_pair.setdefault(n, {})[metric] = y - x
    ranked = [
        (_mean(by[m] for m in first if m in by) or _mean(by.values()), _mean(by.values()), n)
        for n, by in by_pair.items()
    ]
    ranked.sort(key=lambda entry: (-abs(entry[0]), -abs(entry[1]), entry[2]))
    left = {False: keep, True: keep}
    for change, _, n in ranked:
        left[change > 0] -= 1
        if left[change > 0] >= 0:
            i, j = pairs.places[n]
            row = a[i]
            yield Changed(row.sample.id, row, b[j], by_pair[n], change)


def _mean(values: Iterable[float]) -> float:
    found = list(values)
    return math.fsum(found) / len(found) if found else 0.0
