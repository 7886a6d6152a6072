"""Runs on disk: written row by row while they go on, read back row by row."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import msgspec

from troth.account import Account, Row, Summary
from troth.errors import StoreError
from troth.sample import Sample
from troth.score import Score
from troth.store.base import CHUNK, Entry, RunStore, StoredRows
from troth.store.database import NOW, PATIENCE, connect, explained
from troth.store.journal import Journal

# Made once: a run has many rows.
SAMPLE, SCORE = msgspec.json.Decoder(Sample), msgspec.json.Decoder(Score)


class Store(RunStore):
    """An SQLite file (WAL, private to its owner), made on first use; safe to use from threads.

    Raises `StoreError` where the file is of a newer version, no database, or cannot be written.
    """

    def __init__(self, path: str | Path = ".troth/troth.db") -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        with explained(self.path):
            self._db = connect(self.path)
        self._journal: Journal | None = None

    @classmethod
    def existing(cls, path: str | Path) -> Self:
        """The store at `path`; `StoreError` where there is none, and none is made."""
        if not Path(path).is_file():
            raise StoreError(f"there is no store at {path}; name one with --store")
        return cls(path)

    def __str__(self) -> str:
        return str(self.path)

    @property
    def journal(self) -> Journal:
        """See `RunStore`."""
        if self._journal is None:
            self._journal = Journal(self.path)
        return self._journal

    def begin(self, run_id: str, metrics: Sequence[str], judge: str) -> None:
        """See `RunStore`."""
        with self._using():
            self._db.execute(
                "INSERT INTO runs (id, judge, metrics) VALUES (?, ?, ?)",
                (run_id, judge, _encode(metrics)),
            )

    def add_samples(self, run_id: str, samples: Iterable[Sample]) -> int:
        """See `RunStore`."""
        count = 0

        def encoded() -> Iterator[tuple[str, int, str]]:
            nonlocal count
            for sample in samples:
                yield run_id, count, _encode(sample)
                count += 1

        with self._using():
            self._db.executemany("INSERT INTO rows VALUES (?, ?, ?)", encoded())
        return count

    def add_scores(self, run_id: str, first: int, rows: Sequence[Row], *, answered: bool) -> None:
        """See `RunStore`."""
        with self._using():
            self._db.executemany(
                "INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    (run_id, place, metric, str(s.status), s.value, s.support, _encode(s))
                    for place, row in enumerate(rows, first)
                    for metric, s in row.scores.items()
                ),
            )
            if answered:
                self._db.executemany(
                    "UPDATE rows SET sample = ? WHERE run = ? AND row = ?",
                    ((_encode(r.sample), run_id, place) for place, r in enumerate(rows, first)),
                )

    def finish(
        self,
        run_id: str,
        info: Mapping[str, Any],
        skipped: Sequence[str],
        seconds: float,
        summary: Mapping[str, Summary],
    ) -> None:
        """See `RunStore`."""
        with self._using():
            self._db.execute(
                f"UPDATE runs SET finished = {NOW}, info = ?, skipped = ?, seconds = ?, summary = ?"  # noqa: S608 - fixed words
                " WHERE id = ?",
                (_encode(info), _encode(skipped), seconds, _encode(summary), run_id),
            )

    def samples(self, run_id: str) -> Iterator[Sample]:
        """See `RunStore`."""
        first = 0
        while chunk := self._chunk(run_id, first, CHUNK):
            for sample, _ in chunk:
                yield msgspec.json.decode(sample, type=Sample)
            first += len(chunk)

    def runs(self) -> list[Entry]:
        """See `RunStore`."""
        with self._using():
            found = self._db.execute(
                "SELECT id, created, finished, judge, metrics, info, skipped, seconds, summary,"
                " (SELECT coalesce(max(row) + 1, 0) FROM rows WHERE run = id)"
                " FROM runs WHERE finished IS NOT NULL ORDER BY created DESC, rowid DESC"
            ).fetchall()
        return [self._entry(record) for record in found]

    def delete(self, run_id: str) -> None:
        """See `RunStore`. The replies of judges stay in the journal."""
        with explained(self.path), self._lock:
            self._db.execute("PRAGMA secure_delete = ON")  # zeros where the user's texts were
            with self._db:
                self._db.execute("DELETE FROM runs WHERE id = ?", (run_id,))
            self._db.execute("PRAGMA busy_timeout = 1000")
            with suppress(sqlite3.OperationalError):  # somebody is reading: the room is used later
                self._db.execute("VACUUM")
                self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            self._db.execute(f"PRAGMA busy_timeout = {1000 * PATIENCE}")

    def again(self) -> Self:
        """See `RunStore`."""
        return type(self)(self.path)

    def close(self) -> None:
        """See `RunStore`."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        self._db.close()

    def rows(self, run_id: str, metrics: Sequence[str], first: int, count: int) -> list[Row]:
        """See `RunStore`."""
        return [
            Row(
                SAMPLE.decode(sample),
                {m: SCORE.decode(scores[m]) for m in metrics},
            )
            for sample, scores in self._chunk(run_id, first, count)
        ]

    def _chunk(self, run_id: str, first: int, count: int) -> list[tuple[str, dict[str, str]]]:
        span = (run_id, first, first + count)
        with self._using():
            found = self._db.execute(
                "SELECT row, sample FROM rows WHERE run = ? AND row >= ? AND row < ? ORDER BY row",
                span,
            ).fetchall()
            scores: dict[int, dict[str, str]] = {row: {} for row, _ in found}
            for row, metric, score in self._db.execute(
                "SELECT row, metric, score FROM scores WHERE run = ? AND row >= ? AND row < ?",
                span,
            ):
                scores[row][metric] = score
        return [(sample, scores[row]) for row, sample in found]

    def _entry(self, record: tuple[Any, ...]) -> Entry:
        run_id, created, finished, judge, metrics, info, skipped, seconds, summary, rows = record
        labels = msgspec.json.decode(metrics, type=tuple[str, ...])
        account = self._summary(run_id, labels, rows, summary)
        gone = msgspec.json.decode(skipped, type=tuple[str, ...])
        known = msgspec.json.decode(info)
        return Entry(run_id, created, finished, judge, labels, rows, account, known, gone, seconds)

    def _summary(
        self, run_id: str, metrics: tuple[str, ...], rows: int, kept: str
    ) -> dict[str, Summary]:
        if kept:
            return msgspec.json.decode(kept, type=dict[str, Summary])
        # A run of an older format: its rows are counted once.
        counted = Account.of(metrics, StoredRows(self, run_id, metrics, rows)).summary()
        with self._using():
            self._db.execute("UPDATE runs SET summary = ? WHERE id = ?", (_encode(counted), run_id))
        return counted

    @contextmanager
    def _using(self) -> Iterator[None]:
        """One transaction; what goes wrong in it undoes it and is explained."""
        with explained(self.path), self._lock, self._db:
            yield


def _encode(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()
