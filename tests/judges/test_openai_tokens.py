"""Log-probabilities from the OpenAI-compatible judge, on the wire and through the engine."""

from __future__ import annotations

import asyncio
import json
import math

import pytest
from hypothesis import given

from tests.endpoint import Endpoint
from tests.endpoint.logprobs import refused, spoken
from tests.judges.asking import (
    RELEVANCE,
    SUPPORT,
    ask,
    asked,
    environment,  # noqa: F401 - applies to all tests here
    fails,
)
from tests.judges.test_openai_faults import VALUES
from troth.api import evaluate
from troth.asks import Item, RubricLevel, SupportWhole
from troth.engine.asking import Asking
from troth.engine.desk import Desk
from troth.errors import JudgeSetupError
from troth.judges.openai import OpenAIChat
from troth.judges.openai_reply import Response, read
from troth.store import Store

WHOLE = SupportWhole(items=(Item("a1", "Paris is big."),), contexts=(Item("c1", "Paris."),))
UNSURE = {"supp": {"supp": 0.6, "contr": 0.1, "un": 0.2, "no_": 0.1}}


def sent(endpoint):
    body = endpoint.requests[-1].body
    return body.get("logprobs"), body.get("top_logprobs")


def answers(endpoint, question, replies=None, **settings):
    """The verdicts as a metric is given them."""

    async def main():
        judge = OpenAIChat(base_url=endpoint.base_url, **settings)
        await judge.start()
        try:
            return await Asking(Desk(judge, replies=replies))(question)
        finally:
            await judge.close()

    return asyncio.run(main())


class TestWire:
    def test_they_are_asked_for_and_kept_where_a_label_may_stand(self):
        with Endpoint(faults=[spoken(likely=UNSURE)]) as endpoint:
            [reply] = ask(endpoint)
        assert sent(endpoint) == (True, 5)
        assert "".join(text for text, _ in reply.tokens) == reply.content
        found = [others for text, others in reply.tokens if text == "supp"]
        assert {t: round(math.exp(p), 6) for t, p in found[0]} == UNSURE["supp"]
        assert all(not others for text, others in reply.tokens if text in ('"', "{", " "))

    def test_false_asks_for_none(self):
        with Endpoint(faults=[spoken()]) as endpoint:
            [reply] = ask(endpoint, logprobs=False)
        assert sent(endpoint) == (None, None)
        assert reply.tokens == ()

    @pytest.mark.parametrize("status", [400, 403, 422])
    def test_where_they_are_refused_none_are_asked_for_again(self, status):
        with Endpoint(faults=lambda body: refused(status)) as endpoint:
            replies = ask(endpoint, *[SUPPORT] * 5)
        assert endpoint.statuses == {status: 1, 200: 5}
        assert all(reply.tokens == () for reply in replies)

    def test_fewer_are_asked_for_where_many_are_refused(self):
        with Endpoint(faults=lambda body: refused(most=5)) as endpoint:
            ask(endpoint, WHOLE)
            assert sent(endpoint) == (True, 5)
        assert endpoint.count == 2

    @pytest.mark.parametrize("fault", [refused(), refused(403)])
    def test_who_insists_is_told_of_a_refusal(self, fault):
        told = pytest.raises(JudgeSetupError, match=r"logprobs=True.*refused.*not allowed")
        with Endpoint(faults=lambda body: fault) as endpoint, told:
            ask(endpoint, logprobs=True)
        assert endpoint.count == 1

    def test_who_insists_is_told_where_none_came(self):
        error, count = fails(JudgeSetupError, [None], logprobs=True)
        assert "logprobs=None" in str(error)
        assert count == 1

    @pytest.mark.parametrize(
        "change",
        [
            lambda token: {**token, "top_logprobs": None},
            lambda token: {**token, "bytes": None},
            lambda token: {k: token[k] for k in ("token", "logprob")},
        ],
    )
    def test_what_is_left_out_is_no_fault(self, change):
        with Endpoint(faults=[spoken(change=change)]) as endpoint:
            [reply] = ask(endpoint)
        assert "".join(text for text, _ in reply.tokens) == reply.content

    @pytest.mark.parametrize(
        "change", [lambda token: None, lambda token: {**token, "logprob": None}, lambda token: "x"]
    )
    def test_another_shape_counts_as_none(self, change):
        with Endpoint(faults=[spoken(change=change)]) as endpoint:
            [reply] = ask(endpoint)
        assert reply.tokens == ()
        assert json.loads(reply.content)

    def test_half_characters_are_put_together(self):
        def halves(text):
            before, after = text.split("北")
            first, second, third = [bytes([b]) for b in "北".encode()]
            return [before, first, second + third, after]

        content = '{"verdicts":[{"id":"a1","label":"relevant","reason":"北"}]}'
        with Endpoint(faults=[spoken(content, split=halves)]) as endpoint:
            [reply] = ask(endpoint, RELEVANCE)
        raw = "".join(text for text, _ in reply.tokens).encode("utf-8", "surrogateescape")
        assert raw.decode() == content


@given(body=VALUES)
def test_whatever_stands_for_log_probabilities_the_reply_is_read(body):
    choice = {"message": {"content": "x"}, "finish_reason": "stop", "logprobs": body}
    text = json.dumps({"choices": [choice]}).replace("NaN", "1").replace("Infinity", "1")
    reply, _ = read(Response(200, "", {}, text.encode()), ("x",))
    assert reply.content == "x"


class TestThroughTheEngine:
    def test_support_is_the_expected_worth_of_the_label(self):
        with Endpoint(faults=[spoken(likely=UNSURE)]) as endpoint:
            found = answers(endpoint, SUPPORT)
        assert [v.label for v in found] == ["supported"] * 2
        assert [v.support for v in found] == pytest.approx([0.6 / 0.9] * 2)

    def test_without_them_the_label_counts(self):
        with Endpoint() as endpoint:
            assert [v.support for v in answers(endpoint, SUPPORT)] == [1.0, 1.0]

    def test_a_reply_of_one_word(self):
        doubt = {"Yes": {"Yes": 0.5, "yes": 0.1, "No": 0.2, "Maybe": 0.2}}
        with Endpoint(faults=[spoken("Yes", likely=doubt)]) as endpoint:
            [verdict] = answers(endpoint, WHOLE, logprobs=True)
        assert (verdict.label, verdict.support) == ("yes", pytest.approx(0.75))
        body = endpoint.requests[0].body
        assert "response_format" not in body
        assert (body["max_tokens"], body["top_logprobs"]) == (16, 20)

    def test_the_journal_keeps_them(self, tmp_path):
        store = Store(tmp_path / "t.db")
        with Endpoint(faults=[spoken(likely=UNSURE)]) as endpoint:
            first = answers(endpoint, SUPPORT, store.journal)
            second = answers(endpoint, SUPPORT, store.journal)
        store.journal.close()
        assert endpoint.count == 1
        assert first == second
        assert first[0].support == pytest.approx(0.6 / 0.9)

    def test_who_insists_is_told_what_cannot_be_told_apart(self):
        told = pytest.raises(JudgeSetupError, match=r"supported, unmentioned.*'a1'")
        with Endpoint(faults=[spoken(split=lambda text: [text])]) as endpoint, told:
            answers(endpoint, SUPPORT, logprobs=True)

    def test_also_where_several_metrics_share_a_reply(self):
        row = {"question": "Where?", "answer": "Paris is big.", "contexts": ["Paris is big."]}
        told = pytest.raises(JudgeSetupError, match=r"logprobs=True.*'a1'")
        with Endpoint(faults=[spoken(split=lambda text: [text])]) as endpoint, told:
            judge = OpenAIChat(base_url=endpoint.base_url, logprobs=True)
            evaluate([row], ["faithfulness", "answer_relevancy"], judge, joint=True)
        assert endpoint.count == 1


def rubric(said, scale, likely):
    """The support of a level, as its tokens tell."""
    levels = tuple((str(n), "m", worth) for n, worth in scale.items())
    question = RubricLevel(items=(Item("rubric", "?"),), material=(), scale=levels)
    content = json.dumps({"verdicts": [{"id": "rubric", "label": said}]})
    with Endpoint(faults=[spoken(content, likely=likely)]) as endpoint:
        [verdict] = answers(endpoint, question)
    return verdict.support


class TestLevels:
    def test_the_quotation_mark_behind_a_level_tells_where_it_ends(self):
        likely = {"1": {"1": 0.9, "0": 0.1}, '"': {'"': 0.5, "0": 0.5}}
        found = rubric("1", {10: 1.0, 1: 0.5, 0: 0.0}, likely)
        assert found == pytest.approx(0.45 * 1 + 0.45 * 0.5)

    def test_a_sign_may_be_a_token(self):
        likely = {"-": {"-": 0.5, "1": 0.3, "0": 0.2}}
        assert rubric("-1", {1: 1.0, 0: 0.5, -1: 0.0}, likely) == pytest.approx(0.3 + 0.1)

    def test_what_cannot_be_told_apart_is_left_to_the_level(self):
        scale = {n: (n - 1) / 9 for n in range(10, 0, -1)}
        assert rubric("9", scale, {"9": {"9": 0.5, "1": 0.45}}) == scale[9]


NAN = '{"token": "no", "logprob": -0.1, "top_logprobs": [{"token": "yes", "logprob": %s}]}'


@pytest.mark.parametrize(
    ("number", "told"), [("NaN", 0), ("Infinity", 0), ("-Infinity", 1), ("-2.3", 1)]
)
def test_numbers_that_are_not_json_cost_no_reply(number, told):
    body = '{"choices": [{"message": {"content": "no NaN"}, "logprobs": {"content": [%s]}}]}'
    body %= NAN % number
    reply, _ = read(Response(200, "", {}, body.encode()), ("yes", "no"))
    assert reply.content == "no NaN"
    assert len(reply.tokens) == told


def test_who_insists_takes_no_reply_from_the_journal_that_may_have_none(tmp_path):
    row = {"question": "Where?", "answer": "Paris is big."}
    store = tmp_path / "runs.db"
    with Endpoint() as endpoint:
        evaluate([row], "answer_relevancy", OpenAIChat(base_url=endpoint.base_url), store=store)
        port = endpoint.port
    unsure = {"rele": {"rele": 0.8, "irre": 0.2}}
    with Endpoint(faults=lambda body: spoken(likely=unsure), port=port) as endpoint:
        for choice, asked_again in ((None, 0), (True, 1), (True, 0)):
            before = endpoint.count
            judge = OpenAIChat(base_url=endpoint.base_url, logprobs=choice)
            evaluate([row], "answer_relevancy", judge, store=store)
            assert endpoint.count - before == asked_again


class TestOneWord:
    def test_where_the_limit_is_refused_none_is_sent(self):
        async def refuse(exchange):
            from tests.endpoint.faults import error

            if "max_tokens" in exchange.body:
                text = "Unsupported parameter: 'max_tokens' is not supported with this model."
                return error(400, text, param="max_tokens", code="unsupported_parameter")
            return exchange.say("yes")

        with Endpoint(faults=lambda body: refuse) as endpoint:
            ask(endpoint, *[WHOLE] * 3)
        assert endpoint.statuses == {400: 1, 200: 3}

    def test_what_some_vocabularies_write_in_several_ways_adds_up(self):
        likely = {"no": {"▁no": 0.3, "Ġno": 0.2, " no": 0.1, "no": 0.2, "yes": 0.2}}
        with Endpoint(faults=[spoken("no", likely=likely)]) as endpoint:
            [verdict] = answers(endpoint, WHOLE)
        assert verdict.support == pytest.approx(0.2)

    def test_where_the_limit_cuts_it_off_it_is_asked_without(self):
        async def think(exchange):
            if "max_tokens" in exchange.body:
                return exchange.say("<think>Let me", finish_reason="length")
            return exchange.say("<think>Let me see.</think>yes")

        with Endpoint(faults=lambda body: think) as endpoint:
            judge = OpenAIChat(base_url=endpoint.base_url)
            [first] = asyncio.run(asked(judge, [WHOLE], None))
            [second] = asyncio.run(asked(judge, [WHOLE], None))
        assert (first.usage.calls, second.usage.calls) == (2, 1)
        assert not first.problem
        assert endpoint.count == 3
