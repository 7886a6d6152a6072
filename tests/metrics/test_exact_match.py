import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.oracles import squad_tokens
from troth.errors import UsageError
from troth.metrics.exact_match import ExactMatch
from troth.sample import Sample
from troth.score import Status

TEXT = st.text(st.sampled_from("aA ntTheEéß.,-'\u00a0漢字") | st.characters(codec="utf-8"))


def score(answer, references, **options):
    return ExactMatch(**options).score(Sample(answer=answer, references=references))


@pytest.mark.parametrize(
    ("answer", "references", "value"),
    [
        ("Berlin", ["Berlin"], 1.0),
        ("Berlin ", ["Berlin"], 0.0),
        ("berlin", ["Berlin"], 0.0),
        ("Lyon", ["Paris", "Lyon"], 1.0),
        ("Lyon", ["Paris", "Rome"], 0.0),
        ("", [""], 1.0),
        ("", ["x"], 0.0),
        ("caf\u00e9", ["cafe\u0301"], 0.0),  # character by character: canonical forms differ
        ("北京", ["北京"], 1.0),
    ],
)
def test_character_by_character(answer, references, value):
    assert score(answer, references).value == value


@pytest.mark.parametrize(
    ("answer", "references", "value"),
    [
        ("The Eiffel-Tower!", ["eiffeltower"], 1.0),
        ("the the the", ["a"], 1.0),  # both are empty after normalisation, as the official script
        ("1.5", ["15"], 1.0),  # the official script's weakness, kept on request
        ("Café", ["cafe"], 0.0),
    ],
)
def test_squad(answer, references, value):
    assert score(answer, references, normalize="squad").value == value


@given(TEXT, st.lists(TEXT, min_size=1, max_size=3))
def test_squad_agrees_with_an_independent_implementation(answer, references):
    expected = squad_tokens(answer) in [squad_tokens(r) for r in references]
    assert score(answer, references, normalize="squad").value == float(expected)


@given(TEXT, st.lists(TEXT, min_size=1, max_size=3))
def test_plain_is_equality_with_any(answer, references):
    result = score(answer, references)
    assert result.value == result.support == float(answer in references)
    assert result.reason


def test_no_reference_is_unscorable():
    result = score("x", [])
    assert (result.value, result.status) == (None, Status.UNSCORABLE)
    assert "reference" in result.reason


def test_unknown_normalisation_names_the_known_ones():
    with pytest.raises(UsageError, match="'none', 'squad'"):
        ExactMatch(normalize="sqaud")


def test_identity():
    assert repr(ExactMatch("squad")) == "ExactMatch(normalize='squad')"
    assert ExactMatch("squad").label == "exact_match:squad"
    assert ExactMatch().label == "exact_match"


def test_pairs_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="1 answers do not go with 2 references"):
        ExactMatch().hits(["a"], ["a", "b"])
