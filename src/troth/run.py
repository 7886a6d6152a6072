"""A run: samples × metrics → scores, with everything that is needed to repeat it."""

from __future__ import annotations

import heapq
import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from troth.account import KEPT, Account, Row, Summary, rank_of
from troth.errors import MissingExtra
from troth.sample import RETRIEVAL
from troth.score import Score, Usage

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl


@dataclass(frozen=True, slots=True)
class Run:
    """The result of an evaluation: a sequence of `Row`, in the order of the input.

    `rows` may lie in memory or in a store, from which they are read as they are asked for.
    `info` says how to repeat it: metric identities, judge, versions, source, how columns were
    mapped. `skipped` lists the bad rows that were left out on request.
    """

    rows: Sequence[Row]
    metrics: tuple[str, ...]
    judge: str
    info: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    seconds: float = 0.0
    id: str = ""
    account: Account = field(default=None, compare=False, repr=False)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        if self.account is None:  # the rows are at hand: count them
            ranking = self.info.get("ranking", ())
            object.__setattr__(self, "account", Account.of(self.metrics, self.rows, ranking))

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, place: Any) -> Any:
        """The row at a place, the rows of a slice, or the row with an id: `run["T-002"]`.

        `KeyError` for an id that no row has.
        """
        if not isinstance(place, str):
            return self.rows[place]
        for row in self.rows:
            if row.sample.id == place:
                return row
        known = ", ".join(repr(row.sample.id) for row in self.rows[:3])
        raise KeyError(f"no row has the id {place!r}; the first of {len(self)} are {known}")

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def scores(self, metric: str) -> list[Score]:
        """One metric's scores in row order; `KeyError` for a metric that was not asked for."""
        return [row.scores[metric] for row in self.rows]

    def summary(self) -> dict[str, Summary]:
        """The account of every metric, by label."""
        return self.account.summary()

    def cost_of(self, usage: Usage) -> float | None:
        """What `usage` (of a `Summary` or a `Score`) costs at the run's prices.

        `None` where none were given.
        """
        if not (price := self.info.get("price")):
            return None
        tokens = usage.input_tokens * price["input"] + usage.output_tokens * price["output"]
        return float(tokens / 1_000_000)

    def worst(self, n: int = 5, metric: str | None = None) -> list[Row]:
        """The `n` lowest rows by one metric, or by the mean over the judged ones of the answer.

        Where no judged metric looks at the answer the mean is over all judged ones, and without
        any over all metrics. Among equals the lowest support comes first; rows without a score are
        not ranked.
        """
        if metric is None and n <= KEPT:
            return self.account.lowest(n)
        by = [metric] if metric else self.account.ranking
        ranked = (
            (*rank, place)
            for place, row in enumerate(self.rows)
            if (rank := rank_of(row, by)) is not None
        )
        return [self.rows[place] for *_, place in heapq.nsmallest(n, ranked)]

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
            record |= {f: v for f in RETRIEVAL if (v := _plain(getattr(s, f))) is not None}
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


def _plain(value: tuple[Any, ...] | None) -> list[Any] | dict[str, float] | None:
    """A field of lists, or ids with their grades where they are not all the same."""
    if not value or isinstance(value[0], str):
        return None if value is None else list(value)
    grades = dict(value)
    return list(grades) if set(grades.values()) == {1.0} else grades


def _series(polars: Any, name: str, cells: list[Any]) -> pl.Series:
    kinds = {type(cell) for cell in cells if cell is not None}
    if len(kinds) > 1 and not kinds <= {int, float}:  # a frame's column has one type
        cells = [None if cell is None else str(cell) for cell in cells]
    series: pl.Series = polars.Series(name, cells, strict=False)
    return series
