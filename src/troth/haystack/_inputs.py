"""What components are given, checked before anything is computed or paid for."""

from __future__ import annotations

import reprlib
from collections.abc import Collection, Iterable, Iterator, Mapping, MappingView, Sequence
from collections.abc import Set as AbstractSet
from operator import countOf
from typing import Any, Self, overload

from troth.errors import InputError

# An input's type in a pipeline. Connections between components are checked against it.
Texts = list[str]
Groups = list[list[str]]
Cell = str | tuple[str, ...]
_NO_LISTS = (str, bytes, Mapping, AbstractSet, MappingView)
NAMED = 5  # rows that a message names


def columns(
    source: str, expected: Mapping[str, Any], received: Mapping[str, Any]
) -> dict[str, Any]:
    """The inputs of the component `source`, by name, in the order of `expected`.

    `expected` maps each input to `Texts` or `Groups`. Raises `InputError` (a `ValueError`) that
    names the input and, where there is one, the row: for inputs that are missing or unknown, are
    no lists, differ in length, or hold anything but strings (lists of strings). Lists that are all
    empty are let through: what no row means is the component's to say. Tuples, arrays and columns
    of a data frame are as good as lists; strings of a type of their own become plain ones.
    """
    wanted = ", ".join(expected)
    for name in received:
        if name not in expected:
            raise InputError(
                f"there is no such input; they are {wanted}", source=source, field=name
            )
    for name in expected:
        if name not in received:
            raise InputError(f"is missing; needed are {wanted}", source=source, field=name)
        is_list(source, name, received[name])
    given = {name: received[name] for name in expected}
    same_length(source, given)
    return {
        name: (_groups if kind == Groups else _texts)(source, name, given[name])
        for name, kind in expected.items()
    }


def is_list(source: str, name: str | None, value: Any) -> None:
    """Raise `InputError` for what is no ordered collection, or has columns as well as rows."""
    wrong = isinstance(value, _NO_LISTS) or not isinstance(value, Collection)
    shape = getattr(value, "shape", (1,))  # of an array, a data frame and its columns
    if wrong or (isinstance(shape, tuple) and len(shape) != 1):
        raise InputError(f"expected a list, got {shown(value)}", source=source, field=name)


def same_length(source: str, given: Mapping[str, Collection[Any]]) -> None:
    """Raise `InputError`, with the first missing row, for inputs of different lengths."""
    lengths = {name: len(values) for name, values in given.items()}
    shortest = min(lengths, key=lengths.__getitem__)
    if len(set(lengths.values())) > 1:
        counts = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(
            f"the row is missing; all inputs need the same length, got {counts}",
            source=source,
            row=lengths[shortest] + 1,
            field=shortest,
        )


def _texts(source: str, name: str, values: Collection[Any]) -> Collection[str]:
    if values.plain if isinstance(values, Column) else _all_plain(values):
        return values
    for row, value in enumerate(values, 1):
        if not isinstance(value, str):
            problem = f"expected a string, got {shown(value)}"
            raise InputError(problem, source=source, row=row, field=name)
    return [str.__str__(value) for value in values]


def _groups(source: str, name: str, values: Collection[Any]) -> Collection[Sequence[str]]:
    for row, group in enumerate(values, 1):
        if not isinstance(group, (list, tuple)):
            problem = f"expected a list of strings, got {shown(group)}"
            raise InputError(problem, source=source, row=row, field=name)
        _strings(source, name, row, group)
    return values


def _strings(source: str, name: str | None, row: int, group: Sequence[Any]) -> None:
    for place, text in enumerate(group, 1):
        if not isinstance(text, str):
            problem = f"expected a list of strings, but its item {place} is {shown(text)}"
            raise InputError(problem, source=source, row=row, field=name)


def numbered(places: Sequence[int]) -> str:
    """The rows at `places`, counted from 1, for messages: the first few of them."""
    more = [", …"] if len(places) > NAMED else []
    return "".join([", ".join(str(place + 1) for place in places[:NAMED]), *more])


def shown(value: Any) -> str:
    """A value's type and a short form of it, for messages."""
    return f"{type(value).__name__}: {reprlib.repr(value)}"


class Column(Sequence[Cell]):
    """Texts, or lists of texts, that never change, so that nobody has to copy them.

    `Pipeline.run` copies the inputs of every component, some 50 µs per string; a column copies as
    itself. All our components take it where they take a list. Lists inside become tuples.
    Raises `InputError` (a `ValueError`), with the row, for anything else.
    """

    __slots__ = ("_cells", "plain")

    def __init__(self, values: Iterable[str | Sequence[str]]) -> None:
        if not isinstance(values, Iterator):
            is_list("Column", None, values)
        cells: tuple[Any, ...] = tuple(values)
        if not _all_plain(cells):
            cells = tuple(_cell(row, value) for row, value in enumerate(cells, 1))
        self._cells: tuple[Cell, ...] = cells
        self.plain = _all_plain(cells)  # nobody has to look again

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[Cell]:
        return iter(self._cells)

    @overload
    def __getitem__(self, place: int) -> Cell: ...
    @overload
    def __getitem__(self, place: slice) -> Self: ...
    def __getitem__(self, place: int | slice) -> Cell | Self:
        if isinstance(place, slice):
            return type(self)(self._cells[place])
        return self._cells[place]

    def __eq__(self, other: object) -> bool:
        return self._cells == other._cells if isinstance(other, Column) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._cells)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[tuple[Cell, ...]]]:
        return type(self), (self._cells,)

    def __repr__(self) -> str:
        return f"Column of {len(self)} rows"


def _cell(row: int, value: Any) -> Cell:
    if isinstance(value, str):
        return str.__str__(value)  # a subclass may be changed by whoever made it
    if isinstance(value, (list, tuple)):
        _strings("Column", None, row, value)
        return tuple(map(str.__str__, value))
    problem = f"expected a string or a list of strings, got {shown(value)}"
    raise InputError(problem, source="Column", row=row)


def _all_plain(values: Collection[Any]) -> bool:
    return countOf(map(type, values), str) == len(values)  # much faster than one by one
