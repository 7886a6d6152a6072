import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score

from tests.metrics.judging import judged
from troth.metrics.contextual_precision import ContextualPrecision, average_precision
from troth.score import Status


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_average_precision_as_scikit_learn_computes_it(useful):
    labels = {f"c{n}": "useful" if u else "useless" for n, u in enumerate(useful, 1)}
    contexts = [f"Context {n}." for n in range(len(useful))]
    result, _ = judged(
        ContextualPrecision(), labels, question="q", references=["r"], contexts=contexts
    )
    ranking = list(range(len(useful), 0, -1))
    expected = average_precision_score(useful, ranking) if any(useful) else 0.0
    assert result.value == pytest.approx(expected, abs=1e-12)
    assert result.support == pytest.approx(result.value)  # supports of 0 and 1: the same formula


@given(st.lists(st.floats(0, 1), max_size=12))
def test_support_stays_in_range(gains):
    assert 0.0 <= average_precision(gains) <= 1.0


def test_a_blank_context_holds_its_rank_and_is_not_asked_about():
    result, judge = judged(
        ContextualPrecision(), question="q", references=["r"], contexts=["", "Ana sings."]
    )
    assert result.value == 0.5
    assert [i.id for i in judge.asks[0].items] == ["c2"]


def test_the_order_counts():
    row = {"question": "q", "references": ["r"], "contexts": ["x.", "y."]}
    assert judged(ContextualPrecision(), {"c2": "useless"}, **row)[0].value == 1.0
    assert judged(ContextualPrecision(), {"c1": "useless"}, **row)[0].value == 0.5


@pytest.mark.parametrize(
    ("references", "contexts"), [([], ["x"]), ([" "], ["x"]), (["r"], []), (["r"], [""])]
)
def test_nothing_to_rank_or_to_rank_by_is_unscorable(references, contexts):
    result, judge = judged(
        ContextualPrecision(), question="q", references=references, contexts=contexts
    )
    assert result.status is Status.UNSCORABLE
    assert judge.asks == []


def test_the_question_may_be_absent():
    assert judged(ContextualPrecision(), references=["r"], contexts=["x"])[0].value == 1.0


@pytest.mark.parametrize("reference", ["\u200b", "...", "👍"])
def test_a_reference_that_states_nothing_is_none(reference):
    result, judge = judged(ContextualPrecision(), {}, references=[reference], contexts=["x"])
    assert result.status is Status.UNSCORABLE
    assert judge.asks == []
