import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ranked import rankings, trec_eval
from troth.metrics.hit_rate import HitRate
from troth.sample import Sample
from troth.score import Status


def score(retrieved, grades, **options):
    return HitRate(**options).score(Sample(retrieved_ids=retrieved, relevant_ids=grades))


@given(rankings(), st.integers(1, 12))
def test_agrees_with_trec_eval(ranking, k):
    assert score(*ranking, k=k).value == trec_eval("success", *ranking, k)
    assert score(*ranking).value == trec_eval("success", *ranking, 1000)


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "value"),
    [
        ("abc", "cz", None, 1.0),
        ("abc", "cz", 2, 0.0),
        ("abc", "z", None, 0.0),
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
