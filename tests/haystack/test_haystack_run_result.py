import csv
import json
import math
import sys

import numpy as np
import pandas as pd
import pytest
from haystack.evaluation import EvaluationRunResult as Original
from hypothesis import given
from hypothesis import strategies as st

from troth.errors import InputError, MissingExtra, TrothError, UsageError
from troth.haystack import Column, DeepEvalEvaluator, EvaluationRunResult
from troth.judges.scripted import Scripted

INPUTS = {"question": ["Who?", "Where?"], "answer": ["Ada", "Paris"]}
ONE = {
    "em": {"score": 0.5, "individual_scores": [1, 0]},
    "sas": {"score": 0.75, "individual_scores": [1, 0.5]},
}
TWO = {
    "em": {"score": 1.0, "individual_scores": [1, 1]},
    "sas": {"score": 0.5, "individual_scores": [0.25, 0.75]},
}


def both(name="one", inputs=INPUTS, results=ONE):
    return EvaluationRunResult(name, inputs, results), Original(name, inputs, results)


NUMBERS = st.integers(0, 1) | st.floats(0, 1)


class TestAsTheOriginal:
    @given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=5), st.booleans())
    def test_every_report(self, scores, keep):
        inputs = {
            "question": [f"q{i}" for i, _ in enumerate(scores)],
            "answer": ["a"] * len(scores),
        }
        first, second = (
            {"em": {"score": 0.5, "individual_scores": list(column), "more": 1}}
            for column in zip(*scores, strict=True)
        )
        ours, theirs = both(inputs=inputs, results=first)
        assert ours.aggregated_report() == theirs.aggregated_report()
        assert ours.detailed_report() == theirs.detailed_report()
        pd.testing.assert_frame_equal(ours.detailed_report("df"), theirs.detailed_report("df"))
        others = both("two", inputs, second)
        kept = ["answer"] if keep else None
        reports = [
            one.comparative_detailed_report(other, kept)
            for one, other in zip((ours, theirs), others, strict=True)
        ]
        assert reports[0] == reports[1]
        assert list(reports[0]) == list(reports[1])

    def test_files(self, tmp_path):
        ours, theirs = both()
        for name in ("aggregated_report", "detailed_report"):
            said = [
                getattr(result, name)("csv", str(tmp_path / str(place)))
                for place, result in enumerate((ours, theirs))
            ]
            assert said[0].replace("/0", "/1") == said[1]
            assert (tmp_path / "0").read_bytes() == (tmp_path / "1").read_bytes()

    @pytest.mark.parametrize(
        ("inputs", "results"),
        [
            ({}, ONE),
            ({"question": ["a"], "answer": []}, {}),
            (INPUTS, {"em": {"individual_scores": [1, 0]}}),
            (INPUTS, {"em": {"score": 0.5}}),
            (INPUTS, {"em": {"score": 0.5, "individual_scores": [1]}}),
        ],
    )
    def test_what_both_refuse(self, inputs, results):
        for kind in (EvaluationRunResult, Original):
            with pytest.raises(ValueError):  # noqa: PT011 - the original's words are its own
                kind("run", inputs, results)

    def test_inputs_that_only_one_run_has(self, caplog):
        more = {**INPUTS, "source": ["a", "b"]}
        first, second = both(), both("two", more, TWO)
        ours = first[0].comparative_detailed_report(second[0])
        assert ours == first[1].comparative_detailed_report(second[1])
        assert "different inputs" in caplog.text


class TestRowsOfTwoRuns:
    def compared(self, inputs, others, keep=None):
        first = EvaluationRunResult("one", inputs, {"em": ONE["em"]})
        second = EvaluationRunResult("two", others, {"em": ONE["em"]})
        return first.comparative_detailed_report(second, keep)

    def test_other_rows_do_not_compare(self):
        others = {"question": ["Who?", "When?"], "answer": ["Ada", "1911"]}
        with pytest.raises(InputError, match="only runs over the same rows compare") as caught:
            self.compared(INPUTS, others)
        assert (caught.value.row, caught.value.field) == (2, "question")
        assert all(word in str(caught.value) for word in ("'Where?'", "'When?'", "keep_columns"))

    def test_rows_in_another_order_do_not_compare(self):
        with pytest.raises(InputError, match="row 1"):
            self.compared(INPUTS, {name: values[::-1] for name, values in INPUTS.items()})

    def test_an_input_that_is_each_run_s_own_is_warned_of_or_kept(self, caplog):
        others = {**INPUTS, "answer": ["Ada", "Rome"]}
        table = self.compared(INPUTS, others)
        assert table["answer"] == ["Ada", "Paris"]
        assert "answer differs in 1 rows, first in row 2" in caplog.text
        assert "keep_columns=['answer']" in caplog.text
        caplog.clear()
        table = self.compared(INPUTS, others, ["answer"])
        assert (table["one_answer"], table["two_answer"]) == (INPUTS["answer"], others["answer"])
        assert not caplog.text

    def test_values_of_any_kind_are_the_same_where_they_are_equal(self, caplog):
        def inputs():
            arrays = [np.array([1.0, 2.0]), [np.array([1, 2])]]
            return {"vector": arrays, "gap": [math.nan, float("nan")], "list": [["a"], ("b",)]}

        assert self.compared(inputs(), inputs())["list"] == [["a"], ("b",)]
        assert not caplog.text
        with pytest.raises(InputError, match="row 1"):
            self.compared({"vector": [np.array([1, 2]), 1]}, {"vector": [np.array([1, 3]), 1]})


def test_what_is_given_is_copied_and_may_be_of_any_kind():
    scores = np.array([1.0, 0.5])
    result = EvaluationRunResult(
        "run",
        {"question": Column(INPUTS["question"]), "answer": pd.Series(INPUTS["answer"])},
        {"m": {"score": np.float64(0.75), "individual_scores": scores}},
    )
    scores[0] = 0.0
    report = result.detailed_report()
    assert report == {**INPUTS, "m": [1.0, 0.5]}
    assert {type(value) for value in report["m"]} == {float}
    report["m"][0] = 7
    assert result.detailed_report()["m"] == [1.0, 0.5]
    assert json.dumps(result.aggregated_report())


class TestRowsWithoutAScore:
    @pytest.mark.parametrize("missing", [None, math.nan, np.nan])
    def test_they_stay_missing(self, missing, tmp_path):
        results = {"m": {"score": 1.0, "individual_scores": [1, missing]}}
        result = EvaluationRunResult("run", INPUTS, results)
        assert result.detailed_report()["m"] == [1, None]
        assert list(result.detailed_report("df")["m"].isna()) == [False, True]
        result.detailed_report("csv", tmp_path / "rows.csv")
        with (tmp_path / "rows.csv").open(newline="") as file:
            assert [row["m"] for row in csv.DictReader(file)] == ["1", ""]

    def test_a_metric_of_which_no_row_has_a_score(self):
        results = {"m": {"score": math.nan, "individual_scores": [None, math.nan]}}
        result = EvaluationRunResult("run", INPUTS, results)
        assert result.aggregated_report() == {"metrics": ["m"], "score": [None]}

    def test_the_output_of_a_judged_evaluator(self):
        judge = Scripted([None] * 6)
        output = DeepEvalEvaluator("faithfulness", judge=judge).run(
            questions=INPUTS["question"], contexts=[["Ada."], ["Rome."]], responses=INPUTS["answer"]
        )
        result = EvaluationRunResult("run", INPUTS, {"faithfulness": output})
        assert result.aggregated_report()["score"] == [None]
        assert result.detailed_report()["faithfulness"] == [None, None]


class Unreadable:
    def __str__(self):
        raise RuntimeError("unreadable")


class TestErrors:
    @pytest.mark.parametrize(
        ("inputs", "results", "words"),
        [
            ({}, ONE, ["no inputs"]),
            ({"q": "ab"}, {}, ["'q'", "a list", "str: 'ab'"]),
            ({"q": ["a"], "a": []}, {}, ["same length", "q 1, a 0"]),
            (INPUTS, {"em": {"score": 1.0}}, ["'em'", "'individual_scores'"]),
            (INPUTS, {"em": {"individual_scores": [1, 1]}}, ["'em'", "'score'"]),
            (INPUTS, {"em": None}, ["'em'", "'score'"]),
            (INPUTS, {"em": {"score": 1.0, "individual_scores": [1]}}, ["'em'", "1 ", "2 rows"]),
            (INPUTS, {"em": {"score": 1.0, "individual_scores": "11"}}, ["'em'", "a list"]),
            (
                INPUTS,
                {"em": {"score": 1.0, "individual_scores": [1, "1"]}},
                ["row 2", "'em'", "str"],
            ),
            (INPUTS, {"em": {"score": "1", "individual_scores": [1, 1]}}, ["'em'", "str: '1'"]),
            (INPUTS, {"em": {"score": None, "individual_scores": [1, None]}}, ["'em'", "has none"]),
            (INPUTS, {"em": {"score": 1.0, "individual_scores": [1, math.inf]}}, ["row 2", "inf"]),
            (INPUTS, {"answer": ONE["em"]}, ["'answer'", "name of an input"]),
        ],
    )
    def test_wrong_input_is_named(self, inputs, results, words):
        with pytest.raises(ValueError, match="EvaluationRunResult") as caught:
            EvaluationRunResult("run", inputs, results)
        assert isinstance(caught.value, InputError)
        assert all(word in str(caught.value) for word in words), str(caught.value)

    @pytest.mark.parametrize(
        ("name", "rows", "results", "keep", "words"),
        [
            ("one", 2, TWO, None, ["'one'", "run_name"]),
            ("two", 1, {}, None, ["2 rows", "1", "same rows"]),
            ("two", 2, {"em": TWO["em"]}, None, ["sas", "only one"]),
            ("two", 2, TWO, ["questions"], ["'questions'", "keep_columns"]),
        ],
    )
    def test_runs_that_do_not_compare(self, name, rows, results, keep, words):
        inputs = {column: values[:rows] for column, values in INPUTS.items()}
        first = EvaluationRunResult("one", INPUTS, ONE)
        second = EvaluationRunResult(name, inputs, results)
        with pytest.raises(ValueError, match="EvaluationRunResult") as caught:
            first.comparative_detailed_report(second, keep)
        assert isinstance(caught.value, TrothError)
        assert all(word in str(caught.value) for word in words), str(caught.value)

    def test_two_columns_of_one_name(self):
        first = EvaluationRunResult(
            "a", {"q": [1]}, {"b_c": {"score": 1, "individual_scores": [1]}}
        )
        second = EvaluationRunResult(
            "a_b", {"q": [1]}, {"b_c": {"score": 1, "individual_scores": [1]}}
        )
        assert len(first.comparative_detailed_report(second)) == 3
        inputs = {"b_em": [1, 2]}
        first = EvaluationRunResult("a", inputs, {"em": ONE["em"]})
        second = EvaluationRunResult("b", inputs, {"em": ONE["em"]})
        with pytest.raises(InputError, match="b_em"):
            first.comparative_detailed_report(second)

    def test_what_is_no_result(self):
        with pytest.raises(TypeError, match="dict"):
            EvaluationRunResult("one", INPUTS, ONE).comparative_detailed_report({})

    def test_a_file_that_cannot_be_written(self, tmp_path):
        result = EvaluationRunResult("one", INPUTS, ONE)
        with pytest.raises(OSError, match="nowhere"):
            result.aggregated_report("csv", tmp_path / "nowhere" / "report.csv")
        with pytest.raises(IsADirectoryError):
            result.detailed_report("csv", tmp_path)

    def test_half_a_character_is_written_down_as_one(self, tmp_path):
        path = tmp_path / "report.csv"
        inputs = {"question": ["a \ud800 b", "ä"], "answer": ["c\nd", "e"]}
        EvaluationRunResult("one", inputs, ONE).detailed_report("csv", path)
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        assert [row["question"] for row in rows] == ["a \\ud800 b", "ä"]
        assert rows[0]["answer"] == "c\nd"

    def test_what_cannot_be_written_leaves_the_older_file_alone(self, tmp_path):
        path = tmp_path / "report.csv"
        path.write_text("older")
        result = EvaluationRunResult("one", {"question": ["a", Unreadable()]}, {})
        with pytest.raises(RuntimeError, match="unreadable"):
            result.detailed_report("csv", path)
        assert path.read_text() == "older"

    def test_formats(self, monkeypatch):
        result = EvaluationRunResult("one", INPUTS, ONE)
        with pytest.raises(UsageError, match="csv_file"):
            result.detailed_report("csv")
        with pytest.raises(UsageError, match="'json', 'csv' or 'df'"):
            result.detailed_report("xml")
        monkeypatch.setitem(sys.modules, "pandas", None)
        with pytest.raises(MissingExtra, match="pip install pandas"):
            result.detailed_report("df")
