import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ranked import rankings, trec_eval
from troth.metrics.reciprocal_rank import ReciprocalRank
from troth.sample import Sample
from troth.score import Status


def score(retrieved, grades, **options):
    return ReciprocalRank(**options).score(Sample(retrieved_ids=retrieved, relevant_ids=grades))


@given(rankings(), st.integers(1, 12))
def test_agrees_with_trec_eval(ranking, k):
    retrieved, grades = ranking
    expected = trec_eval("recip_rank", retrieved, grades)
    assert score(retrieved, grades).value == pytest.approx(expected, abs=1e-9)
    expected = trec_eval("recip_rank", retrieved[:k], grades)  # it has no cut-off of its own
    assert score(retrieved, grades, k=k).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "value"),
    [
        ("abc", "cb", None, 1 / 2),
        ("abc", "c", 2, 0.0),
        ("xxb", "b", None, 1 / 3),  # a document that is there twice keeps both ranks
        ("", "a", None, 0.0),
    ],
)
def test_by_hand(retrieved, relevant, k, value):
    got = score(list(retrieved), relevant if isinstance(relevant, dict) else list(relevant), k=k)
    assert got.value == pytest.approx(value, abs=1e-12)
    assert got.support == got.value


def test_no_relevant_document_is_unscorable():
    for relevant in ([], {"a": 0}, {"a": -2}):
        assert score(["a"], relevant).status is Status.UNSCORABLE
