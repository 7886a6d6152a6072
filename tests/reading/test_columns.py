"""Names of columns: those that are known, those that the user gives, those that are missing."""

import pytest

from troth.errors import InputError, UsageError
from troth.reading import read
from troth.sample import Sample


@pytest.mark.parametrize(
    ("row", "sample", "meta"),
    [
        (  # Haystack's evaluators
            {"questions": "q", "contexts": ["c"], "predicted_answers": "a",
             "ground_truth_answers": "g"},
            Sample("1", "q", "a", ("g",), ("c",)), {},
        ),
        ({"questions": "q", "responses": "a"}, Sample("1", "q", "a"), {}),
        (  # DeepEval
            {"input": "q", "actual_output": "a", "expected_output": "g",
             "retrieval_context": ["c"]},
            Sample("1", "q", "a", ("g",), ("c",)), {},
        ),
        (  # ragas
            {"user_input": "q", "response": "a", "reference": "g", "retrieved_contexts": ["c"]},
            Sample("1", "q", "a", ("g",), ("c",)), {},
        ),
        (  # SQuAD with predictions: `answers` are the gold ones
            {"id": "5", "title": "t", "question": "q", "context": "c", "prediction": "a",
             "answers": {"text": ["g", "h"], "answer_start": [0, 9]}},
            Sample("5", "q", "a", ("g", "h"), ("c",)), {"title": "t"},
        ),
        ({"answers": ["g"]}, Sample("1", references=("g",)), {}),
        ({"gold_answers": ["g"], "answers": ["h"]}, Sample("1", references=("g",)),
         {"answers": ["h"]}),
        # two names for one field: the earlier in the list, wherever it stands in the row
        ({"output": "b", "answer": "a"}, Sample("1", answer="a"), {"output": "b"}),
        ({"Answer": "b", "answer": "a"}, Sample("1", answer="a"), {"Answer": "b"}),
        # spelling
        ({"QUESTION": "q", "Predicted Answer": "a", "ground-truth": "g", " Q_id": 3},
         Sample("1", "q", "a", ("g",)), {" Q_id": 3}),
        ({"_ID": "x", "Model-Answer": "a"}, Sample("x", answer="a"), {}),
        ({"question_id": 5, "text": "t"}, Sample("1"), {"question_id": 5, "text": "t"}),
    ],
)  # fmt: skip
def test_names_of_other_tools(row, sample, meta):
    [got] = read([row]).samples
    assert got == sample
    assert got.meta == meta


def test_columns_may_come_late_and_are_chosen_for_the_whole_input():
    reading = read([{"response": "x"}, {"response": "y", "answer": "z"}])
    assert reading.columns == ("response", "answer")
    assert reading.mapped == {"answer": "answer"}
    assert [s.answer for s in reading] == [None, "z"]
    assert [s.meta for s in reading] == [{"response": "x"}, {"response": "y"}]


def test_mapping_takes_its_column_away_from_other_fields():
    row = {"answer": "gold", "output": "given", "mine": "q"}
    reading = read([row], mapping={"references": "answer", "question": "mine"})
    assert reading.samples == (Sample("1", "q", "given", ("gold",)),)
    assert reading.mapped == {"question": "mine", "answer": "output", "references": "answer"}
    assert reading.fields == {"question", "answer", "references"}


def test_an_empty_mapping_leaves_a_field_out_and_numbers_the_rows():
    rows = [{"id": "same", "answer": "x"}, {"id": "same", "answer": "y"}]
    reading = read(rows, mapping={"id": ""})
    assert [s.id for s in reading] == ["1", "2"]
    assert [s.meta for s in reading] == [{"id": "same"}, {"id": "same"}]
    assert read(rows, mapping={"id": "", "answer": ""}).fields == frozenset()


def test_mapping_of_samples():
    samples = [Sample("a", answer="x", meta={"mine": "y", "n": 1})]
    assert read(samples).samples[0] is samples[0]
    [sample] = read(samples, mapping={"answer": "mine", "id": ""}).samples
    assert sample == Sample("1", answer="y")
    assert sample.meta == {"n": 1}
    assert read(samples, mapping={"question": "answer"}).samples[0].question == "x"
    assert read(samples).fields == {"id", "answer"}
    assert read([Sample(meta={"response": "r"})]).fields == frozenset()


@pytest.mark.parametrize(
    ("columns", "field", "said"),
    [
        (("question", "my_response"), "answer", ["'my_response'?", "--map answer=my_response"]),
        (("question", "answers"), "answer", ["'question', 'answers'", "--map answer=COLUMN"]),
        (("question", "ctx"), "contexts", ["--map contexts=", 'mapping={"contexts": "']),
        (("question", "groundtruth"), "references", ["--map references=groundtruth"]),
        (("x" * 500, *map(str, range(99))), "answer", ["x" * 39 + "…", "and 70 more"]),
    ],
)
def test_a_needed_field_without_a_column(columns, field, said, tmp_path):
    with pytest.raises(InputError) as caught:
        read([dict.fromkeys(columns)], needs=("question", field), mapping={"question": columns[0]})
    assert (caught.value.source, caught.value.row, caught.value.field) == ("rows", None, field)
    for text in said:
        assert text in caught.value.problem
    assert len(caught.value.problem) < 900


def test_a_needed_field_with_a_column_of_nulls_is_there():
    assert read([{"answer": None}], needs=("answer",)).samples == (Sample("1"),)


def test_a_mapped_column_that_is_not_there():
    with pytest.raises(
        InputError, match="'reply', which is not there; did you mean 'replies'"
    ) as e:
        read([{"replies": "x"}], mapping={"answer": "reply"})
    assert (e.value.source, e.value.field) == ("rows", "answer")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mapping": {"answr": "x"}}, "did you mean 'answer'"),
        ({"mapping": {"zzz": "x"}}, "there are id, question, answer, references, contexts"),
        ({"mapping": {"answer": None}}, "a column is named by a string"),
        ({"needs": ("answr",)}, "did you mean 'answer'"),
        ({"needs": "answer"}, "not the string"),
    ],
)
def test_a_field_that_does_not_exist(options, said):
    with pytest.raises(UsageError, match=said):
        read([{"answer": "x"}], **options)
