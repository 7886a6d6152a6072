"""What the OpenAI-compatible judge makes of an endpoint that fails."""

from __future__ import annotations

import asyncio
import json
import time
from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.endpoint import Endpoint
from tests.endpoint.faults import error as http_error
from tests.judges.asking import (
    SUPPORT,
    ask,
    asked,
    environment,  # noqa: F401 - applies to all tests here
    fails,
)
from troth.asks import SupportWhole
from troth.errors import JudgeError, JudgeSetupError, JudgeUnavailable
from troth.judges.base import Reply
from troth.judges.openai import OpenAIChat
from troth.judges.openai_reply import Passing, Refused, Response, read
from troth.score import Usage


class TestFaults:
    @pytest.mark.parametrize("status", [401, 402, 403, 404, 405])
    def test_what_no_retry_can_mend_ends_the_run(self, status):
        error, count = fails(JudgeSetupError, [f"status:{status}"])
        assert f"simulated {status}" in str(error)
        assert count == 1

    def test_a_spent_quota_ends_the_run(self):
        error, count = fails(JudgeSetupError, ["status:429::insufficient_quota"])
        assert "quota" in str(error)
        assert count == 1

    def test_a_redirect_is_not_followed(self):
        error, count = fails(JudgeSetupError, ["redirect:http://127.0.0.1:9/v1"])
        assert "127.0.0.1:9" in str(error)
        assert count == 1

    @pytest.mark.parametrize(
        "fault",
        [*(f"status:{s}" for s in (408, 429, 500, 502, 503, 504, 529)), "dropped", "cut_body",
         "error_in_200"],
    )  # fmt: skip
    def test_passing_faults_are_retried(self, fault, monkeypatch):
        monkeypatch.setattr("troth.judges.openai_wire._FIRST_BACKOFF", 0.01)
        with Endpoint(faults=[fault, fault]) as endpoint:
            [reply] = ask(endpoint)
        assert endpoint.count == 3
        assert reply.usage.calls == 1

    @pytest.mark.parametrize("fault", ["status:503", "status:429:0", "dropped"])
    def test_retries_end_by_time(self, fault):
        started = time.monotonic()
        with Endpoint(faults=lambda body: fault) as endpoint, pytest.raises(JudgeUnavailable) as e:
            ask(endpoint, retries_for=0.4)
        assert 0.4 <= time.monotonic() - started < 2
        assert "0.4 s" in str(e.value)
        assert 2 <= endpoint.count < 30

    def test_no_retries(self):
        _, count = fails(JudgeUnavailable, ["status:503"], retries_for=0)
        assert count == 1

    def test_retry_after_is_obeyed_by_all_calls(self):
        with Endpoint(faults=["status:429:1"]) as endpoint:
            ask(endpoint, *[SUPPORT] * 5)
        first, *others = [request.at for request in endpoint.requests]
        assert len(others) == 5
        assert min(others) - first >= 0.99

    def test_retry_after_may_be_a_date(self):
        async def dated(exchange):
            when = formatdate(time.time() + 2, usegmt=True)
            return http_error(503, "busy", Retry_After=when)

        with Endpoint(faults=[dated]) as endpoint:
            ask(endpoint)
        first, second = (request.at for request in endpoint.requests)
        assert 0.9 <= second - first < 3.5

    @pytest.mark.parametrize("fault", [503, 429])
    def test_a_retry_after_of_no_time_sets_no_pace(self, fault):
        async def hurried(exchange):
            return http_error(fault, "busy", Retry_After="0.001")

        with Endpoint(faults=lambda body: hurried) as endpoint, pytest.raises(JudgeUnavailable):
            ask(endpoint, retries_for=0.5)
        assert endpoint.count < 20

    def test_a_date_without_a_zone_is_universal_time(self, monkeypatch):
        when = formatdate(time.time() + 60).replace("+0000", "-0000")
        assert "-0000" in when
        try:
            monkeypatch.setenv("TZ", "America/New_York")
            time.tzset()
            for date in (when, when.removesuffix(" -0000")):
                with pytest.raises(Passing) as caught:
                    read(Response(503, "", {"retry-after": date}, b"{}"))
                assert 50 < caught.value.wait < 70
        finally:
            monkeypatch.undo()
            time.tzset()

    @pytest.mark.parametrize("last", [400, 503])
    def test_what_was_paid_before_a_fault_is_not_lost(self, last):
        async def think(exchange):
            if "max_tokens" in exchange.body:
                return exchange.say("<think>", finish_reason="length")
            return http_error(last, "no")

        word = SupportWhole(items=SUPPORT.items[:1], contexts=SUPPORT.contexts)
        with Endpoint(faults=lambda body: think) as endpoint:
            with pytest.raises(JudgeUnavailable) as caught:
                ask(endpoint, word, retries_for=0.1)
            spent = caught.value.usage
            assert spent == Usage(1, endpoint.prompt_tokens, spent.output_tokens)
            assert spent.input_tokens > 0

    def test_a_retry_after_beyond_the_budget_fails_at_once(self):
        started = time.monotonic()
        error, count = fails(JudgeUnavailable, ["status:429:3600"], retries_for=5)
        assert "3600 s" in str(error)
        assert count == 1
        assert time.monotonic() - started < 3

    def test_a_hanging_endpoint_times_out(self):
        error, count = fails(JudgeUnavailable, ["hang"], timeout=0.2, retries_for=0)
        assert "0.2 s" in str(error)
        assert count == 1

    def test_a_timeout_is_retried(self):
        with Endpoint(faults=["hang"]) as endpoint:
            ask(endpoint, timeout=0.3)
        assert endpoint.count == 2

    def test_nobody_there_ends_the_run_soon(self):
        judge = OpenAIChat(base_url="http://127.0.0.1:9/v1", retries_for=0.2)
        with pytest.raises(JudgeSetupError, match=r"connect.*base_url"):
            asyncio.run(asked(judge, [SUPPORT], None))

    @pytest.mark.parametrize("fault", ["html", "malformed_body", "no_choices", "huge"])  # fmt: skip
    def test_responses_without_a_reply_fail_the_row(self, fault):
        error, count = fails(JudgeUnavailable, [fault])
        assert "127.0.0.1" in str(error)
        assert count == 1

    @pytest.mark.parametrize(
        ("fault", "word"),
        [("null_content", "empty"), ("empty", "empty"), ("refusal", "cannot help"),
         ("length", "cut off"), ("content_filter", "content filter")],
    )  # fmt: skip
    def test_a_reply_that_says_nothing_is_paid_for_and_says_why(self, fault, word):
        with Endpoint(faults=[fault]) as endpoint:
            [reply] = ask(endpoint)
        assert word in reply.problem
        assert reply.usage.calls == 1
        assert endpoint.count == 1

    @pytest.mark.parametrize("fault", ["fenced", "prose", "think", "nan", "missing_ids"])
    def test_what_the_text_says_is_left_to_the_decoder(self, fault):
        with Endpoint(faults=[fault]) as endpoint:
            [reply] = ask(endpoint)
        assert "a1" in reply.content

    def test_content_in_parts_is_joined(self):
        with Endpoint(faults=["parts"]) as endpoint:
            [reply] = ask(endpoint)
        assert len(json.loads(reply.content)["verdicts"]) == 2


@pytest.mark.parametrize(
    ("count", "tokens"),
    [(7, 7), (7.0, 7), (2**53, 2**53), (0, 0), (-1, 0), (True, 0), (2.5, 0), ("7", 0), (None, 0),
     (2**53 + 1, 0), (2**63, 0), (10**400, 0), (1e300, 0), ([7], 0)],
)  # fmt: skip
def test_a_count_that_can_be_none_counts_nothing(count, tokens):
    body = {"choices": [{"message": {"content": "x"}}], "usage": {"prompt_tokens": count}}
    reply, _ = read(Response(200, "", {}, json.dumps(body).encode()))
    assert reply.usage == Usage(1, tokens, 0)


def test_every_error_is_a_judge_error_and_names_the_judge():
    for faults in (["status:401"], ["status:400"], ["html"]):
        error, _ = fails(JudgeError, faults)
        assert str(error).startswith("http://127.0.0.1:")


NAMES = st.sampled_from(
    ["error", "message", "code", "param", "detail", "metadata", "choices", "content",
     "finish_reason", "refusal", "usage", "prompt_tokens", "text"]
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


@given(
    status=st.sampled_from([200, 204, 302, 400, 401, 404, 418, 422, 429, 500, 503]),
    body=VALUES.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=20),
    after=st.sampled_from(["", "1", "-1", "nan", "inf", "1e999", "soon", "Thu, 99 Foo 2026"]),
)
def test_no_response_leads_outside_the_known_errors(status, body, after):
    try:
        reply = read(Response(status, "Reason", {"retry-after": after}, body))
    except (JudgeError, Passing, Refused) as fault:
        reply = fault
    if isinstance(reply, Passing):
        assert reply.wait in (None, 0.0, 1.0)
    assert (status < 300) or not isinstance(reply, Reply)


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "response_format is unavailable", "param": None}},
        {"error": "json_schema is not supported"},
        {"detail": [{"loc": ["body", "response_format", "type"], "msg": "bad"}]},
        {"object": "error", "message": "Invalid grammar: unsupported keyword"},
        [{"error": {"message": "Unknown name 'response_format'", "status": "INVALID_ARGUMENT"}}],
    ],
)
def test_the_ways_in_which_servers_refuse_a_format(body):
    with pytest.raises(Refused) as caught:
        read(Response(422, "", {}, json.dumps(body).encode()))
    assert caught.value.form
    assert not caught.value.temperature
