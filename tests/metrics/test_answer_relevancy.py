import pytest

from tests.metrics.judging import judged
from troth.metrics.answer_relevancy import AnswerRelevancy
from troth.score import Status

ROW = {"question": "Who sings?", "answer": "Ana sings. It rains. Bo sings."}


@pytest.mark.parametrize(
    ("labels", "value"),
    [
        ({}, 1.0),
        ({"a2": "irrelevant"}, 2 / 3),
        (dict.fromkeys(("a1", "a2", "a3"), "irrelevant"), 0),
    ],
)
def test_share_of_relevant_sentences(labels, value):
    result, judge = judged(AnswerRelevancy(), labels, **ROW)
    assert result.value == pytest.approx(value)
    [ask] = judge.asks
    assert (ask.question, ask.subject, len(ask.items)) == ("Who sings?", "answer", 3)


def test_support_is_the_mean():
    result, _ = judged(AnswerRelevancy(), supports={"a1": 0.5, "a2": 0.0}, **ROW)
    assert result.support == pytest.approx(0.5)


def test_an_empty_answer_is_unscorable():
    assert judged(AnswerRelevancy(), question="q", answer=" ")[0].status is Status.UNSCORABLE


def test_a_missing_question_is_named():
    assert judged(AnswerRelevancy(), answer="x")[0].reason == "the row has no question"


@pytest.mark.parametrize(("label", "value"), [("yes", 1.0), ("no", 0.0)])
def test_one_yes_or_no_for_the_whole_answer(label, value):
    metric = AnswerRelevancy(granularity="answer")
    result, judge = judged(metric, {"a": label}, **ROW)
    assert (result.value, result.support) == (value, value)
    [ask] = judge.asks
    assert (ask.name, ask.one_word, ask.question) == ("relevance_whole", True, "Who sings?")
    assert [i.text for i in ask.items] == [ROW["answer"]]
    assert metric.label == "answer_relevancy@answer"
    assert judged(metric, question="q", answer=" ")[0].status is Status.UNSCORABLE
