"""What holds of all three LLM evaluators: speed, order, loops, keys, serialisation, spans."""

import asyncio
import contextlib
import json
import threading
import time

import pytest
from haystack import Pipeline, component, tracing
from haystack.components import evaluators
from haystack.components.generators.chat import MockChatGenerator, OpenAIChatGenerator
from haystack.core.errors import PipelineRuntimeError, SerializationError
from haystack.dataclasses import ChatMessage
from haystack.evaluation import EvaluationRunResult
from haystack.utils import Secret

from tests.endpoint import Endpoint
from troth.errors import JudgeSetupError
from troth.haystack import ContextRelevanceEvaluator, FaithfulnessEvaluator, LLMEvaluator
from troth.judges.scripted import Scripted


def llm(kind=LLMEvaluator, **settings):
    return kind("Is it?", [("texts", list[str])], ["score"], [], **settings)


def texts(n):
    return {"texts": [f"row {i}." for i in range(n)]}


def pairs(n):
    return {"questions": [f"row {i}?" for i in range(n)], "contexts": [["Ana."]] * n}


def triples(n):
    return {**pairs(n), "predicted_answers": [f"row {i}." for i in range(n)]}


KINDS = {
    "llm": (llm, texts, '{"score": 1}'),
    "faithfulness": (
        FaithfulnessEvaluator,
        triples,
        '{"statements": ["One."], "statement_scores": [1]}',
    ),
    "context_relevance": (ContextRelevanceEvaluator, pairs, '{"relevant_statements": ["Ana."]}'),
}
each = pytest.mark.parametrize(("make", "inputs", "said"), KINDS.values(), ids=KINDS)


@component
class Slow:
    """Says `text` after 0.2 seconds, or sooner the later the row, with the row in its metadata."""

    def __init__(self, text="", seconds=0.2, spread=0.0):
        self.text, self.seconds, self.spread = text, seconds, spread

    def reply(self, messages):
        row = int(messages[-1].text.partition("row ")[2].partition(".")[0].partition("?")[0])
        reply = ChatMessage.from_assistant(self.text, meta={"row": row})
        return self.seconds - self.spread * row, {"replies": [reply]}

    @component.output_types(replies=list[ChatMessage])
    def run(self, messages: list[ChatMessage]):
        seconds, said = self.reply(messages)
        time.sleep(seconds)
        return said


@component
class SlowBoth(Slow):
    @component.output_types(replies=list[ChatMessage])
    async def run_async(self, messages: list[ChatMessage]):
        seconds, said = self.reply(messages)
        await asyncio.sleep(seconds)
        return said


def right(said):
    async def say(exchange):
        return exchange.say(said)

    return lambda body: say


def openai(endpoint):
    return OpenAIChatGenerator(
        api_key=Secret.from_token("sk-x"), api_base_url=endpoint.base_url, max_retries=0
    )


@each
class TestConcurrency:
    @pytest.mark.parametrize("generator", [Slow, SlowBoth])
    def test_ten_rows_of_a_fifth_of_a_second(self, make, inputs, said, generator):
        own = make(chat_generator=generator(said), progress_bar=False)
        for run in (
            lambda: own.run(**inputs(10)),
            lambda: asyncio.run(own.run_async(**inputs(10))),
        ):
            started = time.perf_counter()
            output = run()
            assert time.perf_counter() - started < 1.5  # one after the other: 2 s
            assert len(output["results"]) == 10
            assert None not in output["results"]

    def test_everything_is_in_the_order_of_the_input(self, make, inputs, said):
        own = make(chat_generator=SlowBoth(said, 0.1, 0.01), progress_bar=False)
        for output in (own.run(**inputs(9)), asyncio.run(own.run_async(**inputs(9)))):
            assert [meta["row"] for meta in output["meta"]] == list(range(9))

    def test_max_concurrency(self, make, inputs, said):
        own = make(chat_generator=Slow(said, 0.05), max_concurrency=1, progress_bar=False)
        started = time.perf_counter()
        own.run(**inputs(4))
        assert time.perf_counter() - started >= 0.2

    def test_in_pipelines_sync_and_async_and_twice_in_one(self, make, inputs, said):
        pipeline = Pipeline()
        for name in ("one", "two"):
            pipeline.add_component(name, make(chat_generator=SlowBoth(said, 0.01)))
        given = {"one": inputs(3), "two": inputs(5)}
        for output in (pipeline.run(given), asyncio.run(pipeline.run_async(given))):
            assert [len(output[name]["results"]) for name in ("one", "two")] == [3, 5]

    def test_two_loops_two_threads_and_a_running_loop(self, make, inputs, said):
        lengths = []
        with Endpoint(faults=right(said)) as endpoint:
            own = make(chat_generator=openai(endpoint), progress_bar=False)

            async def notebook():
                return own.run(**inputs(2))

            def work(run):
                lengths.append(len(run()["results"]))

            runs = [
                lambda: own.run(**inputs(2)),
                lambda: asyncio.run(own.run_async(**inputs(2))),
                lambda: asyncio.run(own.run_async(**inputs(2))),
                lambda: asyncio.run(notebook()),
            ]
            for run in runs:
                work(run)
            threads = [threading.Thread(target=work, args=(run,)) for run in runs]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert lengths == [2] * 8


@each
class TestWithoutAKey:
    def test_construction_serialisation_and_drawing(self, make, inputs, said):
        pipeline = Pipeline()
        pipeline.add_component("one", make())
        assert Pipeline.loads(pipeline.dumps()).dumps() == pipeline.dumps()
        assert "one" in repr(pipeline)

    def test_warm_up_and_run_name_the_variable(self, make, inputs, said):
        own = make(progress_bar=False, raise_on_failure=False)
        with pytest.raises(JudgeSetupError, match="OPENAI_API_KEY"):
            own.warm_up()
        with pytest.raises(JudgeSetupError, match="OPENAI_API_KEY"):
            own.run(**inputs(1))
        with pytest.raises(JudgeSetupError, match="OPENAI_API_KEY"):
            asyncio.run(own.run_async(**inputs(1)))
        pipeline = Pipeline()
        pipeline.add_component("one", make(chat_generator=OpenAIChatGenerator()))
        with pytest.raises((PipelineRuntimeError, JudgeSetupError), match="OPENAI_API_KEY"):
            pipeline.run({"one": inputs(1)})


@each
class TestTheDefaultGenerator:
    def test_is_openai_in_json_mode(self, make, inputs, said, monkeypatch):
        with Endpoint(faults=right(said), key="sk-own") as endpoint:
            monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
            monkeypatch.setenv("OPENAI_API_KEY", "sk-own")
            own = make(progress_bar=False)
            own.warm_up()
            own.warm_up()
            assert endpoint.count == 0
            output = own.run(**inputs(2))
            own.close()
            asyncio.run(own.close_async())
            assert own.run(**inputs(2)) == output
        body = endpoint.requests[0].body
        assert (body["response_format"], body["seed"]) == ({"type": "json_object"}, 42)
        assert [meta["usage"]["total_tokens"] > 0 for meta in output["meta"]] == [True, True]


@each
class TestSerialisation:
    def test_a_pipeline_with_all_settings(self, make, inputs, said, tmp_path):
        generator = OpenAIChatGenerator(
            api_key=Secret.from_env_var("MY_KEY"), model="gpt-4o", generation_kwargs={"seed": 1}
        )
        settings = {
            "progress_bar": False,
            "raise_on_failure": False,
            "max_concurrency": 3,
            "journal": tmp_path / "replies.db",
        }
        pipeline = Pipeline()
        pipeline.add_component("one", make(chat_generator=generator, **settings))
        pipeline.add_component("two", make(judge="openai/gpt-4o", **settings))
        text = pipeline.dumps()
        again = Pipeline.loads(text)
        assert again.dumps() == text
        own = again.get_component("one")
        assert (own.chat_generator.model, own.chat_generator.api_key) == (
            "gpt-4o",
            Secret.from_env_var("MY_KEY"),
        )
        assert again.inputs() == pipeline.inputs()
        assert "MY_KEY" in text

    def test_examples_and_what_was_read_works(self, make, inputs, said):
        data = make(chat_generator=MockChatGenerator(said), progress_bar=False).to_dict()
        data["init_parameters"]["examples"] = [{"inputs": {"a": "b"}, "outputs": {"c": [1]}}]
        own = make.from_dict(data) if make is not llm else LLMEvaluator.from_dict(data)
        again = type(own).from_dict(json.loads(json.dumps(data)))
        assert again.to_dict() == data
        assert again.run(**inputs(1))["results"] == own.run(**inputs(1))["results"]

    def test_what_haystack_s_own_component_wrote_down_is_taken(self, make, inputs, said):
        own = make(chat_generator=MockChatGenerator(said))
        kind = getattr(evaluators, type(own).__name__)
        settings = {"chat_generator": MockChatGenerator(said), "progress_bar": False}
        theirs = llm(kind, **settings) if make is llm else kind(**settings)
        data = theirs.to_dict()
        text = json.dumps({**data, "type": own.to_dict()["type"]})
        again = type(own).from_dict(json.loads(text))  # a mock changes what it is made from
        for name, value in data["init_parameters"].items():
            assert again.to_dict()["init_parameters"][name] == value
        assert len(again.run(**inputs(2))["results"]) == 2

    def test_a_judge_without_a_name_cannot_be_written_down(self, make, inputs, said):
        with pytest.raises(SerializationError, match="judge"):
            make(judge=Scripted({})).to_dict()


@each
class TestBeyond:
    def test_the_journal_pays_for_nothing_twice(self, make, inputs, said, tmp_path):
        calls = []
        journal = str(tmp_path / "replies.db")
        with Endpoint(faults=right(said)) as endpoint:
            for _ in range(2):
                own = make(judge=f"{endpoint.base_url}#m", journal=journal, progress_bar=False)
                calls.append((own.run(**inputs(3)), endpoint.count))
        (first, one), (second, two) = calls
        assert first == second
        assert (one, two) == (3, 3)

    def test_what_an_evaluation_run_result_takes(self, make, inputs, said):
        output = make(chat_generator=MockChatGenerator(said)).run(**inputs(2))
        if "score" in output:
            result = EvaluationRunResult("run", inputs(2), {"m": output})
            assert result.aggregated_report(output_format="json")["score"] == [1.0]

    def test_spans_around_the_run_and_each_call(self, make, inputs, said):
        tracer = Recording()
        tracing.enable_tracing(tracer)
        try:
            make(chat_generator=MockChatGenerator(said)).run(**inputs(3))
        finally:
            tracing.disable_tracing()
        names = [name for name, _ in tracer.spans]
        assert names[0] == "troth.evaluator.run"
        assert names[1:] == ["haystack.chat_generator.run"] * 3
        assert tracer.spans[1][1]["haystack.component.type"] == "MockChatGenerator"


class Recording(tracing.Tracer):
    """Remembers the spans that were made."""

    def __init__(self):
        self.spans = []

    @contextlib.contextmanager
    def trace(self, operation_name, tags=None, parent_span=None):
        self.spans.append((operation_name, tags or {}))
        yield _Quiet()

    def current_span(self):
        return None


class _Quiet(tracing.Span):
    def set_tag(self, key, value):
        pass
