from math import log2

import pytest
from hypothesis import given
from hypothesis import strategies as st

import troth
from tests.ranked import rankings, trec_eval
from troth.errors import InputError
from troth.metrics.ndcg import Ndcg
from troth.sample import Sample
from troth.score import Status


def score(retrieved, grades, **options):
    return Ndcg(**options).score(Sample(retrieved_ids=retrieved, relevant_ids=grades))


@given(rankings(), st.integers(1, 12))
def test_agrees_with_trec_eval(ranking, k):
    expected = trec_eval("ndcg", *ranking)
    assert score(*ranking).value == pytest.approx(expected, abs=1e-9)
    expected = trec_eval("ndcg_cut", *ranking, k)
    assert score(*ranking, k=k).value == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize(
    ("retrieved", "relevant", "k", "value"),
    [
        ("abc", "a", None, 1.0),
        ("ba", {"a": 3, "b": 1}, None, (1 + 3 / log2(3)) / (3 + 1 / log2(3))),
        ("ba", {"a": 3, "b": 1}, 1, 1 / 3),
        ("xa", {"a": 0.25}, None, 1 / log2(3)),  # grades need not be whole numbers
        ("aab", "ab", None, (1 + 1 / 2) / (1 + 1 / log2(3))),
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


def test_both_columns_that_are_missing_are_named():
    rows = [{"question": "?", "retrieved_ids": ["a"], "relevant_ids": ["a"]}]
    with pytest.raises(InputError, match=r"'contexts': .*nor 'relevant_contexts', which is needed"):
        troth.evaluate(rows, metrics="ndcg:span")
