"""Where rows come from: one shape for every source."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from troth.errors import InputError
from troth.reading.values import show
from troth.sample import Sample

Row = Mapping[str, Any]
# A bad row is handed on as its error, so that the generator lives on behind it.
NumberedRows = Generator[tuple[int, Row | Sample | InputError], None, None]


@dataclass(frozen=True, slots=True)
class Source:
    """Numbered rows and what is known of them before the first is read."""

    name: str
    rows: NumberedRows
    columns: tuple[str, ...] = ()
    cells: bool = False  # every value is the text of a CSV cell


def from_memory(source: Any) -> Source:
    """Rows out of a data frame, a table, a mapping of columns or any iterable of rows.

    Data frames are known by their methods, so that none of their libraries is imported.
    """
    name = "rows"
    for marks, opener in _OPENERS.items():
        if all(hasattr(source, mark) for mark in marks):
            return opener(source, name)
    if isinstance(source, Mapping):
        columns, rows = columns_to_rows(source, name)
        return Source(name, _numbered(rows, name), columns)
    if isinstance(source, (bytes, bytearray, Sample)) or not isinstance(source, Iterable):
        raise InputError(
            f"cannot read rows from {show(source)}; give a path, a list of objects or samples, "
            "a mapping of columns or a data frame",
            source=name,
        )
    columns = tuple(getattr(source, "column_names", None) or ())  # a Hugging Face dataset
    return Source(name, _numbered(source, name), columns)


def columns_to_rows(columns: Mapping[Any, Any], name: str) -> tuple[tuple[str, ...], Iterator[Row]]:
    """`{"question": [...], "answer": [...]}` -> its columns and rows; `InputError` if uneven."""
    lists: dict[str, list[Any]] = {}
    for column, cells in columns.items():
        if hasattr(cells, "column_names"):
            raise InputError(
                f"several data sets under {', '.join(map(repr, columns))}: choose one of them",
                source=name,
            )
        if isinstance(cells, (str, bytes, Mapping)) or not isinstance(cells, Iterable):
            raise InputError(
                f"expected a list of objects, or an object of columns, but {column!r} is "
                f"{show(cells)} and no column; wrap the object in [ ] if it is one row",
                source=name,
            )
        lists[column] = list(cells)
    first = next(iter(lists), "")
    for column, cells in lists.items():
        if len(cells) != len(lists[first]):
            raise InputError(
                f"columns must be equally long, but {first!r} has {len(lists[first])} cells and "
                f"{column!r} has {len(cells)}; give every row a value, or null",
                source=name,
            )
    if len(lists) == 1:
        _refuse_nested(lists, name)
    names = _named(list(lists), name)
    return names, _zipped(names, list(lists.values()))


def _refuse_nested(lists: Mapping[str, list[Any]], name: str) -> None:
    for column, cells in lists.items():
        if cells and all(isinstance(cell, Mapping) for cell in cells):
            raise InputError(
                f"the rows seem to lie under {column!r}; give that list itself", source=name
            )


def _from_pandas(frame: Any, name: str) -> Source:
    names = _named(list(frame.columns), name)
    # object + where: what pandas marks as missing (NaN, NaT, NA) becomes None in every column
    lists = [frame[c].astype(object).where(frame[c].notna(), None).tolist() for c in names]
    return Source(name, _numbered(_zipped(names, lists), name), names)


def _from_polars(frame: Any, name: str) -> Source:
    rows = frame.iter_rows(named=True)
    return Source(name, _numbered(rows, name), _named(frame.columns, name))


def _from_arrow(table: Any, name: str) -> Source:
    rows = (row for batch in table.to_batches() for row in batch.to_pylist())
    return Source(name, _numbered(rows, name), _named(table.column_names, name))


_OPENERS: Mapping[tuple[str, ...], Callable[[Any, str], Source]] = {
    ("iloc", "columns", "notna"): _from_pandas,
    ("iter_rows", "columns"): _from_polars,
    ("to_batches", "column_names"): _from_arrow,
}


def _named(names: Iterable[Any], source: str) -> tuple[str, ...]:
    """The names of columns, all strings and all different."""
    seen: dict[str, None] = {}
    for column in names:
        if not isinstance(column, str):
            raise InputError(
                f"columns are named by strings, got {show(column)}; rename it", source=source
            )
        if column in seen:
            raise InputError(f"two columns are called {column!r}; rename one", source=source)
        seen[column] = None
    return tuple(seen)


def _zipped(names: tuple[str, ...], lists: list[list[Any]]) -> Iterator[Row]:
    return (dict(zip(names, cells, strict=True)) for cells in zip(*lists, strict=True))


def _numbered(rows: Iterable[Any], name: str) -> NumberedRows:
    for number, row in enumerate(rows, 1):
        yield number, row if isinstance(row, Sample) else checked(row, name, number)


def checked(row: Any, name: str, number: int) -> Row | InputError:
    """`row` if it is a mapping with strings as keys, else what is wrong with it."""
    if not isinstance(row, Mapping):
        problem = f"expected an object with named columns, got {show(row)}"
        return InputError(f'{problem}; write {{"question": …}}', source=name, row=number)
    for column in row:
        if not isinstance(column, str):
            problem = f"columns are named by strings, got {show(column)}; rename it"
            return InputError(problem, source=name, row=number)
    return row
