import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.judging import judged
from troth.errors import UsageError
from troth.metrics import metric_class, names, parse
from troth.metrics.faithfulness import Faithfulness
from troth.score import Status

LABELS = ("supported", "contradicted", "unmentioned", "no_claim")
ROW = {"answer": "Ana sings. Bo sings. Cy sings. Di sings.", "contexts": ["Ana and Bo sing."]}


@given(st.lists(st.sampled_from(LABELS), min_size=4, max_size=4))
def test_formula(labels):
    by_id = {f"a{n}": label for n, label in enumerate(labels, 1)}
    claims = [label for label in labels if label != "no_claim"]
    for unverifiable, bad in (
        ("fails", {"contradicted", "unmentioned"}),
        ("counts", {"contradicted"}),
    ):
        result, _ = judged(Faithfulness(unverifiable), by_id, **ROW)
        if claims:
            passing = sum(label not in bad for label in claims)
            assert result.value == pytest.approx(passing / len(claims))
            assert result.status is Status.SCORED
        else:
            assert (result.value, result.status) == (None, Status.UNSCORABLE)
        assert len(result.verdicts) == 4


def test_one_ask_for_all_sentences():
    _, judge = judged(Faithfulness(), **ROW)
    [ask] = judge.asks
    assert [item.text for item in ask.items] == [
        "Ana sings.",
        "Bo sings.",
        "Cy sings.",
        "Di sings.",
    ]


def test_the_reason_names_each_claim_that_fails():
    result, _ = judged(Faithfulness(), {"a2": "contradicted", "a4": "unmentioned"}, **ROW)
    assert result.reason == (
        "2 of 4 claims fail: “Bo sings.” is contradicted (because a2); "
        "“Di sings.” is unmentioned (because a4)"
    )
    assert judged(Faithfulness(), **ROW)[0].reason == "all claims pass: 4 supported"


@pytest.mark.parametrize("answer", ["", "   ", "—", "\n\n"])
def test_an_answer_without_a_claim_is_unscorable_and_costs_nothing(answer):
    result, judge = judged(Faithfulness(), answer=answer, contexts=["x"])
    assert (result.value, result.status) == (None, Status.UNSCORABLE)
    assert judge.asks == []


@pytest.mark.parametrize("contexts", [[], ["", " "]])
def test_without_context_nothing_is_supported_and_nothing_passes_by_default(contexts):
    labels = dict.fromkeys(("a1", "a2", "a3", "a4"), "unmentioned")
    result, judge = judged(Faithfulness(), labels, answer=ROW["answer"], contexts=contexts)
    assert result.value == 0.0
    assert judge.asks[0].contexts == ()
    result, judge = judged(Faithfulness("counts"), answer=ROW["answer"], contexts=contexts)
    assert result.status is Status.UNSCORABLE
    assert judge.asks == []


def test_a_missing_field_is_named():
    result, _ = judged(Faithfulness(), answer="Ana sings.")
    assert (result.status, result.reason) == (Status.UNSCORABLE, "the row has no contexts")


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_support_ranks_rows_and_stays_in_range(supports):
    by_id = {f"a{n}": s for n, s in enumerate(supports, 1)}
    result, _ = judged(Faithfulness(), supports=by_id, **ROW)
    assert 0.0 <= result.support <= 1.0
    raised, _ = judged(Faithfulness(), supports={**by_id, "a1": 1.0}, **ROW)
    assert raised.support >= result.support - 1e-12


def test_identity():
    assert Faithfulness("counts").label == "faithfulness:counts"
    with pytest.raises(UsageError, match="'fails', 'counts'"):
        Faithfulness(unverifiable="maybe")


def test_support_lies_between_product_and_geometric_mean():
    supports = {"a1": 0.9, "a2": 0.5, "a3": 0.8, "a4": 0.25}
    result, _ = judged(Faithfulness(), supports=supports, **ROW)
    product = 0.9 * 0.5 * 0.8 * 0.25
    assert result.support == pytest.approx(product ** (1 / 2))  # n = 4
    assert product < result.support < product ** (1 / 4)
    nothing, _ = judged(Faithfulness(), supports=dict.fromkeys(supports, 0.0), **ROW)
    assert nothing.support == pytest.approx(0.01**2)


@pytest.mark.parametrize(("label", "value"), [("yes", 1.0), ("no", 0.0)])
def test_one_yes_or_no_for_the_whole_answer(label, value):
    metric = Faithfulness(granularity="answer")
    result, judge = judged(metric, {"a": label}, {"a": 0.7}, **ROW)
    assert (result.value, result.support) == (value, 0.7)
    [ask] = judge.asks
    assert (ask.name, ask.one_word, ask.subject) == ("support_whole", True, "answer")
    assert [(i.id, i.text) for i in ask.items] == [("a", ROW["answer"])]
    assert [c.text for c in ask.contexts] == ROW["contexts"]
    assert "because a" in result.reason
    assert judged(metric, answer=" ", contexts=["x"])[0].status is Status.UNSCORABLE


def test_granularity_is_part_of_the_identity():
    assert Faithfulness(granularity="answer").label == "faithfulness@answer"
    assert parse("faithfulness@answer") == Faithfulness(granularity="answer")
    assert parse("faithfulness@sentence") == Faithfulness()
    assert Faithfulness().label == "faithfulness"
    assert "granularity='answer'" in repr(parse("faithfulness@answer"))
    with pytest.raises(UsageError, match="'sentence', 'answer'"):
        Faithfulness(granularity="word")
    with pytest.raises(UsageError, match="'sentence', 'answer'"):
        parse("faithfulness@")
    with pytest.raises(UsageError, match="unverifiable='counts' needs 'sentence'"):
        parse("faithfulness:counts@answer")
    with pytest.raises(UsageError, match="exact_match has one granularity"):
        parse("exact_match@answer")


@pytest.mark.parametrize("name", names())
def test_every_label_parses_back(name):
    cls = metric_class(name)
    if cls.asked_only:
        return
    for choice in cls.choices or (None,):
        for granularity in cls.granularities or (None,):
            given = {cls.choice: choice} if choice else {}
            given |= {"granularity": granularity} if granularity else {}
            try:
                metric = cls(**given)
            except UsageError:
                continue
            assert parse(metric.label) == metric


@pytest.mark.parametrize("contexts", [[], [" "], ["\u200b", "…"]])
def test_without_a_context_nothing_is_supported_whatever_the_judge_says(contexts):
    row = {"answer": "Ana sings. Hello!", "contexts": contexts}
    result, _ = judged(Faithfulness(), {"a1": "supported", "a2": "no_claim"}, **row)
    assert (result.value, result.support) == (0.0, pytest.approx(0.01))
    first = result.verdicts[0]
    assert (first.label, first.reason) == ("unmentioned", "there is no context")
    result, _ = judged(Faithfulness(), {"a1": "no_claim", "a2": "no_claim"}, **row)
    assert result.status is Status.UNSCORABLE
    result, judge = judged(Faithfulness(granularity="answer"), {"a": "yes"}, **row)
    assert (result.value, judge.asks) == (0.0, [])
