"""Inputs, settings and faults at the edge of what the components take."""

import asyncio
import json
from contextlib import contextmanager

import numpy as np
import pandas as pd
import pytest
from haystack import Document, component
from haystack.components.generators.chat import MockChatGenerator
from haystack.core.errors import DeserializationError
from haystack.dataclasses import ChatMessage
from haystack.tracing.tracer import Span
from haystack.tracing.tracer import tracer as proxy
from haystack.utils import Secret

from tests.endpoint import Endpoint
from troth.errors import InputError, JudgeSetupError, RowFailed, UsageError
from troth.haystack import (
    AnswerExactMatchEvaluator,
    AnswerF1Evaluator,
    Column,
    ContextRelevanceEvaluator,
    DeepEvalEvaluator,
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
    EvaluationRunResult,
    FaithfulnessEvaluator,
    LLMEvaluator,
    SASEvaluator,
)

ROW = {
    "questions": ["When was the bridge built?"],
    "contexts": [["The bridge was built in 1911."]],
    "responses": ["It was built in 1911."],
}
RANKED = (
    DocumentRecallEvaluator,
    DocumentMRREvaluator,
    DocumentMAPEvaluator,
    DocumentNDCGEvaluator,
)
SCORES = {"em": {"score": 0.5, "individual_scores": [1, None, 0]}}


def llm(said='{"score": 1}', **settings):
    options = {"chat_generator": MockChatGenerator(said), "progress_bar": False, **settings}
    return LLMEvaluator("Is it?", [("texts", list[str])], ["score"], [], **options)


class Spans:
    """Keeps the spans that are made."""

    def __init__(self):
        self.made = []

    @contextmanager
    def trace(self, operation_name, tags=None, parent_span=None):
        self.made.append((operation_name, Tagged(dict(tags or {}))))
        yield self.made[-1][1]

    def current_span(self):
        return None


class Tagged(Span):
    def __init__(self, tags):
        self.tags = tags

    def set_tag(self, key, value):
        self.tags[key] = value


class TestWhatIsNoList:
    @pytest.mark.parametrize(
        "wrong",
        [
            pd.DataFrame({"a": ["x"], "b": ["y"]}),
            np.array([["x"]]),
            {"x"},
            {"x": 1},
            {"x": 1}.keys(),
            {"x": 1}.values(),
            "x",
            None,
        ],
    )
    def test_is_refused_by_every_component(self, wrong):
        calls = [
            lambda: AnswerExactMatchEvaluator().run(wrong, ["x"]),
            lambda: AnswerF1Evaluator().run(["x"], wrong),
            lambda: SASEvaluator("builtin").run(["x"], wrong),
            lambda: DeepEvalEvaluator("faithfulness", judge="builtin").run(
                **{**ROW, "responses": wrong}
            ),
            lambda: llm().run(texts=wrong),
            lambda: Column(wrong),
            lambda: EvaluationRunResult("one", {"question": wrong}, {}),
            lambda: DocumentMRREvaluator().run(wrong, [[]]),
        ]
        for call in calls:
            with pytest.raises(InputError, match="expected a list"):
                call()

    def test_a_column_may_be_made_from_an_iterator(self):
        assert list(Column(word for word in ("a", "b"))) == ["a", "b"]

    @pytest.mark.parametrize("kind", RANKED)
    @pytest.mark.parametrize("wrong", ["", {}, set(), range(0), None, iter(()), "text"])
    def test_as_a_row_of_documents_too(self, kind, wrong):
        document = Document(content="a")
        for truths, found in (([wrong], [[document]]), ([[document]], [wrong])):
            with pytest.raises(InputError, match=r"row 1, field '.*expected a list of documents"):
                kind().run(truths, found)

    def test_a_generator_of_documents_is_no_row(self):
        document = Document(content="a", score=1.0)
        with pytest.raises(InputError, match="row 1"):
            DocumentNDCGEvaluator().run([(d for d in [document])], [[document]])

    @pytest.mark.parametrize("grade", ["1", [1]])
    def test_a_grade_is_a_number(self, grade):
        truth = Document(content="a", score=grade)
        with pytest.raises(InputError, match=r"row 2: .*finite number"):
            DocumentNDCGEvaluator().run([[Document(content="a")], [truth]], [[], [truth]])

    @pytest.mark.parametrize("grade", [np.int64(2), np.float32(2)])
    def test_a_grade_of_numpy_s_is_one(self, grade):
        truths = [Document(content="a", score=grade), Document(content="b", score=1)]
        assert DocumentNDCGEvaluator().run([truths], [truths])["score"] == 1.0


class TestParametersStay:
    @pytest.mark.parametrize(
        ("made", "name", "value"),
        [
            (AnswerExactMatchEvaluator(), "normalize", "squad"),
            (AnswerF1Evaluator(), "multiple_references", True),
            (SASEvaluator("builtin"), "model", "other"),
            (DocumentRecallEvaluator(), "mode", "multi_hit"),
            (DocumentMRREvaluator(), "document_comparison_field", "id"),
            (DeepEvalEvaluator("faithfulness"), "metric_params", {}),
            (FaithfulnessEvaluator(), "raise_on_failure", False),
            (llm(), "instructions", "?"),
        ],
    )
    def test_setting_one_later_is_an_error(self, made, name, value):
        before = made.to_dict()
        with pytest.raises(AttributeError, match=f"{name} cannot be changed: make another"):
            setattr(made, name, value)
        assert made.to_dict() == before

    def test_what_they_were_made_from_may_change(self):
        examples = [{"inputs": {"texts": "a"}, "outputs": {"score": 1}}]
        outputs, inputs, params = ["score"], [("texts", list[str])], {"model": "builtin"}
        made = [
            LLMEvaluator("?", inputs, outputs, examples, chat_generator=MockChatGenerator("{}")),
            FaithfulnessEvaluator(examples, chat_generator=MockChatGenerator("{}")),
            DeepEvalEvaluator("faithfulness", params),
        ]
        before = json.dumps([one.to_dict() for one in made])
        examples[0]["inputs"]["more"] = "b"
        outputs.append("b")
        inputs.clear()
        params["strict_mode"] = True
        made[2].metric_params["threshold"] = 2
        made[0].outputs.append("c")
        assert json.dumps([one.to_dict() for one in made]) == before

    def test_switches_are_taken_as_haystack_takes_them(self):
        for off in (None, 0, False):
            one = llm("no JSON", progress_bar=off, raise_on_failure=off)
            assert one.run(texts=["a"])["results"] == [None]
            assert one.to_dict()["init_parameters"]["raise_on_failure"] is False
        with pytest.raises(RowFailed):
            llm("no JSON", raise_on_failure=1).run(texts=["a"])

    def test_another_class_s_data_is_refused(self):
        with pytest.raises(DeserializationError):
            LLMEvaluator.from_dict(AnswerExactMatchEvaluator().to_dict())

    def test_a_generator_that_is_only_asynchronous_is_told_what_it_lacks(self):
        class OnlyAsync:
            async def run_async(self, messages):
                return {"replies": [ChatMessage.from_assistant('{"score": 1}')]}

        with pytest.raises(UsageError, match="run_async alone"):
            llm(chat_generator=OnlyAsync())


class TestReplies:
    def test_a_document_is_shown_whole(self):
        seen = []

        def said(messages):
            seen.append(messages[-1].text)
            return '{"score": 1}'

        text = "word " * 100 + "end."
        one = LLMEvaluator(
            "Is it?",
            [("documents", list[list[Document]])],
            ["score"],
            [],
            chat_generator=MockChatGenerator(response_fn=said),
        )
        one.run(documents=[[Document(content=text)]])
        assert text in seen[0]

    @pytest.mark.parametrize("value", ["1e999", "-1e999", "[1, 1e999]"])
    def test_a_number_beyond_all_is_asked_for_again(self, value):
        replies = iter([f'{{"score": {value}}}', '{"score": 7}'])
        one = llm(chat_generator=MockChatGenerator(response_fn=lambda messages: next(replies)))
        assert one.run(texts=["a"])["results"] == [{"score": 7}]

    def test_equal_rows_are_asked_about_once_and_only_one_has_metadata(self):
        calls = []

        @component
        class Counting:
            @component.output_types(replies=list[ChatMessage])
            def run(self, messages: list[ChatMessage]):
                calls.append(messages)
                meta = {"call": len(calls)}
                return {"replies": [ChatMessage.from_assistant('{"score": 1}', meta=meta)]}

        output = llm(chat_generator=Counting()).run(texts=["a", "a", "b"])
        assert len(calls) == 2
        assert output["results"] == [{"score": 1}] * 3
        assert [bool(meta) for meta in output["meta"]] == [True, False, True]

    def test_no_instruction_is_in_a_span(self, monkeypatch):
        spans = Spans()
        monkeypatch.setattr(proxy, "actual_tracer", spans)
        llm().run(texts=["a"])
        [tags] = [span.tags for name, span in spans.made if name == "troth.evaluator.run"]
        assert tags["troth.metric"] == "llm_evaluator"
        assert "Is it?" not in str(tags)


class TestKeys:
    @pytest.mark.parametrize("params", [{}, {"base_url": "http://127.0.0.1:9/v1"}])
    def test_an_optional_secret_that_is_not_set_is_named_too(self, params):
        key = Secret.from_env_var("MYK", strict=False)
        one = DeepEvalEvaluator("faithfulness", {"model": "m", "api_key": key, **params})
        with pytest.raises(JudgeSetupError, match=r"DeepEvalEvaluator: .*set MYK, which api_key"):
            one.warm_up()

    def test_who_says_that_a_key_was_refused_says_where_it_is_from(self, monkeypatch):
        monkeypatch.setenv("MYK", "sk-wrong-key")
        key = Secret.from_env_var("MYK")
        with Endpoint(key="sk-right") as endpoint:
            params = {"model": "m", "base_url": endpoint.base_url}
            one = DeepEvalEvaluator("faithfulness", {**params, "api_key": key})
            with pytest.raises(JudgeSetupError) as caught:
                one.run(**ROW)
            assert str(caught.value).endswith("check the key that api_key gives")
            with pytest.raises(JudgeSetupError, match="no key was sent: set OPENAI_API_KEY"):
                DeepEvalEvaluator("faithfulness", params).run(**ROW)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-wrong-key")
            with pytest.raises(JudgeSetupError, match=r"check the key in OPENAI_API_KEY$"):
                DeepEvalEvaluator("faithfulness", params).run(**ROW)

    @pytest.mark.parametrize("kind", [FaithfulnessEvaluator, ContextRelevanceEvaluator])
    def test_a_missing_key_names_the_component_and_what_needs_none(self, kind):
        says = rf'{kind.__name__}: .*OPENAI_API_KEY.*judge="builtin"'
        with pytest.raises(JudgeSetupError, match=says) as caught:
            kind().warm_up()
        assert not isinstance(caught.value, ValueError)
        with pytest.raises(JudgeSetupError, match=r"LLMEvaluator: .*chat_generator= or the name"):
            llm(chat_generator=None).warm_up()

    def test_an_endpoint_that_is_down_names_the_variable(self, monkeypatch):
        monkeypatch.setattr("troth.judges.openai_wire._CONNECT_FOR", 0.1)
        monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        with pytest.raises(JudgeSetupError, match=r"127\.0\.0\.1:9.*OPENAI_BASE_URL"):
            asyncio.run(DeepEvalEvaluator("faithfulness").run_async(**ROW))


class TestReports:
    def test_coverage_is_added_where_it_is_asked_for(self, tmp_path):
        result = EvaluationRunResult("one", {"question": ["a", "b", "c"]}, SCORES)
        assert result.aggregated_report() == {"metrics": ["em"], "score": [0.5]}
        expected = {"metrics": ["em"], "score": [0.5], "scored": [2], "total": [3]}
        assert result.aggregated_report(coverage=True) == expected
        path = tmp_path / "report.csv"
        result.aggregated_report("csv", path, coverage=True)
        assert path.read_text("utf-8").splitlines() == ["metrics,score,scored,total", "em,0.5,2,3"]

    def test_one_column_to_keep_may_be_a_name(self):
        one, two = (
            EvaluationRunResult(name, {"question": ["a", "b", "c"]}, SCORES)
            for name in ("one", "two")
        )
        columns = one.comparative_detailed_report(two, keep_columns="question")
        assert columns == one.comparative_detailed_report(two, keep_columns=["question"])
