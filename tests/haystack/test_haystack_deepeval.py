import asyncio
import json
import random

import pytest
from haystack import Pipeline, component
from haystack.core.errors import PipelineConnectError
from haystack.utils import Secret

from tests.endpoint import Endpoint
from troth.errors import InputError, JudgeSetupError, JudgeUnavailable, UsageError
from troth.haystack import DeepEvalEvaluator, DeepEvalMetric
from troth.judges.base import Judge
from troth.judges.scripted import Scripted

ROW = {
    "questions": ["When was the Rhine bridge built?"],
    "contexts": [["The bridge was built in 1911."]],
    "responses": ["It was built in 1911."],
}
TRUTHS = {"ground_truths": ["In 1911."]}


def rows(n):
    """`n` rows; the answers of the odd ones are false."""
    return {
        "questions": [f"What is row {i}?" for i in range(n)],
        "contexts": [[f"Row {i} is known."] for i in range(n)],
        "responses": [f"Row {i} is {'false' if i % 2 else 'true'}." for i in range(n)],
    }


def truth(text, schema_name):
    return "contradicted" if "false" in text else "supported"


def row_of(body):
    """The number of the row that a request is about."""
    return int(json.dumps(body).split("What is row ")[1].split("?")[0])


def scores(output):
    return [row[0]["score"] for row in output["results"]]


def scored(metric, judge, inputs, **params):
    return DeepEvalEvaluator(metric, {"model": judge, **params}).run(**inputs)["results"]


@pytest.fixture
def point_at(monkeypatch):
    def point(endpoint):
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-for-nobody")

    return point


class TestThroughAnEndpoint:
    def test_the_example_of_the_original(self, point_at):
        with Endpoint(refuses=["json_schema"], key="sk-for-nobody") as endpoint:
            point_at(endpoint)
            evaluator = DeepEvalEvaluator(
                metric=DeepEvalMetric.FAITHFULNESS,
                metric_params={"model": "gpt-4"},
            )
            pipeline = Pipeline()
            pipeline.add_component("evaluator", evaluator)
            result = pipeline.run({"evaluator": ROW})
        [[only]] = result["evaluator"]["results"]
        assert only.keys() == {"name", "score", "explanation"}
        assert (only["name"], only["score"]) == ("faithfulness", 1.0)
        assert only["explanation"]
        assert {request.body["model"] for request in endpoint.requests} == {"gpt-4"}
        forms = [request.body["response_format"]["type"] for request in endpoint.requests]
        assert forms == ["json_schema", "json_object"]

    def test_rows_come_back_in_the_order_of_the_input(self, point_at):
        finished = []
        delays = random.Random(7).sample(range(10), 10)

        async def late(exchange):
            await asyncio.sleep(delays[row_of(exchange.body)] / 50)
            finished.append(row_of(exchange.body))
            return exchange.say(exchange.right())

        with Endpoint(faults=lambda body: late, label=truth) as endpoint:
            point_at(endpoint)
            output = DeepEvalEvaluator("faithfulness", {"model": "gpt-4"}).run(**rows(10))
        assert finished != sorted(finished)
        assert scores(output) == [1.0, 0.0] * 5
        for i in range(1, 10, 2):
            assert f"Row {i} is false" in output["results"][i][0]["explanation"]

    def test_a_bad_reply_costs_its_row_alone(self, point_at):
        bad = {3}

        def fault(body):
            return "contradicting" if row_of(body) in bad else None

        with Endpoint(faults=fault, label=truth) as endpoint:
            point_at(endpoint)
            evaluator = DeepEvalEvaluator("faithfulness", {"model": "gpt-4"})
            first = evaluator.run(**rows(6))
            bad.clear()
            second = evaluator.run(**rows(6))
        assert scores(first) == [1.0, 0.0, 1.0, None, 1.0, 0.0]
        assert "disagree" in first["results"][3][0]["explanation"]
        assert scores(second) == [1.0, 0.0, 1.0, 0.0, 1.0, 0.0]

    def test_inside_a_running_event_loop(self, point_at):
        async def cell(pipeline):
            return pipeline.run({"evaluator": rows(3)})

        with Endpoint(label=truth) as endpoint:
            point_at(endpoint)
            pipeline = Pipeline()
            pipeline.add_component("evaluator", DeepEvalEvaluator("faithfulness"))
            outputs = [asyncio.run(cell(pipeline)), pipeline.run({"evaluator": rows(3)})]
        assert [scores(output["evaluator"]) for output in outputs] == [[1.0, 0.0, 1.0]] * 2

    def test_base_url_needs_no_environment(self):
        with Endpoint() as endpoint:
            params = {"model": "qwen3", "base_url": endpoint.base_url}
            assert scores(DeepEvalEvaluator("faithfulness", params).run(**ROW)) == [1.0]
            params = {"model": f"{endpoint.base_url}#qwen3"}
            assert scores(DeepEvalEvaluator("faithfulness", params).run(**ROW)) == [1.0]
        assert {request.body["model"] for request in endpoint.requests} == {"qwen3"}

    def test_a_wrong_key_is_an_error_of_the_run(self, point_at):
        with Endpoint(key="sk-another") as endpoint:
            point_at(endpoint)
            with pytest.raises(JudgeSetupError) as caught:
                DeepEvalEvaluator("faithfulness").run(**ROW)
        assert "sk-for-nobody" not in str(caught.value)


class TestWithoutAKey:
    def test_construction_passes_and_the_run_says_what_to_set(self):
        evaluator = DeepEvalEvaluator(metric=DeepEvalMetric.FAITHFULNESS)
        with pytest.raises(JudgeSetupError, match="OPENAI_API_KEY"):
            evaluator.run(**ROW)

    def test_in_a_pipeline(self):
        pipeline = Pipeline()
        pipeline.add_component("evaluator", DeepEvalEvaluator("faithfulness", {"model": "gpt-4"}))
        with pytest.raises(JudgeSetupError, match="OPENAI_API_KEY"):
            pipeline.run({"evaluator": ROW})

    @pytest.mark.parametrize("names", ["MY_KEY", ["MY_KEY", "OUR_KEY"]])
    def test_the_variable_of_the_secret_is_named(self, names):
        params = {"api_key": Secret.from_env_var(names)}
        evaluator = DeepEvalEvaluator("faithfulness", params)
        words = "MY_KEY" if isinstance(names, str) else "MY_KEY or OUR_KEY"
        for act in (lambda: evaluator.run(**ROW), evaluator.warm_up):
            with pytest.raises(JudgeSetupError, match=f"set {words}, which api_key names"):
                act()

    def test_the_builtin_judge_needs_none(self):
        [[only]] = scored("faithfulness", "builtin", ROW)
        assert 0.0 <= only["score"] <= 1.0


@pytest.mark.parametrize(
    ("metric", "labels", "expected"),
    [
        ("answer_relevancy", {"Yes.": "relevant", "By ship.": "irrelevant"}, 0.5),
        ("faithfulness", {"Yes.": "supported", "By ship.": "contradicted"}, 0.5),
        ("contextual_precision", {"A fog.": "useless", "A lamp.": "useful"}, 0.5),
        ("contextual_recall", {"Yes.": "supported", "At night.": "unmentioned"}, 0.5),
        ("contextual_relevance", {"A fog.": "relevant", "A lamp.": "irrelevant"}, 0.5),
    ],
)
def test_each_metric(metric, labels, expected):
    inputs = {
        "questions": ["Is there a light?"],
        "contexts": [["A fog.", "A lamp."]],
        "responses": ["Yes. By ship."],
    }
    if metric in ("contextual_precision", "contextual_recall"):
        inputs["ground_truths"] = ["Yes. At night."]
    [[only]] = scored(metric, Scripted(labels), inputs)
    assert (only["name"], only["score"]) == (metric, expected)
    assert scored(DeepEvalMetric.from_str(metric), Scripted(labels), inputs) == [[only]]
    assert str(DeepEvalMetric.from_str(metric)) == metric


@pytest.mark.parametrize(("penalize", "expected"), [(None, 1.0), (False, 1.0), (True, 0.0)])
def test_unmentioned_claims_pass_unless_they_are_penalized(penalize, expected):
    params = {} if penalize is None else {"penalize_ambiguous_claims": penalize}
    [[only]] = scored("faithfulness", Scripted({"*": "unmentioned"}), ROW, **params)
    assert only["score"] == expected


class TestKeys:
    @pytest.mark.parametrize(
        "secret", [Secret.from_env_var("MY_KEY"), Secret.from_token("sk-of-mine")]
    )
    def test_a_secret_is_sent_and_never_shown(self, secret, monkeypatch):
        monkeypatch.setenv("MY_KEY", "sk-of-mine")
        with Endpoint(key="sk-of-mine") as endpoint:
            for model in ("m", "openai/m"):
                params = {"model": model, "base_url": endpoint.base_url, "api_key": secret}
                assert scores(DeepEvalEvaluator("faithfulness", params).run(**ROW)) == [1.0]
            params = {"model": f"{endpoint.base_url}#m", "api_key": secret}
            evaluator = DeepEvalEvaluator("faithfulness", params)
            assert scores(evaluator.run(**ROW)) == [1.0]
        assert "sk-of-mine" not in repr(evaluator) + repr(vars(evaluator))

    def test_a_secret_in_yaml(self, monkeypatch):
        monkeypatch.setenv("MY_KEY", "sk-of-mine")
        params = {"model": "gpt-4", "api_key": Secret.from_env_var("MY_KEY"), "threshold": 0.7}
        pipeline = Pipeline()
        pipeline.add_component("one", DeepEvalEvaluator(DeepEvalMetric.FAITHFULNESS, params))
        text = pipeline.dumps()
        assert "sk-of-mine" not in text
        loaded = Pipeline.loads(text)
        assert loaded.dumps() == text
        assert loaded.get_component("one").metric_params == params

    def test_a_token_cannot_be_written_down(self):
        params = {"api_key": Secret.from_token("sk-of-mine")}
        with pytest.raises(ValueError, match="serialize") as caught:
            DeepEvalEvaluator("faithfulness", params).to_dict()
        assert "sk-of-mine" not in str(caught.value)


def test_a_metric_is_the_same_in_yaml_by_name_and_as_the_enum():
    texts = []
    for metric in ("contextual_recall", DeepEvalMetric.CONTEXTUAL_RECALL):
        pipeline = Pipeline()
        pipeline.add_component("one", DeepEvalEvaluator(metric, {"model": "builtin"}))
        texts.append(pipeline.dumps())
        loaded = Pipeline.loads(texts[-1]).get_component("one")
        assert loaded.metric is DeepEvalMetric.CONTEXTUAL_RECALL
    assert texts[0] == texts[1]
    assert "metric: contextual_recall\n" in texts[0]


GOOD_AND_BAD = {
    "questions": ["q", "q", "q"],
    "contexts": [["c"], ["c"], ["c"]],
    "responses": ["Good. Good. Bad. Good.", "Good.", ""],
}


class TestThresholds:
    def output(self, **params):
        judge = Scripted({"Good.": "supported", "Bad.": "contradicted"})
        return DeepEvalEvaluator("faithfulness", params, judge=judge).run(**GOOD_AND_BAD)

    def test_without_any(self):
        output = self.output()
        assert output["individual_scores"] == [0.75, 1.0, None]
        assert output["score"] == 0.875
        assert all("success" not in row for [row] in output["results"])

    @pytest.mark.parametrize(
        ("threshold", "expected"), [(0.75, [True, True]), (0.8, [False, True]), (0, [True, True])]
    )
    def test_success_is_reaching_it(self, threshold, expected):
        output = self.output(threshold=threshold)
        assert [row["success"] for [row] in output["results"]] == [*expected, False]
        assert output["individual_scores"] == [0.75, 1.0, None]

    def test_strict_mode_is_all_or_nothing(self):
        output = self.output(strict_mode=True, threshold=0.2)
        assert output["individual_scores"] == [0.0, 1.0, None]
        assert output["score"] == 0.5
        assert scores(output) == [0.0, 1.0, None]
        assert [row["success"] for [row] in output["results"]] == [False, True, False]

    def test_without_reasons_the_judge_is_asked_for_labels_alone(self):
        asked = {}
        for wanted in (True, False):
            with Endpoint() as endpoint:
                params = {
                    "model": "m", "base_url": endpoint.base_url, "include_reason": wanted,
                }  # fmt: skip
                output = DeepEvalEvaluator("faithfulness", params).run(**GOOD_AND_BAD)
            asked[wanted] = json.dumps(endpoint.requests[-1].body)
            explanations = [row["explanation"] for [row] in output["results"]]
            assert [said is not None for said in explanations] == [wanted, wanted, True]
        assert "reason" not in asked[False]
        assert asked[True] != asked[False]


def test_a_row_that_fails_or_has_nothing_to_judge_says_so():
    judge = Scripted([JudgeUnavailable("the line is dead"), *[None] * 3])
    inputs = rows(3)
    inputs["responses"][0] = ""
    results = scored("faithfulness", judge, inputs)
    assert [row[0]["score"] for row in results] == [None, None, None]
    assert "no claim" in results[0][0]["explanation"]
    assert "the line is dead" in results[1][0]["explanation"]
    assert "no usable reply" in results[2][0]["explanation"]
    assert [row[0]["status"] for row in results] == ["unscorable", "failed", "failed"]


def test_a_judge_that_breaks_fails_the_row():
    class Broken(Judge):
        name = "broken"

        async def reply(self, ask, problem=None):
            raise ZeroDivisionError("mine")

    [[only]] = scored("faithfulness", Broken(), ROW)
    assert only["score"] is None
    assert "ZeroDivisionError" in only["explanation"]


def test_no_rows_give_no_results():
    inputs = {"questions": [], "contexts": [], "responses": []}
    output = DeepEvalEvaluator("faithfulness", {"model": Scripted([])}).run(**inputs)
    assert output == {"results": [], "score": None, "individual_scores": []}


class TestParameters:
    @pytest.mark.parametrize("metric", ["faith", "", None, 3])
    def test_an_unknown_metric(self, metric):
        with pytest.raises(ValueError, match="contextual_relevance"):
            DeepEvalEvaluator(metric)

    @pytest.mark.parametrize(
        ("metric", "params", "words"),
        [
            ("faithfulness", {"treshold": 1}, ["'treshold'", "model", "base_url", "penalize_"]),
            ("faithfulness", {"threshold": 1.5}, ["threshold", "[0, 1]", "1.5"]),
            ("faithfulness", {"threshold": "high"}, ["threshold", "[0, 1]", "'high'"]),
            ("faithfulness", {"strict_mode": 1}, ["strict_mode", "True or False", "int: 1"]),
            ("faithfulness", {"include_reason": "no"}, ["include_reason", "True or False"]),
            ("faithfulness", {"api_key": "sk-mine"}, ["api_key", "Secret", "str"]),
            (
                "faithfulness",
                {"model": "builtin", "api_key": Secret.from_env_var("X")},
                ["api_key", "'builtin'"],
            ),
            ("contextual_recall", {"penalize_ambiguous_claims": True}, ["contextual_recall"]),
            ("faithfulness", {"penalize_ambiguous_claims": "no"}, ["True or False", "'no'"]),
            ("faithfulness", ["gpt-4"], ["a dict", "gpt-4"]),
            ("faithfulness", {"model": 4}, ["builtin", "4"]),
            ("faithfulness", {"model": ""}, ["builtin", "''"]),
            ("faithfulness", {"model": "openai/"}, ["openai/MODEL"]),
            ("faithfulness", {"base_url": 80}, ["base_url", "int"]),
            ("faithfulness", {"base_url": "localhost"}, ["base_url", "http://"]),
            ("faithfulness", {"model": "builtin", "base_url": "http://x/v1"}, ["'builtin'"]),
            ("faithfulness", {"model": Scripted([]), "base_url": "http://x/v1"}, ["scripted"]),
            ("faithfulness", {"model": "http://x/v1#m", "base_url": "http://x/v1"}, ["base_url"]),
        ],
    )
    def test_wrong_parameters_are_named(self, metric, params, words):
        with pytest.raises(UsageError) as caught:
            DeepEvalEvaluator(metric, params)
        assert all(word in str(caught.value) for word in words), str(caught.value)


class TestInputs:
    @pytest.mark.parametrize(
        ("metric", "change", "words"),
        [
            ("faithfulness", {"contexts": ...}, ["'contexts'", "missing", "responses"]),
            ("contextual_recall", {}, ["'ground_truths'", "missing"]),
            ("faithfulness", TRUTHS, ["'ground_truths'", "no such input"]),
            ("faithfulness", {"questions": "Who?"}, ["'questions'", "a list", "str: 'Who?'"]),
            ("faithfulness", {"responses": None}, ["'responses'", "a list", "NoneType"]),
            ("faithfulness", {"responses": []}, ["row 1", "'responses'", "questions 1"]),
            ("faithfulness", {"contexts": ["text"]}, ["row 1", "'contexts'", "list of strings"]),
            ("faithfulness", {"contexts": [None]}, ["row 1", "'contexts'", "list of strings"]),
            ("faithfulness", {"contexts": [["a", 7]]}, ["row 1", "item 2", "int: 7"]),
            ("faithfulness", {"responses": [None]}, ["row 1", "'responses'", "a string", "None"]),
        ],
    )
    def test_wrong_inputs_are_named(self, metric, change, words):
        inputs = {k: v for k, v in {**ROW, **change}.items() if v is not ...}
        judge = Scripted({"*": "supported"})
        with pytest.raises(ValueError, match="DeepEvalEvaluator") as caught:
            scored(metric, judge, inputs)
        assert isinstance(caught.value, InputError)
        assert all(word in str(caught.value) for word in words), str(caught.value)
        assert judge.asks == []

    def test_connections_are_checked(self):
        @component
        class Answering:
            @component.output_types(answers=list[str], scores=list[float])
            def run(self):
                return {"answers": ROW["responses"], "scores": [1.0]}

        pipeline = Pipeline()
        pipeline.add_component("app", Answering())
        evaluator = DeepEvalEvaluator("faithfulness", {"model": Scripted({"*": "supported"})})
        pipeline.add_component("evaluator", evaluator)
        with pytest.raises(PipelineConnectError):
            pipeline.connect("app.scores", "evaluator.responses")
        pipeline.connect("app.answers", "evaluator.responses")
        given = {name: ROW[name] for name in ("questions", "contexts")}
        assert scores(pipeline.run({"evaluator": given})["evaluator"]) == [1.0]
