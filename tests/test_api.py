"""`troth.evaluate` and what it returns."""

import asyncio
import copy
import json
import pickle
import subprocess
import sys

import pandas as pd
import polars as pl
import pytest

import troth
import troth.errors
from troth.errors import InputError, UsageError
from troth.store import Store

ROWS = [
    {"id": "a", "question": "Who?", "answer": "Ana", "references": ["Ana"], "topic": "x"},
    {"id": "b", "question": "Who?", "answer": "Bo", "references": ["Cy", "Bo "], "topic": "y"},
    {"id": "c", "question": "Who?", "answer": None, "references": ["Cy"], "topic": "y"},
]


def values(run, metric="exact_match"):
    return [score.value for score in run.scores(metric)]


def test_rows_in_scores_out_in_order():
    run = troth.evaluate(ROWS, metrics=["exact_match", troth.ExactMatch("squad")])
    assert run.metrics == ("exact_match", "exact_match:squad")
    assert values(run) == [1.0, 0.0, None]
    assert values(run, "exact_match:squad") == [1.0, 1.0, None]
    assert [row.sample.id for row in run] == ["a", "b", "c"]
    assert run[1].sample.meta == {"topic": "y"}
    summary = run.summary()["exact_match"]
    assert (summary.mean, summary.total, summary.scored, summary.unscorable) == (0.5, 3, 2, 1)


@pytest.mark.parametrize(
    "data",
    [
        [troth.Sample(answer="Ana", references=["Ana"])],
        {"answer": ["Ana"], "references": [["Ana"]]},
        pd.DataFrame({"answer": ["Ana"], "references": ["Ana"]}),
        pl.DataFrame({"answer": ["Ana"], "references": [["Ana"]]}),
        iter([{"prediction": "Ana", "answers": {"text": ["Ana"], "answer_start": [0]}}]),
    ],
    ids=["samples", "columns", "pandas", "polars", "squad iterator"],
)
def test_shapes_of_input(data):
    assert values(troth.evaluate(data, metrics="exact_match")) == [1.0]


def test_a_file_and_the_same_rows_give_the_same_run(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    one, two = troth.evaluate(path), troth.evaluate(ROWS)
    assert one.rows == two.rows
    assert one.info["data_sha256"] == two.info["data_sha256"]
    assert one.info["source"] == str(path)


def test_by_default_all_that_the_columns_permit():
    assert troth.evaluate(ROWS).metrics == (
        "answer_correctness",
        "answer_relevancy",
        "contains",
        "exact_match",
        "token_f1",
    )
    with pytest.raises(UsageError, match="permit no metric"):
        troth.evaluate([{"question": "Who?"}])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"metrics": ["faithfulness"]}, "contexts"),
        ({"metrics": []}, "no metric was asked for"),
        ({"metrics": ["exact_match", "exact_match"]}, "asked for twice"),
        ({"metrics": [42]}, "not 42"),
        ({"judge": 42}, "not 42"),
        ({"mapping": {"answer": "absent"}}, "absent"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_asked(options, says):
    with pytest.raises(troth.TrothError, match=says):
        troth.evaluate(ROWS, **options)


def test_an_empty_input_is_an_error():
    with pytest.raises(InputError, match="row"):
        troth.evaluate([], metrics=["exact_match"])


def test_it_works_inside_a_running_loop_and_awaited():
    async def notebook():
        return troth.evaluate(ROWS), await troth.aevaluate(ROWS)

    one, two = asyncio.run(notebook())
    assert one.rows == two.rows == troth.evaluate(ROWS).rows


def test_the_application_is_asked_first():
    asked = []

    async def rag(question):
        asked.append(question)
        await asyncio.sleep(0)
        return {"answer": question.upper(), "contexts": [question]}

    rows = [{"question": f"q{n}", "references": [f"Q{n}"]} for n in range(20)]
    run = troth.evaluate(rows, metrics=["exact_match", "faithfulness"], app=rag)
    assert values(run) == [1.0] * 20
    assert sorted(asked) == sorted(row["question"] for row in rows)
    assert run[3].sample.contexts == ("q3",)
    with pytest.raises(InputError, match="question"):
        troth.evaluate([{"references": ["x"]}], metrics=["exact_match"], app=rag)


def test_the_run_can_be_kept_and_loaded(tmp_path):
    path = tmp_path / "mine.db"
    run = troth.evaluate(ROWS, store=path)
    with Store(path) as store:
        assert store.load(run.id) == run
    with Store(path) as store:  # a store that is given is left open
        again = troth.evaluate(ROWS, store=store)
        assert [entry.id for entry in store.runs()] == [again.id, run.id]


def test_nothing_is_written_unless_asked(tmp_path):
    troth.evaluate(ROWS)
    assert list(tmp_path.iterdir()) == []


def test_frames():
    run = troth.evaluate(ROWS, metrics=["exact_match"])
    frame = run.to_pandas()
    assert list(frame["exact_match"].dropna()) == [1.0, 0.0]
    assert list(frame["topic"]) == ["x", "y", "y"]
    assert frame["exact_match.status"].tolist() == ["scored", "scored", "unscorable"]
    polars = run.to_polars()
    assert polars["exact_match"].to_list() == [1.0, 0.0, None]
    assert polars["references"].to_list() == [["Ana"], ["Cy", "Bo "], ["Cy"]]


def test_it_shows_itself():
    run = troth.evaluate(ROWS, metrics=["exact_match"])
    assert repr(run) == "<Run of 3 rows by none: exact_match=0.500 (2/3)>"
    assert "<td>exact_match</td><td>0.500</td><td>2</td><td>1</td><td>0</td><td>3</td>" in (
        run._repr_html_()
    )


def test_results_are_plain_values():
    run = troth.evaluate(ROWS, metrics=["exact_match"])
    assert pickle.loads(pickle.dumps(run)) == run
    assert copy.deepcopy(run) == run


def test_a_worst_row_is_a_low_row():
    run = troth.evaluate(ROWS, metrics=["exact_match"])
    assert [row.sample.id for row in run.worst(5, "exact_match")] == ["b", "a"]
    assert [row.sample.id for row in run.worst(1)] == ["b"]


@pytest.mark.parametrize(
    "code", ["import troth", "import troth; troth.evaluate; troth.Faithfulness()"]
)
def test_nothing_heavy_is_loaded_before_it_is_used(code):
    heavy = ("haystack", "pandas", "polars", "torch", "numpy", "arro3", "aiohttp", "rich", "click")
    code += f"; import sys; print([m for m in {heavy} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert result.stdout.strip() == b"[]"


def test_names_that_do_not_exist_are_said_to_be_missing():
    with pytest.raises(AttributeError, match="no attribute 'Faithfulnes'"):
        troth.Faithfulnes  # noqa: B018
    assert troth.__version__.count(".") >= 1


def test_odd_columns_beside_the_fields():
    odd = [1, "x", {"k": [1]}]
    rows = [{"answer": "a", "references": ["a"], "odd": cell, "exact_match": 7} for cell in odd]
    run = troth.evaluate(rows, metrics=["exact_match"])
    for frame in (run.to_pandas(), run.to_polars()):
        assert list(frame["exact_match"]) == [1.0] * 3
        assert list(frame["meta.exact_match"]) == [7] * 3
    assert run.to_polars()["odd"].to_list() == ["1", "x", "{'k': [1]}"]

    loop = []
    loop.append(loop)
    for cell in (["\ud800"], loop, Unspeakable()):
        with pytest.raises(InputError, match="cannot be kept"):
            troth.evaluate([{**rows[0], "odd": cell}], metrics=["exact_match"])


class Unspeakable:
    def __str__(self):
        raise RuntimeError("no")


def test_concurrency_is_at_least_one():
    with pytest.raises(UsageError, match="concurrency"):
        troth.evaluate(ROWS, concurrency=0)


def test_errors_survive_a_pickle():
    for error in (troth.errors.MissingExtra("x", "y"), InputError("p", row=3, field="f")):
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
