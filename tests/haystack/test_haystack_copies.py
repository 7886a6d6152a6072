"""Components are copied, with a pipeline or by themselves, and pickled; the copies work."""

import asyncio
import copy
import json
import pickle

import pytest
from haystack import Document, Pipeline
from haystack.components.generators.chat import MockChatGenerator, OpenAIChatGenerator
from haystack.dataclasses import ChatMessage
from haystack.utils import Secret

from tests.endpoint import Endpoint
from tests.judges.test_chat_generator import KEY, saying
from troth.haystack import (
    AnswerExactMatchEvaluator,
    AnswerF1Evaluator,
    ContextRelevanceEvaluator,
    DeepEvalEvaluator,
    DocumentMAPEvaluator,
    DocumentMRREvaluator,
    DocumentNDCGEvaluator,
    DocumentRecallEvaluator,
    FaithfulnessEvaluator,
    LLMEvaluator,
    SASEvaluator,
)
from troth.judges.openai import OpenAIChat

ANSWERS = {"ground_truth_answers": ["Paris"], "predicted_answers": ["in Paris"]}
DOCUMENTS = {
    "ground_truth_documents": [[Document(content="a"), Document(content="b")]],
    "retrieved_documents": [[Document(content="x"), Document(content="b")]],
}
ROW = {"questions": ["Where?"], "contexts": [["It is in Paris."]]}
JUDGED = {**ROW, "responses": ["It is in Paris."]}
LLM = {**ROW, "predicted_answers": ["It is in Paris."]}
FORM = json.dumps({"x": 1})


def said(messages: list[ChatMessage]) -> str:
    return FORM


def own(**options):
    return LLMEvaluator("Say x.", [("questions", list[str])], ["x"], [], **options)


COMPONENTS = {
    "em": (lambda: AnswerExactMatchEvaluator(normalize="squad"), ANSWERS),
    "em of several": (
        lambda: AnswerExactMatchEvaluator(multiple_references=True),
        {**ANSWERS, "ground_truth_answers": [["Paris", "in Paris"]]},
    ),
    "f1": (AnswerF1Evaluator, ANSWERS),
    "sas": (lambda: SASEvaluator("builtin"), ANSWERS),
    "recall": (lambda: DocumentRecallEvaluator("multi_hit"), DOCUMENTS),
    "mrr": (lambda: DocumentMRREvaluator(match="span"), DOCUMENTS),
    "map": (DocumentMAPEvaluator, DOCUMENTS),
    "ndcg": (DocumentNDCGEvaluator, DOCUMENTS),
    "deepeval": (lambda: DeepEvalEvaluator("faithfulness", {"model": "builtin"}), JUDGED),
    "faithfulness": (lambda: FaithfulnessEvaluator(judge="builtin"), LLM),
    "relevance": (lambda: ContextRelevanceEvaluator(judge="builtin"), ROW),
    "llm": (lambda: own(chat_generator=MockChatGenerator(response_fn=said)), {"questions": ["q"]}),
}
KINDS = {"deepcopy": copy.deepcopy, "pickle": lambda one: pickle.loads(pickle.dumps(one))}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", COMPONENTS)
def test_a_copy_works_before_and_after_a_run(kind, name):
    make, inputs = COMPONENTS[name]
    component = make()
    for _ in range(2):
        copied = KINDS[kind](component)
        assert type(copied) is type(component)
        assert copied is not component
        assert copied.to_dict() == component.to_dict()
        assert copied.run(**inputs) == component.run(**inputs)
        sockets = copied.__haystack_input__, component.__haystack_input__
        assert repr(sockets[0]) == repr(sockets[1])
        assert sockets[0] is not sockets[1]
        if hasattr(component, "close"):
            component.close()
        assert copied.run(**inputs) == asyncio.run(component.run_async(**inputs))


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_with_a_key_asks_with_it(kind, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    reply = json.dumps({"verdicts": [{"id": "c1", "label": "supported", "reason": "r"}]})
    with Endpoint(faults=saying(reply), key=KEY) as endpoint:
        params = {
            "model": "m",
            "base_url": endpoint.base_url,
            "api_key": Secret.from_env_var("MY_KEY"),
        }
        component = DeepEvalEvaluator("faithfulness", params)
        copied = KINDS[kind](component)
        assert copied.to_dict() == component.to_dict()
        asked = [one.run(**JUDGED) for one in (component, copied, KINDS[kind](component))]
        assert {r.headers["Authorization"] for r in endpoint.requests} == {f"Bearer {KEY}"}
    assert asked[0] == asked[1] == asked[2]


def test_a_copy_of_one_whose_generator_holds_connections():
    with Endpoint(faults=saying(FORM)) as endpoint:
        generator = OpenAIChatGenerator(
            api_base_url=endpoint.base_url, api_key=Secret.from_token(KEY)
        )
        component = own(chat_generator=generator)
        expected = component.run(questions=["q"])["results"]
        copied = copy.deepcopy(component)
        assert copied.run(questions=["q"])["results"] == expected
        copied.close()
        assert component.run(questions=["q"])["results"] == expected


def test_a_copy_of_one_that_is_running_its_judge_is_not_the_same_pace_twice():
    judge = OpenAIChat(base_url="http://127.0.0.1:9/v1", rpm=5)
    copied = copy.deepcopy(DeepEvalEvaluator("faithfulness", judge=judge))
    assert copied.judge is judge


def test_a_judge_by_itself_is_copied_too():
    judge = OpenAIChat("m", base_url="http://127.0.0.1:9/v1", rpm=5, tpm=9)
    for make in KINDS.values():
        assert make(judge).identity() == judge.identity()


def test_a_pipeline_is_copied():
    pipeline = Pipeline()
    for name, (make, _) in COMPONENTS.items():
        pipeline.add_component(name, make())
    data = {name: inputs for name, (_, inputs) in COMPONENTS.items()}
    expected = pipeline.run(data)
    assert copy.deepcopy(pipeline).run(data) == expected


def test_the_default_generator_is_closed_on_any_loop(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with Endpoint(faults=saying(FORM)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
        component = own()

        async def main(close):
            found = await component.run_async(questions=["q"])
            if close:
                await component.close_async()
            return found["results"]

        found = [asyncio.run(main(close)) for close in (False, False, True, True, False)]
        asyncio.run(component.close_async())
        found.append(component.run(questions=["q"])["results"])
    assert found == [[{"x": 1}]] * 6
