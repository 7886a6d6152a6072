"""Haystack's own chat generator as the judge of `DeepEvalEvaluator`."""

import asyncio

import pytest
from haystack import Pipeline, component
from haystack.components.generators.chat import OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from tests.endpoint import Endpoint
from troth.errors import JudgeSetupError
from troth.haystack import DeepEvalEvaluator


def many(n):
    return {
        "questions": [f"What is {i}?" for i in range(n)],
        "contexts": [[f"Row {i} is known."] for i in range(n)],
        "responses": [f"Row {i} is known." for i in range(n)],
    }


def generator(endpoint):
    return OpenAIChatGenerator(
        api_key=Secret.from_env_var("A_KEY"), model="m", api_base_url=endpoint.base_url
    )


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("A_KEY", "sk-for-nobody")
    with Endpoint(key="sk-for-nobody") as running:
        yield running


def test_run_run_async_and_a_pipeline_of_its_yaml(endpoint):
    one = DeepEvalEvaluator("faithfulness", chat_generator=generator(endpoint), max_concurrency=4)
    assert one.run(**many(5))["individual_scores"] == [1.0] * 5
    for _ in range(2):  # each time on a loop of its own
        assert asyncio.run(one.run_async(**many(5)))["individual_scores"] == [1.0] * 5
    one.close()
    pipeline = Pipeline()
    pipeline.add_component("one", one)
    text = pipeline.dumps()
    assert "sk-for-nobody" not in text
    loaded = Pipeline.loads(text)
    assert loaded.dumps() == text
    assert loaded.run({"one": many(2)})["one"]["score"] == 1.0
    assert asyncio.run(loaded.run_async({"one": many(2)}))["one"]["score"] == 1.0
    loaded.close()


def test_it_is_warmed_up_with_the_component_and_closed_with_it(endpoint):
    inner = generator(endpoint)
    one = DeepEvalEvaluator("faithfulness", chat_generator=inner)
    assert inner.client is None
    one.warm_up()
    assert inner.client is not None
    one.close()
    assert inner.client is None
    assert one.run(**many(1))["score"] == 1.0


def test_a_missing_key_is_named_before_anything_is_asked(endpoint, monkeypatch):
    monkeypatch.delenv("A_KEY")
    one = DeepEvalEvaluator("faithfulness", chat_generator=generator(endpoint))
    for act in (one.warm_up, lambda: one.run(**many(1))):
        with pytest.raises(JudgeSetupError, match="A_KEY"):
            act()
    assert endpoint.requests == []


@pytest.mark.parametrize("replies", [[], [ChatMessage.from_assistant(text=None, tool_calls=[])]])
def test_replies_without_text_fail_their_row(replies):
    @component
    class Silent:
        @component.output_types(replies=list[ChatMessage])
        def run(self, messages: list[ChatMessage]):
            return {"replies": replies}

    output = DeepEvalEvaluator("faithfulness", chat_generator=Silent()).run(**many(2))
    assert output["individual_scores"] == [None, None]
    assert [row["status"] for [row] in output["results"]] == ["failed", "failed"]
