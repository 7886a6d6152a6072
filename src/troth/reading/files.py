"""Files to rows: what a file is, and the shapes that JSON comes in."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from troth.errors import InputError
from troth.reading.delimited import delimited_rows
from troth.reading.parquet import parquet_rows
from troth.reading.rows import NumberedRows, Source, checked, columns_to_rows
from troth.reading.strictjson import BadJson, StrictDecoder, skip_space
from troth.reading.values import show

_HEAD = 4096
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")


def from_file(path: str | os.PathLike[str]) -> Source:
    """The rows of a file, by its suffix; `InputError` for a file that cannot be read."""
    name = os.fsdecode(path)
    opener = _opener(name)
    _check_file(name)
    if opener is _parquet:
        return _parquet(name)
    try:
        file = open(name, "rb")  # noqa: SIM115 - the rows' iterator closes it
        head = file.peek(_HEAD)[:_HEAD]
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror}", source=name) from error
    try:
        _check_head(head, name)
        if head.startswith(_BOM):
            file.read(len(_BOM))
        return opener(file, name)
    except BaseException:
        file.close()
        raise


def _opener(name: str) -> Callable[..., Source]:
    suffix = os.path.splitext(name)[1].lower()
    if suffix == ".gz":
        raise InputError("gzip is not supported; unpack the file first", source=name)
    if suffix not in _OPENERS:
        came = f"the suffix {suffix!r}" if suffix else "a name without a suffix"
        known = ", ".join(_OPENERS)
        raise InputError(f"cannot tell its format from {came}; known are {known}", source=name)
    return _OPENERS[suffix]


def _check_file(name: str) -> None:
    try:
        size = os.stat(name).st_size
    except FileNotFoundError:
        raise InputError("there is no such file; check the path", source=name) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"cannot be read: {reason}", source=name) from error
    if os.path.isdir(name):
        raise InputError("is a directory; name one file in it", source=name)
    if size == 0 and os.path.isfile(name):
        raise InputError("the file is empty; it needs at least one row", source=name)


def _check_head(head: bytes, name: str) -> None:
    if head.startswith(b"\x1f\x8b"):
        raise InputError("is a gzip file, which is not supported; unpack it first", source=name)
    if head.startswith(_WIDE_BOMS) or head.count(0) * 8 > len(head):
        raise InputError("looks like UTF-16 or UTF-32; convert it to UTF-8", source=name)


def _jsonl(file: BinaryIO, name: str) -> Source:
    return Source(name, _json_lines(file, name))


def _json_lines(file: BinaryIO, name: str) -> NumberedRows:
    decoder = StrictDecoder()
    with file:
        for number, line in enumerate(file, 1):
            if line.isspace():
                continue
            try:
                row = decoder.one(line.decode().rstrip("\r\n"))
                yield number, row if isinstance(row, dict) else checked(row, name, number)
            except UnicodeDecodeError as error:
                problem = f"byte {error.start + 1} of the line is not UTF-8; convert the file"
                yield number, InputError(problem, source=name, row=number)
            except BadJson as error:
                yield number, InputError(_bad_line(error, line), source=name, row=number)


def _bad_line(error: BadJson, line: bytes) -> str:
    if not error.line:
        return error.problem
    if line.lstrip()[:1] == b"[":
        return "a line must hold one JSON object, and this opens a list; name a list file.json"
    if b"\0" in line:
        return "the line holds NUL bytes; the file looks damaged, or not UTF-8: convert it"
    return f"{error.problem} (character {error.column}); a line must hold one whole JSON object"


def _json(file: BinaryIO, name: str) -> Source:
    with file:
        data = file.read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(f"line {line} is not UTF-8; convert the file", source=name) from None
    start = skip_space(text, 0)
    if text[start : start + 1] == "[":
        return Source(name, _json_list(text, start, name))
    columns, rows = columns_to_rows(_json_columns(text, name), name)
    return Source(name, ((number, row) for number, row in enumerate(rows, 1)), columns)


def _json_list(text: str, start: int, name: str) -> NumberedRows:
    number = 0
    try:
        for item, fault in StrictDecoder().items(text, start):
            number += 1
            bad = InputError(fault, source=name, row=number) if fault else None
            yield number, bad or (item if isinstance(item, dict) else checked(item, name, number))
    except BadJson as error:
        raise InputError(_bad_file(error), source=name, row=number + 1) from None


def _json_columns(text: str, name: str) -> Mapping[str, Any]:
    try:
        columns = StrictDecoder().one(text)
    except BadJson as error:
        raise InputError(_bad_file(error), source=name) from None
    if not isinstance(columns, dict):
        raise InputError(
            f"expected a list of objects, or an object of columns, got {show(columns)}",
            source=name,
        )
    return columns


def _bad_file(error: BadJson) -> str:
    if not error.line:
        return error.problem
    todo = "name a file with one object per line .jsonl" if error.trailing else "mend it there"
    return f"line {error.line}, character {error.column}: {error.problem}; {todo}"


def _csv(file: BinaryIO, name: str) -> Source:
    columns, rows = delimited_rows(file, name, delimiter=None)
    return Source(name, rows, columns, cells=True)


def _tsv(file: BinaryIO, name: str) -> Source:
    columns, rows = delimited_rows(file, name, delimiter="\t")
    return Source(name, rows, columns, cells=True)


def _parquet(name: str) -> Source:
    columns, rows = parquet_rows(name)
    return Source(name, rows, columns)


_OPENERS: Mapping[str, Callable[..., Source]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".csv": _csv,
    ".tsv": _tsv,
    ".parquet": _parquet,
}
