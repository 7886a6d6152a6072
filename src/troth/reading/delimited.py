"""CSV and TSV: every record as long as the header, or an error that says which is not."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import BinaryIO

from troth.errors import InputError
from troth.reading.rows import NumberedRows

_NO_LIMIT = 2**31 - 1  # the largest that every platform takes


class _Lines:
    """The decoded lines of a file, for `csv.reader`, with what is wrong in those just handed out.

    A line that is not UTF-8 must not end the reader, which may be in the middle of a record.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._raw = (raw for chunk in file for raw in chunk.splitlines(keepends=True))
        self.number = 0
        self._first: str | None = None
        self.fault = ""

    def first(self) -> str:
        """The first line that is not blank; it is handed out once more later."""
        for line in self:
            if line.strip():
                self._first = line
                return line
        return ""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        if self._first is not None:
            line, self._first = self._first, None
            return line
        raw = next(self._raw)
        self.number += 1
        if b"\0" in raw:
            self.fault = self.fault or f"line {self.number} holds a NUL byte; remove it"
        try:
            return raw.decode()
        except UnicodeDecodeError:
            self.fault = self.fault or f"line {self.number} is not UTF-8; convert the file"
            return raw.decode(errors="replace")


def delimited_rows(
    file: BinaryIO, name: str, delimiter: str | None
) -> tuple[tuple[str, ...], NumberedRows]:
    """Header and rows; without `delimiter` the header line tells it. Rows count from 1 below it.

    Raises `InputError` for a header that cannot be used; the rows raise it for broken quotes,
    behind which nothing can be trusted, and hand on a record that is bad in itself.
    """
    # A setting of the whole interpreter, and only ever raised: contexts pass 128 kB with ease.
    csv.field_size_limit(max(csv.field_size_limit(), _NO_LIMIT))
    lines = _Lines(file)
    reader = csv.reader(lines, delimiter=delimiter or _delimiter(lines.first()), strict=True)
    header = _header(reader, lines, name)
    return header, _records(file, reader, lines, header, name)


def _delimiter(header: str) -> str:
    """The comma, if the header has one; else a semicolon or a tab, if it has one of these."""
    return next((mark for mark in ",;\t" if mark in header), ",")


def _header(reader: Iterator[list[str]], lines: _Lines, name: str) -> tuple[str, ...]:
    try:
        record = next((record for record in reader if record), None)
    except csv.Error as error:
        raise InputError(f"the header is broken: {error}; mend its quotes", source=name) from None
    if record is None:
        raise InputError("the file is empty; it needs a header and a row", source=name)
    if lines.fault:
        raise InputError(lines.fault, source=name)
    header = tuple(column.strip() for column in record)
    for place, column in enumerate(header):
        if column in header[:place]:
            raise InputError(
                f"two columns are called {column!r}; give each a name of its own", source=name
            )
    return header


def _records(
    file: BinaryIO,
    reader: Iterator[list[str]],
    lines: _Lines,
    header: tuple[str, ...],
    name: str,
) -> NumberedRows:
    number = 0
    with file:
        while True:
            begins = lines.number + 1
            try:
                record = next(reader, None)
            except csv.Error as error:
                problem = f"the record that begins on line {begins} is broken: {error}"
                hint = "close the quotes, and double each quote inside quotes"
                raise InputError(f"{problem}; {hint}", source=name, row=number + 1) from None
            if record is None:
                return
            if not record:
                continue
            number += 1
            fault = lines.fault or _uneven(record, header, begins)
            lines.fault = ""
            if fault:
                yield number, InputError(fault, source=name, row=number)
            else:
                yield number, dict(zip(header, record, strict=True))


def _uneven(record: list[str], header: tuple[str, ...], line: int) -> str:
    if len(record) == len(header):
        return ""
    return (
        f"expected {len(header)} cells, as in the header, got {len(record)} (line {line}); "
        "put cells that hold the delimiter in quotes"
    )
