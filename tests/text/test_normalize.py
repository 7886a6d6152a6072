"""Normalisations against the published behaviour of the SQuAD evaluation script."""

import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.text.normalize import NORMALIZATIONS, Normalization


def official(text):
    """An independent reading of the official rule, step by step and character by character."""
    kept = "".join(c for c in text.lower() if c not in set(string.punctuation))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", kept).split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The  Cat.", "cat"),
        ("a", ""),
        ("A.M.", "am"),
        ("the-end", "theend"),
        ("an apple a day", "apple day"),
        ("$3.5 million", "35 million"),
        ("“quoted”", "“quoted”"),  # curly quotes stay: the rule knows ASCII alone
        ("北京市", "北京市"),
        ("", ""),
        (" \t\n", ""),
    ],
)
def test_squad_examples(text, expected):
    assert NORMALIZATIONS["squad"].text(text) == expected


@given(st.text())
def test_squad_is_the_official_rule(text):
    assert NORMALIZATIONS["squad"].text(text) == official(text)
    assert NORMALIZATIONS["squad"].tokens(text) == official(text).split()


@given(st.text())
def test_none_changes_nothing(text):
    assert NORMALIZATIONS["none"].text(text) == text
    assert NORMALIZATIONS["none"].tokens(text) == text.split()


def test_a_rule_is_a_named_frozen_value():
    for name, rule in NORMALIZATIONS.items():
        assert isinstance(rule, Normalization)
        assert rule.name == name
        assert repr(rule) == f"Normalization(name={name!r}, version=1)"
        with pytest.raises(AttributeError):
            rule.version = 2
