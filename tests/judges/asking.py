"""Putting asks to the OpenAI-compatible judge; shared by its tests."""

from __future__ import annotations

import asyncio

import pytest

from tests.endpoint import Endpoint
from troth.asks import Item, Relevance, Support, Usefulness
from troth.judges.openai import OpenAIChat

KEY = "sk-very-secret-0123456789"
SUPPORT = Support(
    items=(Item("a1", "Paris is the capital."), Item("a2", "It is big.")),
    contexts=(Item("c1", "Paris is the capital of France."),),
    question="What is the capital?",
)
RELEVANCE = Relevance(items=(Item("a1", "Paris."),), question="What is the capital?")
USEFULNESS = Usefulness(items=(Item("c1", "Paris."),), question="What?", references=("Paris",))


@pytest.fixture(autouse=True)
def environment(monkeypatch):
    """An environment without keys, with a proxy that is not there."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    # A request that took it would fail.
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")


async def asked(judge, asks, problem):
    await judge.start()
    try:
        return await asyncio.gather(*(judge.reply(ask, problem) for ask in asks))
    finally:
        await judge.close()


def ask(endpoint, *asks, problem=None, **settings):
    """The replies of a new judge to `asks`, all put at once."""
    judge = OpenAIChat(base_url=endpoint.base_url, **settings)
    return asyncio.run(asked(judge, asks or [SUPPORT], problem))


def fails(error, faults, **settings):
    """The error of one ask, and how many requests it cost."""
    with Endpoint(faults=faults) as endpoint, pytest.raises(error) as caught:
        ask(endpoint, api_key=KEY, **settings)
    assert KEY not in str(caught.value) + repr(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
    return caught.value, endpoint.count
