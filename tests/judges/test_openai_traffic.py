"""How the OpenAI-compatible judge meets an endpoint's limits: window, pace, deadlines."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from dataclasses import replace

import pytest
from aiohttp import web
from hypothesis import given
from hypothesis import strategies as st

from tests.endpoint import Endpoint
from tests.endpoint.faults import error
from tests.judges.asking import (
    SUPPORT,
    ask,
    asked,
    environment,  # noqa: F401 - applies to all tests here
    fails,
)
from troth.errors import JudgeUnavailable, UsageError
from troth.judges.openai import OpenAIChat
from troth.judges.pace import Bucket, Pace, seconds
from troth.judges.window import Window


def questions(n):
    return [replace(SUPPORT, question=f"What is {i}?") for i in range(n)]


def limited(**headers):
    """A right answer with `x-ratelimit-...` headers."""

    async def answer(exchange):
        response = exchange.say(exchange.right())
        for name, value in headers.items():
            response.headers[f"x-ratelimit-{name.replace('_', '-')}"] = value
        return response

    return answer


class TestThrottling:
    @pytest.mark.parametrize("retry_after", [True, False])
    def test_an_endpoint_that_gets_slower_loses_no_call(self, retry_after):
        with Endpoint(rate=80, retry_after=retry_after, latency=0.02) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url, concurrency=32)
            threading.Timer(0.7, lambda: setattr(endpoint, "rate", 30)).start()
            started = time.monotonic()
            replies = asyncio.run(asked(judge, questions(130), None))
        assert len(replies) == 130  # 80 at once, 30 a second afterwards
        assert endpoint.statuses[200] == 130
        assert endpoint.statuses[429] == judge.traffic.throttled > 0
        assert judge.traffic.retries == judge.traffic.throttled < 130
        assert judge.traffic.window < 32
        assert time.monotonic() - started < 10

    def test_an_ask_waits_longer_than_its_budget_while_others_get_through(self):
        with Endpoint(rate=2) as endpoint:
            replies = ask(endpoint, *questions(7), concurrency=7, retries_for=1.6)
        assert len(replies) == 7

    def test_what_exceeds_the_quota_by_itself_is_not_retried(self):
        async def too_large(exchange):
            return error(429, "Request too large for m on tokens per min: Limit 9, Requested 10.")

        failed, count = fails(JudgeUnavailable, [too_large])
        assert "Requested 10" in str(failed)
        assert count == 1

    @pytest.mark.parametrize("fault", ["status:503", "status:529", "status:429", "hang"])
    def test_overload_halves_the_window_and_success_opens_it(self, fault, monkeypatch):
        monkeypatch.setattr("troth.judges.openai_wire._FIRST_BACKOFF", 0.05)
        with Endpoint(faults=[fault] * 8) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url, concurrency=8, timeout=0.3)
            asyncio.run(asked(judge, questions(8), None))
            assert judge.traffic.throttled == 8
            low = judge.traffic.window
            assert low < 8
            asyncio.run(asked(judge, questions(20), None))
        assert judge.traffic.window == 8  # a new event loop begins at the maximum

    def test_other_faults_leave_the_window_alone(self):
        with Endpoint(faults=["status:500", "dropped"]) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url)
            asyncio.run(asked(judge, questions(2), None))
        assert (judge.traffic.throttled, judge.traffic.retries) == (0, 2)
        assert judge.traffic.window == judge.concurrency


class TestWindow:
    @given(st.lists(st.sampled_from(["enter", "leave", "ok", "busy", "cancel"]), max_size=60))
    def test_it_never_lets_in_too_many_nor_forgets_anyone(self, events):
        async def main():
            window = Window(4)
            inside, waiting = [], []

            async def settle():
                for _ in range(4):
                    await asyncio.sleep(0)
                for task in [t for t in waiting if t.done()]:
                    waiting.remove(task)
                    inside.append(task)

            for event in events:
                held = len(inside)
                if event == "enter":
                    waiting.append(asyncio.create_task(window.enter()))
                elif event == "leave" and inside:
                    inside.pop()
                    window.leave()
                elif event == "ok":
                    window.succeeded(0.0)
                elif event == "busy" and inside:
                    window.throttled(time.monotonic())
                elif event == "cancel" and waiting:
                    waiting.pop(0).cancel()
                await settle()
                assert window.in_flight == len(inside)
                assert 1 <= window.size <= 4
                assert len(inside) <= max(held, int(window.size))
                assert not waiting or len(inside) >= int(window.size)
            while inside or waiting:
                if inside:
                    inside.pop()
                    window.leave()
                await settle()
            assert window.in_flight == 0

        asyncio.run(main())

    def test_one_cut_for_one_round_trip(self):
        async def main():
            window = Window(16)
            for _ in range(16):
                await window.enter()
            sent = time.monotonic()
            assert [window.throttled(sent) for _ in range(5)] == [True] + [False] * 4
            assert window.size == 8
            assert not window.throttled(time.monotonic())  # no answer to the smaller window yet
            assert window.throttled(sent + 60)
            assert window.size == 4

        asyncio.run(main())

    def test_it_opens_fast_to_where_it_was_safe_then_by_one_a_windowful(self):
        async def main():
            window = Window(100)
            for _ in range(100):
                await window.enter()
            window.throttled(time.monotonic())
            for _ in range(30):
                window.succeeded(0.1)
            assert window.size == 80
            for _ in range(80):
                window.succeeded(0.1)
            assert 80.9 < window.size < 81

        asyncio.run(main())


class TestPace:
    def test_requests_per_minute_are_kept(self):
        with Endpoint() as endpoint:
            ask(endpoint, *questions(20), rpm=600)
        at = sorted(request.at for request in endpoint.requests)
        assert 0.8 < at[-1] - at[0] < 2.5  # ten at once, then ten a second

    def test_tokens_per_minute_are_kept_and_corrected_by_usage(self):
        with Endpoint() as endpoint:
            first = ask(endpoint, *questions(1))[0].usage
            cost = first.input_tokens + first.output_tokens
            ask(endpoint, *questions(20), tpm=600 * cost)
        at = sorted(request.at for request in endpoint.requests[1:])
        assert 0.7 < at[-1] - at[0] < 4

    @pytest.mark.parametrize("kind", ["requests", "tokens"])
    def test_nothing_is_sent_into_a_wall_that_was_announced(self, kind):
        wall = limited(**{f"remaining_{kind}": "2", f"reset_{kind}": "700ms"})
        with Endpoint(faults=[wall]) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url)

            async def main():
                await judge.reply(SUPPORT)
                await asyncio.gather(*(judge.reply(q) for q in questions(5)))
                await judge.close()

            asyncio.run(main())
        first, *others = sorted(request.at for request in endpoint.requests)
        assert sum(at - first < 0.65 for at in others) == (2 if kind == "requests" else 0)
        assert max(others) - first < 2

    def test_a_daily_quota_is_not_waited_for(self):
        wall = limited(remaining_requests="0", reset_requests="7h0m")
        with Endpoint(faults=[wall]) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url)
            started = time.monotonic()
            for _ in range(2):
                asyncio.run(asked(judge, [SUPPORT], None))
        assert time.monotonic() - started < 2

    @pytest.mark.parametrize("value", ["soon", "", "-1", "nan", "1x", "1s2"])
    def test_headers_that_say_nothing(self, value):
        assert seconds(value) is None
        pace = Pace(None, None, 60)
        pace.note({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": value})
        asyncio.run(asyncio.wait_for(pace.turn(1), 0.5))

    @pytest.mark.parametrize(
        ("text", "value"),
        [("6m0s", 360), ("120ms", 0.12), ("1h2m3.5s", 3723.5), ("7.66", 7.66), ("1d", 86400)],
    )
    def test_spans(self, text, value):
        assert seconds(text) == pytest.approx(value)

    def test_a_bucket_lends_and_is_paid_back(self):
        bucket = Bucket(600)
        assert bucket.take(10) == 0
        assert bucket.take(5) == pytest.approx(0.5, abs=0.05)
        bucket.give(5)
        assert bucket.take(0) == pytest.approx(0, abs=0.05)

    def test_who_is_cancelled_gives_back_what_was_not_used(self):
        async def main():
            pace = Pace(60, 6000, 60)
            await pace.turn(100)
            late = asyncio.create_task(pace.turn(6000))
            await asyncio.sleep(0.05)
            late.cancel()
            await asyncio.wait([late])
            started = time.monotonic()
            await pace.turn(1)
            return time.monotonic() - started

        assert asyncio.run(main()) < 1.5

    @pytest.mark.parametrize("setting", ["rpm", "tpm", "window", "timeout"])
    def test_impossible_settings(self, setting):
        with pytest.raises(UsageError, match=setting):
            OpenAIChat(**{setting: 0})


def test_the_deadline_is_of_the_whole_call_however_it_trickles():
    async def trickle(exchange):
        body = json.dumps(exchange.completion(exchange.right())).encode()
        response = web.StreamResponse()
        await response.prepare(exchange.request)
        for byte in body:
            await response.write(bytes([byte]))
            await asyncio.sleep(0.05)
        return response

    started = time.monotonic()
    failed, count = fails(JudgeUnavailable, [trickle], timeout=0.5, retries_for=0)
    assert "0.5 s" in str(failed)
    assert count == 1
    assert time.monotonic() - started < 2
