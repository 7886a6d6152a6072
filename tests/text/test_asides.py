"""Citation markers and answering words: what is taken off, and what stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.text.asides import without_asides, without_markers


@pytest.mark.parametrize(
    "marker",
    ["[1]", "[1, 2]", "[^3]", "(source 3)", "(Passage 2)", "(see passages 1 and 2)", "[doc 4]",
     "【1】", "（来源3）"],
)  # fmt: skip
def test_markers_go(marker):
    assert without_markers(f"It opened in 1876{marker}.") == "It opened in 1876."
    assert without_markers(f"{marker} It opened.").strip() == "It opened."


@pytest.mark.parametrize(
    "text", ["The range is [5, 10].", "It opened (in 1876).", "a[i]", "(sources)", "x = [1, 2]"]
)
def test_other_brackets_stay(text):
    assert without_markers(text) == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Yes, dogs may.", "dogs may."),
        ("No, the shop is closed.", "the shop is closed."),
        ("No. The shop is closed.", "The shop is closed."),
        ("Nein, das Haus ist zu.", "das Haus ist zu."),
        ("Non, c'est fermé.", "c'est fermé."),
        ("Sí, está abierto.", "está abierto."),
        ("是的，灯塔开放。", "灯塔开放。"),
        ("不，灯塔关闭。", "灯塔关闭。"),
        ("No smoking.", "No smoking."),
        ("No. 5 is the tallest.", "No. 5 is the tallest."),
        ("No.", "No."),
        ("No", "No"),
        ("不开放。", "不开放。"),
        ("", ""),
    ],
)
def test_an_answering_word_goes_where_it_is_set_off(text, left):
    assert without_asides(text) == left


@given(st.text(alphabet=st.characters() | st.sampled_from("[](),12 No"), max_size=60))
def test_any_text_keeps_its_order(text):
    rest = iter(text)
    assert all(character in rest for character in without_asides(text))
