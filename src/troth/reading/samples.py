"""Rows to `Sample`s, or to errors that say which row and field."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from troth.errors import InputError
from troth.reading.rows import Row
from troth.reading.strictjson import StrictDecoder
from troth.reading.values import Mismatch, check_text, from_cell, to_field
from troth.sample import COLUMNS, Sample


@dataclass(frozen=True, slots=True)
class Shape:
    """How the rows of one source become samples.

    `mapped` holds field -> column for rows, `mapping` what the user asked for, which alone
    touches rows that are samples already.
    """

    source: str
    mapped: Mapping[str, str]
    mapping: Mapping[str, str]
    cells: bool = False
    decoder: StrictDecoder = dataclasses.field(default_factory=StrictDecoder)

    def sample(self, row: Row | Sample, number: int) -> Sample:
        """The sample of one row; its id is the row's number where it has none."""
        made = self._renamed(row, number) if isinstance(row, Sample) else self._made(row, number)
        return made if made.id else replace(made, id=str(number))

    def _made(self, row: Row, number: int) -> Sample:
        values = self._values(row, self.mapped, number)
        values["id"] = values.get("id") or ""
        used = self.mapped.values()
        meta = {column: cell for column, cell in row.items() if column not in used}
        self._check_meta(meta, number)
        return Sample(**values, meta=meta)

    def _renamed(self, sample: Sample, number: int) -> Sample:
        for field in ("id", *COLUMNS):
            value = getattr(sample, field)
            if field == "relevant_ids":
                value = [name for name, _ in value or ()]
            self._check(field, (value,) if isinstance(value, str) else value or (), number)
        self._check_meta(sample.meta, number)
        if not self.mapping:
            return sample
        mapped = {field: column for field, column in self.mapping.items() if column}
        values: dict[str, Any] = dict.fromkeys(self.mapping)
        values |= self._values(sample_columns(sample), mapped, number)
        values["id"] = values.get("id", sample.id) or ""
        used = mapped.values()
        meta = {column: cell for column, cell in sample.meta.items() if column not in used}
        return replace(sample, **values, meta=meta)

    def _values(
        self, columns: Mapping[str, Any], mapped: Mapping[str, str], number: int
    ) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for field, column in mapped.items():
            value = columns.get(column)
            try:
                if self.cells:
                    value = from_cell(field, value, self.decoder)
                values[field] = to_field(field, value, column)
            except Mismatch as error:
                column_too = "" if column == field else f"column {column!r}: "
                problem = f"{column_too}{error}"
                raise InputError(problem, source=self.source, row=number, field=field) from None
        return values

    def _check_meta(self, meta: Mapping[str, Any], number: int) -> None:
        for column, cell in meta.items():
            if isinstance(cell, str) and not cell.isascii():
                self._check(column, (cell,), number)

    def _check(self, field: str, texts: Iterable[str], number: int) -> None:
        try:
            for text in texts:
                check_text(text)
        except Mismatch as error:
            raise InputError(str(error), source=self.source, row=number, field=field) from None


def sample_columns(sample: Sample) -> dict[str, Any]:
    """What a sample has, by name: its other columns, then its fields that are not absent."""
    fields = {field: getattr(sample, field) for field in ("id", *COLUMNS)}
    return {**sample.meta, **{f: v for f, v in fields.items() if v is not None and v != ""}}


def refuse_double(seen: dict[str, int], sample: Sample, number: int, source: str) -> None:
    """Note the id in `seen`; `InputError` if an earlier row has it."""
    first = seen.setdefault(sample.id, number)
    if first != number:
        raise InputError(
            f"the id {sample.id[:60]!r} is taken by row {first}; map another column "
            '(--map id=COLUMN, mapping={"id": "COLUMN"}), or number the rows (--map id=, '
            'mapping={"id": ""})',
            source=source,
            row=number,
            field="id",
        )
