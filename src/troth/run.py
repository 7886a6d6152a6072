"""A run: samples × metrics → scores, with everything that is needed to repeat it."""

from __future__ import annotations

import html
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from troth.errors import MissingExtra
from troth.sample import Sample
from troth.score import NO_USAGE, Score, Status, Usage

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


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

    @classmethod
    def of(cls, metric: str, scores: Sequence[Score]) -> Summary:
        """Count and average `scores`; an empty sequence gives total 0 and mean `None`."""
        counts = {status: sum(s.status is status for s in scores) for status in Status}
        values = [s.value for s in scores if s.value is not None]
        return cls(
            metric,
            math.fsum(values) / len(values) if values else None,
            len(scores),
            counts[Status.SCORED],
            counts[Status.UNSCORABLE],
            counts[Status.FAILED],
            sum((s.usage for s in scores), NO_USAGE),
        )


@dataclass(frozen=True, slots=True)
class Run(Sequence[Row]):
    """The result of an evaluation: a sequence of `Row`, in the order of the input.

    `info` says how to repeat it: metric identities, judge, versions, source, how columns were
    mapped. `skipped` lists the bad rows that were left out on request.
    """

    rows: tuple[Row, ...]
    metrics: tuple[str, ...]
    judge: str
    info: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    seconds: float = 0.0
    id: str = ""

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        return self.rows[place]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def scores(self, metric: str) -> list[Score]:
        """One metric's scores in row order; `KeyError` for a metric that was not asked for."""
        return [row.scores[metric] for row in self.rows]

    def summary(self) -> dict[str, Summary]:
        """The account of every metric, by label."""
        return {m: Summary.of(m, self.scores(m)) for m in self.metrics}

    def worst(self, n: int = 5, metric: str | None = None) -> list[Row]:
        """The `n` lowest rows by one metric, or by the mean over all that were judged.

        Without a judged metric the mean is over all metrics. Among equals the lowest support comes
        first; rows without a score are not ranked.
        """
        judged = [m for m in self.metrics if any(row.scores[m].verdicts for row in self.rows)]
        by = [metric] if metric else judged or list(self.metrics)
        ranked = [(rank, row) for row in self.rows if (rank := _rank(row, by)) is not None]
        return [row for _, row in sorted(ranked, key=lambda pair: pair[0])[:n]]

    def records(self) -> list[dict[str, Any]]:
        """One flat dict per row: the sample's fields, then value, status and reason by metric."""
        records = []
        for row in self.rows:
            s = row.sample
            record: dict[str, Any] = {
                "id": s.id,
                "question": s.question,
                "answer": s.answer,
                "references": None if s.references is None else list(s.references),
                "contexts": None if s.contexts is None else list(s.contexts),
            }
            for metric, score in row.scores.items():
                record[metric] = score.value
                record[f"{metric}.status"] = str(score.status)
                record[f"{metric}.support"] = score.support
                record[f"{metric}.reason"] = score.reason
            # A column of the user's that bears one of these names is kept under another.
            meta = {f"meta.{name}" if name in record else name: v for name, v in s.meta.items()}
            records.append(record | meta)
        return records

    def to_pandas(self) -> pd.DataFrame:
        """`records()` as a pandas DataFrame; `MissingExtra` where pandas is not installed."""
        try:
            import pandas as pd  # noqa: PLC0415
        except ImportError:
            raise MissingExtra("pandas") from None
        return pd.DataFrame(self.records())

    def to_polars(self) -> pl.DataFrame:
        """`records()` as a polars DataFrame; `MissingExtra` where polars is not installed."""
        try:
            import polars as pl  # noqa: PLC0415
        except ImportError:
            raise MissingExtra("polars") from None
        records = self.records()
        columns = {name: [r.get(name) for r in records] for r in records for name in r}
        return pl.DataFrame([_series(pl, name, cells) for name, cells in columns.items()])

    def __repr__(self) -> str:
        means = ", ".join(
            f"{s.metric}={'–' if s.mean is None else format(s.mean, '.3f')} ({s.scored}/{s.total})"
            for s in self.summary().values()
        )
        return f"<Run of {len(self.rows)} rows by {self.judge}: {means}>"

    def _repr_html_(self) -> str:
        head = "".join(
            f"<th>{h}</th>" for h in ("metric", "mean", "scored", "unscorable", "failed", "total")
        )
        body = "".join(
            f"<tr><td>{html.escape(s.metric)}</td>"
            f"<td>{'–' if s.mean is None else format(s.mean, '.3f')}</td><td>{s.scored}</td>"
            f"<td>{s.unscorable}</td><td>{s.failed}</td><td>{s.total}</td></tr>"
            for s in self.summary().values()
        )
        caption = f"{len(self.rows)} rows, judge {html.escape(self.judge)}"
        return f"<table><caption>{caption}</caption><tr>{head}</tr>{body}</table>"


def _series(polars: Any, name: str, cells: list[Any]) -> pl.Series:
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:  # a frame's column has one type
        cells = [None if cell is None else str(cell) for cell in cells]
    series: pl.Series = polars.Series(name, cells, strict=False)
    return series


def _rank(row: Row, metrics: Sequence[str]) -> tuple[float, float] | None:
    scores = [row.scores[m] for m in metrics]
    values = [s.value for s in scores if s.value is not None]
    supports = [s.support for s in scores if s.support is not None]
    if not values:
        return None
    return math.fsum(values) / len(values), math.fsum(supports) / max(1, len(supports))
