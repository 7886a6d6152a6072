import inspect
from collections import UserList

import numpy as np
import pandas as pd
import pytest
from haystack import Pipeline, component
from haystack.components.evaluators import AnswerExactMatchEvaluator as Original
from haystack.core.errors import PipelineConnectError
from hypothesis import given
from hypothesis import strategies as st

from troth.errors import InputError, UsageError
from troth.haystack import AnswerExactMatchEvaluator, AnswerF1Evaluator, Column
from troth.metrics.exact_match import ExactMatch
from troth.metrics.token_f1 import TokenF1
from troth.sample import Sample

EXAMPLE = {
    "ground_truth_answers": ["Berlin", "Paris"],
    "predicted_answers": ["Berlin", "Lyon"],
}
ANSWERS = st.sampled_from(["", " ", "Paris", "paris", "Paris ", "Zu\u0308rich", "Zürich", "北京"])


def test_the_example_of_the_original():
    evaluator = AnswerExactMatchEvaluator()
    result = evaluator.run(**EXAMPLE)
    assert result == {"individual_scores": [1, 0], "score": 0.5}
    assert [type(score) for score in result["individual_scores"]] == [int, int]
    assert type(result["score"]) is float


def test_in_a_pipeline():
    pipeline = Pipeline()
    pipeline.add_component("exact_match", AnswerExactMatchEvaluator())
    result = pipeline.run({"exact_match": EXAMPLE})
    assert result == {"exact_match": {"individual_scores": [1, 0], "score": 0.5}}


@given(st.lists(st.tuples(ANSWERS | st.text(), ANSWERS | st.text()), min_size=1))
def test_as_the_original(pairs):
    truths, answers = map(list, zip(*pairs, strict=True))
    assert AnswerExactMatchEvaluator().run(truths, answers) == Original().run(truths, answers)


@pytest.mark.parametrize("kind", [tuple, pd.Series, np.array, Column, UserList])
def test_other_sequences_are_as_good_as_a_list(kind):
    result = AnswerExactMatchEvaluator().run(kind(["a", "b"]), kind(["a", "c"]))
    assert result == {"individual_scores": [1, 0], "score": 0.5}
    assert {type(score) for score in result["individual_scores"]} == {int}
    with pytest.raises(InputError, match="empty"):
        AnswerExactMatchEvaluator().run(kind([]), kind([]))


def test_strings_of_a_type_of_their_own_count_as_what_they_say():
    class Odd(str):
        def __eq__(self, other):
            return 7

        __hash__ = str.__hash__

    result = AnswerExactMatchEvaluator().run([Odd("a"), np.str_("b")], ["b", Odd("b")])
    assert result == {"individual_scores": [0, 1], "score": 0.5}


def test_a_space_counts():
    assert AnswerExactMatchEvaluator().run(["Berlin"], ["Berlin "])["individual_scores"] == [0]


@pytest.mark.parametrize(
    ("truths", "answers", "words"),
    [
        ([], [], ["empty"]),
        (["a", "b"], ["a"], ["row 2", "'predicted_answers'", "ground_truth_answers 2"]),
        ("ab", ["a", "b"], ["'ground_truth_answers'", "a list", "str: 'ab'"]),
        (["a"], None, ["'predicted_answers'", "a list", "NoneType"]),
        (["a"], {"a": 1}, ["'predicted_answers'", "a list", "dict"]),
        (["a"], np.array("a"), ["'predicted_answers'", "a list", "ndarray"]),
        (["a"], np.array([["a"]]), ["'predicted_answers'", "a list", "ndarray"]),
        (pd.DataFrame({"a": ["x"]}), ["x"], ["'ground_truth_answers'", "a list", "DataFrame"]),
        ({"a": 1}.keys(), ["x"], ["'ground_truth_answers'", "a list", "dict_keys"]),
        (["a"], iter(["a"]), ["'predicted_answers'", "a list", "list_iterator"]),
        (["a", "b"], [None, 7], ["row 2", "'predicted_answers'", "a string", "int: 7"]),
        (["a", "b"], [None], ["row 2", "'predicted_answers'", "missing"]),
        ([None], ["a"], ["row 1", "'ground_truth_answers'", "a string", "None"]),
        ([None], [None], ["row 1", "'ground_truth_answers'", "a string", "None"]),
        (["a", 1], ["a", "1"], ["row 2", "'ground_truth_answers'", "a string", "int: 1"]),
        ([["a"]], ["a"], ["row 1", "'ground_truth_answers'", "multiple_references=True"]),
        (["a"], [["a"]], ["row 1", "'predicted_answers'", "a string", "list"]),
    ],
)
@pytest.mark.parametrize("kind", [AnswerExactMatchEvaluator, AnswerF1Evaluator])
def test_wrong_input_is_named(kind, truths, answers, words):
    with pytest.raises(ValueError, match=kind.__name__) as caught:
        kind().run(truths, answers)
    assert isinstance(caught.value, InputError)
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, np.array])
@pytest.mark.parametrize("normalize", ["none", "squad"])
@pytest.mark.parametrize("evaluator", [AnswerExactMatchEvaluator, AnswerF1Evaluator])
def test_a_predicted_answer_that_is_none_matches_nothing(evaluator, normalize, kind, caplog):
    answers = kind(["Paris", None, None])
    output = evaluator(normalize=normalize).run(["Paris", "", "the"], answers)
    assert output == {"individual_scores": [1, 0, 0], "score": pytest.approx(1 / 3)}
    assert f"{evaluator.__name__}: 2 of 3 rows (2, 3)" in caplog.text
    assert Original().run(["Paris", "Rome"], ["Paris", None])["individual_scores"] == [1, 0]


class TestSeveralReferences:
    def test_any_one_will_do(self):
        evaluator = AnswerExactMatchEvaluator(multiple_references=True)
        output = evaluator.run([["Berlin"], ["Rome", "Paris"], ("Rome",)], ["Berlin", "Paris", "x"])
        assert output == {"individual_scores": [1, 1, 0], "score": 2 / 3}
        assert {type(score) for score in output["individual_scores"]} == {int}

    def test_the_best_one_counts(self):
        evaluator = AnswerF1Evaluator(multiple_references=True)
        output = evaluator.run([["a b", "a b c"], ["x"]], ["a b", "a"])
        assert output == {"individual_scores": [1.0, 0.0], "score": 0.5}

    @pytest.mark.parametrize("kind", [AnswerExactMatchEvaluator, AnswerF1Evaluator])
    def test_a_predicted_answer_that_is_none_matches_none_of_them(self, kind):
        output = kind(multiple_references=True).run([["", "a"], []], [None, None])
        assert output == {"individual_scores": [0, None], "score": 0.0}

    @pytest.mark.parametrize("kind", [AnswerExactMatchEvaluator, AnswerF1Evaluator])
    def test_a_row_without_any_has_no_score(self, kind, caplog):
        evaluator = kind(multiple_references=True)
        assert evaluator.run([[], ["a"]], ["a", "a"]) == {
            "individual_scores": [None, 1],
            "score": 1.0,
        }
        named = "1 of 2 rows (1) have no score and are not in the mean; the first one: there is no"
        assert f"{kind.__name__}: {named} ground truth" in caplog.text
        assert evaluator.run([[]], ["a"]) == {"individual_scores": [None], "score": None}

    @pytest.mark.parametrize("kind", [AnswerExactMatchEvaluator, AnswerF1Evaluator])
    @pytest.mark.parametrize("truths", [["a"], [None], [["a", None]], [{"a"}]])
    def test_each_row_needs_a_list(self, kind, truths):
        with pytest.raises(InputError, match="row 1, field 'ground_truth_answers'"):
            kind(multiple_references=True).run(truths, ["a"])

    @pytest.mark.parametrize("kind", [AnswerExactMatchEvaluator, AnswerF1Evaluator])
    def test_connections(self, kind):
        @component
        class Truths:
            @component.output_types(one=list[str], several=list[list[str]], numbers=list[int])
            def run(self):
                return {"one": ["a"], "several": [["a", "b"]], "numbers": [1]}

        # Haystack itself wraps a value into a list where that makes the types fit.
        for several, right, wrong in ((False, "one", ["several"]), (True, "several", [])):
            pipeline = Pipeline()
            pipeline.add_component("truths", Truths())
            pipeline.add_component("em", kind(multiple_references=several))
            for name in [*wrong, "numbers"]:
                with pytest.raises(PipelineConnectError):
                    pipeline.connect(f"truths.{name}", "em.ground_truth_answers")
            pipeline.connect(f"truths.{right}", "em.ground_truth_answers")
            assert pipeline.run({"em": {"predicted_answers": ["a"]}})["em"]["score"] == 1.0
            one = pipeline.get_component("em")
            pairs = [one, kind.from_dict(one.to_dict())]
            assert pairs[0].__haystack_input__._sockets_dict.keys() == {
                "ground_truth_answers",
                "predicted_answers",
            }
            types = [
                {n: s.type for n, s in p.__haystack_input__._sockets_dict.items()} for p in pairs
            ]
            assert types[0] == types[1]

    def test_the_plain_inputs_are_the_originals(self):
        ours, theirs = Pipeline(), Pipeline()
        ours.add_component("em", AnswerExactMatchEvaluator())
        theirs.add_component("em", Original())
        assert ours.inputs() == theirs.inputs()
        assert ours.outputs() == theirs.outputs()
        plain = inspect.signature(AnswerExactMatchEvaluator.run).parameters
        assert list(plain) == list(inspect.signature(Original.run).parameters)


class TestNormalize:
    @given(st.lists(st.tuples(ANSWERS | st.text(), ANSWERS | st.text()), min_size=1))
    @pytest.mark.parametrize("normalize", ["none", "squad"])
    @pytest.mark.parametrize(
        ("kind", "metric"),
        [(AnswerExactMatchEvaluator, ExactMatch), (AnswerF1Evaluator, TokenF1)],
    )
    def test_scores_are_the_metrics(self, kind, metric, normalize, pairs):
        truths, answers = map(list, zip(*pairs, strict=True))
        output = kind(normalize=normalize).run(truths, answers)
        expected = [
            metric(normalize).score(Sample(answer=answer, references=[truth])).value
            for truth, answer in pairs
        ]
        assert output["individual_scores"] == expected
        assert output["score"] == pytest.approx(sum(expected) / len(expected))

    def test_squad(self):
        evaluator = AnswerExactMatchEvaluator(normalize="squad")
        assert evaluator.run(["The Rhine!"], ["rhine"])["score"] == 1.0

    @pytest.mark.parametrize("kind", [AnswerExactMatchEvaluator, AnswerF1Evaluator])
    def test_wrong_parameters(self, kind):
        with pytest.raises(UsageError, match="'none', 'squad'"):
            kind(normalize="lower")
        with pytest.raises(UsageError, match="multiple_references"):
            kind(multiple_references=2)
