"""The components that score rankings, held against Haystack's and trec_eval's."""

import asyncio
import math
from concurrent.futures import ThreadPoolExecutor

import haystack.components.evaluators as originals
import numpy as np
import pytest
from haystack import Document, Pipeline
from haystack.components.evaluators.document_recall import RecallMode as OriginalMode
from hypothesis import given
from hypothesis import strategies as st

import troth.haystack as ours
from tests.ranked import rankings, trec_eval
from troth.errors import InputError, UsageError
from troth.haystack import (
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
    RecallMode,
)

NAMES = (
    "DocumentRecallEvaluator",
    "DocumentMRREvaluator",
    "DocumentMAPEvaluator",
    "DocumentNDCGEvaluator",
)
ALL = [getattr(ours, name) for name in NAMES]
GOLD = "The lamp on the northern mole was lit for the first time on 9 October 1871."


def docs(values, **kwargs):
    return [Document(content=value, **kwargs) for value in values]


def inputs(*rows):
    truths, retrieved = zip(*rows, strict=True)
    return {"ground_truth_documents": list(truths), "retrieved_documents": list(retrieved)}


def scores(evaluator, *rows):
    return evaluator.run(**inputs(*rows))["individual_scores"]


EXAMPLE = inputs(
    (docs(["France"]), docs(["France"])),
    (docs(["9th century", "9th"]), docs(["9th century", "10th century", "9th"])),
)

CONTENTS = st.lists(st.sampled_from(["a", "b", "c", "d", "A", "a ", "", None]), max_size=7)
ROWS = st.lists(st.tuples(CONTENTS, CONTENTS), min_size=1, max_size=4)


@given(ROWS, st.sampled_from(["content", "id", "meta.x", "meta.y.z"]))
def test_as_the_originals(rows, field):
    def documents(values):
        return [
            Document(content=v, id=f"{v}{n % 2}", meta={"x": v, "y": {"z": v}} if v else {"y": 1})
            for n, v in enumerate(values)
        ]

    given = inputs(*[(documents(truths), documents(retrieved)) for truths, retrieved in rows])
    by = {"document_comparison_field": field}
    for name, options in [*((name, by) for name in NAMES), (NAMES[0], {**by, "mode": "multi_hit"})]:
        got = getattr(ours, name)(**options).run(**given)
        expected = getattr(originals, name)(**options).run(**given)
        assert got["individual_scores"] == pytest.approx(expected["individual_scores"], abs=1e-12)
        assert got["score"] == pytest.approx(expected["score"], abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.floats(0, 5)), max_size=6), CONTENTS)
def test_graded_truths_as_in_the_original(truths, retrieved):
    given = inputs(([Document(content=c, score=s) for c, s in truths], docs(retrieved)))
    expected = originals.DocumentNDCGEvaluator().run(**given)["individual_scores"]
    assert DocumentNDCGEvaluator().run(**given)["individual_scores"] == pytest.approx(expected)


@given(rankings(), st.none() | st.integers(1, 10))
def test_agree_with_trec_eval(ranking, k):
    retrieved, grades = ranking
    relevant = [d for d, grade in grades.items() if grade > 0]
    graded = [Document(id=d, content="", score=float(g)) for d, g in grades.items()]
    plain = [Document(id=d, content="") for d in relevant]
    found = [Document(id=d, content="") for d in retrieved]
    cut = k or 1000
    for evaluator, truths, measure in (
        (DocumentRecallEvaluator("single_hit", "id", k=k), plain, ("success", cut)),
        (DocumentRecallEvaluator("multi_hit", "id", k=k), plain, ("recall", cut)),
        (DocumentMAPEvaluator("id", k=k), plain, ("map_cut", cut)),
        (DocumentNDCGEvaluator("id", k=k), graded, ("ndcg_cut", cut)),
    ):
        expected = trec_eval(measure[0], retrieved, grades, measure[1])
        assert scores(evaluator, (truths, found)) == [pytest.approx(expected, abs=1e-9)]
    expected = trec_eval("recip_rank", retrieved[:k], grades)
    assert scores(DocumentMRREvaluator("id", k=k), (plain, found)) == [pytest.approx(expected)]


def test_the_example_of_the_originals_in_plain_floats():
    expected = {NAMES[0]: 1.0, NAMES[1]: 1.0, NAMES[2]: 0.9166666666666666}
    for name, mean in expected.items():
        result = getattr(ours, name)().run(**EXAMPLE)
        assert result["score"] == mean
        assert {type(s) for s in [result["score"], *result["individual_scores"]]} == {float}
    [value] = scores(
        DocumentNDCGEvaluator(),
        (
            [Document(content="France", score=1.0), Document(content="Paris", score=0.5)],
            docs(["France", "Germany", "Paris"]),
        ),
    )
    assert value == pytest.approx((1 + 0.5 / 2) / (1 + 0.5 / math.log2(3)))
    nothing = DocumentNDCGEvaluator().run([docs(["a"])], [[]])
    assert type(nothing["individual_scores"][0]) is float


def test_lists_and_arrays_in_meta_are_compared_by_what_they_hold():
    def doc(value):
        return Document(content="", meta={"pages": value})

    truths = [doc([1, 2]), doc({"a": [3]}), doc("x")]
    found = [doc([2, 1]), doc((1, 2)), doc([1, 2]), doc([1, 2]), doc({"a": [3]}), doc({4})]
    for cls in ALL[1:]:
        field = {"document_comparison_field": "meta.pages"}
        assert scores(cls(**field), (truths, found))[0] > 0
    assert scores(DocumentMRREvaluator("meta.pages"), (truths, found)) == [1 / 3]
    assert scores(DocumentRecallEvaluator("multi_hit", "meta.pages"), (truths, found)) == [2 / 3]
    array = inputs(([doc(np.array([1, 2]))], [doc(np.array([1])), doc(np.array([1, 2]))]))
    assert DocumentMRREvaluator("meta.pages").run(**array)["score"] == 0.5


def test_missing_meta_matches_nothing():
    row = ([Document(content="a")], [Document(content="a")])
    for cls in ALL:
        assert scores(cls(document_comparison_field="meta.a.b"), row) == [0.0]
    other = ([Document(content="a", meta={"a": {"b": 0}})], [Document(content="b", meta={"a": 1})])
    assert scores(DocumentMRREvaluator("meta.a.b"), other) == [0.0]


@pytest.mark.parametrize("cls", ALL)
def test_a_row_without_truths_is_0_as_in_the_original_and_is_named(cls, caplog):
    rows = [([], docs(["a"])), (docs(["a"]), docs(["a"])), (docs([None]), docs([None]))]
    with caplog.at_level("WARNING", "troth.haystack"):
        assert scores(cls(), *rows) == [0.0, 1.0, 0.0]
    [record] = caplog.records
    assert f"{cls.__name__}: 2 of 3 rows (1, 3) have no ground truth" in record.getMessage()
    caplog.clear()
    assert scores(cls(), (docs(["a"]), [])) == [0.0]  # nothing retrieved is a result
    assert not caplog.records


def test_grades_of_0_or_less_are_not_relevant():
    truths = [Document(content="a", score=2.0), Document(content="b", score=-1.0)]
    assert scores(DocumentNDCGEvaluator(), (truths, docs("ba"))) == [
        pytest.approx(1 / math.log2(3))
    ]


@pytest.mark.parametrize("bad", [None, math.nan, math.inf])
def test_grades_that_are_none(bad):
    truths = [Document(content="a", score=1.0), Document(content="b", score=bad)]
    with pytest.raises(InputError, match="row 2"):
        scores(DocumentNDCGEvaluator(), (docs("a"), docs("a")), (truths, docs("a")))
    # the other evaluators look at no score
    assert scores(DocumentMAPEvaluator(), (truths, docs("ab"))) == [1.0]


def test_duplicates_keep_their_ranks_and_count_once():
    row = (docs("abb"), docs("aacb"))
    assert scores(DocumentRecallEvaluator("multi_hit"), row) == [1.0]
    assert scores(DocumentMAPEvaluator(), row) == [(1 + 2 / 4) / 2]
    best = 1 + 1 / math.log2(3)
    assert scores(DocumentNDCGEvaluator(), row) == [pytest.approx((1 + 1 / math.log2(5)) / best)]


def test_a_chunk_of_a_relevant_document_is_found_where_that_is_asked_for():
    row = (docs([GOLD]), docs(["Something else.", "lit for the first time on 9 October"]))
    for cls in ALL:
        assert scores(cls(), row) == [0.0]
    for match in ("overlap", "span"):
        assert scores(DocumentMRREvaluator(match=match), row) == [0.5]
        assert scores(DocumentRecallEvaluator("multi_hit", match=match), row) == [1.0]
        assert scores(DocumentMRREvaluator(match=match, k=1), row) == [0.0]
        assert scores(DocumentMAPEvaluator(match=match), (docs([GOLD]), docs([None, GOLD]))) == [
            0.5
        ]
    meta = [Document(content="", meta={"text": GOLD, "page": 1})]
    assert scores(DocumentNDCGEvaluator("meta.text", match="span"), (meta, meta)) == [1.0]
    with pytest.raises(
        InputError, match=r"row 1: match='span' compares texts, but meta.page is int: 1"
    ):
        scores(DocumentNDCGEvaluator("meta.page", match="span"), (meta, meta))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"match": "fuzzy"}, "'exact', 'overlap', 'span'"),
        ({"match": "span", "document_comparison_field": "id"}, "an id is none"),
        ({"k": 0}, "k must be"),
        ({"k": True}, "k must be"),
        ({"k": "5"}, "k must be"),
    ],
)
@pytest.mark.parametrize("cls", ALL)
def test_options_that_do_not_exist(cls, options, says):
    with pytest.raises(UsageError, match=says):
        cls(**options)


def test_recall_modes():
    assert [str(mode) for mode in RecallMode] == ["single_hit", "multi_hit"]
    assert RecallMode.from_str("multi_hit") is RecallMode.MULTI_HIT
    assert DocumentRecallEvaluator().mode is RecallMode.SINGLE_HIT
    assert DocumentRecallEvaluator(OriginalMode.MULTI_HIT).mode is RecallMode.MULTI_HIT
    for make in (RecallMode.from_str, DocumentRecallEvaluator):
        with pytest.raises(ValueError, match="single_hit, multi_hit"):
            make("any_hit")


A = docs("a")


@pytest.mark.parametrize(
    ("truths", "retrieved", "words"),
    [
        ([], [], ["'ground_truth_documents'", "empty"]),
        ([A], [], ["'retrieved_documents'", "empty"]),
        ([A, A], [A], ["row 2", "'retrieved_documents'", "same length"]),
        ("a", [A], ["'ground_truth_documents'", "a list", "str"]),
        ([A], None, ["'retrieved_documents'", "a list", "NoneType"]),
        ([A, None], [A, A], ["row 2", "'ground_truth_documents'", "a list of documents", "None"]),
        ([A], [["a"]], ["row 1", "'retrieved_documents'", "a list of documents", "str: 'a'"]),
        ([A], [[None]], ["row 1", "'retrieved_documents'", "a list of documents", "None"]),
        (A, A, ["row 1", "'ground_truth_documents'", "a list of documents", "Document"]),
    ],
)
@pytest.mark.parametrize("cls", ALL)
def test_wrong_input_is_named(cls, truths, retrieved, words):
    with pytest.raises(ValueError, match=cls.__name__) as caught:
        cls().run(truths, retrieved)
    assert isinstance(caught.value, InputError)
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize("field", ["contents", "meta", "meta_x", "", None])
@pytest.mark.parametrize("cls", ALL)
def test_an_unknown_field_is_an_error_of_the_run(cls, field):
    evaluator = cls(document_comparison_field=field)
    with pytest.raises(InputError, match=r"'content', 'id' or 'meta\.'"):
        evaluator.run([A], [A])


@pytest.mark.parametrize("cls", ALL)
def test_a_pipeline_and_its_yaml(cls):
    pipeline = Pipeline()
    pipeline.add_component("plain", cls())
    options = {"document_comparison_field": "meta.a", "match": "overlap", "k": 3}
    if cls is DocumentRecallEvaluator:
        options["mode"] = RecallMode.MULTI_HIT
    pipeline.add_component("other", cls(**options))
    text = pipeline.dumps()
    again = Pipeline.loads(text)
    assert again.dumps() == text
    given = {"plain": EXAMPLE}
    given["other"] = inputs(([Document(content="", meta={"a": "x y z"})],) * 2)
    expected = pipeline.run(given)
    assert again.run(given) == expected
    assert asyncio.run(again.run_async(given)) == expected
    assert expected["other"]["individual_scores"] == [1.0]
    data = again.get_component("other").to_dict()
    assert data["type"] == f"haystack_integrations.components.evaluators.troth.{cls.__name__}"
    assert cls.from_dict(data).to_dict() == data
    assert (
        data["init_parameters"] == {**options, "mode": "multi_hit"} if "mode" in options else data
    )


@pytest.mark.parametrize("name", NAMES)
def test_names_and_types_of_the_face_are_the_originals(name):
    def face(module):
        evaluator = getattr(module, name)()
        sockets = (evaluator.__haystack_input__, evaluator.__haystack_output__)
        return [{n: s.type for n, s in socket._sockets_dict.items()} for socket in sockets]

    assert face(ours) == face(originals)


def test_in_threads_loops_and_twice():
    evaluator = DocumentMAPEvaluator()
    evaluator.warm_up()
    evaluator.warm_up()
    expected = evaluator.run(**EXAMPLE)
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda _: evaluator.run(**EXAMPLE), range(8))) == [expected] * 8

    async def many():
        return await asyncio.gather(*(evaluator.run_async(**EXAMPLE) for _ in range(5)))

    for _ in range(2):
        assert asyncio.run(many()) == [expected] * 5
    evaluator.close()
    assert evaluator.run(**EXAMPLE) == expected
