import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ranked import rankings, trec_eval
from troth.metrics.recall import Recall
from troth.sample import Sample
from troth.score import Status


def score(retrieved, grades, **options):
    return Recall(**options).score(Sample(retrieved_ids=retrieved, relevant_ids=grades))


@given(rankings(), st.integers(1, 12))
def test_agrees_with_trec_eval(ranking, k):
    expected = trec_eval("recall", *ranking, k)
    assert score(*ranking, k=k).value == pytest.approx(expected, abs=1e-9)
    whole = trec_eval("recall", *ranking, 1000)
    assert score(*ranking).value == pytest.approx(whole, abs=1e-9)


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "value"),
    [
        ("abc", "cz", None, 0.5),
        ("abc", "cz", 2, 0.0),
        ("aab", "ab", 2, 0.5),  # the second `a` keeps its rank and counts no more
        ("ab", "abcd", 1, 0.25),  # k has no room for more
        ("abc", {"a": 3, "z": 1, "b": 0}, None, 0.5),  # a grade of 0 is not relevant
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
