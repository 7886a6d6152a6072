"""Parquet through arro3 (arrow-rs), as a stream, from one local file and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from troth.errors import InputError
from troth.reading.rows import NumberedRows

if TYPE_CHECKING:
    from arro3.core import Array, DataType, RecordBatch, RecordBatchReader

_BATCH = 1000
_MAGIC = b"PAR1"  # what a file begins and ends with
_ENCRYPTED = b"PARE"
_TAIL = 8  # bytes at the end: the footer's length, and the magic
_REASON = 160  # characters of what the library says

Cells = Callable[["Array"], list[Any]]


def parquet_rows(name: str) -> tuple[tuple[str, ...], NumberedRows]:
    """Columns and rows; `InputError` for a file that is not Parquet or is damaged.

    A map becomes a `dict`, an interval its text. A date or time beyond the years that Python knows
    makes the dates of its batch texts.
    """
    from arro3.io import read_parquet  # noqa: PLC0415 - only who has Parquet pays for it

    _check_frame(name)
    with _explained(name):
        reader = read_parquet(os.path.abspath(name), batch_size=_BATCH)
    columns = tuple(reader.schema.names)
    for place, column in enumerate(columns):
        if column in columns[:place]:
            raise InputError(f"two columns are called {column!r}; rename one", source=name)
    return columns, _numbered(reader, columns, name)


def _check_frame(name: str) -> None:
    """`InputError` for what is no whole Parquet file, before the library meets it."""
    try:
        with open(name, "rb") as file:
            head = file.read(len(_MAGIC))
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - _TAIL))
            tail = file.read()
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=name) from None
    if _ENCRYPTED in (head, tail[4:]):
        raise InputError("is an encrypted Parquet file; write it without", source=name)
    whole = head == _MAGIC == tail[4:] and size >= len(_MAGIC) + _TAIL
    if not whole or int.from_bytes(tail[:4], "little") > size - len(_MAGIC) - _TAIL:
        raise _unreadable("it does not begin and end as such a file does; it may be cut off", name)


def _numbered(reader: RecordBatchReader, columns: tuple[str, ...], name: str) -> NumberedRows:
    convert = [_cells_of(reader.schema.field(place).type) for place in range(len(columns))]
    number = 0
    for batch in _batches(reader, name):
        lists = []
        for column, cells, array in zip(columns, convert, batch.columns, strict=True):
            with _explained(f"{name}, column {column!r}"):
                lists.append(cells(array))
        for row in zip(*lists, strict=True):
            number += 1
            yield number, dict(zip(columns, row, strict=True))


def _batches(reader: RecordBatchReader, name: str) -> Iterator[RecordBatch]:
    while True:
        with _explained(name):
            batch = next(reader, None)
        if batch is None:
            return
        yield batch


def _cells_of(kind: DataType) -> Cells:
    """How a column of this type becomes a list of Python values."""
    from arro3.core import DataType  # noqa: PLC0415

    if DataType.is_interval(kind):
        return _texts
    if _holds_map(kind):
        return lambda array: [_with_dicts(cell, kind) for cell in array.to_pylist()]
    return _values


def _values(array: Array) -> list[Any]:
    try:
        return list(array.to_pylist())
    except Exception:  # a year that Python's dates do not know, a time zone that is not installed
        return _texts(array)


def _texts(array: Array) -> list[Any]:
    from arro3.core import DataType  # noqa: PLC0415

    return list(array.cast(DataType.string()).to_pylist())


def _holds_map(kind: DataType) -> bool:
    from arro3.core import DataType  # noqa: PLC0415

    if DataType.is_map(kind):
        return True
    inner = [kind.value_type] if kind.value_type else [field.type for field in kind.fields or ()]
    return any(map(_holds_map, inner))


def _with_dicts(cell: Any, kind: DataType | None) -> Any:
    """`cell` with the pairs of each map as a `dict`; a map's own values come without a type."""
    from arro3.core import DataType  # noqa: PLC0415

    if isinstance(cell, list):
        if (kind and DataType.is_map(kind)) or (cell and isinstance(cell[0], tuple)):
            return {key: _with_dicts(value, None) for key, value in cell}
        return [_with_dicts(item, kind.value_type if kind else None) for item in cell]
    if isinstance(cell, dict):
        kinds = {field.name: field.type for field in (kind.fields if kind else None) or ()}
        return {key: _with_dicts(value, kinds.get(key)) for key, value in cell.items()}
    return cell


@contextmanager
def _explained(name: str) -> Iterator[None]:
    """What goes wrong inside is an `InputError`, the library's panics (no `Exception`s) too."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise _unreadable(str(error), name) from None
        raise


def _unreadable(reason: str, name: str) -> InputError:
    line = reason.replace("called `Result::unwrap()` on an `Err` value: ", "").strip()
    line = line.replace(os.path.abspath(name), name).split("\n", 1)[0][:_REASON]
    return InputError(f"cannot be read as Parquet ({line}); write the file anew", source=name)
