"""The OpenAI-compatible judge against a real server on loopback."""

from __future__ import annotations

import asyncio
import json
import threading
import time

import pytest

from tests.endpoint import Endpoint
from tests.judges.asking import (
    KEY,
    RELEVANCE,
    SUPPORT,
    USEFULNESS,
    ask,
    asked,
    environment,  # noqa: F401 - applies to all tests here
    fails,
)
from troth.asks import Item, Relevance
from troth.errors import JudgeSetupError, JudgeUnavailable, UsageError
from troth.judges.openai import OpenAIChat
from troth.score import Usage


class TestWhatIsSent:
    @pytest.mark.parametrize("question", [SUPPORT, RELEVANCE, USEFULNESS], ids=lambda a: a.name)
    def test_one_request_with_structured_output(self, question):
        with Endpoint() as endpoint:
            [reply] = ask(endpoint, question, model="m")
        [request] = endpoint.requests
        assert request.path == "/v1/chat/completions"
        assert request.body["model"] == "m"
        assert request.body["temperature"] == 0.0
        form = request.body["response_format"]
        assert form["type"] == "json_schema"
        assert form["json_schema"]["name"] == question.name
        assert form["json_schema"]["strict"] is True
        verdicts = json.loads(reply.content)["verdicts"]
        assert [verdict["id"] for verdict in verdicts] == [item.id for item in question.items]

    def test_a_problem_is_told(self):
        with Endpoint() as endpoint:
            ask(endpoint, problem="id 'a2' is missing")
        assert "id 'a2' is missing" in endpoint.requests[0].body["messages"][-1]["content"]

    def test_temperature_none_is_not_sent(self):
        with Endpoint() as endpoint:
            ask(endpoint, temperature=None)
        assert "temperature" not in endpoint.requests[0].body

    def test_texts_of_all_scripts_arrive(self):
        with Endpoint(label=lambda text, name: "irrelevant" if "北京" in text else "relevant") as e:
            items = (Item("a1", "北京 😀 \u2028"), Item("a2", "É \x00 \ud83d"))
            [reply] = ask(e, Relevance(items=items, question="?"))
        labels = [verdict["label"] for verdict in json.loads(reply.content)["verdicts"]]
        assert labels == ["irrelevant", "relevant"]

    def test_the_query_of_the_base_url_and_headers_are_kept(self):
        with Endpoint() as endpoint:
            judge = OpenAIChat(
                base_url=endpoint.base_url + "/?api-version=1", headers={"api-key": KEY}
            )
            asyncio.run(asked(judge, [SUPPORT], None))
        [request] = endpoint.requests
        assert request.path == "/v1/chat/completions?api-version=1"
        assert request.headers["api-key"] == KEY
        assert "Authorization" not in request.headers


class TestKeys:
    def test_a_missing_key_is_told_at_the_start(self):
        judge = OpenAIChat()
        with pytest.raises(JudgeSetupError, match=r"OPENAI_API_KEY.*builtin"):
            asyncio.run(judge.start())

    def test_the_key_is_read_at_the_start(self, monkeypatch):
        with Endpoint(key=KEY) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url)
            monkeypatch.setenv("OPENAI_API_KEY", KEY + "\n")
            asyncio.run(asked(judge, [SUPPORT], None))
        assert endpoint.statuses == {200: 1}

    def test_the_base_url_may_come_from_the_environment_and_needs_no_key(self, monkeypatch):
        with Endpoint() as endpoint:
            monkeypatch.setenv("OPENAI_BASE_URL", endpoint.base_url)
            asyncio.run(asked(OpenAIChat(), [SUPPORT], None))
        assert "Authorization" not in endpoint.requests[0].headers

    def test_names_and_reprs_show_no_secret(self):
        assert OpenAIChat().name == "openai/gpt-4o-mini"
        judge = OpenAIChat(
            "m",
            base_url="http://user:pw-secret@localhost:8000/v1/?key=q-secret",
            api_key=KEY,
            headers={"X-Token": "h-secret"},
        )
        assert judge.name == "http://localhost:8000/v1#m"
        assert "secret" not in repr(judge)

    @pytest.mark.parametrize("status", [400, 401, 429])
    def test_a_key_that_the_server_echoes_is_masked(self, status):
        error, count = fails(JudgeSetupError, [f"echoed_key:{status}"])
        assert "***" in str(error)
        assert count == 1

    def test_a_key_that_cannot_be_sent(self):
        with pytest.raises(JudgeSetupError, match="characters"):
            asyncio.run(OpenAIChat(api_key="sk-ключ").start())

    @pytest.mark.parametrize(
        "settings",
        [
            {"base_url": "localhost:8000"},
            {"base_url": "ftp://host/v1"},
            {"base_url": "http://host:99999/v1"},
            {"base_url": "http://a..b/v1"},
            {"base_url": f"http://{'a' * 64}.b/v1"},
            {"base_url": "http://a b/v1"},
            {"logprobs": 1},
            {"model": ""},
            {"temperature": 3},
            {"temperature": float("nan")},
            {"concurrency": 0},
            {"timeout": 0},
            {"retries_for": -1},
        ],
    )
    def test_impossible_settings(self, settings):
        with pytest.raises(UsageError, match=next(iter(settings))):
            OpenAIChat(**settings)


class TestFallbacks:
    @pytest.mark.parametrize(
        ("refuses", "requests", "form"),
        [
            (["json_schema"], 2, {"type": "json_object"}),
            (["json_schema", "json_object"], 3, None),
            (["temperature", "json_schema"], 3, {"type": "json_object"}),
        ],
    )
    def test_what_is_refused_is_remembered(self, refuses, requests, form):
        with Endpoint(refuses=refuses) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url)
            asyncio.run(asked(judge, [SUPPORT], None))
            assert endpoint.count == requests
            [reply] = asyncio.run(asked(judge, [SUPPORT], None))
        assert endpoint.count == requests + 1
        assert endpoint.requests[-1].body.get("response_format") == form
        assert ("temperature" in endpoint.requests[-1].body) == ("temperature" not in refuses)
        assert len(json.loads(reply.content)["verdicts"]) == 2

    def test_concurrent_first_calls_find_it_out_once(self):
        with Endpoint(refuses=["json_schema", "json_object", "temperature"], latency=0.02) as e:
            replies = ask(e, *[SUPPORT] * 20)
        assert len(replies) == 20
        assert e.statuses == {400: 3, 200: 20}

    def test_a_slow_first_call_does_not_hold_up_the_others(self):
        plan = iter(["hang:2.5"])
        with Endpoint(faults=lambda body: next(plan, None)) as endpoint:
            started = time.monotonic()
            judge = OpenAIChat(base_url=endpoint.base_url)

            async def second():
                slow = asyncio.create_task(judge.reply(SUPPORT))
                await asyncio.sleep(0.1)
                await judge.reply(RELEVANCE)
                slow.cancel()
                await judge.close()

            asyncio.run(second())
        assert time.monotonic() - started < 2.4

    def test_another_400_is_the_rows_failure(self):
        error, count = fails(JudgeUnavailable, ["status:400"])
        assert "simulated 400" in str(error)
        assert count == 1


class TestProxies:
    """The other tests show that loopback is never reached through one."""

    def test_the_environments_proxy_is_used(self, monkeypatch):
        with Endpoint() as endpoint:
            monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{endpoint.port}")
            judge = OpenAIChat(base_url="http://models.invalid/v1")
            [reply] = asyncio.run(asked(judge, [SUPPORT], None))
        assert reply.usage.calls == 1
        assert endpoint.requests[0].headers["Host"] == "models.invalid"

    def test_a_kind_of_proxy_that_cannot_be_used_is_named(self, monkeypatch):
        monkeypatch.setenv("http_proxy", "socks5://user:pw@127.0.0.1:9")
        with pytest.raises(JudgeSetupError, match="socks5") as caught:
            asyncio.run(OpenAIChat(base_url="http://models.invalid/v1").start())
        assert "pw" not in str(caught.value)

    @pytest.mark.parametrize(
        "proxy",
        [
            "http://127.0.0.1:99999",
            "http://[bad",
            "http://u:secret@exa mple:80",
            "http://",
            "a..b:1",
        ],
    )
    @pytest.mark.parametrize("name", ["http_proxy", "all_proxy"])
    def test_a_proxy_that_is_no_address_ends_the_run_at_once(self, monkeypatch, proxy, name):
        for other in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
            monkeypatch.delenv(other, raising=False)
        monkeypatch.setenv(name, proxy)
        with pytest.raises(JudgeSetupError, match=name.upper()) as caught:
            asyncio.run(OpenAIChat(base_url="http://models.invalid/v1").start())
        assert "secret" not in str(caught.value)


class TestUsage:
    def test_tokens_are_counted(self):
        with Endpoint() as endpoint:
            [reply] = ask(endpoint)
        sent = sum(len(m["content"]) for m in endpoint.requests[0].body["messages"])
        assert reply.usage == Usage(1, sent // 4, len(reply.content) // 4)

    @pytest.mark.parametrize("form", ["absent", "null", "strings", "negative"])
    def test_usage_that_says_nothing_is_zero(self, form):
        with Endpoint(faults=[f"usage:{form}"]) as endpoint:
            [reply] = ask(endpoint)
        assert reply.usage == Usage(1, 0, 0)


class TestLoops:
    def test_no_more_than_concurrency_are_in_flight(self):
        with Endpoint(latency=0.05) as endpoint:
            ask(endpoint, *[SUPPORT] * 20, concurrency=4)
        assert endpoint.count == 20
        assert endpoint.in_flight_max == 4

    def test_closed_and_started_again(self, recwarn):
        with Endpoint() as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url)
            for _ in range(2):
                asyncio.run(asked(judge, [SUPPORT], None))
            asyncio.run(judge.close())
        assert endpoint.count == 2
        assert not [w for w in recwarn if issubclass(w.category, ResourceWarning)]

    def test_two_threads_at_once(self):
        with Endpoint(latency=0.05) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url)
            replies = []

            def work():
                replies.extend(asyncio.run(asked(judge, [SUPPORT] * 10, None)))

            threads = [threading.Thread(target=work) for _ in range(2)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len(replies) == 20
        assert endpoint.statuses == {200: 20}

    def test_a_cancelled_call_gives_its_slot_back(self):
        with Endpoint(faults=["hang"]) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url, concurrency=1)

            async def main():
                first = asyncio.create_task(judge.reply(SUPPORT))
                await asyncio.sleep(0.2)
                first.cancel()
                reply = await asyncio.wait_for(judge.reply(SUPPORT), 5)
                await judge.close()
                return reply

            assert asyncio.run(main()).usage.calls == 1


class TestJournalKey:
    def test_it_holds_all_that_decides_the_reply_and_nothing_else(self, monkeypatch):
        def key(question=SUPPORT, problem=None, **settings):
            return OpenAIChat(**settings).key(question, problem)

        same = [key(), key(api_key=KEY), key(timeout=5, concurrency=2, retries_for=1)]
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert len({*same, key()}) == 1
        different = [
            key(RELEVANCE),
            key(problem="p"),
            key(model="other"),
            key(temperature=0.5),
            key(temperature=None),
            key(base_url="http://localhost:1/v1"),
            key(base_url="http://localhost:1/v1?api-version=2"),
        ]
        assert len({*same, *different}) == 1 + len(different)

    def test_it_does_not_change_with_what_the_endpoint_refused(self):
        with Endpoint(refuses=["json_schema", "temperature"]) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url)
            before = judge.key(SUPPORT)
            asyncio.run(asked(judge, [SUPPORT], None))
        assert judge.key(SUPPORT) == before
