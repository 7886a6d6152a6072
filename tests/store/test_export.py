"""What is exported is read back as it was; a spreadsheet gets no formula."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reading.test_round_trip import TEXT, samples
from troth.account import Row
from troth.api import evaluate
from troth.errors import UsageError
from troth.reading import read
from troth.report.export import export
from troth.run import Run
from troth.sample import Sample
from troth.score import Score, Verdict

NAMES = st.sampled_from(["topic", "answer", "m", "meta.answer", "m.reason", "x y", "é", "_id"])
CELLS = {
    "texts": st.none() | TEXT,
    "whole": st.none() | st.integers(-(2**63), 2**63 - 1),
    "real": st.floats(allow_nan=False, allow_infinity=False),
    "truth": st.booleans() | st.none(),
    "lists": st.lists(TEXT, max_size=2),
}
VERDICT = Verdict("a1", "supported", 0.5, "why", ("c1",), "text", 0.5)


def a_run(found, mapped=(), scores=None):
    scores = scores or {"m": Score(0.5, reason="half", verdicts=(VERDICT,), support=0.25)}
    rows = tuple(Row(sample, scores) for sample in found)
    return Run(rows, tuple(scores), "builtin", {"mapped": {n: n for n in mapped}}, (), 1.0, "r1")


def back(run, suffix, **options):
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"a{suffix}"
        assert export(run, path, **options) == len(run)
        assert [p.name for p in Path(folder).iterdir()] == [path.name]
        return list(read(path).samples)


@settings(max_examples=25, deadline=None)
@given(samples(), st.dictionaries(NAMES, st.sampled_from(sorted(CELLS))), st.data())
@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_every_sample_comes_back_as_it_was(suffix, found, columns, data):
    found = [replace(s, meta={n: data.draw(CELLS[k]) for n, k in columns.items()}) for s in found]
    read_back = back(a_run(found), suffix, scores=False)
    assert read_back == found
    if not {"answer", "_id"} & set(columns):
        assert [dict(s.meta) for s in read_back] == [dict(s.meta) for s in found]


def test_the_same_rows_have_the_same_fingerprint(tmp_path):
    rows = [
        {
            "question": "Where?",
            "answer": "北京",
            "expected_output": "北京市",
            "n": 1,
            "tags": [1, {}],
        },
        {"question": None, "answer": "", "expected_output": "", "n": None, "tags": None},
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    first = evaluate("rows.jsonl", ["exact_match"])
    export(first, "again.jsonl", scores=False)
    second = evaluate("again.jsonl", ["exact_match"])
    assert second.info["data_sha256"] == first.info["data_sha256"]
    assert list(second) == list(first)
    assert second.info["mapped"].keys() - {"id"} == first.info["mapped"].keys() - {"id"}


def test_scores_stand_beside_the_rows_and_names_never_clash(tmp_path):
    meta = {"m": "mine", "answer": "old", "meta.answer": 3, "m.status": None}
    sample = Sample("1", answer="new", meta=meta)
    export(a_run([sample]), tmp_path / "a.jsonl")
    [row] = map(json.loads, (tmp_path / "a.jsonl").read_text("utf-8").splitlines())
    assert row == {
        "id": "1",
        "answer": "new",
        "meta.m": "mine",
        "meta.meta.answer": "old",
        "meta.answer": 3,
        "meta.m.status": None,
        "m": 0.5,
        "m.status": "scored",
        "m.support": 0.25,
        "m.reason": "half",
        "m.verdicts": [
            {
                "id": "a1",
                "label": "supported",
                "support": 0.5,
                "reason": "why",
                "sources": ["c1"],
                "text": "text",
                "weight": 0.5,
            }
        ],
    }
    export(a_run([sample]), tmp_path / "a.parquet")
    assert pl.read_parquet(tmp_path / "a.parquet").to_dicts() == [row]
    cursor = duckdb.connect().execute(f"SELECT * FROM '{tmp_path}/a.parquet'")
    assert list(cursor.fetchone()) == list(row.values())


def test_a_row_without_a_score_and_one_without_an_answer(tmp_path):
    run = a_run([Sample("1"), Sample("2", "q")], ["answer"], {"m": Score.unscorable("no answer")})
    export(run, tmp_path / "a.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert [(r["question"], r["answer"], r["m"], r["m.status"]) for r in rows] == [
        (None, None, None, "unscorable"),
        ("q", None, None, "unscorable"),
    ]
    assert "references" not in rows[0]


def test_columns_of_several_kinds_become_json_texts_in_parquet(tmp_path):
    cells = [1, "x", None, [1], {"k": 2}, 2**80]
    export(
        a_run(
            [
                Sample(str(n), meta={"c": cell, "n": n / 2 if n else n})
                for n, cell in enumerate(cells)
            ]
        ),
        tmp_path / "a.parquet",
    )
    frame = pl.read_parquet(tmp_path / "a.parquet")
    assert frame["c"].to_list() == ["1", '"x"', None, "[1]", '{"k":2}', str(2**80)]
    assert frame["n"].to_list() == [0.0, 0.5, 1.0, 1.5, 2.0, 2.5]


def test_many_rows_in_order(tmp_path):
    run = a_run([Sample(str(n), contexts=("x",) * (n % 3)) for n in range(1203)])
    export(run, tmp_path / "a.parquet")
    assert [s.id for s in read(tmp_path / "a.parquet")] == [str(n) for n in range(1203)]
    assert list(read(tmp_path / "a.parquet").samples) == [row.sample for row in run]


HOSTILE = [
    "=1+1",
    "+cmd|' /C calc'!A0",
    "-2+3",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "  =1",
    "\n=1",
    "\u00a0=1",
    "＝1",
    "＋1",
    "－1",
    "＠1",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_cell_of_a_csv_file_is_a_formula(text, tmp_path):
    sample = Sample("=id", text, text, (text,), (text,), meta={text: text, "n": -1.5})
    scores = {"m": Score(0.0, reason=text)}
    export(a_run([sample], scores=scores), tmp_path / "a.csv")
    with open(tmp_path / "a.csv", encoding="utf-8-sig", newline="") as file:
        header, cells = csv.reader(file)
    for cell in (*header, *cells):
        assert cell == "-1.5" or not cell.lstrip().startswith(tuple("=+-@＝＋－＠"))
        assert not cell.startswith(("\t", "\r"))
    assert f"'{text}" in cells


def test_csv_reads_back_what_is_no_formula(tmp_path):
    found = [
        Sample("a", 'Où, "là"?\n', "x;y", ("r",), (), {"n": 2, "b": True}, ("d1",), {"d1": 2.0}),
        Sample("b", "q", "\0", (), ("日本",), {"n": -3, "b": None}, (), {}),
    ]
    export(a_run(found), tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes().startswith(b"\xef\xbb\xbf")
    first, second = read(tmp_path / "a.csv").samples
    assert first == found[0]
    assert second == replace(found[1], answer="\ufffd")
    assert (first.meta["n"], first.meta["b"], second.meta["n"]) == ("2", "true", "-3")
    assert "m.verdicts" not in first.meta


def test_a_file_that_is_there_or_cannot_be_is_refused(tmp_path):
    run = a_run([Sample("1", answer="x")])
    (tmp_path / "a.jsonl").write_text("mine")
    with pytest.raises(UsageError, match="is there already"):
        export(run, tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_text() == "mine"
    export(run, tmp_path / "a.jsonl", force=True)
    assert json.loads((tmp_path / "a.jsonl").read_text())["id"] == "1"
    for name, said in (("a.xlsx", r"\.jsonl, \.parquet, \.csv"), ("no/a.csv", "No such file")):
        with pytest.raises(UsageError, match=said):
            export(run, tmp_path / name)
    with pytest.raises(UsageError, match="cannot be written"):
        export(run, tmp_path / "no" / "a.parquet")
