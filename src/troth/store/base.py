"""What a store of runs must do, and what follows from that for every one of them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, overload

from troth.account import Account, Row, Summary
from troth.errors import StoreError
from troth.run import Run
from troth.sample import Sample
from troth.store.journal import Journal

CHUNK = 200  # rows that are read or written at a time
LATEST = re.compile(r"latest(?:~(\d{1,9}))?")
NAMED = 4  # runs that an error names


@dataclass(frozen=True, slots=True)
class Entry:
    """A finished run without its rows: what lists show, and what is needed to repeat it.

    `created` and `finished` are UTC, ISO 8601; `rows` counts the rows that were evaluated,
    `skipped` names the bad ones that were not. `summary` holds the account of every metric.
    """

    id: str
    created: str
    finished: str
    judge: str
    metrics: tuple[str, ...]
    rows: int
    summary: Mapping[str, Summary]
    info: Mapping[str, Any] = field(default_factory=dict)
    skipped: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def source(self) -> str:
        """The file that was evaluated, as it was named; `"rows"` for rows in memory."""
        return str(self.info.get("source", ""))

    @property
    def means(self) -> dict[str, float | None]:
        """The mean of every metric; `None` where no row was scored."""
        return {label: summary.mean for label, summary in self.summary.items()}


class RunStore(ABC):
    """Where runs are kept. A database of another kind overrides the abstract methods alone.

    Rows come in order, some at a time, while the run goes on: first all samples, then their
    scores; a run is listed once it is finished. Rows hold `Sample`s and `Score`s, which msgspec
    turns into JSON and back. Every method may be called from any thread, and raises `StoreError`
    where the database cannot be used; what was written before stays as it was.
    """

    @property
    @abstractmethod
    def journal(self) -> Journal:
        """The judge's replies that were paid for; a file of its own where this one has no room."""

    @abstractmethod
    def begin(self, run_id: str, metrics: Sequence[str], judge: str) -> None:
        """Open a run; `StoreError` where its id is taken."""

    @abstractmethod
    def add_samples(self, run_id: str, samples: Iterable[Sample]) -> int:
        """Keep the rows of an open run, in order, all or none of them; returns how many."""

    @abstractmethod
    def add_scores(self, run_id: str, first: int, rows: Sequence[Row], *, answered: bool) -> None:
        """Keep the scores of consecutive rows of an open run, from place `first` on.

        With `answered`, by the user's application, their samples replace those that were added.
        """

    @abstractmethod
    def finish(
        self,
        run_id: str,
        info: Mapping[str, Any],
        skipped: Sequence[str],
        seconds: float,
        summary: Mapping[str, Summary],
    ) -> None:
        """Close an open run."""

    @abstractmethod
    def samples(self, run_id: str) -> Iterator[Sample]:
        """The samples of a run, open or finished, in order; a few are in memory at a time."""

    @abstractmethod
    def rows(self, run_id: str, metrics: Sequence[str], first: int, count: int) -> list[Row]:
        """Up to `count` rows of a run from place `first` on, with their scores."""

    @abstractmethod
    def runs(self) -> list[Entry]:
        """All finished runs, the newest first."""

    @abstractmethod
    def delete(self, run_id: str) -> None:
        """Remove a run with its rows and scores; nothing happens where there is none."""

    @abstractmethod
    def again(self) -> Self:
        """The same store, opened once more: a run's rows are read after its store was closed."""

    @abstractmethod
    def close(self) -> None:
        """Let go of the database."""

    def find(self, name: str) -> Entry:
        """The finished run of that id, or that alone has an id which begins so.

        `latest` is the newest, `latest~1` the one before it. `StoreError` where there is none, or
        more than one.
        """
        entries = self.runs()
        if found := next((entry for entry in entries if entry.id == name), None):
            return found
        if not entries:
            raise StoreError(f"{self} holds no run {name!r}, and no other that is finished")
        if (back := LATEST.fullmatch(name)) is not None:
            place = int(back[1] or 0)
            if place >= len(entries):
                raise StoreError(f"{self} holds no run {name!r}: there are {len(entries)} in all")
            return entries[place]
        fitting = [entry for entry in entries if name and entry.id.startswith(name)]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise StoreError(
                f"{name!r} is the beginning of {len(fitting)} runs ({_listed(fitting)}): write more"
            )
        raise StoreError(
            f"{self} holds no run {name!r}; it holds {_listed(entries)} (see `troth runs`)"
        )

    def load(self, name: str) -> Run:
        """The run that `find` finds, equal to what was saved; errors as of `find`.

        Its rows are read as they are asked for.
        """
        entry = self.find(name)
        rows = StoredRows(self, entry.id, entry.metrics, entry.rows)
        account = Account.of(entry.metrics, rows, entry.info.get("ranking", ()))
        return Run(
            rows, entry.metrics, entry.judge, entry.info, entry.skipped, entry.seconds, entry.id,
            account,
        )  # fmt: skip

    def save(self, run: Run) -> None:
        """Keep a run that lies in memory."""
        self.begin(run.id, run.metrics, run.judge)
        self.add_samples(run.id, (row.sample for row in run))
        for first in range(0, len(run), CHUNK):
            self.add_scores(run.id, first, run.rows[first : first + CHUNK], answered=False)
        self.finish(run.id, run.info, run.skipped, run.seconds, run.summary())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class StoredRows(Sequence[Row]):
    """The rows of a run, read from its store as they are asked for; equal to the same in memory."""

    def __init__(self, store: RunStore, run_id: str, metrics: Sequence[str], length: int) -> None:
        self.store = store
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
        with self.store.again() as store:
            if isinstance(places, int):
                return store.rows(self.run_id, self.metrics, places, 1)[0]
            if places.step == 1:
                return store.rows(self.run_id, self.metrics, places.start, len(places))
            return [store.rows(self.run_id, self.metrics, n, 1)[0] for n in places]

    def __iter__(self) -> Iterator[Row]:
        with self.store.again() as store:
            for first in range(0, self.length, CHUNK):
                yield from store.rows(self.run_id, self.metrics, first, CHUNK)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment] # equal to lists, which have none


def _listed(entries: Sequence[Entry]) -> str:
    more = f" and {len(entries) - NAMED} more" if len(entries) > NAMED else ""
    return ", ".join(entry.id for entry in entries[:NAMED]) + more
