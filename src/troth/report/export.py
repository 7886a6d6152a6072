"""A run as a table in a file: JSON lines, Parquet, or CSV for spreadsheets; row by row."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from troth.account import Row
from troth.errors import UsageError
from troth.run import Run
from troth.sample import COLUMNS
from troth.score import Score

if TYPE_CHECKING:
    from arro3.core import DataType, RecordBatch, Schema

Record = dict[str, Any]
CHUNK = 500  # rows that become Parquet at a time
GROUP = 10_000  # rows of a row group: what a reader has in memory
FORMULA = tuple("=+-@\t\r＝＋－＠")  # makes a spreadsheet take a cell for a formula
WHOLE = range(-(2**63), 2**63)
PARTS = ("", ".status", ".support", ".reason", ".verdicts")  # the columns of a metric


@dataclass(frozen=True, slots=True)
class Layout:
    """The columns of a run's table.

    `fields`: of the sample; `meta`: the input's other columns, by the name that each is written
    under, which no other column bears; `kinds`: what the cells of these are; `metrics`: labels.
    """

    fields: tuple[str, ...]
    meta: Mapping[str, str]
    kinds: Mapping[str, frozenset[str]]
    metrics: tuple[str, ...]

    @staticmethod
    def of(run: Run, *, scores: bool) -> Layout:
        """Look through all rows: a field is a column where the input had it or a row has it."""
        fields = {"id", *run.info.get("mapped", ())}
        kinds: dict[str, set[str]] = {}
        for row in run:
            fields |= {name for name in COLUMNS if getattr(row.sample, name) is not None}
            for name, value in row.sample.meta.items():
                kinds.setdefault(name, set()).add(_kind(value))
        metrics = run.metrics if scores else ()
        taken = {"id", *COLUMNS, *(f"{label}{part}" for label in metrics for part in PARTS)}
        meta: dict[str, str] = {}
        for name in kinds:
            column = name
            while column in taken or (column != name and column in kinds):
                column = f"meta.{column}"
            taken.add(column)
            meta[name] = column
        ordered = tuple(name for name in ("id", *COLUMNS) if name in fields)
        frozen = {name: frozenset(found) for name, found in kinds.items()}
        return Layout(ordered, meta, frozen, metrics)

    @property
    def columns(self) -> tuple[str, ...]:
        """All columns, in order."""
        scored = (f"{label}{part}" for label in self.metrics for part in PARTS)
        return (*self.fields, *self.meta.values(), *scored)

    def record(self, row: Row) -> Record:
        """One row, in plain JSON values."""
        sample = row.sample
        record: Record = {name: getattr(sample, name) for name in self.fields}
        if grades := dict(sample.relevant_ids or ()):
            record["relevant_ids"] = list(grades) if set(grades.values()) == {1.0} else grades
        record |= {self.meta[name]: value for name, value in sample.meta.items()}
        for label in self.metrics:
            record |= _scored(label, row.scores[label])
        plain: Record = msgspec.to_builtins(record, enc_hook=str)
        return plain


def export(run: Run, path: str | Path, *, scores: bool = True, force: bool = False) -> int:
    """Write `run` to a `.jsonl`, `.parquet` or `.csv` file; returns the number of rows.

    A row each: id, the sample's fields, the other columns of the input, and per metric its value,
    `.status`, `.support`, `.reason` and `.verdicts` (not in CSV); without `scores` the samples
    alone. A column whose name is taken stands under `meta.` and its name. JSONL gives every sample
    back as it was; Parquet does but for columns whose cells are of several kinds, which become
    JSON texts; CSV has no null, and guards formulas.
    Raises `UsageError` for another suffix, a file that is there already (unless `force`), or one
    that cannot be written.
    """
    target = Path(path)
    write = _WRITERS.get(target.suffix.lower())
    if write is None:
        raise UsageError(f"{path}: a run is written as {', '.join(_WRITERS)}; name the file so")
    if target.exists() and not force:
        raise UsageError(f"{path} is there already: name another file, or say --force")
    part = target.with_name(f"{target.name}.part")
    try:
        write(run, Layout.of(run, scores=scores), part)
        os.replace(part, target)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}") from None
    finally:
        part.unlink(missing_ok=True)
    return len(run)


def _scored(label: str, score: Score) -> Record:
    cells = (score.value, str(score.status), score.support, score.reason, score.verdicts)
    return {f"{label}{part}": cell for part, cell in zip(PARTS, cells, strict=True)}


def _jsonl(run: Run, layout: Layout, path: Path) -> None:
    with path.open("wb") as file:
        for row in run:
            file.write(msgspec.json.encode(layout.record(row)) + b"\n")


def _csv(run: Run, layout: Layout, path: Path) -> None:
    columns = [column for column in layout.columns if not _of_verdicts(column, layout)]
    # The mark at the beginning tells spreadsheets that it is UTF-8.
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC)
        writer.writerow(map(_guarded, columns))
        for row in run:
            record = layout.record(row)
            writer.writerow([_cell(record.get(column)) for column in columns])


def _of_verdicts(column: str, layout: Layout) -> bool:
    return column in {f"{label}{PARTS[-1]}" for label in layout.metrics}


def _cell(value: Any) -> str | int | float:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return value
    return _guarded(value if isinstance(value, str) else msgspec.json.encode(value).decode())


def _guarded(text: str) -> str:
    """`text`, with an apostrophe before it where a spreadsheet would take it for a formula."""
    text = text.replace("\0", "\ufffd")  # no CSV reader takes a NUL
    return f"'{text}" if text.startswith(FORMULA) or text.lstrip().startswith(FORMULA) else text


def _parquet(run: Run, layout: Layout, path: Path) -> None:
    from arro3.core import RecordBatchReader  # noqa: PLC0415 - only who wants Parquet pays for it
    from arro3.io import write_parquet  # noqa: PLC0415

    schema = _schema(layout)
    reader = RecordBatchReader.from_batches(schema, _batches(run, layout, schema))
    try:
        write_parquet(reader, path, compression="zstd(3)", max_row_group_size=GROUP)
    except Exception as error:
        if type(error) is not Exception:
            raise
        raise OSError(str(error)) from None  # the library's own, such as a disk that is full


def _batches(run: Run, layout: Layout, schema: Schema) -> Iterator[RecordBatch]:
    """The rows as JSON, which the library turns into columns: it has no other way to lists."""
    from io import BytesIO  # noqa: PLC0415

    from arro3.io import read_json  # noqa: PLC0415

    as_text = [c for name, c in layout.meta.items() if _json_text(layout.kinds[name])]
    lines = bytearray()
    for number, row in enumerate(run, 1):
        record = layout.record(row)
        for column in as_text:
            if record.get(column) is not None:
                record[column] = msgspec.json.encode(record[column]).decode()
        if isinstance(grades := record.get("relevant_ids"), (list, tuple)):
            record["relevant_ids"] = dict.fromkeys(grades, 1.0)
        lines += msgspec.json.encode(record) + b"\n"
        if number % CHUNK == 0 or number == len(run):
            yield from read_json(BytesIO(bytes(lines)), schema, batch_size=CHUNK)
            lines.clear()


def _schema(layout: Layout) -> Schema:
    from arro3.core import DataType, Field, Schema  # noqa: PLC0415

    text, real = DataType.string(), DataType.float64()
    texts = DataType.list(Field("element", text))
    parts = {"id": text, "label": text, "support": real, "reason": text, "sources": texts,
             "text": text, "weight": real}  # fmt: skip
    verdict = DataType.struct([Field(name, kind) for name, kind in parts.items()])
    grades = DataType.map(Field("key", text, nullable=False), Field("value", real), False)
    kinds: dict[str, DataType] = {
        "whole": DataType.int64(), "real": real, "truth": DataType.bool(), "texts": texts,
    }  # fmt: skip
    types: dict[str, DataType] = dict.fromkeys(layout.fields, texts)
    types |= {name: text for name in ("id", "question", "answer") if name in types}
    types |= {name: grades for name in ("relevant_ids",) if name in types}
    for name, column in layout.meta.items():
        types[column] = kinds.get(_one_kind(layout.kinds[name]), text)
    for label in layout.metrics:
        scored = (real, text, real, text, DataType.list(Field("element", verdict)))
        types |= {f"{label}{part}": kind for part, kind in zip(PARTS, scored, strict=True)}
    return Schema([Field(column, types[column]) for column in layout.columns])


def _kind(value: Any) -> str:
    if isinstance(value, (list, tuple)) and all(isinstance(item, str) for item in value):
        return "texts"
    if isinstance(value, int) and not isinstance(value, bool):
        return "whole" if value in WHOLE else "several"
    if isinstance(value, (list, tuple, Mapping)):
        return "several"
    known = {type(None): "null", bool: "truth", float: "real"}
    return known.get(type(value), "text")  # what JSON does not have is written as its text


def _one_kind(kinds: frozenset[str]) -> str:
    found = kinds - {"null"}
    if found == {"whole", "real"}:
        return "real"
    return next(iter(found)) if len(found) == 1 else "several" if found else "text"


def _json_text(kinds: frozenset[str]) -> bool:
    return _one_kind(kinds) == "several"


_WRITERS: Mapping[str, Callable[[Run, Layout, Path], None]] = {
    ".jsonl": _jsonl,
    ".parquet": _parquet,
    ".csv": _csv,
}
