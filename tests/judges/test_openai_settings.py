"""Keys, headers, further fields and languages of the OpenAI-compatible judge."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest

from tests.endpoint import Endpoint
from tests.judges.asking import (
    KEY,
    SUPPORT,
    ask,
    asked,
    environment,  # noqa: F401 - applies to all tests here
)
from troth.errors import JudgeSetupError, UsageError
from troth.judges.openai import OpenAIChat


class TestKeysThatChange:
    def test_each_request_gets_its_own(self):
        keys = iter(["first", "second", "third", "fourth"])
        with Endpoint() as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url, api_key=lambda: next(keys))
            asyncio.run(asked(judge, [SUPPORT] * 2, None))
        used = [request.headers["Authorization"] for request in endpoint.requests]
        assert used == ["Bearer second", "Bearer third"]  # the first was for the start

    @pytest.mark.parametrize("key", [lambda: 1 / 0, lambda: None, lambda: b"k", lambda: "ключ"])
    def test_one_that_cannot_be_had_is_told_at_the_start(self, key):
        judge = OpenAIChat(base_url="http://127.0.0.1:9/v1", api_key=key)
        with pytest.raises(JudgeSetupError, match=r"^http://127.0.0.1:9/v1.*key"):
            asyncio.run(judge.start())

    def test_what_the_function_complains_about_is_not_shown(self):
        def key():
            raise RuntimeError(KEY)

        with pytest.raises(JudgeSetupError, match="RuntimeError") as caught:
            asyncio.run(OpenAIChat(api_key=key).start())
        assert KEY not in str(caught.value)
        assert caught.value.__suppress_context__

    def test_a_key_that_the_server_echoes_is_masked(self):
        with Endpoint(faults=["echoed_key:401"]) as endpoint:
            with pytest.raises(JudgeSetupError) as caught:
                ask(endpoint, api_key=lambda: KEY)
            assert KEY not in str(caught.value)

    @pytest.mark.parametrize("header", ["api-key", "Authorization", "x-api-key"])
    def test_a_header_that_authorizes_is_enough(self, header, monkeypatch):
        monkeypatch.setenv("OPENAI_API_KEY", "another")
        with Endpoint() as endpoint:
            ask(endpoint, headers={header: KEY})
        [request] = endpoint.requests
        assert request.headers[header] == KEY
        assert "another" not in str(request.headers)
        asyncio.run(OpenAIChat(headers={header: KEY}).start())  # OpenAI itself is content too

    @pytest.mark.parametrize(
        ("headers", "named"),
        [({"X": 5}, "'X'"), ({"X-A": f"{KEY}\r\nX: y"}, "'X-A'"), ({"X": "\ud83d"}, "'X'"),
         ({5: "x"}, "5"), ({"a b": KEY}, "'a b'"), ({"": "x"}, "''"), ([("X", KEY)], "map")],
    )  # fmt: skip
    def test_what_cannot_be_sent_is_refused(self, headers, named):
        with pytest.raises(UsageError, match=f"headers.*{named}") as caught:
            OpenAIChat(headers=headers)
        assert KEY not in str(caught.value)


class TestExtraBody:
    def test_it_is_sent_and_wins(self):
        extra = {"seed": 7, "temperature": 0.3, "provider": {"order": ["x"]}}
        with Endpoint() as endpoint:
            ask(endpoint, extra_body=extra)
        body = endpoint.requests[0].body
        assert {name: body[name] for name in extra} == extra

    def test_it_is_part_of_the_key_whatever_its_order(self):
        def key(**extra):
            return OpenAIChat(extra_body=extra).key(SUPPORT)

        assert len({key(), key(a=1, b=2), key(b=2, a=1), key(a=1, b=3)}) == 3

    def test_log_probabilities_are_part_of_the_key(self):
        keys = {OpenAIChat(logprobs=choice).key(SUPPORT) for choice in (False, None, True)}
        assert len(keys) == 3

    @pytest.mark.parametrize("extra", [{"messages": []}, {"model": "m"}, {"stream": True}])
    def test_it_must_not_hold_what_the_judge_says(self, extra):
        with pytest.raises(UsageError, match=f"extra_body.*{next(iter(extra))}"):
            OpenAIChat(extra_body=extra)

    def test_it_must_be_json(self):
        with pytest.raises(UsageError, match="extra_body must be JSON"):
            OpenAIChat(extra_body={"x": object()})

    def test_what_repeats_a_run_shows_it_without_secrets(self):
        extra = {"seed": 7, "max_tokens": 9, "sources": [{"api_key": KEY, "secret": KEY}]}
        judge = OpenAIChat(extra_body=extra, logprobs=True)
        shown = json.dumps(judge.identity())
        assert KEY not in shown
        assert '"seed": 7' in shown
        assert '"max_tokens": 9' in shown
        assert '"logprobs": true' in shown


class TestMessages:
    def test_roles_alternate_and_the_beginning_keeps_its_bytes(self):
        with Endpoint() as endpoint:
            ask(endpoint)
            ask(endpoint, problem="id 'a2' is missing")
        first, again = (request.body["messages"] for request in endpoint.requests)
        assert [m["role"] for m in again] == [m["role"] for m in first] == ["system", "user"]
        assert again[1]["content"].startswith(first[1]["content"] + "\n\n")
        assert "id 'a2' is missing" in again[1]["content"]

    def test_what_would_be_sent_is_what_is_sent(self):
        with Endpoint() as endpoint:
            ask(endpoint)
        sent = [m["content"] for m in endpoint.requests[0].body["messages"]]
        assert OpenAIChat().sent(SUPPORT) == "\n".join(sent)

    def test_the_language_may_be_that_of_the_texts(self):
        chinese = replace(SUPPORT, question="首都是哪里？")
        with Endpoint() as endpoint:
            ask(endpoint, chinese, language="auto")
            ask(endpoint, SUPPORT, language="auto")
            ask(endpoint, SUPPORT, language="en")
        prompts = [request.body["messages"][0]["content"] for request in endpoint.requests]
        assert prompts[0] != prompts[1] == prompts[2]
        assert OpenAIChat(language="auto").identity()["prompts"]
