"""Every bad input gives one error with its place, what is wrong and what to do."""

import gzip
import json
import os

import duckdb
import pandas as pd
import polars as pl
import pytest

from troth.errors import InputError
from troth.reading import read
from troth.sample import Sample


def line(**row):
    return json.dumps(row).encode() + b"\n"


GOOD = line(question="q", answer="a", contexts=["c"])
HEAD = b"question,answer,contexts\n"

# name: content, row, field, what the message says: the fault, and what to do
FILES = {
    "missing.jsonl": (None, None, None, ["no such file", "check the path"]),
    "empty.jsonl": (b"", None, None, ["is empty", "at least one row"]),
    "empty.json": (b"", None, None, ["is empty"]),
    "empty.csv": (b"", None, None, ["is empty"]),
    "empty.parquet": (b"", None, None, ["is empty"]),
    "blank.jsonl": (b"\n \n\n", None, None, ["no rows", "give at least one"]),
    "blank.csv": (b"\n\n", None, None, ["is empty", "header"]),
    "bom only.csv": (b"\xef\xbb\xbf", None, None, ["is empty"]),
    "header.csv": (HEAD, None, None, ["no rows", "'question', 'answer', 'contexts'"]),
    "none.json": (b"[]", None, None, ["no rows"]),
    "nothing.json": (b"{}", None, None, ["no rows"]),
    "no columns.json": (b'{"a": []}', None, None, ["no rows"]),
    "rows.txt": (GOOD, None, None, ["'.txt'", ".jsonl, .ndjson, .json, .csv, .tsv, .parquet"]),
    "rows": (GOOD, None, None, ["without a suffix", ".jsonl"]),
    "a.jsonl.gz": (gzip.compress(GOOD), None, None, ["gzip is not supported", "unpack"]),
    "gzip.jsonl": (gzip.compress(GOOD), None, None, ["gzip", "unpack"]),
    "utf16.jsonl": (GOOD.decode().encode("utf-16"), None, None, ["UTF-16", "convert it to UTF-8"]),
    "utf16le.csv": (HEAD.decode().encode("utf-16-le"), None, None, ["UTF-16", "convert it"]),
    "utf32.json": (GOOD.decode().encode("utf-32-be"), None, None, ["UTF-16 or UTF-32"]),
    "latin1.jsonl": (GOOD + b'{"a": "caf\xe9"}', 2, None, ["byte 11", "not UTF-8", "convert"]),
    "latin1.json": (b'[{\n"a": "caf\xe9"}]', None, None, ["line 2 is not UTF-8", "convert"]),
    "latin1.csv": (HEAD + b'"a\nb",x,[]\n"\n\xe9",y,[]\n', 2, None, ["line 5 is not UTF-8"]),
    "latin1 head.csv": (b"caf\xe9,b\n1,2\n", None, None, ["line 1 is not UTF-8"]),
    "nul.csv": (HEAD + b"a\0b,x,[]\n" + b"c,d,[]\n" * 9, 1, None, ["line 2", "NUL", "remove"]),
    "nul.jsonl": (GOOD + b'{"answer": "a\0"}', 2, None, ["NUL", "convert"]),
    # JSON
    "broken.jsonl": (GOOD * 5 + b'\n{"answer": "a"', 7, None, ["character 15", "one whole"]),
    "two.jsonl": (GOOD.strip() * 2, 1, None, ["more text", "whole JSON object"]),
    "list.jsonl": (b"[" + GOOD.strip() + b",\n", 1, None, ["opens a list", ".json"]),
    "scalar.jsonl": (GOOD + b"5\n", 2, None, ["object", "int 5", "question"]),
    "list row.jsonl": (GOOD + b'["a"]\n', 2, None, ["object", "list ['a']"]),
    "null row.json": (b"[null]", 1, None, ["object", "null"]),
    "nan.jsonl": (GOOD + b'{"s": NaN}\n', 2, None, ["NaN is not JSON", "write null"]),
    "infinity.json": (b'[{}, {"s": [-Infinity]}]', 2, None, ["-Infinity", "write null"]),
    "huge float.jsonl": (b'{"s": 1e999}', 1, None, ["1e999 is too large", "as a string"]),
    "huge int.jsonl": (b'{"s": ' + b"9" * 5000 + b"}", 1, None, ["digits", "as a string"]),
    "twice.jsonl": (b'{"answer": "a", "answer": "b"}', 1, None, ["'answer' stands twice", "keep"]),
    "twice deep.json": (b'[{"m": [{"k": 1, "k": 1}]}]', 1, None, ["'k' stands twice"]),
    "twice columns.json": (b'{"a": [1], "a": [2]}', None, None, ["'a' stands twice"]),
    "surrogate.jsonl": (GOOD + b'{"answer": "\\ud800"}', 2, None, ["surrogate pair"]),
    "surrogate key.jsonl": (b'{"\\uDFFF": 1}', 1, None, ["surrogate pair"]),
    "surrogate.json": (b'[{}, {"m": ["\\ude00\\ud83d"]}]', 2, None, ["surrogate pair"]),
    "deep.jsonl": (b'{"a": ' + b"[" * 100_000, 1, None, ["too deeply", "flatten"]),
    "deep.json": (b'[{"a": ' * 100_000, 1, None, ["too deeply", "flatten"]),
    "deep columns.json": (b'{"a": ' * 100_000, None, None, ["too deeply"]),
    "broken.json": (b'[{"a": 1},\n{"a": }]', 2, None, ["line 2, character 7", "mend it there"]),
    "no comma.json": (b'[{"a": 1}\n{"a": 2}]', 2, None, ["line 2, character 1", "','"]),
    "comma.json": (b'[{"a": 1},]', 2, None, ["line 1, character 11"]),
    "open.json": (b'[{"a": 1}', 2, None, ["expecting ',' or ']'"]),
    "behind.json": (b'[{"a": 1}] x', 2, None, ["line 1, character 12", "more text"]),
    "lines.json": (b'{"a": [1]}\n{"a": [2]}\n', None, None, ["line 2", "name", ".jsonl"]),
    "scalar.json": (b'"text"', None, None, ["a list of objects", "str 'text'"]),
    "one row.json": (b'{"answer": "a"}', None, None, ["'answer' is str 'a'", "wrap", "[ ]"]),
    "nested.json": (b'{"data": [{"answer": "a"}]}', None, None, ["rows seem to lie under 'data'"]),
    "uneven.json": (b'{"a": [1, 2], "b": [1]}', None, None, ["'a' has 2 cells", "'b' has 1"]),
    # CSV
    "short.csv": (HEAD + b"q,a,[]\nq,a\n", 2, None, ["expected 3 cells", "got 2", "line 3"]),
    "long.csv": (HEAD + b"q,a,b,[]\n", 1, None, ["expected 3 cells", "got 4", "in quotes"]),
    "short.tsv": (b"question\tanswer\nq,a\n", 1, None, ["expected 2 cells", "got 1"]),
    "open quote.csv": (
        HEAD + b'"a\nb",a,[]\nq,"a,[]\nq,a,[]\n', 2, None, ["begins on line 4", "close the quotes"],
    ),
    "stray quote.csv": (HEAD + b'"q" x,a,[]\n', 1, None, ["line 2", "double each quote"]),
    "open header.csv": (b'"question,answer\n', None, None, ["header", "quotes"]),
    "same.csv": (b"answer,question, answer\n1,2,3\n", None, None, ["called 'answer'", "its own"]),
    "plain contexts.csv": (HEAD + b"q,a,c\n", 1, "contexts", ["got one string: wrap it in [ ]"]),
    "broken list.csv": (HEAD + b"q,a,[c]\n", 1, "contexts", ["JSON list", '["one", "two"]']),
    "python list.csv": (HEAD + b"q,a,\"['c']\"\n", 1, "contexts", ["use double quotes"]),
    "numbers.csv": (HEAD + b"q,a,[1]\n", 1, "contexts", ["item 1 is int 1", "write a string"]),
    # Parquet
    "text.parquet": (GOOD * 9, None, None, ["cannot be read as Parquet", "write the file anew"]),
    "cut.parquet": (b"PAR1" + b"\0" * 99 + b"PAR1", None, None, ["as Parquet"]),
}  # fmt: skip


@pytest.mark.parametrize("name", FILES)
def test_bad_files(name, tmp_path):
    content, row, field, said = FILES[name]
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError) as caught:
        read(name)
    error = caught.value
    assert (error.source, error.row, error.field) == (name, row, field)
    for text in said:
        assert text in error.problem
    assert "\n" not in str(error)
    assert len(str(error)) < 400
    # one bad row, or a file that is bad as a whole: skipping cannot rescue it, or must say so
    if row is None:
        with pytest.raises(InputError):
            read(name, skip_bad=True)


def test_a_directory_and_names_that_no_file_can_have(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for name, said in [
        ("folder.csv", "is a directory; name one file"),
        ("x" * 5000 + ".csv", "cannot be read"),
        ("a\0b.csv", "cannot be read"),
    ]:
        with pytest.raises(InputError, match=said):
            read(name)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_a_file_without_permission(suffix, tmp_path):
    path = tmp_path / f"secret.{suffix}"
    path.write_bytes(GOOD)
    path.chmod(0)
    with pytest.raises(InputError, match="cannot be read"):
        read(path)


# a cell: its field, and what the message says
CELLS = [
    ({"answer": 42}, "answer", ["string or null", "int 42", "as text"]),
    ({"answer": True}, "answer", ["bool True"]),
    ({"answer": ["x"]}, "answer", ["list ['x']"]),
    ({"answer": float("nan")}, "answer", ["float nan", "use null"]),
    ({"question": {"text": "x" * 999}}, "question", ["dict {'text': 'xxx", "..."]),
    ({"question": b"x"}, "question", ["bytes b'x'"]),
    ({"prediction": 1}, "answer", ["column 'prediction'", "int 1"]),
    ({"references": 42}, "references", ["list of strings", "int 42"]),
    ({"references": ["a", 42]}, "references", ["item 2 is int 42", "write a string"]),
    ({"references": [None]}, "references", ["item 1 is null"]),
    ({"references": {"answer": "x"}}, "references", ["dict {'answer': 'x'}"]),
    ({"contexts": "x"}, "contexts", ["expected a list of strings, got one string", "`context`"]),
    ({"retrieval_context": "x"}, "contexts", ["column 'retrieval_context'", "wrap it in [ ]"]),
    ({"contexts": {"content": "x"}}, "contexts", ["list of strings", "dict"]),
    ({"contexts": ["a", {"body": "x"}]}, "contexts", ["item 2 is dict", '"content" or "text"']),
    ({"contexts": [{"content": 5}]}, "contexts", ["item 1 is dict"]),
    ({"contexts": [["x"]]}, "contexts", ["item 1 is list"]),
    ({"context": 5}, "contexts", ["int 5"]),
    ({"id": 1.0}, "id", ["whole number", "float 1.0", "--map id="]),
    ({"id": True}, "id", ["bool True"]),
    ({"id": ["x"]}, "id", ["list"]),
    ({"answer": "\ud800"}, "answer", ["surrogate", "mend"]),
    ({"contexts": ["ok", "\udfff"]}, "contexts", ["surrogate"]),
    ({"note": "\ud800"}, "note", ["surrogate"]),
]


@pytest.mark.parametrize(("row", "field", "said"), CELLS, ids=lambda v: str(v)[:30])
def test_bad_cells(row, field, said):
    with pytest.raises(InputError) as caught:
        read([{}, row])
    assert (caught.value.source, caught.value.row, caught.value.field) == ("rows", 2, field)
    for text in said:
        assert text in caught.value.problem
    assert len(str(caught.value)) < 300
    str(caught.value).encode()
    reading = read([{}, row], skip_bad=True)
    assert len(reading) == 1
    assert [(e.row, e.field) for e in reading.skipped] == [(2, field)]


@pytest.mark.parametrize("field", ["answer", "contexts", "note"])
def test_a_sample_with_half_a_character(field):
    bad = {
        "answer": Sample(answer="\ud800"),
        "contexts": Sample(contexts=("\ud800",)),
        "note": Sample(meta={"note": "\ud800"}),
    }[field]
    with pytest.raises(InputError, match="surrogate") as caught:
        read([bad])
    assert caught.value.field == field


@pytest.mark.parametrize(
    ("rows", "first", "second"),
    [
        ([{"id": "x"}, {"id": "y"}, {"id": "x"}], 1, 3),
        ([{"id": 1}, {"id": "1"}], 1, 2),
        ([{"id": "2"}, {}], 1, 2),
        ([Sample("x"), {"id": "x"}], 1, 2),
    ],
)
def test_doubled_ids(rows, first, second):
    with pytest.raises(InputError) as caught:
        read(rows)
    assert (caught.value.row, caught.value.field) == (second, "id")
    for text in (f"row {first}", "--map id=COLUMN", "--map id=,"):
        assert text in caught.value.problem
    assert len(read(rows, mapping={"id": ""})) == len(rows)


@pytest.mark.parametrize(
    ("source", "row", "said"),
    [
        (None, None, "cannot read rows from null; give a path"),
        (5, None, "cannot read rows from int 5"),
        (b"rows.csv", None, "cannot read rows from bytes"),
        (Sample("x"), None, "cannot read rows from Sample"),
        (pl.LazyFrame({"answer": ["x"]}), None, "cannot read rows from LazyFrame"),
        ([], None, "no rows"),
        ({}, None, "no rows"),
        (
            pd.DataFrame({"answer": []}),
            None,
            "no rows; give at least one. The columns are 'answer'.",
        ),
        (["text"], 1, "expected an object with named columns, got str 'text'"),
        ([{}, {1: "x"}], 2, "columns are named by strings, got int 1"),
        ({"answer": "x"}, None, "wrap the object in"),
        ({"answer": ["x"], "question": []}, None, "but 'answer' has 1 cells and 'question' has 0"),
        ({1: ["x"]}, None, "named by strings, got int 1"),
        (pd.DataFrame([["x"]]), None, "named by strings, got int 0"),
        (pd.DataFrame([["x", "y"]], columns=["a", "a"]), None, "two columns are called 'a'"),
        ({"train": pd.Series(["x"]), "test": [], "n": 5}, None, "'n' is int 5"),
    ],
    ids=lambda v: str(v)[:30],
)
def test_bad_sources(source, row, said):
    with pytest.raises(InputError) as caught:
        read(source)
    assert (caught.value.source, caught.value.row) == ("rows", row)
    assert said in caught.value.problem


def test_several_data_sets_at_once():
    class DataSet:
        column_names = ("answer",)

    with pytest.raises(InputError, match="under 'train', 'test': choose one"):
        read({"train": DataSet(), "test": DataSet()})


def test_no_good_row_is_left():
    with pytest.raises(InputError, match="no good row is left; 3 were skipped") as caught:
        read([{"answer": 1}, {"answer": 2}, "x"], skip_bad=True)
    assert caught.value.row == 1


def test_a_number_in_parquet(tmp_path):
    path = tmp_path / "n.parquet"
    duckdb.connect().execute(f"COPY (SELECT 5 AS answer, 'x'::BLOB AS question) TO '{path}'")
    with pytest.raises(InputError, match="got bytes b'x'") as caught:
        read(path)
    assert (caught.value.row, caught.value.field) == (1, "question")


def test_parquet_opens_no_address():
    with pytest.raises(InputError, match="no such file"):
        read("https://example.invalid/a.parquet")
