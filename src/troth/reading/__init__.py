"""Files and rows of any shape become samples."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from troth.errors import InputError
from troth.reading.columns import (
    NAMES,
    check_columns,
    check_mapping,
    check_needed,
    check_needs,
    listed,
    recognise,
)
from troth.reading.files import from_file
from troth.reading.rows import Row, Source, from_memory
from troth.reading.samples import Shape, refuse_double, sample_columns
from troth.sample import FIELDS, Sample

__all__ = ["Reading", "read"]

_Numbered = list[tuple[int, Row | Sample]]


@dataclass(frozen=True, slots=True)
class Reading:
    """What `read` found.

    `mapped` says from which column each field came, `columns` names all columns in the order in
    which they were met, `skipped` holds the bad rows that were left out on request, and `source`
    is the file as it was named, or `"rows"`.
    """

    samples: tuple[Sample, ...]
    mapped: Mapping[str, str]
    columns: tuple[str, ...]
    skipped: tuple[InputError, ...]
    source: str

    @property
    def fields(self) -> frozenset[str]:
        """The fields of `Sample` that the input has as columns."""
        return frozenset(self.mapped)

    def __len__(self) -> int:
        return len(self.samples)

    def __iter__(self) -> Iterator[Sample]:
        return iter(self.samples)


def read(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    skip_bad: bool = False,
    needs: Collection[str] = (),
) -> Reading:
    """Read the rows of `source` as samples.

    `source` is a path (`.jsonl`, `.ndjson`, `.json`, `.csv`, `.tsv`, `.parquet`), an iterable of
    mappings or samples, a mapping of columns, a pandas or polars DataFrame, a pyarrow Table or a
    Hugging Face Dataset. `mapping` gives columns for fields whose column has another name;
    an empty column leaves the field out, and numbers the rows in the case of `id`.
    `needs` are fields that must have a column. With `skip_bad` a bad row is put aside.

    Raises `InputError`, with source, row and field, for whatever cannot be read, for an input
    without rows and for one without a good row; `UsageError` for a field that does not exist.
    """
    mapping = dict(mapping or {})
    check_mapping(mapping)
    check_needs(needs)
    is_path = isinstance(source, (str, os.PathLike))
    origin = from_file(source) if is_path else from_memory(source)
    skipped: list[InputError] | None = [] if skip_bad else None
    rows = _collected(origin, skipped)
    columns, mapped = _columns(origin, rows, mapping)
    if not rows:
        raise _no_rows(origin, skipped)
    check_columns(mapping, columns, origin.name)
    check_needed(needs, mapped, columns, origin.name)
    shape = Shape(origin.name, mapped, mapping, origin.cells)
    samples = tuple(_samples(shape, rows, skipped))
    if not samples:
        raise _no_rows(origin, skipped)
    bad = sorted(skipped or (), key=lambda error: error.row or 0)
    return Reading(samples, MappingProxyType(mapped), columns, tuple(bad), origin.name)


def _collected(origin: Source, skipped: list[InputError] | None) -> _Numbered:
    """All rows, since the last one may bring a column; the bad ones raise or are put aside."""
    rows: _Numbered = []
    with closing(origin.rows) as numbered:  # and its file with it
        for number, row in numbered:
            if not isinstance(row, InputError):
                rows.append((number, row))
            elif skipped is None:
                raise row
            else:
                skipped.append(row)
    return rows


def _columns(
    origin: Source, rows: _Numbered, mapping: Mapping[str, str]
) -> tuple[tuple[str, ...], dict[str, str]]:
    """All columns, and the column of each field. A sample's fields go by their own names."""
    named = dict.fromkeys(origin.columns)
    of_samples: dict[str, None] = {}
    for _, row in rows:
        if isinstance(row, Sample):
            of_samples.update(dict.fromkeys(sample_columns(row)))
        elif not row.keys() <= named.keys():
            named.update(dict.fromkeys(row))
    found = {field: field for field in ("id", *FIELDS) if field in of_samples}
    chosen = {**found, **recognise(named, mapping), **mapping}
    mapped = {field: chosen[field] for field in NAMES if chosen.get(field)}
    return tuple(named | of_samples), mapped


def _samples(shape: Shape, rows: _Numbered, skipped: list[InputError] | None) -> Iterator[Sample]:
    seen: dict[str, int] = {}
    rows.reverse()
    while rows:  # each row is let go when its sample is there, so that both never lie in memory
        number, row = rows.pop()
        try:
            sample = shape.sample(row, number)
            refuse_double(seen, sample, number, shape.source)
        except InputError as error:
            if skipped is None:
                raise
            skipped.append(error)
        else:
            yield sample


def _no_rows(origin: Source, skipped: list[InputError] | None) -> InputError:
    if skipped:
        first = min(skipped, key=lambda error: error.row or 0)
        problem = f"{first.problem} (no good row is left; {len(skipped)} were skipped)"
        return InputError(problem, source=origin.name, row=first.row, field=first.field)
    header = f" {listed(origin.columns)}" if origin.columns else ""
    return InputError(f"there are no rows; give at least one.{header}", source=origin.name)
