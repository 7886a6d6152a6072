"""Ids, grades and gold contexts: their columns, their shapes, and what is refused."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from haystack import Document

import troth
from troth.errors import InputError
from troth.metrics.recall import Recall
from troth.reading import read
from troth.sample import Sample
from troth.store import Store

GRADED = {"d7": 3, "d2": 1}


def one(**row):
    return read([row]).samples[0]


@pytest.mark.parametrize(
    "row",
    [
        {"retrieved_ids": ["a"], "relevant_ids": ["b"]},
        {"retrieved_context_ids": ["a"], "reference_context_ids": ["b"]},  # ragas
        {"retrieved_ids": ["a"], "expected_ids": ["b"]},  # LlamaIndex
        {"Retrieved Doc IDs": ["a"], "qrels": {"b": 1}},
        {"doc_ids": [{"id": "a", "content": "x"}], "gold_id": "b"},
    ],
)
def test_names_of_other_tools(row):
    sample = one(**row)
    assert (sample.retrieved_ids, sample.relevant_ids) == (("a",), (("b", 1.0),))


def test_gold_contexts_of_other_tools():
    documents = [{"content": "g", "meta": {}}]
    row = {"retrieved_documents": documents, "ground_truth_documents": documents}  # Haystack
    assert one(**row) == Sample("1", contexts=("g",), relevant_contexts=("g",))
    row = {"retrieved_contexts": ["g"], "reference_contexts": ["g"]}  # ragas
    assert one(**row) == Sample("1", contexts=("g",), relevant_contexts=("g",))


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (["d7", 5], (("d7", 1.0), ("5", 1.0))),
        (["d7", "d7"], (("d7", 1.0),)),
        (GRADED, (("d7", 3.0), ("d2", 1.0))),
        ({5: 2, "x": None}, (("5", 2.0),)),
        ([["d7", 3], ["d2", 1], ["d7", 2]], (("d7", 3.0), ("d2", 1.0))),
        ([{"id": "d7"}], (("d7", 1.0),)),
        ([{"id": "d7", "grade": 3}, {"id": "d2", "grade": 0}], (("d7", 3.0), ("d2", 0.0))),
        ([{"id": 7, "relevance": 0.5, "score": 9}, {"id": "x"}], (("7", 0.5), ("x", 1.0))),
        ([{"id": "d7", "relevance": False, "text": "x"}], (("d7", 0.0),)),
        ([{"id": "d7", "score": -1}, {"id": "d2", "score": None}], (("d7", -1.0), ("d2", 1.0))),
        ([Document(id="d7", score=2.5), Document(id="d2")], (("d7", 2.5), ("d2", 1.0))),
        ([{"id": "d7", "grade": np.float32(0.5)}], (("d7", 0.5),)),
        ([], ()),
        (None, None),
    ],
)
def test_shapes_of_relevant_ids(value, kept):
    assert one(relevant_ids=value).relevant_ids == kept


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"retrieved_ids": "a, b"}, "expected a list of ids, best first"),
        ({"retrieved_ids": {"a": 1.0}}, "expected a list of ids, best first"),
        ({"retrieved_ids": ["a", 1.5]}, "item 2 is float 1.5"),
        ({"retrieved_ids": [True]}, "a string or a whole number"),
        ({"retrieved_ids": [{"name": "a"}]}, 'an object with an "id"'),
        ({"retrieved_ids": ["\ud800"]}, "surrogate"),
        ({"relevant_ids": "a"}, 'or an object {"id": grade'),
        ({"relevant_ids": {"a": "high"}}, "a grade is a finite number"),
        ({"relevant_ids": {"a": float("nan")}}, "a grade is a finite number"),
        ({"relevant_ids": [["a", 1, 2]]}, "expected an id and its grade"),
        ({"relevant_ids": [{"id": "a", "grade": "3"}]}, "a grade is a finite number"),
        ({"relevant_ids": ["b", {"id": "a", "score": float("inf")}]}, "item 2 is list ['a', inf]"),
        ({"relevant_contexts": "one"}, "name the column `relevant_context`"),
        ({"relevant_contexts": [1]}, "expected a list of strings"),
    ],
)
def test_what_is_refused(row, said):
    with pytest.raises(InputError) as caught:
        read([row])
    assert said in str(caught.value)
    assert (caught.value.row, caught.value.field) == (1, next(iter(row)))


def test_cells_of_csv(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(
        'retrieved_ids,relevant_ids,relevant_context\n"[""a"", 2]","{""a"": 2}",text\n,,\n', "utf-8"
    )
    assert read(path).samples == (
        Sample("1", retrieved_ids=("a", "2"), relevant_ids={"a": 2}, relevant_contexts=["text"]),
        Sample("2"),
    )
    path.write_text("relevant_ids\n{'a': 2}\n", "utf-8")
    with pytest.raises(InputError, match="must be a JSON object"):
        read(path)


def test_grades_in_objects_count_as_those_of_an_object_do():
    objects = [{"id": doc, "grade": grade} for doc, grade in {**GRADED, "d9": 0}.items()]
    rows = [{"retrieved_ids": ["d2", "d9", "d7"], "relevant_ids": v} for v in (objects, GRADED)]
    rows.append({"retrieved_ids": [{"id": "d2", "score": 0.7}, "d9", "d7"], "relevant_ids": GRADED})
    scores = troth.evaluate(rows, metrics="ndcg").scores("ndcg")
    assert len({score.value for score in scores}) == 1


@pytest.mark.parametrize(
    "bad",
    [
        {"retrieved_ids": "ab"},
        {"retrieved_ids": [1]},
        {"relevant_ids": "ab"},
        {"relevant_ids": [1]},
        {"relevant_ids": {"a": "1"}},
        {"relevant_ids": {"a": float("inf")}},
        {"relevant_contexts": "ab"},
    ],
)
def test_a_sample_refuses_what_is_no_list(bad):
    with pytest.raises(TypeError, match=next(iter(bad))):
        Sample(**bad)


def test_a_sample_is_hashable_and_keeps_no_list_of_the_users():
    grades = dict(GRADED)
    sample = Sample(retrieved_ids=["a"], relevant_ids=grades)
    grades["d9"] = 1
    assert sample == Sample(retrieved_ids=("a",), relevant_ids=sample.relevant_ids)
    assert hash(sample) == hash(Sample(retrieved_ids=("a",), relevant_ids=GRADED))
    assert dict(sample.relevant_ids) == GRADED


ROWS = [
    {"id": "a", "retrieved_ids": ["d2", "d7"], "relevant_ids": GRADED, "relevant_contexts": ["g"]},
    {"id": "b", "retrieved_ids": [], "relevant_ids": ["x"], "relevant_contexts": None},
    {"id": "c", "retrieved_ids": ["d2"], "relevant_ids": []},
]


def test_a_run_comes_back_from_its_store_with_them(tmp_path):
    with Store(tmp_path / "t.db") as store:
        run = troth.evaluate(ROWS, metrics=["recall@1", "ndcg"], store=store)
        assert [row.sample for row in store.load(run.id)] == [row.sample for row in run]
        assert next(store.samples(run.id)).relevant_ids == (("d7", 3.0), ("d2", 1.0))
        assert store.load(run.id) == run


def test_exported_rows_are_read_back(tmp_path):
    run = troth.evaluate(ROWS, metrics="recall")
    samples = [row.sample for row in run]
    records = run.records()
    assert records[0]["relevant_ids"] == GRADED
    assert records[1]["relevant_ids"] == ["x"]
    assert "relevant_contexts" not in records[1]
    assert list(read(records)) == samples
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in records), "utf-8")
    assert list(read(path)) == samples
    assert list(read(run.to_pandas())) == samples
    graded = [r for r in ROWS if r["id"] == "a"]
    frame = troth.evaluate(graded, metrics="recall").to_polars()
    assert frame["relevant_ids"].dtype == pl.Struct
    assert list(read(frame)) == samples[:1]
    assert isinstance(run.to_pandas(), pd.DataFrame)


def test_other_runs_have_no_column_of_them():
    run = troth.evaluate([{"answer": "a", "references": ["a"]}], metrics="exact_match")
    assert not {"retrieved_ids", "relevant_ids", "relevant_contexts"} & run.records()[0].keys()


def test_an_id_that_is_half_a_character_is_refused_in_samples_too():
    with pytest.raises(InputError, match="surrogate"):
        read([Sample(relevant_ids={"\ud800": 1})])


def test_samples_of_an_older_store_are_read():
    import msgspec

    old = b'{"id":"1","question":null,"answer":"a","references":null,"contexts":null,"meta":{}}'
    assert msgspec.json.decode(old, type=Sample) == Sample("1", answer="a")
    assert Recall().missing(Sample("1")) == ("retrieved_ids", "relevant_ids")


@pytest.mark.parametrize("key", ["grade", "relevance", "score"])
@pytest.mark.parametrize("name", [1, "a"])
def test_one_document_alone_is_not_taken_for_ids_and_grades(key, name):
    row = {"retrieved_ids": ["a"], "relevant_ids": {"id": name, key: 2}}
    with pytest.raises(InputError, match="one document alone"):
        troth.evaluate([row], ["recall"])
