import pytest

from tests.metrics.judging import judged
from troth.metrics.contextual_recall import ContextualRecall
from troth.score import Status

ROW = {"references": ["Ana sings. Bo sings."], "contexts": ["Ana sings."]}


@pytest.mark.parametrize(
    ("labels", "value"),
    [
        ({}, 1.0),
        ({"r1.2": "unmentioned"}, 0.5),
        ({"r1.1": "contradicted", "r1.2": "unmentioned"}, 0.0),
        ({"r1.1": "no_claim", "r1.2": "unmentioned"}, 0.0),
        ({"r1.1": "no_claim"}, 1.0),
    ],
)
def test_share_of_attributable_sentences(labels, value):
    result, judge = judged(ContextualRecall(), labels, **ROW)
    assert result.value == value
    assert len(judge.asks) == 1
    assert judge.asks[0].subject == "reference"


def test_the_best_of_several_references_counts_in_one_ask():
    row = {"references": ["Ana sings. Bo sings.", "Cy sings.", ""], "contexts": ["Cy sings."]}
    result, judge = judged(ContextualRecall(), {"r1.1": "unmentioned"}, **row)
    assert result.value == 1.0
    assert [i.id for i in judge.asks[0].items] == ["r1.1", "r1.2", "r2.1"]
    result, _ = judged(ContextualRecall(), {"r1.1": "unmentioned", "r2.1": "unmentioned"}, **row)
    assert result.value == 0.5
    assert "1 of 2 reference sentences" in result.reason


@pytest.mark.parametrize("references", [[], [""], ["—", " "]])
def test_a_reference_that_states_nothing_is_unscorable(references):
    result, judge = judged(ContextualRecall(), references=references, contexts=["x"])
    assert result.status is Status.UNSCORABLE
    assert judge.asks == []


def test_only_greetings_are_unscorable():
    result, _ = judged(ContextualRecall(), {"r1.1": "no_claim", "r1.2": "no_claim"}, **ROW)
    assert result.status is Status.UNSCORABLE


def test_without_context_nothing_is_attributable():
    labels = {"r1.1": "unmentioned", "r1.2": "unmentioned"}
    result, _ = judged(ContextualRecall(), labels, references=ROW["references"], contexts=[])
    assert result.value == 0.0


@pytest.mark.parametrize(
    ("labels", "value", "reason"),
    [
        ({}, 1.0, "all of r1"),
        ({"r1": "no"}, 1.0, "all of r3"),
        ({"r1": "no", "r3": "no"}, 0.0, "no reference"),
    ],
)
def test_one_yes_or_no_for_each_whole_reference_and_the_best_counts(labels, value, reason):
    row = {"references": ["Ana sings. Bo sings.", " ", "Cy sings."], "contexts": ["Cy sings."]}
    metric = ContextualRecall(granularity="answer")
    result, judge = judged(metric, labels, **row)
    assert (result.value, result.support) == (value, value)
    assert reason in result.reason
    asked = [(item.id, item.text) for ask in judge.asks for item in ask.items]
    assert asked == [("r1", "Ana sings. Bo sings."), ("r3", "Cy sings.")]
    assert all(ask.one_word and ask.subject == "reference" for ask in judge.asks)
    assert metric.label == "contextual_recall@answer"
    assert judged(metric, references=[""], contexts=["x"])[0].status is Status.UNSCORABLE


@pytest.mark.parametrize("granularity", ["sentence", "answer"])
@pytest.mark.parametrize("contexts", [[], ["\u200b", "…"]])
def test_without_a_context_nothing_is_recalled_and_nothing_asked(contexts, granularity):
    metric = ContextualRecall(granularity)
    result, judge = judged(metric, {}, references=ROW["references"], contexts=contexts)
    assert (result.value, result.support, judge.asks) == (0.0, 0.0, [])
