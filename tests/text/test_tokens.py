"""Tokens for judging: words of every script, numbers by value, names, negations."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.text.tokens import is_content, is_negation, names, numbers, stem, stems, words


def values(text):
    return [number.values for number in numbers(words(text))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("?!", []),
        ("It's 3,500.5 (10%).", ["It's", "3,500.5", "10"]),
        ("東京都へ", ["東京", "京都", "都へ"]),
        ("中", ["中"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("ﬁne Ａ", ["fine", "A"]),
        ("11am", ["11", "am"]),
        ("5 p.m. on", ["5", "pm", "on"]),
        ("3万人", ["3", "万", "人"]),
        ("千万不", ["千万", "万不"]),
    ],
)
def test_words(text, expected):
    assert words(text) == expected


def test_stems_fold_case_and_inflection():
    assert stems("Running RUNS") == ["run", "run"]
    assert stem("собаки") == stem("собака")
    assert stem("3,500") == stem("3500")
    assert stem("Straße") == stem("STRASSE")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("3,500,000", "3.5 million"),
        ("10", "ten"),
        ("25", "twenty-five"),
        ("17:00", "5 pm"),
        ("12:00", "12 pm"),
        ("0:00", "12 am"),
        ("3,5", "3.5"),
        ("2.0", "2"),
        ("300", "three hundred"),
        ("17:00", "5 p.m."),
        ("30000", "3万人"),
        ("2百万", "2 million"),
    ],
)
def test_equal_numbers_share_a_value(one, other):
    assert values(one)[0] & values(other)[0]


@pytest.mark.parametrize(
    ("one", "other"),
    [("1998", "1999"), ("3.5 million", "35 million"), ("5 am", "5 pm"), ("1.5", "15")],
)
def test_different_numbers_share_none(one, other):
    assert not values(one)[0] & values(other)[0]


def test_names_are_capitalised_words_behind_the_first():
    assert names(words("Yesterday Ada met Bob and I left The Hague")) == ["Ada", "Bob", "Hague"]
    assert names(words("東京は日本")) == []


@pytest.mark.parametrize("word", ["not", "No", "didn't", "don’t", "never", "nicht", "不是", "нет"])
def test_negations(word):
    assert is_negation(word)
    assert not is_content(word)


@given(st.text(alphabet=st.characters()))
def test_any_text_can_be_read(text):
    tokens = words(text)
    assert len(stems(text)) == len(tokens)
    assert all(tokens)
    names(tokens)
    for number in numbers(tokens):
        assert number.values
    for token in tokens:
        is_content(token)
        is_negation(token)
