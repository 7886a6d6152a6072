"""Parquet of several writers gives what those who wrote it read back."""

import datetime
import decimal
import random

import duckdb
import pandas as pd
import polars as pl
import pytest

from troth.errors import InputError
from troth.reading import read
from troth.reading.parquet import parquet_rows

VALUES = {
    "text": "'é'",
    "whole": "1::TINYINT",
    "large": "18446744073709551615::UBIGINT",
    "real": "1.5::FLOAT",
    "yes": "true",
    "bytes": "'b'::BLOB",
    "list": "['a', NULL]",
    "lists": "[['q'], []]",
    "struct": "{'a': 1, 'b': ['z']}",
    "map": "map {'k': 1.5::DOUBLE, 'j': NULL}",
    "maps": "[{'content': 'x', 'by': map {1: ['y']}}]",
    "inner": "map {'k': map {'l': 1}}",
    "decimal": "1.23::DECIMAL(9, 2)",
    "day": "DATE '2026-01-31'",
    "moment": "TIMESTAMP '2026-01-31 10:11:12.123456'",
    "nanos": "TIMESTAMP_NS '2026-01-31 10:11:12.123456789'",
    "zoned": "TIMESTAMPTZ '2026-01-31 10:11:12+02'",
    "time": "TIME '10:11:12'",
    "enum": "'m'::ENUM('m', 'n')",
    "json": "'{\"a\": 1}'::JSON",
}


def written(path, query, options=""):
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet{options})")
    return str(path)


def rows(path):
    columns, numbered = parquet_rows(str(path))
    found = [row for _, row in numbered]
    assert all(tuple(row) == columns for row in found)
    return found


@pytest.mark.parametrize("codec", ["snappy", "zstd", "gzip", "brotli", "lz4_raw", "uncompressed"])
def test_every_type_and_codec_of_duckdb(codec, tmp_path):
    nulls = ", ".join(f"NULL AS {name}" for name in VALUES)
    values = ", ".join(f"{cell} AS {name}" for name, cell in VALUES.items())
    query = f"SELECT {values} UNION ALL SELECT {nulls}"
    path = written(tmp_path / "a.parquet", query, f", COMPRESSION {codec}")
    cursor = duckdb.connect().execute(f"SELECT * FROM '{path}'")
    expected = [dict(zip(VALUES, cells, strict=True)) for cells in cursor.fetchall()]
    found = rows(path)
    assert found == expected
    kinds = [{name: type(value) for name, value in row.items()} for row in (found[0], expected[0])]
    assert kinds[0] == kinds[1]


def test_polars(tmp_path):
    frame = pl.DataFrame(
        {
            "answer": ["x", None, "日本"],
            "topic": pl.Series(["u", "v", "u"], dtype=pl.Categorical),
            "level": pl.Series(["u", "v", "u"], dtype=pl.Enum(["u", "v"])),
            "contexts": [["a"], None, []],
            "meta": [{"k": 1}, None, {"k": 3}],
            "pair": pl.Series([[1, 2], [3, 4], None], dtype=pl.Array(pl.Int8, 2)),
            "took": [datetime.timedelta(seconds=1.5), None, None],
            "price": pl.Series([decimal.Decimal("1.50"), None, None]),
            "nothing": pl.Series([None] * 3),
        }
    )
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=2)
    assert rows(tmp_path / "a.parquet") == frame.to_dicts()


@pytest.mark.parametrize("engine", ["pyarrow", "fastparquet"])
def test_pandas(engine, tmp_path):
    pytest.importorskip(engine)
    frame = pd.DataFrame(
        {
            "answer": ["x", "é"],
            "topic": pd.Categorical(["u", "v"]),
            "when": pd.to_datetime(["2026-01-31 10:11:12.000001", "1970-01-01 00:00:00.0"]),
        }
    )
    frame.to_parquet(tmp_path / "a.parquet", engine=engine)
    assert rows(tmp_path / "a.parquet") == frame.to_dict("records")


def test_what_python_has_no_value_for_comes_as_text(tmp_path):
    query = "SELECT INTERVAL 3 DAY AS span, DATE '29349-01-26' AS far, DATE '2026-01-31' AS near"
    [row] = rows(written(tmp_path / "a.parquet", query))
    assert row == {"span": "3 days", "far": "+29349-01-26", "near": datetime.date(2026, 1, 31)}


def test_one_large_row_group_is_read_as_it_is_asked_for(tmp_path):
    path = written(
        tmp_path / "a.parquet",
        "SELECT i AS n, ['x' || i] AS contexts FROM range(100000) t(i)",
        ", ROW_GROUP_SIZE 1000000",
    )
    _, numbered = parquet_rows(path)
    assert [next(numbered) for _ in range(2)] == [
        (1, {"n": 0, "contexts": ["x0"]}),
        (2, {"n": 1, "contexts": ["x1"]}),
    ]
    assert sum(1 for _ in numbered) == 99_998
    numbered.close()


def test_no_rows_and_two_columns_of_one_name(tmp_path):
    path = written(tmp_path / "none.parquet", "SELECT 'x' AS answer WHERE false")
    with pytest.raises(InputError, match="there are no rows"):
        read(path)
    pl.DataFrame({"ab": ["x"], "ac": ["y"]}).write_parquet(tmp_path / "two.parquet")
    twice = (tmp_path / "two.parquet").read_bytes().replace(b"ac", b"ab")
    (tmp_path / "two.parquet").write_bytes(twice)
    with pytest.raises(InputError, match=r"two columns are called 'ab'; rename one|as Parquet"):
        read(tmp_path / "two.parquet")


def test_files_that_were_cut_off_or_lost_a_part_are_refused_quietly(tmp_path, capfd):
    chance = random.Random(5)
    texts = ["".join(chance.choices("abcdefgh ", k=300)) for _ in range(300)]
    path = tmp_path / "a.parquet"
    pl.DataFrame({"answer": texts}).write_parquet(path)
    whole = path.read_bytes()
    for size in (1, 5, 11, 12, 50, len(whole) // 2, len(whole) - 9, len(whole) - 1):
        path.write_bytes(whole[:size])
        with pytest.raises(InputError, match="may be cut off"):
            read(path)
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes(512) + whole[middle + 512 :])
    with pytest.raises(InputError, match="cannot be read as Parquet"):
        read(path)
    path.write_bytes(whole[:-4] + b"PARE")
    with pytest.raises(InputError, match="encrypted"):
        read(path)
    assert capfd.readouterr().err == ""


def test_a_damaged_footer_is_refused(tmp_path):
    path = tmp_path / "a.parquet"
    pl.DataFrame({"answer": ["x"]}).write_parquet(path)
    whole = bytearray(path.read_bytes())
    length = int.from_bytes(whole[-8:-4], "little")
    whole[-8 - length : -8] = b"\xff" * length
    path.write_bytes(whole)
    with pytest.raises(InputError, match=r"a\.parquet: cannot be read as Parquet"):
        read(path)
