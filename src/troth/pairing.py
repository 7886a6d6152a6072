"""Two runs laid side by side, row by row, by the ids of their samples."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from troth.errors import UsageError
from troth.run import Run
from troth.sample import Sample
from troth.score import Score, Status

EXAMPLES = 3  # ids that are named with a count
OWN = ("id", "question", "answer")  # fields that group rows as any other column does
DATA = ("question", "references", "contexts", "answer")

Unscored = tuple[Status, str]
Cell = float | Unscored  # a value, or why there is none


@dataclass(frozen=True, slots=True)
class Unpaired:
    """Rows that only one run scored, for one reason: `run` is the one that did not."""

    run: str  # "A" or "B"
    status: Status
    reason: str
    count: int
    ids: tuple[str, ...]  # the first few


@dataclass(slots=True)
class Side:
    """What comparing needs of one run's rows: values, groups and hashes, and no text."""

    keys: dict[tuple[str, int], int] = field(default_factory=dict)  # id, how often before -> place
    cells: dict[str, list[Cell]] = field(default_factory=dict)
    hashes: list[tuple[int, ...]] = field(default_factory=list)
    columns: dict[str, list[str | None]] = field(default_factory=dict)
    doubled: int = 0
    known: tuple[str, ...] = ()  # columns of the first row, to name them in errors


@dataclass(slots=True)
class Pairs:
    """The rows of two runs that bear the same id: `places` in A and in B, in the order of A.

    An id that stands several times is paired in order of appearance.
    """

    a: Side
    b: Side
    places: list[tuple[int, int]]
    only_a: list[str]
    only_b: list[str]

    @classmethod
    def of(cls, a: Run, b: Run, metrics: Sequence[str], columns: Iterable[str] = ()) -> Pairs:
        """Read both runs once. `UsageError` for a column that no row has."""
        wanted = tuple(dict.fromkeys(columns))
        left, right = _read(a, metrics, wanted), _read(b, metrics, wanted)
        for column in wanted:
            if not any(v is not None for side in (left, right) for v in side.columns[column]):
                have = ", ".join(dict.fromkeys((*OWN, *left.known, *right.known)))
                raise UsageError(
                    f"no row of the two runs has a column {column!r}; they have {have}"
                )
        places = [(at, right.keys[key]) for key, at in left.keys.items() if key in right.keys]
        only_a = [key[0] for key in left.keys if key not in right.keys]
        only_b = [key[0] for key in right.keys if key not in left.keys]
        return cls(left, right, places, only_a, only_b)

    def __len__(self) -> int:
        return len(self.places)

    def scored(self, metric: str) -> list[int]:
        """The pairs that have a value in both runs, by their numbers."""
        a, b = self.a.cells[metric], self.b.cells[metric]
        return [
            n
            for n, (i, j) in enumerate(self.places)
            if isinstance(a[i], float) and isinstance(b[j], float)
        ]

    def values(self, metric: str, pairs: Iterable[int]) -> tuple[list[float], list[float]]:
        """The values of `pairs`, which `scored` gave, in A and in B."""
        a, b = self.a.cells[metric], self.b.cells[metric]
        chosen = [self.places[n] for n in pairs]
        return [_number(a[i]) for i, _ in chosen], [_number(b[j]) for _, j in chosen]

    def group(self, column: str, pair: int) -> str | None:
        """The value of a column in a pair; A's, where both rows have one."""
        i, j = self.places[pair]
        found = self.a.columns[column][i]
        return self.b.columns[column][j] if found is None else found

    def groups(self, column: str, pairs: Iterable[int]) -> list[str | None]:
        """The same for several pairs."""
        return [self.group(column, n) for n in pairs]

    def unscored(self, metric: str) -> Iterator[tuple[str, Cell, Cell]]:
        """Id and both cells of each pair that has no value in A, in B or in both."""
        a, b = self.a.cells[metric], self.b.cells[metric]
        names = {at: name for (name, _), at in self.a.keys.items()}
        for i, j in self.places:
            if not (isinstance(a[i], float) and isinstance(b[j], float)):
                yield names[i], a[i], b[j]

    def unpaired(self, metric: str) -> tuple[tuple[Unpaired, ...], int]:
        """The rows that only one run scored, by reason, and how many neither run scored."""
        lost: dict[tuple[str, Status, str], list[str]] = {}
        neither = 0
        for name, a, b in self.unscored(metric):
            if isinstance(a, tuple) and isinstance(b, tuple):
                neither += 1
            elif isinstance(a, tuple):
                lost.setdefault(("A", *a), []).append(name)
            elif isinstance(b, tuple):
                lost.setdefault(("B", *b), []).append(name)
        found = [Unpaired(*key, len(ids), tuple(ids[:EXAMPLES])) for key, ids in lost.items()]
        return tuple(sorted(found, key=lambda unpaired: -unpaired.count)), neither

    def differing(self) -> dict[str, list[str]]:
        """The ids of the pairs that differ in a field of `DATA`, by field."""
        found: dict[str, list[str]] = {name: [] for name in DATA}
        names = {at: name for (name, _), at in self.a.keys.items()}
        for i, j in self.places:
            if self.a.hashes[i] != self.b.hashes[j]:
                both = zip(DATA, self.a.hashes[i], self.b.hashes[j], strict=True)
                for name, x, y in both:
                    if x != y:
                        found[name].append(names[i])
        return found


def value_of(sample: Sample, column: str) -> str | None:
    """The value of a column as text: a column of the user's, or the id, question or answer.

    `None` where the row has none. What is no string is written as JSON.
    """
    value: Any = sample.meta.get(column)
    if value is None and column in OWN:
        value = getattr(sample, column)
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)


def groups_of(run: Run, column: str) -> dict[str, list[str | None]]:
    """The value of a column in each scored row, by metric, in the order of the rows.

    `UsageError` where no row has it.
    """
    groups: dict[str, list[str | None]] = {metric: [] for metric in run.metrics}
    known: dict[str, None] = dict.fromkeys(OWN)
    found = False
    for row in run:
        group = value_of(row.sample, column)
        found = found or group is not None
        known |= dict.fromkeys(map(str, row.sample.meta))
        for metric, values in groups.items():
            if row.scores[metric].value is not None:
                values.append(group)
    if len(run) and not found:
        raise UsageError(f"no row has the column {column!r}; there are {', '.join(known)}")
    return groups


def named(ids: Sequence[str]) -> str:
    """The first few of `ids`, for people."""
    return ", ".join(ids[:EXAMPLES]) + (", …" if len(ids) > EXAMPLES else "")


def _read(run: Run, metrics: Sequence[str], columns: Sequence[str]) -> Side:
    side = Side(cells={m: [] for m in metrics}, columns={c: [] for c in columns})
    times: dict[str, int] = {}
    for place, row in enumerate(run):
        sample = row.sample
        before = times.get(sample.id, 0)
        times[sample.id] = before + 1
        side.doubled += before == 1
        side.keys[sample.id, before] = place
        side.hashes.append(tuple(hash(getattr(sample, name)) for name in DATA))
        for metric, cells in side.cells.items():
            cells.append(_cell(row.scores[metric]))
        for column, values in side.columns.items():
            values.append(value_of(sample, column))
        side.known = side.known or tuple(map(str, sample.meta))
    return side


def _cell(score: Score) -> Cell:
    return (score.status, score.reason) if score.value is None else score.value


def _number(cell: Cell) -> float:
    if not isinstance(cell, float):
        raise TypeError(f"this row has no value: {cell}")
    return cell
