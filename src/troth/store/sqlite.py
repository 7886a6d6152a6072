"""The store: one SQLite file with runs, their rows and scores, and the replies of judges."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import msgspec

from troth.errors import StoreError
from troth.judges.base import Reply
from troth.run import Row, Run
from troth.sample import Sample
from troth.score import Score

VERSION = 1
APPLICATION = 0x74726F74  # "trot": tells our files from other programs'
SCHEMA = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY, created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    judge TEXT NOT NULL, metrics TEXT NOT NULL, info TEXT NOT NULL, skipped TEXT NOT NULL,
    seconds REAL NOT NULL);
CREATE TABLE rows (
    run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, row INTEGER NOT NULL,
    sample TEXT NOT NULL, PRIMARY KEY (run, row)) WITHOUT ROWID;
CREATE TABLE scores (
    run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, row INTEGER NOT NULL,
    metric TEXT NOT NULL, status TEXT NOT NULL, value REAL, support REAL, score TEXT NOT NULL,
    PRIMARY KEY (run, metric, row)) WITHOUT ROWID;
CREATE TABLE replies (
    key TEXT PRIMARY KEY, created TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%SZ', 'now')),
    judge TEXT NOT NULL, content TEXT NOT NULL, calls INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL) WITHOUT ROWID;
"""


class Store:
    """An SQLite file (WAL, private to its owner), made on first use; safe to use from threads.

    Raises `StoreError` where the file is of a newer version, no database, or cannot be written.
    """

    def __init__(self, path: str | Path = ".troth/troth.db") -> None:
        self.path = Path(path)
        self._lock = threading.RLock()
        with self._explained():
            self._db = self._open()

    def save(self, run: Run) -> None:
        """Keep `run` with all its rows and scores, or nothing of it."""
        scores = (
            (run.id, n, metric, str(s.status), s.value, s.support, _encode(s))
            for n, row in enumerate(run.rows)
            for metric, s in row.scores.items()
        )
        with self._explained(), self._db:
            self._db.execute(
                "INSERT INTO runs (id, judge, metrics, info, skipped, seconds)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    run.id,
                    run.judge,
                    _encode(run.metrics),
                    _encode(run.info),
                    _encode(run.skipped),
                    run.seconds,
                ),
            )
            self._db.executemany(
                "INSERT INTO rows VALUES (?, ?, ?)",
                ((run.id, n, _encode(row.sample)) for n, row in enumerate(run.rows)),
            )
            self._db.executemany("INSERT INTO scores VALUES (?, ?, ?, ?, ?, ?, ?)", scores)

    def load(self, run_id: str) -> Run:
        """The run with that id, equal to what was saved; `StoreError` if there is none."""
        with self._explained():
            found = self._db.execute(
                "SELECT judge, metrics, info, skipped, seconds FROM runs WHERE id = ?", (run_id,)
            ).fetchone()
            if found is None:
                raise StoreError(f"{self.path} holds no run {run_id!r}")
            samples = self._db.execute(
                "SELECT sample FROM rows WHERE run = ? ORDER BY row", (run_id,)
            ).fetchall()
            scores: list[dict[str, Score]] = [{} for _ in samples]
            for row, metric, score in self._db.execute(
                "SELECT row, metric, score FROM scores WHERE run = ?", (run_id,)
            ):
                scores[row][metric] = msgspec.json.decode(score, type=Score)
        judge, metrics, info, skipped, seconds = found
        labels = msgspec.json.decode(metrics, type=tuple[str, ...])
        rows = tuple(
            Row(msgspec.json.decode(sample, type=Sample), {m: by_metric[m] for m in labels})
            for (sample,), by_metric in zip(samples, scores, strict=True)
        )
        gone = msgspec.json.decode(skipped, type=tuple[str, ...])
        return Run(rows, labels, judge, msgspec.json.decode(info), gone, seconds, run_id)

    def runs(self) -> list[tuple[str, str]]:
        """Ids of all runs with their time (UTC, ISO 8601), the newest first."""
        with self._explained():
            return self._db.execute(
                "SELECT id, created FROM runs ORDER BY created DESC, rowid DESC"
            ).fetchall()

    def get(self, key: str) -> Reply | None:
        """The reply that is kept under `key`; its usage is nothing, because it costs nothing."""
        with self._explained():
            found = self._db.execute("SELECT content FROM replies WHERE key = ?", (key,)).fetchone()
        return Reply(found[0]) if found else None

    def put(self, key: str, judge: str, reply: Reply) -> None:
        """Keep a reply; it is on disk when this returns. The same key again replaces it."""
        content, usage = reply.content, reply.usage
        if not isinstance(content, str):
            raise TypeError("only replies in text are kept")
        with self._explained(), self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO replies"
                " (key, judge, content, calls, input_tokens, output_tokens)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (key, judge, content, usage.calls, usage.input_tokens, usage.output_tokens),
            )

    def forget(self, key: str) -> None:
        """Drop the reply under `key`, if there is one."""
        with self._explained(), self._db:
            self._db.execute("DELETE FROM replies WHERE key = ?", (key,))

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> sqlite3.Connection:
        self._make_private()
        db = sqlite3.connect(self.path, timeout=30, check_same_thread=False)
        try:
            self._check(db)  # before anything is written to what may be another program's
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = ON")
            self._create(db)
        except BaseException:
            db.close()
            raise
        return db

    def _make_private(self) -> None:
        folder = self.path.parent
        if not folder.exists():
            folder.mkdir(parents=True)
            if folder.name == ".troth":  # results hold the user's texts: keep them out of git
                (folder / ".gitignore").write_text("*\n", "utf-8")
        os.close(os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600))

    def _check(self, db: sqlite3.Connection) -> None:
        [version] = db.execute("PRAGMA user_version").fetchone()
        [application] = db.execute("PRAGMA application_id").fetchone()
        [tables] = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if (tables or version) and application != APPLICATION:
            raise StoreError(f"{self.path} is a database of another program: name another file")
        if version > VERSION:
            raise StoreError(
                f"{self.path} was written by a newer Troth (format {version}, this one reads "
                f"{VERSION}): upgrade, or name another file with --store"
            )

    def _create(self, db: sqlite3.Connection) -> None:
        db.execute("BEGIN IMMEDIATE")  # two processes may meet here for the first time
        [version] = db.execute("PRAGMA user_version").fetchone()
        if version == 0:
            for statement in SCHEMA.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.commit()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            with self._lock:
                yield
        except sqlite3.DatabaseError as error:
            raise StoreError(f"{self.path} cannot be used as a run store: {error}") from error
        except OSError as error:
            raise StoreError(f"{self.path} cannot be opened: {error.strerror}") from error


def _encode(value: Any) -> str:
    return msgspec.json.encode(value, enc_hook=str).decode()
