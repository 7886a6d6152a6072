"""Every good shape gives the samples that one would write by hand."""

import json
from types import SimpleNamespace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

from troth.reading import read
from troth.sample import Sample

ROWS = [
    {"id": "a", "question": "Où?", "answer": "Là", "contexts": ["x", "y"], "topic": 1},
    {"id": "b", "question": "Who?", "answer": None, "contexts": [], "topic": None},
]
SAMPLES = (
    Sample("a", "Où?", "Là", None, ("x", "y")),
    Sample("b", "Who?", None, None, ()),
)
COLUMNS = {name: [row[name] for row in ROWS] for name in ROWS[0]}
CSV = 'id,question,answer,contexts,topic\na,Où?,Là,"[""x"", ""y""]",1\nb,Who?,,[],\n'

FILES = {
    "rows.jsonl": "\n\n".join(json.dumps(row) for row in ROWS),
    "rows.ndjson": "\r\n".join(json.dumps(row, ensure_ascii=False) for row in ROWS),
    "bom.jsonl": "\ufeff" + "\n".join(map(json.dumps, ROWS)),
    "UPPER.JSONL": "\n".join(map(json.dumps, ROWS)),
    "list.json": json.dumps(ROWS, indent=2),
    "columns.json": json.dumps(COLUMNS),
    "bom.json": "\ufeff" + json.dumps(ROWS),
    "rows.csv": CSV,
    "crlf.csv": CSV.replace("\n", "\r\n"),
    "mac.csv": CSV.replace("\n", "\r"),
    "bom.csv": "\ufeff" + CSV,
    "blank lines.csv": "\n" + CSV.replace("\n", "\n\n"),
    "spaced.csv": CSV.replace("id,question", " id , question "),
    "semicolon.csv": "id;question;answer;contexts;topic\n"
    'a;Où?;Là;"[""x"", ""y""]";1\nb;Who?;;[];\n',
    "tab.csv": "id\tquestion\tanswer\tcontexts\ttopic\n"
    'a\tOù?\tLà\t"[""x"", ""y""]"\t1\nb\tWho?\t\t[]\t\n',
    "rows.tsv": "id\tquestion\tanswer\tcontexts\ttopic\n"
    'a\tOù?\tLà\t"[""x"", ""y""]"\t1\nb\tWho?\t\t[]\t\n',
}


@pytest.mark.parametrize("name", FILES)
def test_text_files(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(FILES[name].encode())
    reading = read(path, needs=("question", "contexts"))
    assert reading.samples == SAMPLES
    assert reading.columns == ("id", "question", "answer", "contexts", "topic")
    assert reading.mapped == {n: n for n in ("id", "question", "answer", "contexts")}
    assert reading.fields == {"id", "question", "answer", "contexts"}
    assert reading.skipped == ()
    assert reading.source == str(path)
    assert read(str(path)).samples == SAMPLES


@pytest.mark.parametrize(
    "source",
    [
        ROWS,
        tuple(ROWS),
        COLUMNS,
        {**COLUMNS, "topic": np.array([1, 2])},
        SAMPLES,
        [SAMPLES[0], ROWS[1]],
        pd.DataFrame(ROWS),
        pd.DataFrame({**COLUMNS, "contexts": [np.array(["x", "y"]), np.array([])]}),
        pl.DataFrame(ROWS),
    ],
    ids=lambda source: type(source).__name__,
)
def test_rows_in_memory(source):
    reading = read(source)
    assert reading.samples == SAMPLES
    assert reading.source == "rows"
    assert reading.fields >= {"id", "question", "answer", "contexts"}


def test_an_iterator_is_read_once_and_lazily():
    assert read(dict(row) for row in ROWS).samples == SAMPLES
    assert [s.id for s in read(iter(ROWS))] == ["a", "b"]


class ArrowTable:
    """Has what a pyarrow Table has, so that the shape is tested without the library."""

    column_names = tuple(COLUMNS)

    def to_batches(self):
        return [SimpleNamespace(to_pylist=lambda row=row: [row]) for row in ROWS]


class HuggingFace:
    column_names = tuple(COLUMNS)

    def __iter__(self):
        return iter(ROWS)


@pytest.mark.parametrize("source", [ArrowTable(), HuggingFace()])
def test_tables_of_libraries_that_are_not_installed_here(source):
    assert read(source).samples == SAMPLES
    assert read(source).columns == tuple(COLUMNS)


def parquet(path, query):
    duckdb.connect().execute(f"COPY ({query}) TO '{path}' (FORMAT parquet)")
    return path


QUERY = """
SELECT * FROM (VALUES ('a', 'Où?', 'Là', ['x', 'y'], 1), ('b', 'Who?', NULL, [], NULL))
AS t(id, question, answer, contexts, topic)
"""


@pytest.mark.parametrize(
    "name", ["a.parquet", "it's [1] *?.parquet", "year=2026/a.parquet", "A.PARQUET"]
)
def test_parquet(name, tmp_path):
    parquet(tmp_path / "ab.parquet", "SELECT 'other' AS answer")
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    parquet(tmp_path / "made", QUERY).rename(path)
    reading = read(path)
    assert reading.samples == SAMPLES
    assert reading.columns == ("id", "question", "answer", "contexts", "topic")


def test_a_star_in_a_name_matches_no_other_file(tmp_path):
    for n in (1, 2):
        parquet(tmp_path / f"{n}.parquet", f"SELECT '{n}' AS answer")
    with pytest.raises(ValueError, match="no such file"):
        read(str(tmp_path / "*.parquet"))


def test_parquet_streams_more_than_one_batch_in_order_and_keeps_meta_as_it_is(tmp_path):
    path = parquet(
        tmp_path / "long.parquet",
        "SELECT i::VARCHAR AS answer, {'text': [i::VARCHAR], 'answer_start': [1]} AS answers, "
        "i AS n, DATE '2026-01-31' AS day FROM range(2500) t(i)",
    )
    reading = read(path)
    assert [s.answer for s in reading] == [str(i) for i in range(2500)]
    assert reading.samples[-1].references == ("2499",)
    assert reading.samples[-1].meta["n"] == 2499
    assert reading.samples[-1].meta["day"].isoformat() == "2026-01-31"
    assert len(reading) == 2500
    assert [s.id for s in reading][:2] == ["1", "2"]


def only(row, **options):
    [sample] = read([row], **options).samples
    return sample


def test_ids():
    assert [s.id for s in read([{"id": 7}, {"id": None}, {"id": ""}, {}])] == ["7", "2", "3", "4"]
    assert only({"id": np.int64(3)}).id == "3"
    assert [s.id for s in read([Sample(answer="x"), Sample(answer="y")])] == ["1", "2"]


def test_a_jsonl_row_is_its_line(tmp_path):
    (tmp_path / "gaps.jsonl").write_text('\n{"answer": "x"}\n   \n{"answer": "y"}\n')
    assert [s.id for s in read("gaps.jsonl")] == ["2", "4"]


@pytest.mark.parametrize(
    ("cell", "references"),
    [
        ("one", ("one",)),
        ("", ("",)),
        (["one", "two"], ("one", "two")),
        ([], ()),
        (None, None),
        ({"text": ["one"], "answer_start": [3]}, ("one",)),
        ({"text": np.array(["one"])}, ("one",)),
        ({"text": [], "answer_start": []}, ()),
        ([{"text": "one", "answer_start": 3}], ("one",)),
    ],
)
def test_references(cell, references):
    assert only({"references": cell}).references == references


@pytest.mark.parametrize(
    ("row", "contexts"),
    [
        ({"context": "one"}, ("one",)),
        ({"context": ["one"]}, ("one",)),
        ({"Contexts": ["one", ""]}, ("one", "")),
        ({"contexts": None}, None),
        ({"documents": [{"content": "one", "meta": {}}, {"page_content": "two"}]}, ("one", "two")),
        ({"documents": [{"content": None, "text": "one"}]}, ("one",)),
        ({"documents": [SimpleNamespace(content="one")]}, ("one",)),
        ({"contexts": ["日本", "🙂"]}, ("日本", "🙂")),
    ],
)
def test_contexts(row, contexts):
    assert only(row).contexts == contexts


def test_one_text_under_a_column_of_the_users_own_is_one_context():
    assert only({"passage": "x"}, mapping={"contexts": "passage"}).contexts == ("x",)


@pytest.mark.parametrize("name", ["nan.jsonl", "list.json"])
def test_strings_that_look_like_trouble_are_none(name, tmp_path):
    row = {"answer": "\\ud800 NaN \U0001f642", "question": "[not a list"}
    text = json.dumps(row)
    (tmp_path / name).write_text(text if name.endswith("l") else f"[{text}]")
    assert read(name).samples == (Sample("1", row["question"], row["answer"]),)


def test_a_long_line_and_a_huge_cell(tmp_path):
    long = "é" * 5_000_000
    (tmp_path / "long.jsonl").write_text(json.dumps({"answer": long}, ensure_ascii=False))
    (tmp_path / "long.csv").write_text(f"answer,n\n{long},1\n")
    assert read("long.jsonl").samples[0].answer == long
    assert read("long.csv").samples[0].answer == long


def test_csv_cells(tmp_path):
    (tmp_path / "cells.csv").write_text(
        'question,references,context,note\n"a\n""b"",",plain,"one, whole",\n, [x,[],"[""r""]"\n'
    )
    first, second = read("cells.csv").samples
    assert first == Sample("1", 'a\n"b",', None, ("plain",), ("one, whole",))
    assert first.meta == {"note": ""}
    assert second == Sample("2", None, None, (" [x",), ())
    assert second.meta == {"note": '["r"]'}


def test_nulls_of_pandas():
    frame = pd.DataFrame({"answer": ["x", None, np.nan], "n": [1.5, np.nan, 2]})
    reading = read(frame)
    assert [s.answer for s in reading] == ["x", None, None]
    assert [s.meta["n"] for s in reading] == [1.5, None, 2.0]


def test_skip_bad_goes_on_behind_each_kind_of_bad_row(tmp_path):
    (tmp_path / "mixed.jsonl").write_bytes(
        b'{"id": 1, "answer": "x"}\n{"id": 2, "answer": 5}\nnonsense\n{"id": 1}\n\xff\n'
        b'{"id": 6, "n": NaN}\n[]\n{"id": 8, "answer": "z"}\n'
    )
    reading = read("mixed.jsonl", skip_bad=True)
    assert [s.id for s in reading] == ["1", "8"]
    assert [error.row for error in reading.skipped] == [2, 3, 4, 5, 6, 7]
    assert {error.source for error in reading.skipped} == {"mixed.jsonl"}
    (tmp_path / "mixed.csv").write_bytes(b"id,answer\n1,x\n2\n3,\xff\n4,\0\n5,z\n")
    reading = read("mixed.csv", skip_bad=True)
    assert [s.id for s in reading] == ["1", "5"]
    assert [error.row for error in reading.skipped] == [2, 3, 4]
    (tmp_path / "mixed.json").write_text('[{"n": NaN}, {"answer": "x", "answer": "y"}, {"n": 1}]')
    assert [error.row for error in read("mixed.json", skip_bad=True).skipped] == [1, 2]
    assert [error.row for error in read([{"answer": 1}, {}], skip_bad=True).skipped] == [1]
