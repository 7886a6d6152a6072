"""The SQLite file: how it is made, opened, and what is said when it cannot be used."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from troth.errors import StoreError

_making = threading.Lock()  # no thread may connect to a file that another one has yet to close
VERSION = 3
PATIENCE = 30  # seconds that a writer waits for another one
HEADER = 100  # bytes that every SQLite file begins with
APPLICATION = 0x74726F74  # "trot": tells our files from other programs' databases
NOW = "strftime('%Y-%m-%dT%H:%M:%SZ', 'now')"
SCHEMA = f"""
CREATE TABLE runs (
    id TEXT PRIMARY KEY, created TEXT NOT NULL DEFAULT ({NOW}), finished TEXT,
    judge TEXT NOT NULL, metrics TEXT NOT NULL, info TEXT NOT NULL DEFAULT '{{}}',
    skipped TEXT NOT NULL DEFAULT '[]', seconds REAL NOT NULL DEFAULT 0,
    summary TEXT NOT NULL DEFAULT '');
CREATE TABLE rows (
    run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, row INTEGER NOT NULL,
    sample TEXT NOT NULL, PRIMARY KEY (run, row)) WITHOUT ROWID;
CREATE TABLE scores (
    run TEXT NOT NULL REFERENCES runs ON DELETE CASCADE, row INTEGER NOT NULL,
    metric TEXT NOT NULL, status TEXT NOT NULL, value REAL, support REAL, score TEXT NOT NULL,
    PRIMARY KEY (run, row, metric)) WITHOUT ROWID;
CREATE TABLE replies (
    key TEXT PRIMARY KEY, created TEXT NOT NULL DEFAULT ({NOW}), judge TEXT NOT NULL,
    content TEXT NOT NULL, calls INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, tokens TEXT, problem TEXT NOT NULL DEFAULT '') WITHOUT ROWID;
"""
# From each older format to the next.
UPGRADES = {
    1: "ALTER TABLE replies ADD COLUMN problem TEXT NOT NULL DEFAULT ''",
    2: "ALTER TABLE runs ADD COLUMN summary TEXT NOT NULL DEFAULT ''",
}


def connect(path: Path) -> sqlite3.Connection:
    """A connection to the store at `path`, made if there is none; usable from any thread.

    Raises `StoreError` for other programs' databases and for newer formats; neither is touched.
    """
    with _making:
        _make_private(path)
    if 0 < path.stat().st_size < HEADER:  # SQLite would take it for an empty database
        raise StoreError(f"{path} is no database: name another file")
    db = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
    try:
        [version] = db.execute("PRAGMA user_version").fetchone()
        [application] = db.execute("PRAGMA application_id").fetchone()
        [tables] = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if (tables or version) and application != APPLICATION:
            raise StoreError(f"{path} is a database of another program: name another file")
        if version > VERSION:
            raise StoreError(
                f"{path} was written by a newer Troth (format {version}, this one reads "
                f"{VERSION}): upgrade, or name another file with --store"
            )
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")  # what is acknowledged survives a power cut
        db.execute("PRAGMA foreign_keys = ON")
        _create(db)
    except BaseException:
        db.close()
        raise
    return db


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """What goes wrong inside is a `StoreError` that names the file."""
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be used as a run store: {error}") from error
    except OSError as error:
        raise StoreError(f"{path} cannot be opened: {error.strerror}") from error


def _make_private(path: Path) -> None:
    folder = path.parent
    if not folder.exists():
        folder.mkdir(parents=True)
        if folder.name == ".troth":  # results hold the user's texts: keep them out of git
            (folder / ".gitignore").write_text("*\n", "utf-8")
    # Never open and close a database that exists: POSIX drops all locks that this process holds on
    # a file when any of its descriptors is closed, and SQLite's own would go with them.
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))


def _create(db: sqlite3.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")  # two processes may meet here for the first time
    [version] = db.execute("PRAGMA user_version").fetchone()
    if version == 0:
        for statement in SCHEMA.split(";"):
            db.execute(statement)
        db.execute(f"PRAGMA application_id = {APPLICATION}")
    else:
        for older in range(version, VERSION):
            db.execute(UPGRADES[older])
    if version != VERSION:
        db.execute(f"PRAGMA user_version = {VERSION}")
    db.commit()
