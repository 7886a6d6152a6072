"""The journal: every paid reply on disk before it is used.

Reads are inline (some microseconds); writes go through one thread that commits whatever has
gathered in one transaction, so that the event loop never waits for the disk.
"""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from troth.errors import StoreError
from troth.judges.base import Reply, Token
from troth.score import Usage
from troth.store.database import connect, explained

BATCH = 500
COUNTS = ("calls", "input_tokens", "output_tokens")
COLUMNS = ("key", "created", "judge", "content", "problem", *COUNTS, "tokens")
ABANDONED = 1  # days after which a run that has not finished never will


class _Write(NamedTuple):
    values: tuple[Any, ...]
    loop: asyncio.AbstractEventLoop
    done: asyncio.Future[None]


class Journal:
    """Replies by the hash of all that was sent for them. One journal may serve many threads.

    It holds what the judge said and what that cost: no key, no header, no question.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with explained(path):
            self._db = connect(path)
        self._lock = threading.Lock()
        self._writes: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._writer: threading.Thread | None = None

    def get(self, key: str) -> Reply | None:
        """The reply that is kept under `key`, with what it once cost."""
        with explained(self.path), self._lock:
            found = self._db.execute(
                "SELECT content, problem, tokens, calls, input_tokens, output_tokens"
                " FROM replies WHERE key = ?",
                (key,),
            ).fetchone()
        if not found:
            return None
        content, problem, tokens, *counts = found
        try:
            usage = msgspec.convert(dict(zip(COUNTS, counts, strict=True)), Usage)
            texts = msgspec.convert((content, problem), tuple[str, str])
            return Reply(texts[0], usage, texts[1], _tokens(tokens))
        except (TypeError, ValueError):  # damaged: as if it were not there
            return None

    async def put(self, key: str, judge: str, reply: Reply) -> None:
        """Keep a reply; it is on disk when this returns. The same key again replaces it.

        Raises `StoreError` where it cannot be written (a full disk).
        """
        if not isinstance(reply.content, str):
            raise TypeError("only replies in text are kept")
        usage = reply.usage
        # Not msgspec: tokens may hold half a character, which is written as an escape.
        tokens = json.dumps(reply.tokens) if reply.tokens else None
        counts = (usage.calls, usage.input_tokens, usage.output_tokens)
        values = (key, judge, reply.content, *counts, tokens, reply.problem)
        loop = asyncio.get_running_loop()
        done = loop.create_future()
        self._start()
        self._writes.put(_Write(values, loop, done))
        await done

    def forget(self, key: str) -> None:
        """Drop the reply under `key`, if there is one."""
        self._change("DELETE FROM replies WHERE key = ?", (key,))

    def info(self) -> list[dict[str, Any]]:
        """Per judge: replies, calls, tokens and bytes kept, the oldest and the newest."""
        with explained(self.path), self._lock:
            rows = self._db.execute(
                "SELECT judge, count(*), sum(calls), CAST(total(input_tokens) AS INTEGER),"
                " CAST(total(output_tokens) AS INTEGER),"
                " sum(length(content)), min(created), max(created)"
                " FROM replies GROUP BY judge ORDER BY judge"
            ).fetchall()
        names = (
            "judge", "replies", "calls", "input_tokens", "output_tokens", "characters",
            "oldest", "newest",
        )  # fmt: skip
        return [dict(zip(names, row, strict=True)) for row in rows]

    def prune(self, days: float | None = None, judge: str | None = None) -> int:
        """Delete replies older than `days` and/or of `judge`; all of them without either.

        Runs that were begun over a day ago and never finished go too. Returns how many replies
        were deleted.
        """
        wheres: list[str] = ["1"]
        values: list[Any] = []
        if days is not None:
            wheres.append("julianday('now') - julianday(created) > ?")
            values.append(days)
        if judge is not None:
            wheres.append("judge = ?")
            values.append(judge)
        self._change(
            "DELETE FROM runs WHERE finished IS NULL AND julianday('now') - julianday(created) > ?",
            (ABANDONED,),
        )
        count = self._change(f"DELETE FROM replies WHERE {' AND '.join(wheres)}", values)  # noqa: S608 - fixed words
        with explained(self.path), self._lock:
            self._db.execute("VACUUM")
        return count

    def export(self) -> Iterator[Mapping[str, Any]]:
        """All replies, in the order of their keys."""
        with explained(self.path):
            db = connect(self.path)
            try:
                for row in db.execute(f"SELECT {', '.join(COLUMNS)} FROM replies ORDER BY key"):  # noqa: S608
                    yield dict(zip(COLUMNS, row, strict=True))
            finally:
                db.close()

    def close(self) -> None:
        """Write what is waiting, end the writer, close the file."""
        if self._writer is not None:
            self._writes.put(None)
            self._writer.join()
            self._writer = None
        self._db.close()

    def _change(self, statement: str, values: Any) -> int:
        with explained(self.path), self._lock, self._db:
            return self._db.execute(statement, values).rowcount

    def _start(self) -> None:
        with self._lock:
            if self._writer is None:
                self._writer = threading.Thread(
                    target=self._write, name="troth-journal", daemon=True
                )
                self._writer.start()

    def _write(self) -> None:
        last = False
        while not last:
            batch = [self._writes.get()]
            while len(batch) < BATCH and not self._writes.empty():
                batch.append(self._writes.get())
            last = None in batch
            writes = [write for write in batch if write is not None]
            error = self._commit([write.values for write in writes])
            for write in writes:
                if not write.loop.is_closed():
                    write.loop.call_soon_threadsafe(_settle, write.done, error)

    def _commit(self, rows: list[tuple[Any, ...]]) -> StoreError | None:
        try:
            with explained(self.path), self._lock, self._db:
                self._db.executemany(
                    "INSERT OR REPLACE INTO replies"
                    " (key, judge, content, calls, input_tokens, output_tokens, tokens, problem)"
                    " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                    rows,
                )
        except StoreError as error:
            return error
        except Exception as error:  # whoever waits for it must hear of it
            return StoreError(f"{self.path}: a reply cannot be kept: {error}")
        return None


def _tokens(text: str | None) -> tuple[Token, ...]:
    if text is None:
        return ()
    return tuple((token, tuple((t, lp) for t, lp in others)) for token, others in json.loads(text))


def _settle(done: asyncio.Future[None], error: StoreError | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(None)
    else:
        done.set_exception(error)
