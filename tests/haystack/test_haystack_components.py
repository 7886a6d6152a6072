"""What all components over existing metrics have in common, and what they share."""

import asyncio
import contextlib
import copy
import pickle
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from haystack import Pipeline, component, tracing
from haystack.core.errors import PipelineRuntimeError, SerializationError
from haystack.tracing import Span, Tracer
from hypothesis import given
from hypothesis import strategies as st

from tests.endpoint import Endpoint
from troth.errors import InputError, JudgeSetupError, StoreError, UsageError
from troth.haystack import (
    AnswerExactMatchEvaluator,
    AnswerF1Evaluator,
    Column,
    DeepEvalEvaluator,
    RowFailed,
)
from troth.judges.base import Judge, Reply
from troth.judges.openai import OpenAIChat
from troth.judges.scripted import Scripted
from troth.score import Verdict

ANSWERS = {"ground_truth_answers": ["Berlin", "Paris"], "predicted_answers": ["Berlin", "Lyon"]}
ROWS = {
    "questions": ["When?", "Where?"],
    "contexts": [["The bridge was built in 1911."], ["It stands in Bonn."]],
    "responses": ["It was built in 1911.", "It stands in Bonn."],
}
KINDS = [
    (AnswerExactMatchEvaluator, {"normalize": "squad"}, ANSWERS),
    (AnswerF1Evaluator, {"normalize": "squad"}, ANSWERS),
    (DeepEvalEvaluator, {"metric": "faithfulness", "judge": "builtin"}, ROWS),
]
EVERY = pytest.mark.parametrize(("kind", "options", "inputs"), KINDS)


class Counting(Judge):
    """Supports everything, after a while; knows how many were waiting for it at once."""

    name = "counting"
    concurrency = 32

    def __init__(self, pause=0.02):
        self.pause = pause
        self.waiting = self.most = self.calls = 0
        self.lock = threading.Lock()

    async def reply(self, ask, problem=None):
        with self.lock:
            self.calls += 1
            self.waiting += 1
            self.most = max(self.most, self.waiting)
        await asyncio.sleep(self.pause)
        with self.lock:
            self.waiting -= 1
        return Reply(tuple(Verdict(item.id, "supported", 1.0) for item in ask.items))


def many(n):
    return {
        "questions": [f"What is {i}?" for i in range(n)],
        "contexts": [[f"Row {i} is known."] for i in range(n)],
        "responses": [f"Row {i} is known." for i in range(n)],
    }


class TestEveryComponent:
    @EVERY
    def test_yaml(self, kind, options, inputs):
        pipeline = Pipeline()
        pipeline.add_component("one", kind(**options))
        text = pipeline.dumps()
        loaded = Pipeline.loads(text)
        assert loaded.dumps() == text
        assert loaded.run({"one": inputs}) == pipeline.run({"one": inputs})
        data = kind(**options).to_dict()
        before = copy.deepcopy(data)
        assert kind.from_dict(data).to_dict() == data == before

    @EVERY
    def test_run_async_is_run(self, kind, options, inputs):
        one = kind(**options)
        assert asyncio.run(one.run_async(**inputs)) == one.run(**inputs)
        pipeline = Pipeline()
        pipeline.add_component("one", one)
        assert asyncio.run(pipeline.run_async({"one": inputs})) == {"one": one.run(**inputs)}

    @EVERY
    def test_two_loops_two_threads_twice_in_a_pipeline(self, kind, options, inputs):
        one = kind(**options)
        expected = one.run(**inputs)
        for _ in range(2):
            assert asyncio.run(one.run_async(**inputs)) == expected
        with ThreadPoolExecutor(4) as pool:
            outputs = list(pool.map(lambda _: one.run(**inputs), range(8)))
            outputs += pool.map(lambda _: asyncio.run(one.run_async(**inputs)), range(8))
        assert outputs == [expected] * 16
        pipeline = Pipeline()
        pipeline.add_component("one", one)
        pipeline.add_component("two", kind(**options))
        assert pipeline.run({"one": inputs, "two": inputs}) == {"one": expected, "two": expected}

    @EVERY
    def test_columns_and_plain_numbers(self, kind, options, inputs):
        columns = {name: Column(values) for name, values in inputs.items()}
        output = kind(**options).run(**columns)
        assert output == kind(**options).run(**inputs)
        assert type(output["score"]) is float
        assert {type(score) for score in output["individual_scores"]} <= {int, float}

    @EVERY
    def test_it_can_be_warmed_up_drawn_and_closed(self, kind, options, inputs):
        pipeline = Pipeline()
        pipeline.add_component("one", kind(**options))
        for _ in range(2):
            pipeline.warm_up()
        before = pipeline.run({"one": inputs})
        pipeline.close()
        asyncio.run(pipeline.close_async())
        assert pipeline.run({"one": inputs}) == before
        assert set(pipeline.inputs()["one"]) == set(inputs)
        assert {"score", "individual_scores"} <= set(
            pipeline.outputs(include_components_with_connected_outputs=True)["one"]
        )


class TestColumn:
    @given(st.lists(st.text() | st.lists(st.text(), max_size=2), max_size=5))
    def test_it_is_a_sequence_that_copies_as_itself(self, values):
        column = Column(values)
        frozen = [tuple(v) if isinstance(v, list) else v for v in values]
        assert list(column) == frozen
        assert len(column) == len(values)
        assert [column[i] for i in range(len(values))] == frozen
        assert list(column[1:]) == frozen[1:]
        assert copy.deepcopy(column) is copy.copy(column) is column
        assert pickle.loads(pickle.dumps(column)) == column == Column(iter(values))
        assert hash(column) == hash(Column(values))
        assert column != frozen

    @pytest.mark.parametrize(
        ("values", "words"),
        [
            ("ab", ["a list", "str: 'ab'"]),
            (["a", None], ["row 2", "a string", "None"]),
            ([["a"], ["a", 7]], ["row 2", "item 2", "int: 7"]),
        ],
    )
    def test_what_it_cannot_hold(self, values, words):
        with pytest.raises(InputError, match="Column") as caught:
            Column(values)
        assert all(word in str(caught.value) for word in words), str(caught.value)

    def test_a_pipeline_hands_it_on_as_it_is(self):
        seen = []

        @component
        class Looking:
            @component.output_types(n=int)
            def run(self, texts: list[str]):
                seen.append(texts)
                return {"n": len(texts)}

        column = Column(["a", "b"])
        pipeline = Pipeline()
        pipeline.add_component("looking", Looking())
        assert pipeline.run({"looking": {"texts": column}}) == {"looking": {"n": 2}}
        assert seen == [column]
        assert seen[0] is column


def test_two_runs_at_once_on_one_loop_share_a_judge():
    async def late(exchange):
        await asyncio.sleep(0.05)
        return exchange.say(exchange.right())

    async def main(one, two):
        return await asyncio.gather(
            one.run_async(**many(2)), two.run_async(**many(40)), one.warm_up_async()
        )

    with Endpoint(faults=lambda body: late) as endpoint:
        judge = OpenAIChat("m", base_url=endpoint.base_url)
        one, two = (DeepEvalEvaluator(m, judge=judge) for m in ("faithfulness", "answer_relevancy"))
        for _ in range(2):
            short, long, _ = asyncio.run(main(one, two))
            assert short["individual_scores"] == [1.0] * 2
            assert long["individual_scores"] == [1.0] * 40


class TestConcurrency:
    @pytest.mark.parametrize("way", ["run", "run_async"])
    @pytest.mark.parametrize(("most", "expected"), [(None, 20), (3, 3)])
    def test_so_many_replies_are_awaited_at_once(self, way, most, expected):
        judge = Counting()
        one = DeepEvalEvaluator("faithfulness", judge=judge, max_concurrency=most)
        if way == "run":
            one.run(**many(20))
        else:
            asyncio.run(one.run_async(**many(20)))
        assert judge.most == expected

    @pytest.mark.parametrize("way", ["run", "run_async"])
    def test_ten_rows_of_a_fifth_of_a_second(self, way):
        async def slow(exchange):
            await asyncio.sleep(0.2)
            return exchange.say(exchange.right())

        def taken(endpoint):
            params = {"model": "m", "base_url": endpoint.base_url}
            pipeline = Pipeline()
            pipeline.add_component("one", DeepEvalEvaluator("faithfulness", params))
            pipeline.warm_up()
            data = {"one": many(10)}
            started = time.perf_counter()
            result = pipeline.run(data) if way == "run" else asyncio.run(pipeline.run_async(data))
            seconds = time.perf_counter() - started
            assert result["one"]["individual_scores"] == [1.0] * 10
            return seconds

        with Endpoint(faults=lambda body: slow) as endpoint:
            # One after the other they take 2 s. A busy machine may have three tries.
            assert any(taken(endpoint) < 0.6 for _ in range(3))

    def test_other_tasks_go_on_meanwhile(self):
        async def main():
            judge = Counting(0.1)
            run = asyncio.create_task(
                DeepEvalEvaluator("faithfulness", judge=judge).run_async(**many(3))
            )
            ticks = 0
            while not run.done():
                await asyncio.sleep(0.01)
                ticks += 1
            return ticks

        assert asyncio.run(main()) >= 5


class TestJournal:
    def test_nothing_is_paid_for_twice(self, tmp_path):
        with Endpoint() as endpoint:
            params = {"model": "m", "base_url": endpoint.base_url}
            for kind in (str, lambda path: path):
                one = DeepEvalEvaluator(
                    "faithfulness", params, journal=kind(tmp_path / "deep" / "er.db")
                )
                assert one.run(**many(3))["score"] == 1.0
                assert asyncio.run(one.run_async(**many(3)))["score"] == 1.0
            asked = len(endpoint.requests)
            one = DeepEvalEvaluator.from_dict(one.to_dict())
            assert one.run(**many(3))["score"] == 1.0
        assert asked == len(endpoint.requests) <= 4  # one may be refused a schema

    def test_a_path_that_cannot_be_used(self, tmp_path):
        one = DeepEvalEvaluator("faithfulness", judge="builtin", journal=tmp_path)
        with pytest.raises(StoreError):
            one.run(**many(1))


class TestFailures:
    JUDGE = staticmethod(
        lambda: Scripted(
            lambda ask: (
                None
                if "Row 7 " in ask.items[0].text
                else tuple(Verdict(i.id, "supported", 1.0) for i in ask.items)
            )
        )
    )

    def test_one_row_of_twenty(self, caplog):
        one = DeepEvalEvaluator("faithfulness", judge=self.JUDGE(), raise_on_failure=False)
        output = one.run(**many(20))
        assert output["individual_scores"] == [1.0] * 7 + [None] + [1.0] * 12
        assert output["score"] == 1.0
        [row] = output["results"][7]
        assert (row["score"], row["status"]) == (None, "failed")
        assert "no usable reply" in row["explanation"]
        assert "1 of 20 rows failed and have no score (8)" in caplog.text
        assert one.run(**many(7))["individual_scores"] == [1.0] * 7

    @pytest.mark.parametrize("way", ["run", "run_async"])
    def test_raised_with_the_row(self, way):
        one = DeepEvalEvaluator("faithfulness", judge=self.JUDGE(), raise_on_failure=True)
        with pytest.raises(RowFailed, match="DeepEvalEvaluator, row 8: no usable") as caught:
            one.run(**many(20)) if way == "run" else asyncio.run(one.run_async(**many(20)))
        assert isinstance(caught.value, ValueError)
        assert caught.value.row == 8
        again = pickle.loads(pickle.dumps(caught.value))
        assert (str(again), again.row) == (str(caught.value), 8)
        assert one.run(**many(7))["score"] == 1.0

    def test_in_a_pipeline(self):
        pipeline = Pipeline()
        one = DeepEvalEvaluator("faithfulness", judge=self.JUDGE(), raise_on_failure=True)
        pipeline.add_component("one", one)
        with pytest.raises(PipelineRuntimeError, match="row 8"):
            pipeline.run({"one": many(20)})

    def test_a_row_with_nothing_to_judge_is_no_failure(self, caplog):
        inputs = {**many(2), "responses": ["", "Row 1 is known."]}
        one = DeepEvalEvaluator("faithfulness", judge=self.JUDGE(), raise_on_failure=True)
        output = one.run(**inputs)
        assert output["individual_scores"] == [None, 1.0]
        assert output["results"][0][0]["status"] == "unscorable"
        said = "1 of 2 rows hold nothing to judge and have no score (1); the first one: the answer"
        assert said in caplog.text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"max_concurrency": 0}, ["max_concurrency", "at least 1"]),
        ({"max_concurrency": True}, ["max_concurrency", "True"]),
        ({"journal": 3}, ["journal", "a path"]),
        ({"progress_bar": "yes"}, ["progress_bar", "True or False"]),
        ({"raise_on_failure": "no"}, ["raise_on_failure", "True or False"]),
        ({"judge": "nobody"}, ["nobody", "builtin"]),
        ({"judge": "builtin", "chat_generator": object()}, ["judge", "chat_generator"]),
        ({"chat_generator": "gpt-4"}, ["ChatGenerator", "gpt-4"]),
        ({"chat_generator": Scripted}, ["ChatGenerator"]),
        ({"judge": "builtin", "metric_params": {"model": "gpt-4"}}, ["judge", "model"]),
        ({"judge": "builtin", "metric_params": {"base_url": "http://x/v1"}}, ["base_url"]),
    ],
)
def test_options_that_cannot_be(options, words):
    with pytest.raises(UsageError) as caught:
        DeepEvalEvaluator("faithfulness", **options)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_judge_without_a_name_cannot_be_serialised():
    one = DeepEvalEvaluator("faithfulness", judge=Scripted({"*": "supported"}))
    with pytest.raises(SerializationError, match=r"judge holds a Scripted.*name the judge"):
        one.to_dict()


def test_progress_is_shown_where_it_is_wanted(capsys, monkeypatch):
    monkeypatch.setattr("troth.report.progress.LINE_EVERY", 0.0)
    for wanted in (False, True):
        one = DeepEvalEvaluator("faithfulness", judge=Counting(0.01), progress_bar=wanted)
        one.run(**many(3))
        assert ("3 of 3 rows" in capsys.readouterr().err) is wanted


class Recording(Tracer):
    class Kept(Span):
        def __init__(self, name, tags, parent):
            self.name, self.tags, self.parent = name, dict(tags or {}), parent

        def set_tag(self, key, value):
            self.tags[key] = value

    def __init__(self):
        self.spans = []

    @contextlib.contextmanager
    def trace(self, operation_name, tags=None, parent_span=None):
        self.spans.append(self.Kept(operation_name, tags, parent_span))
        yield self.spans[-1]

    def current_span(self):
        return self.spans[-1] if self.spans else None


@pytest.fixture
def tracer():
    recording = Recording()
    tracing.enable_tracing(recording)
    yield recording
    tracing.disable_tracing()


class TestSpans:
    @pytest.mark.parametrize("way", ["run", "run_async"])
    def test_they_account_for_the_rows(self, tracer, way):
        pipeline = Pipeline()
        judge = Scripted([None, None, None, {"bad": 1}])
        pipeline.add_component("one", DeepEvalEvaluator("faithfulness", judge=judge))
        data = {"one": {**many(2), "responses": ["", "Row 1."]}}
        pipeline.run(data) if way == "run" else asyncio.run(pipeline.run_async(data))
        [span] = [span for span in tracer.spans if span.name == "troth.evaluator.run"]
        assert span.parent.name == "haystack.component.run"
        assert span.tags["haystack.component.type"] == "DeepEvalEvaluator"
        assert span.tags["troth.judge"] == "scripted"
        assert span.tags["troth.metric"] == "faithfulness:counts"
        counts = [
            span.tags[f"troth.{name}"] for name in ("total", "scored", "unscorable", "failed")
        ]
        assert counts == [2, 0, 1, 1]
        assert span.tags["troth.usage.calls"] == 3

    @pytest.mark.parametrize("kind", [AnswerExactMatchEvaluator, AnswerF1Evaluator])
    def test_without_a_judge(self, tracer, kind):
        kind().run(**ANSWERS)
        [span] = tracer.spans
        assert span.name == "troth.evaluator.run"
        assert span.tags["haystack.component.type"] == kind.__name__
        assert span.tags["troth.total"] == 2


def test_no_key_is_found_out_before_a_pipeline_runs():
    ran = []

    @component
    class Paying:
        @component.output_types(answers=list[str])
        def run(self):
            ran.append(1)
            return {"answers": ROWS["responses"]}

    pipeline = Pipeline()
    pipeline.add_component("app", Paying())
    pipeline.add_component("one", DeepEvalEvaluator("faithfulness"))
    pipeline.connect("app.answers", "one.responses")
    assert "api_key" not in pipeline.dumps()
    data = {"one": {name: ROWS[name] for name in ("questions", "contexts")}}
    with pytest.raises(JudgeSetupError, match="OPENAI_API_KEY"):
        pipeline.run(data)
    with pytest.raises(JudgeSetupError, match="OPENAI_API_KEY"):
        asyncio.run(pipeline.run_async(data))
    assert ran == []
