import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.oracles import squad_tokens
from troth.metrics.contains import Contains
from troth.sample import Sample
from troth.score import Status


def score(answer, references, **options):
    return Contains(**options).score(Sample(answer=answer, references=references))


@pytest.mark.parametrize(
    ("answer", "references", "plain", "squad"),
    [
        ("It is in Berlin.", ["Berlin"], 1.0, 1.0),
        ("It is in berlin.", ["Berlin"], 0.0, 1.0),
        ("a party", ["art"], 1.0, 0.0),
        ("in New York City", ["york new"], 0.0, 0.0),
        ("it is 15", ["1.5", "15"], 1.0, 1.0),
        ("", [""], 1.0, 1.0),
        ("x", [""], 0.0, 0.0),  # an empty reference is in every text: that would be a free pass
        ("x", ["the"], 0.0, 0.0),
        ("在北京", ["北京"], 1.0, 0.0),  # SQuAD's tokens are split at white space
    ],
)
def test_examples(answer, references, plain, squad):
    assert score(answer, references).value == plain
    assert score(answer, references, normalize="squad").value == squad


@given(st.text(), st.text(min_size=1), st.text())
def test_plain_is_found_wherever_it_stands(before, reference, after):
    assert score(before + reference + after, [reference]).value == 1.0


@given(*[st.lists(st.sampled_from(["x", "y", "the", "z1", "É"]), max_size=6)] * 2)
def test_squad_is_a_run_of_tokens(answer, reference):
    hay, needle = squad_tokens(" ".join(answer)), squad_tokens(" ".join(reference))
    runs = [hay[i : i + len(needle)] for i in range(len(hay) - len(needle) + 1)]
    expected = needle in runs if needle else not hay
    result = score(" ".join(answer), [" ".join(reference)], normalize="squad")
    assert result.value == float(expected)


def test_no_reference_is_unscorable():
    assert score("x", []).status is Status.UNSCORABLE


def test_the_reason_names_what_was_looked_for():
    assert score("Lyon", ["Paris", "Rome"]).reason == "does not contain “Paris” or “Rome”"
