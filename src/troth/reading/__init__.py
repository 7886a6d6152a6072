"""Files and rows of any shape become samples."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
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
from troth.reading.rows import Source, from_memory
from troth.reading.samples import Shape, refuse_double, sample_columns
from troth.sample import COLUMNS, Sample

__all__ = ["Reading", "Scan", "read", "scan"]


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


class Scan:
    """An input whose columns are known and whose rows are read as they are asked for.

    Attributes as of `Reading`; `skipped` fills while `samples()` is read.
    """

    def __init__(
        self,
        opener: Callable[[], Source],
        mapping: Mapping[str, str],
        needs: Collection[str],
        skip_bad: bool,
    ) -> None:
        self._opener = opener
        self._mapping = mapping
        self._skip_bad = skip_bad
        self.skipped: list[InputError] = []
        origin = opener()
        self.source = origin.name
        self._cells = origin.cells
        good, bad, first_bad = self._look(origin)
        if not good:
            raise self._no_rows(origin.columns, bad, first_bad)
        check_columns(mapping, self.columns, self.source)
        check_needed(needs, self.mapped, self.columns, self.source)

    @property
    def fields(self) -> frozenset[str]:
        """The fields of `Sample` that the input has as columns."""
        return frozenset(self.mapped)

    def samples(self) -> Iterator[Sample]:
        """The good rows, in order; a bad one raises `InputError` or is put aside in `skipped`."""
        shape = Shape(self.source, self.mapped, self._mapping, self._cells)
        seen: dict[str, int] = {}
        self.skipped = []
        origin = self._opener()
        with closing(origin.rows) as numbered:
            for number, row in numbered:
                try:
                    if isinstance(row, InputError):
                        raise row
                    sample = shape.sample(row, number)
                    refuse_double(seen, sample, number, self.source)
                except InputError as error:
                    if not self._skip_bad:
                        raise
                    self.skipped.append(error)
                else:
                    yield sample
        self.skipped.sort(key=lambda error: error.row or 0)
        if not seen:
            raise self._no_rows(origin.columns, len(self.skipped), self.skipped[0])

    def _look(self, origin: Source) -> tuple[int, int, InputError | None]:
        """Meet all columns, since the last row may bring one; count good and bad rows."""
        named = dict.fromkeys(origin.columns)
        of_samples: dict[str, None] = {}
        good, bad, first_bad = 0, 0, None
        with closing(origin.rows) as numbered:  # and its file with it
            for _, row in numbered:
                if isinstance(row, InputError):
                    if not self._skip_bad:
                        raise row
                    bad, first_bad = bad + 1, first_bad or row
                    continue
                good += 1
                if isinstance(row, Sample):
                    of_samples.update(dict.fromkeys(sample_columns(row)))
                elif not row.keys() <= named.keys():
                    named.update(dict.fromkeys(row))
        found = {field: field for field in ("id", *COLUMNS) if field in of_samples}
        chosen = {**found, **recognise(named, self._mapping), **self._mapping}
        mapped = {field: chosen[field] for field in NAMES if chosen.get(field)}
        self.mapped: Mapping[str, str] = MappingProxyType(mapped)
        self.columns = tuple(named | of_samples)
        return good, bad, first_bad

    def _no_rows(self, columns: tuple[str, ...], bad: int, first: InputError | None) -> InputError:
        if first:
            problem = f"{first.problem} (no good row is left; {bad} were skipped)"
            return InputError(problem, source=self.source, row=first.row, field=first.field)
        header = f" {listed(columns)}" if columns else ""
        return InputError(f"there are no rows; give at least one.{header}", source=self.source)


def scan(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    skip_bad: bool = False,
    needs: Collection[str] = (),
) -> Scan:
    """Look through `source` for its columns; its rows are read later, again from the file.

    Parameters and errors as of `read`. Rows that are no file are held in memory.
    """
    mapping = dict(mapping or {})
    check_mapping(mapping)
    check_needs(needs)
    if isinstance(source, (str, os.PathLike)):
        return Scan(lambda: from_file(source), mapping, needs, skip_bad)
    origin = from_memory(source)
    rows = list(origin.rows)
    return Scan(lambda: replace(origin, rows=(row for row in rows)), mapping, needs, skip_bad)


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
    found = scan(source, mapping=mapping, skip_bad=skip_bad, needs=needs)
    samples = tuple(found.samples())
    return Reading(samples, found.mapped, found.columns, tuple(found.skipped), found.source)
