"""What is written is read back, in every format: random Unicode, and the same errors twice."""

import contextlib
import csv
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from troth.errors import InputError
from troth.reading import read
from troth.sample import COLUMNS, Sample

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
TEXTS = st.none() | st.lists(TEXT, max_size=3).map(tuple)
GRADES = st.none() | st.dictionaries(TEXT, st.floats(-9, 9), max_size=3)
LISTS = ("references", "contexts", "retrieved_ids", "relevant_contexts")


def samples(text=TEXT, optional=None):
    sample = st.builds(
        Sample,
        question=optional if optional is not None else st.none() | text,
        answer=optional if optional is not None else st.none() | text,
        references=TEXTS,
        contexts=TEXTS,
        retrieved_ids=TEXTS,
        relevant_ids=GRADES,
        relevant_contexts=TEXTS,
    )
    many = st.lists(sample, min_size=1, max_size=4)
    return many.map(lambda found: [replace(s, id=f"r{n}") for n, s in enumerate(found)])


def record(sample):
    row = {field: getattr(sample, field) for field in ("id", *COLUMNS)}
    row |= {field: list(row[field]) for field in LISTS if row[field] is not None}
    if row["relevant_ids"] is not None:
        row["relevant_ids"] = dict(row["relevant_ids"])
    return row


def cells(row):
    grades = row["relevant_ids"]
    columns = (None, None) if grades is None else (list(grades), list(grades.values()))
    return [v for f, value in row.items() for v in (columns if f == "relevant_ids" else [value])]


def back(name, write):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return list(read(path).samples)


@given(samples(), st.booleans())
def test_jsonl(written, ascii_only):
    lines = "\n".join(json.dumps(record(s), ensure_ascii=ascii_only) for s in written)
    assert back("a.jsonl", lambda p: p.write_text(lines, "utf-8", newline="")) == written


@given(samples(), st.booleans(), st.sampled_from([None, 2]))
def test_json(written, ascii_only, indent):
    text = json.dumps([record(s) for s in written], ensure_ascii=ascii_only, indent=indent)
    assert back("a.json", lambda p: p.write_text(text, "utf-8", newline="")) == written


# CSV has no null, so texts are never empty here; a NUL is refused.
CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1)


@given(samples(optional=CELL), st.sampled_from([(".csv", ","), (".csv", ";"), (".tsv", "\t")]))
@example([Sample("r", "a\r\nb\rc\n", '"x",;\t', ("[",), ("\u2028\x85",))], (".csv", ","))
def test_delimited(written, kind):
    suffix, delimiter = kind

    def write(path):
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(record(written[0])), delimiter=delimiter)
            writer.writeheader()
            for sample in written:
                row = record(sample)
                for field in (*LISTS, "relevant_ids"):
                    if row[field] is not None:
                        row[field] = json.dumps(row[field], ensure_ascii=False)
                writer.writerow(row)

    assert back(f"a{suffix}", write) == written


@given(samples())
@settings(max_examples=25, deadline=None)
def test_parquet(written):
    def write(path):
        connection = duckdb.connect()
        connection.execute(
            "CREATE TABLE t (id VARCHAR, question VARCHAR, answer VARCHAR, "
            '"references" VARCHAR[], contexts VARCHAR[], retrieved_ids VARCHAR[], '
            "relevant_ids MAP(VARCHAR, DOUBLE), relevant_contexts VARCHAR[])"
        )
        connection.executemany(
            "INSERT INTO t VALUES (?, ?, ?, ?, ?, ?, map(?::VARCHAR[], ?::DOUBLE[]), ?)",
            [cells(record(s)) for s in written],
        )
        connection.execute(f"COPY t TO '{path}' (FORMAT parquet)")

    assert back("a.parquet", write) == written


@given(samples())
def test_in_memory(written):
    assert list(read(written).samples) == written
    assert list(read([record(s) for s in written]).samples) == written
    columns = {f: [record(s)[f] for s in written] for f in record(written[0])}
    assert list(read(columns).samples) == written


@given(st.binary(max_size=200), st.sampled_from(["jsonl", "json", "csv", "tsv", "parquet"]))
@settings(deadline=None)
def test_any_bytes_are_read_or_refused_as_bad_input(content, suffix):
    with contextlib.suppress(InputError):
        assert back(f"a.{suffix}", lambda p: p.write_bytes(content))


@pytest.mark.parametrize("suffix", ["jsonl", "json", "csv"])
def test_broken_files_are_refused_in_linear_time(suffix, tmp_path):
    def seconds(n):
        content = {
            "jsonl": b'{"a": 1, "a": 2, "b": "\\ud800"}\n' * n,
            "json": b"[" + b'{"a": NaN, "a": 1, "b": "\\ud83d\\ude00"},' * n,
            "csv": b'a,b\n"' + b"x\n" * n * 10,
        }[suffix]
        path = tmp_path / f"{n}.{suffix}"
        path.write_bytes(content)
        began = time.process_time()
        with pytest.raises(ValueError, match="row"):
            read(path, skip_bad=True)
        return time.process_time() - began

    assert seconds(40_000) < 30 * max(seconds(5000), 0.02)  # quadratic would be 64
