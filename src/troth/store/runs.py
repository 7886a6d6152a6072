"""Runs on disk: written row by row while they go on, read back row by row."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, overload

import msgspec

from troth.account import Account, Row
from troth.errors import StoreError
from troth.run import Run
from troth.sample import Sample
from troth.score import Score
from troth.store.database import NOW, connect, explained
from troth.store.journal import Journal

CHUNK = 200  # rows that are read or written at a time


class Store:
    """An SQLite file (WAL, private to its owner), made on first use; safe to use from threads.

    Raises `StoreError` where the file is of a newer version, no database, or cannot be written.
    """

    def __init__(self, path: str | Path = ".troth/troth.db") -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        with explained(self.path):
            self._db = connect(self.path)
        self._journal: Journal | None = None

    @property
    def journal(self) -> Journal:
        """The replies that were paid for."""
        if self._journal is None:
            self._journal = Journal(self.path)
        return self._journal

    def begin(self, run_id: str, metrics: Sequence[str], judge: str) -> None:
        """Open a run; it is listed once it is finished."""
        with self._using():
            self._db.execute(
                "INSERT INTO runs (id, judge, metrics) VALUES (?, ?, ?)",
                (run_id, judge, _encode(metrics)),
            )

    def add_samples(self, run_id: str, samples: Iterable[Sample]) -> int:
        """Keep the rows of an open run, in order, all or none of them; returns how many."""
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
        """Keep the scores of consecutive rows of an open run, from place `first` on.

        With `answered`, by the user's application, their samples replace those that were added.
        """
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
        self, run_id: str, info: Mapping[str, Any], skipped: Sequence[str], seconds: float
    ) -> None:
        """Close an open run."""
        with self._using():
            self._db.execute(
                f"UPDATE runs SET finished = {NOW}, info = ?, skipped = ?, seconds = ?"  # noqa: S608 - fixed words
                " WHERE id = ?",
                (_encode(info), _encode(skipped), seconds, run_id),
            )

    def save(self, run: Run) -> None:
        """Keep a run that lies in memory."""
        self.begin(run.id, run.metrics, run.judge)
        self.add_samples(run.id, (row.sample for row in run))
        for first in range(0, len(run), CHUNK):
            self.add_scores(run.id, first, run.rows[first : first + CHUNK], answered=False)
        self.finish(run.id, run.info, run.skipped, run.seconds)

    def samples(self, run_id: str) -> Iterator[Sample]:
        """The samples of a run, open or finished, in order; a few are in memory at a time."""
        first = 0
        while chunk := self._chunk(run_id, first, CHUNK):
            for sample, _ in chunk:
                yield msgspec.json.decode(sample, type=Sample)
            first += len(chunk)

    def load(self, run_id: str) -> Run:
        """The finished run with that id, equal to what was saved; `StoreError` if there is none.

        Its rows are read as they are asked for.
        """
        with self._using():
            found = self._db.execute(
                "SELECT judge, metrics, info, skipped, seconds,"
                " (SELECT count(*) FROM rows WHERE run = id)"
                " FROM runs WHERE id = ? AND finished IS NOT NULL",
                (run_id,),
            ).fetchone()
        if found is None:
            raise StoreError(f"{self.path} holds no run {run_id!r}")
        judge, metrics, info, skipped, seconds, count = found
        labels = msgspec.json.decode(metrics, type=tuple[str, ...])
        rows = StoredRows(self.path, run_id, labels, count)
        gone = msgspec.json.decode(skipped, type=tuple[str, ...])
        known = msgspec.json.decode(info)
        account = Account.of(labels, rows, known.get("ranking", ()))
        return Run(rows, labels, judge, known, gone, seconds, run_id, account)

    def runs(self) -> list[tuple[str, str]]:
        """Ids of all finished runs with their time (UTC, ISO 8601), the newest first."""
        with self._using():
            return self._db.execute(
                "SELECT id, created FROM runs WHERE finished IS NOT NULL"
                " ORDER BY created DESC, rowid DESC"
            ).fetchall()

    def close(self) -> None:
        """Close the file."""
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def rows(self, run_id: str, metrics: Sequence[str], first: int, count: int) -> list[Row]:
        """Up to `count` rows of a run from place `first` on, with their scores."""
        return [
            Row(
                msgspec.json.decode(sample, type=Sample),
                {m: msgspec.json.decode(scores[m], type=Score) for m in metrics},
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

    @contextmanager
    def _using(self) -> Iterator[None]:
        """One transaction; what goes wrong in it undoes it and is explained."""
        with explained(self.path), self._lock, self._db:
            yield


class StoredRows(Sequence[Row]):
    """The rows of a run, read from its store as they are asked for; equal to the same in memory."""

    def __init__(self, path: Path, run_id: str, metrics: Sequence[str], length: int) -> None:
        self.path = path
        self.run_id = run_id
        self.metrics = tuple(metrics)
        self.length = length

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, place: int) -> Row: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Row]: ...
    def __getitem__(self, place: int | slice) -> Row | Sequence[Row]:
        places = range(self.length)[place]
        if isinstance(places, range):
            return [self[n] for n in places]
        with Store(self.path) as store:
            return store.rows(self.run_id, self.metrics, places, 1)[0]

    def __iter__(self) -> Iterator[Row]:
        with Store(self.path) as store:
            for first in range(0, self.length, CHUNK):
                yield from store.rows(self.run_id, self.metrics, first, CHUNK)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment] # equal to lists, which have none


def _encode(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()
