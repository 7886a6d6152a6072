"""Rows in, rows out: in order, each with its own fate, whatever the judge or the app does."""

import asyncio
import random
import threading

import pytest

from troth.account import Summary
from troth.engine.app import wrap
from troth.engine.desk import Desk
from troth.engine.runner import run_rows
from troth.engine.sync import run_sync
from troth.errors import JudgeSetupError, JudgeUnavailable
from troth.judges.base import Judge, Reply
from troth.judges.scripted import Scripted
from troth.metrics.answer_relevancy import AnswerRelevancy
from troth.metrics.exact_match import ExactMatch
from troth.metrics.faithfulness import Faithfulness
from troth.sample import Sample
from troth.score import Score, Status, Usage, Verdict


def rows_of(n):
    return [
        Sample(str(i), question="q?", answer=f"Row {i} is so.", contexts=[f"Row {i} is so."])
        for i in range(n)
    ]


class Slow(Judge):
    """Answers after a random while; remembers how many were waiting at once."""

    name = "slow"
    concurrency = 8

    def __init__(self):
        self.waiting = self.most = self.calls = 0
        self.open = False

    async def start(self):
        self.open = True

    async def close(self):
        self.open = False

    async def reply(self, ask, problem=None):
        assert self.open
        self.calls += 1
        self.waiting += 1
        self.most = max(self.most, self.waiting)
        await asyncio.sleep(random.uniform(0, 0.01))
        self.waiting -= 1
        good = next(iter(ask.labels))
        # The reason carries the row's text: a score in the wrong row would show.
        return Reply(tuple(Verdict(i.id, good, 1.0, i.text) for i in ask.items), Usage(1, 10, 2))


def run(samples, metrics, judge, *, concurrency=None, **options):
    return run_sync(
        lambda: run_rows(samples, metrics, Desk(judge, concurrency=concurrency), **options)
    )


def test_rows_come_back_in_order_whatever_order_they_were_answered_in():
    judge = Slow()
    rows = run(rows_of(40), [Faithfulness(), AnswerRelevancy()], judge)
    for i, row in enumerate(rows):
        assert row.sample.id == str(i)
        assert row.scores["faithfulness"].verdicts[0].reason == f"Row {i} is so."
        assert row.scores["faithfulness"].usage == Usage(1, 10, 2)
    assert judge.calls == 80
    assert 2 <= judge.most <= 8
    assert not judge.open


def test_concurrency_is_a_limit_on_replies_awaited_at_once():
    judge = Slow()
    run(rows_of(10), [Faithfulness(), AnswerRelevancy()], judge, concurrency=3)
    assert judge.most == 3


def test_a_fault_ends_its_own_row_alone():
    faults = {"2": JudgeUnavailable("503 three times"), "5": ValueError("odd"), "7": "nonsense"}

    def script(ask):
        for row, fault in faults.items():
            if ask.items[0].text == f"Row {row} is so.":
                return fault
        return tuple(Verdict(i.id, "supported", 1.0) for i in ask.items)

    rows = run(rows_of(10), [Faithfulness()], Scripted(script))
    scores = [row.scores["faithfulness"] for row in rows]
    summary = Summary.of("faithfulness", scores)
    assert (summary.total, summary.scored, summary.unscorable, summary.failed) == (10, 7, 0, 3)
    assert summary.mean == 1.0
    assert scores[2].reason == "503 three times"
    assert scores[5].reason == "ValueError: odd"
    assert "no usable reply in 3 tries" in scores[7].reason
    assert scores[7].usage.calls == 3


def test_what_no_row_could_survive_stops_the_run_at_once():
    judge = Scripted(lambda ask: JudgeSetupError("wrong key"))
    with pytest.raises(JudgeSetupError, match="wrong key"):
        run(rows_of(50), [Faithfulness()], judge)
    assert len(judge.asks) == 1


def test_a_judge_is_not_started_for_metrics_that_ask_nothing():
    class Unwilling(Slow):
        async def start(self):
            raise JudgeSetupError("no key")

    [row] = run([Sample(answer="x", references=["x"])], [ExactMatch()], Unwilling())
    assert row.scores["exact_match"].value == 1.0
    with pytest.raises(JudgeSetupError, match="no key"):
        run(rows_of(1), [Faithfulness()], Unwilling())


def test_a_reply_of_the_wrong_type_fails_the_row():
    class Odd(Slow):
        async def reply(self, ask, problem=None):
            return "supported"

    [row] = run(rows_of(1), [Faithfulness()], Odd())
    assert row.scores["faithfulness"].reason == "TypeError: slow returned str, not a Reply"


def test_no_rows_no_scores():
    assert run([], [Faithfulness()], Slow()) == []
    assert Summary.of("m", []) == Summary("m", None, 0, 0, 0, 0)


@pytest.mark.parametrize(
    ("result", "answer", "contexts"),
    [
        ("42", "42", ("old",)),
        (("42", ["new"]), "42", ("new",)),
        ({"answer": "42"}, "42", ("old",)),
        ({"answer": "42", "contexts": []}, "42", ()),
    ],
)
def test_the_application_fills_in_answer_and_contexts(result, answer, contexts):
    sample = Sample("1", question="q", contexts=["old"], references=["42"])

    async def asynchronous(question):
        return result

    for app in (lambda question: result, asynchronous):
        [row] = run([sample], [ExactMatch()], Slow(), app=wrap(app))
        assert (row.sample.answer, row.sample.contexts) == (answer, contexts)
        assert row.scores["exact_match"].value == 1.0


@pytest.mark.parametrize("bad", [None, 42, {"text": "x"}, ("a", "b", "c"), ("a", "not a list")])
def test_an_application_that_returns_something_else_fails_its_row(bad):
    def app(question):
        return bad if question == "bad" else "fine"

    samples = [Sample("1", question="bad"), Sample("2", question="good")]
    samples = [Sample(s.id, question=s.question, references=["fine"]) for s in samples]
    first, second = run(samples, [ExactMatch()], Slow(), app=wrap(app))
    assert first.scores["exact_match"].status is Status.FAILED
    assert "the application" in first.scores["exact_match"].reason
    assert second.scores["exact_match"].value == 1.0


def test_sync_inside_a_running_loop_has_a_thread_of_its_own():
    async def notebook():
        async def work():
            return threading.current_thread()

        return run_sync(work), threading.current_thread()

    inner, outer = asyncio.run(notebook())
    assert inner is not outer
    with pytest.raises(LookupError):
        asyncio.run(_raising())


async def _raising():
    async def work():
        raise LookupError

    run_sync(work)


def test_a_cancelled_call_fails_its_row_and_no_row_is_lost():
    def app(question):
        if int(question) % 3 == 0:
            raise asyncio.CancelledError
        return "x"

    async def cancelled(question):
        return app(question)

    samples = [Sample(str(n), question=str(n), references=["x"]) for n in range(40)]
    for function in (app, cancelled):
        rows = run(samples, [ExactMatch()], Slow(), app=wrap(function))
        summary = Summary.of("exact_match", [row.scores["exact_match"] for row in rows])
        assert (summary.total, summary.scored, summary.failed) == (40, 26, 14)

    def script(ask):
        return asyncio.CancelledError() if "Row 3" in ask.items[0].text else "[]"

    rows = run(rows_of(5), [Faithfulness()], Scripted(script))
    assert len(rows) == 5
    assert "cancelled" in rows[3].scores["faithfulness"].reason


def test_a_cancelled_run_is_cancelled():
    judge = Slow()

    async def cancel():
        task = asyncio.create_task(run_rows(rows_of(1000), [Faithfulness()], judge))
        await asyncio.sleep(0.02)
        task.cancel()
        await task

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel())
    assert not judge.open


def test_an_application_that_runs_out_does_not_hang():
    samples = [Sample("1", question="q", references=["x"])]
    [row] = run(samples, [ExactMatch()], Slow(), app=wrap(lambda q: next(iter([]))))
    assert "StopIteration" in row.scores["exact_match"].reason
    [row] = run(samples, [ExactMatch()], Slow(), app=wrap(lambda q: "\ud800"))
    assert row.scores["exact_match"].status is Status.FAILED


def test_a_status_in_words_is_counted():
    scores = [Score(None, "failed", "x"), Score(1, "scored")]
    summary = Summary.of("m", scores)
    assert (summary.total, summary.scored, summary.failed, summary.mean) == (2, 1, 1, 1.0)
