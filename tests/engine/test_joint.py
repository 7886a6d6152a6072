"""All that a row's metrics ask, in one call: the same scores for a fraction of the words."""

import asyncio
import json

import pytest

import troth
from tests.endpoint import Endpoint
from troth.asks import Joint
from troth.judges.scripted import Scripted
from troth.prompts.render import render
from troth.score import Status

METRICS = [
    "faithfulness",
    "answer_relevancy",
    "contextual_precision",
    "contextual_recall",
    "contextual_relevancy",
    "answer_correctness",
]
ROW = {
    "question": "Who sings?",
    "answer": "Ana sings. Bo dances.",
    "contexts": ["Ana sings. It rains.", "Cy rests."],
    "references": ["Ana sings."],
}


class Joined(Scripted):
    """Answers joint asks by its rule for single ones; `spoil` changes the reply to a joint ask."""

    name = "joined"
    joint = True

    def __init__(self, spoil=lambda reply: reply):
        super().__init__(self.judge)
        self.spoil = spoil

    def judge(self, ask):
        if isinstance(ask, Joint):
            reply = {f"t{n}": self.part(part) for n, part in enumerate(ask.parts, 1)}
            return self.spoil(reply)
        return self.part(ask)

    @staticmethod
    def part(ask):
        good, *_, bad = [label for label in ask.labels if label != "no_claim"]
        verdicts = []
        for item in ask.items:
            said = {"label": good if "Ana" in item.text else bad, "reason": item.id}
            verdicts.append(
                {"id": item.id, "claims": [said]} if ask.splits else {"id": item.id, **said}
            )
        return {"verdicts": verdicts}


def outcome(run):
    return [
        {m: (s.value, s.support, s.status, s.reason, s.verdicts) for m, s in row.scores.items()}
        for row in run
    ]


def test_the_scores_are_those_of_single_asks():
    joint, single = Joined(), Joined()
    one = troth.evaluate([ROW], METRICS, joint, joint=True)
    alone = troth.evaluate([ROW], METRICS, single)
    assert outcome(one) == outcome(alone)
    assert (len(joint.asks), len(single.asks)) == (1, len(METRICS))
    assert sum(s.usage.calls for s in one.summary().values()) == 1


SPOILT = {
    "no JSON": lambda reply: "I cannot.",
    "a list": lambda reply: json.dumps([reply]),
    "nothing": lambda reply: {},
    "null": lambda reply: None,
    "a part is missing": lambda reply: {k: v for k, v in reply.items() if k != "t2"},
    "a part is empty": lambda reply: {**reply, "t1": {"verdicts": []}},
    "a part has a foreign id": lambda reply: {
        **reply, "t3": {"verdicts": [{"id": "z", "label": "useful"}]}
    },
    "a part has no label": lambda reply: {**reply, "t4": {"verdicts": [{"id": "r1.1"}]}},
    "a part is doubled": lambda reply: {
        **reply, "t1": {"verdicts": reply["t1"]["verdicts"] * 2}
    },
}  # fmt: skip


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_a_part_that_is_of_no_use_is_asked_about_by_itself(spoil):
    judge = Joined(spoil)
    run = troth.evaluate([ROW, {**ROW, "question": "Why?"}], METRICS, judge, joint=True)
    assert outcome(run) == outcome(
        troth.evaluate([ROW, {**ROW, "question": "Why?"}], METRICS, Joined())
    )
    assert 4 <= len(judge.asks) <= 2 + 2 * len(METRICS)


def test_metrics_that_end_without_asking_hold_up_nobody():
    rows = [
        {**ROW, "answer": None},
        {**ROW, "contexts": []},
        {**ROW, "answer": "", "references": []},
        {**ROW, "answer": None, "contexts": None, "references": None},
    ]
    judge = Joined()
    run = troth.evaluate(rows, METRICS, judge, joint=True)
    assert outcome(run) == outcome(troth.evaluate(rows, METRICS, Joined()))


def test_a_fault_of_the_call_fails_the_rows_metrics_and_no_other_row():
    from troth.errors import JudgeUnavailable

    class Faulty(Joined):
        def judge(self, ask):
            return JudgeUnavailable("503") if ask.question == "Why?" else super().judge(ask)

    rows = [ROW, {**ROW, "question": "Why?"}, ROW]
    run = troth.evaluate(rows, METRICS, Faulty(), joint=True)
    statuses = [{s.status for s in row.scores.values()} for row in run]
    assert statuses == [{Status.SCORED}, {Status.FAILED}, {Status.SCORED}]
    assert {s.reason for s in run[1].scores.values()} == {"503"}


def test_a_judge_that_cannot_is_asked_one_by_one():
    judge = Joined()
    judge.joint = False
    troth.evaluate([ROW], METRICS, judge, joint=True)
    assert len(judge.asks) == len(METRICS)


def test_an_ask_beyond_the_window_goes_in_parts():
    judge = Joined()
    judge.window = 200
    judge.sent = lambda ask: "x" * (1000 if isinstance(ask, Joint) else 100)
    troth.evaluate([ROW], METRICS, judge, joint=True)
    assert not any(isinstance(ask, Joint) for ask in judge.asks)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_text_is_sent_once(language):
    judge = Joined()
    troth.evaluate([ROW], METRICS, judge, joint=True)
    [joint] = judge.asks
    prompt = render(joint, language)
    body = prompt.messages[1]["content"]
    for text in ("It rains.", "Cy rests.", "Bo dances.", "Who sings?"):
        assert body.count(text) == 1
    assert len(prompt.messages[0]["content"].split()) < 330
    assert set(prompt.schema["properties"]) == {f"t{n}" for n in range(1, 1 + len(METRICS))}
    assert "[" not in prompt.messages[0]["content"].split("{")[0].replace("[]", "")


def test_a_real_endpoint_takes_one_call_per_row(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    rows = [{**ROW, "question": f"Who sings {n}?"} for n in range(10)]
    with Endpoint() as endpoint:
        judge = f"{endpoint.base_url}#m"
        run = troth.evaluate(rows, METRICS, judge, joint=True)
        assert endpoint.count == 10
        [*found] = troth.api.estimate(rows, METRICS, judge, joint=True)
    assert all(s.scored == 10 for s in run.summary().values())
    assert [one.usage.calls for one in found] == [10, *[0] * 5]


def test_a_cancelled_run_leaves_nobody_waiting():
    class Stuck(Joined):
        async def reply(self, ask, problem=None):
            await asyncio.sleep(60)

    async def cancel():
        task = asyncio.create_task(troth.aevaluate([ROW] * 9, METRICS, Stuck(), joint=True))
        await asyncio.sleep(0.05)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(asyncio.wait_for(cancel(), 5))


def test_words_around_the_reply_are_read_through():
    judge = Joined(lambda reply: f"Here you are:\n\n{json.dumps(reply)}\n\nI hope it helps.")
    run = troth.evaluate([ROW], METRICS, judge, joint=True)
    assert outcome(run) == outcome(troth.evaluate([ROW], METRICS, Joined()))
    assert len(judge.asks) == 1


def test_the_language_is_that_of_the_texts_where_there_is_no_question():
    judge = Joined()
    row = {"answer": "安娜在唱歌。", "contexts": ["安娜在唱歌。"], "references": ["安娜在唱歌。"]}
    metrics = ["faithfulness", "contextual_recall"]
    for question in (None, "  "):
        judge.asks.clear()
        troth.evaluate([{**row, "question": question}], metrics, judge, joint=True)
        [joint] = judge.asks
        assert render(joint, "auto") == render(joint, "zh")
