"""Parquet through DuckDB, as a stream, from one local file and nothing else."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from troth.errors import InputError
from troth.reading.rows import NumberedRows

if TYPE_CHECKING:
    import duckdb

_BATCH = 1000
# No extension is fetched or loaded, whatever the file's name or content asks for.
_CONFIG = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
# A folder called `year=2026` must not grow a column.
_QUERY = "SELECT * FROM read_parquet(?, hive_partitioning = false)"


def parquet_rows(name: str) -> tuple[tuple[str, ...], NumberedRows]:
    """Columns and rows; `InputError` for a file that is not Parquet or is damaged."""
    import duckdb  # noqa: PLC0415 - costs more to import than all of the rest

    connection = duckdb.connect(":memory:", config=dict(_CONFIG))
    # An absolute path is never taken for an address; escaped, it names one file.
    path = glob.escape(os.path.abspath(name))
    try:
        connection.execute(_QUERY, [path])
        columns = tuple(column[0] for column in connection.description or ())
    except duckdb.Error as error:
        connection.close()
        raise _unreadable(error, name) from None
    return columns, _numbered(connection, columns, name)


def _numbered(
    connection: duckdb.DuckDBPyConnection, columns: tuple[str, ...], name: str
) -> NumberedRows:
    with connection:
        for number, cells in enumerate(_stream(connection, name), 1):
            yield number, dict(zip(columns, cells, strict=True))


def _stream(connection: duckdb.DuckDBPyConnection, name: str) -> Iterator[tuple[Any, ...]]:
    import duckdb  # noqa: PLC0415

    while True:
        try:
            batch = connection.fetchmany(_BATCH)
        except duckdb.Error as error:
            raise _unreadable(error, name) from None
        if not batch:
            return
        yield from batch


def _unreadable(error: Exception, name: str) -> InputError:
    reason = str(error).strip().split("\n", 1)[0].replace(os.path.abspath(name), name)
    return InputError(f"cannot be read as Parquet ({reason}); write the file anew", source=name)
