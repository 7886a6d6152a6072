import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.oracles import f1_by_matching, squad_tokens
from troth.metrics.token_f1 import TokenF1
from troth.sample import Sample
from troth.score import Status

WORDS = st.lists(
    st.sampled_from(["a", "the", "cat", "Cat", "sat,", "on", "mat.", "漢字", "é"]), max_size=8
).map(" ".join)


def score(answer, references, **options):
    return TokenF1(**options).score(Sample(answer=answer, references=references))


@given(WORDS, st.lists(WORDS, min_size=1, max_size=3))
def test_plain_splits_at_white_space(answer, references):
    expected = max(f1_by_matching(answer.split(), r.split()) for r in references)
    assert score(answer, references).value == pytest.approx(expected, abs=1e-12)


@given(WORDS | st.text(), st.lists(WORDS | st.text(), min_size=1, max_size=3))
def test_squad_agrees_with_an_independent_implementation(answer, references):
    expected = max(f1_by_matching(squad_tokens(answer), squad_tokens(r)) for r in references)
    assert score(answer, references, normalize="squad").value == pytest.approx(expected, abs=1e-12)


@given(WORDS, WORDS)
def test_symmetric_and_bounded(a, b):
    value = score(a, [b]).value
    assert 0.0 <= value <= 1.0
    assert value == score(b, [a]).value


def test_tokens_are_a_multiset():
    assert score("b b b b", ["b x"]).value == pytest.approx(2 * (1 / 4) * (1 / 2) / (3 / 4))


def test_no_answer_rule():
    assert score("the", ["a"], normalize="squad").value == 1.0
    assert score("", ["x"], normalize="squad").value == 0.0
    assert score("x", ["", "x"], normalize="squad").value == 1.0


def test_no_reference_is_unscorable():
    assert score("x", []).status is Status.UNSCORABLE


def test_the_reason_counts():
    assert score("a b c", ["b c d"]).reason == "2 of the answer's 3 tokens, 3 in the reference"
