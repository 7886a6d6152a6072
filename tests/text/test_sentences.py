"""Sentences: every script, lists, wrapped lines, nothing lost, no text too long."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.text.sentences import language, sentences


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "en"),
        ("42 !", "en"),
        ("Das ist gut.", "en"),
        ("今天天气很好。", "zh"),
        ("東京は日本の首都です。", "ja"),
        ("안녕하세요", "ko"),
        ("สวัสดี", "th"),
        ("كيف حالك", "ar"),
        ("Привет, мир", "ru"),
        ("यह अच्छा है", "hi"),
        ("Γειά σου", "el"),
        ("The company 中国 is large and has many offices everywhere.", "en"),
    ],
)
def test_language_by_script(text, code):
    assert language(text) == code


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        (" \n\t ", ()),
        ("... !!!", ()),
        ("42", ("42",)),
        ("Mr. Smith earned $3.5 million. He left.", ("Mr. Smith earned $3.5 million.", "He left.")),
        ("今天天气很好。我们去公园！", ("今天天气很好。", "我们去公园！")),
        ("यह अच्छा है। वह गया।", ("यह अच्छा है।", "वह गया।")),
        ("كيف حالك؟ أنا بخير.", ("كيف حالك؟", "أنا بخير.")),
        ("# Head\n- one\n* two\n3) three\n\nEnd.", ("Head", "one", "two", "3) three", "End.")),
        ("1. one\n\n2. two\nand\n3. three", ("one", "two", "and", "three")),
        ("1. one\n5. five", ("1. one", "5. five")),
        ("Good. 😀", ("Good. 😀",)),
        ("门票4克朗。6岁以下不得登塔。", ("门票4克朗。", "6岁以下不得登塔。")),
        ("It opened. (source 3)", ("It opened. (source 3)",)),
        ("It is tall.[1, 2]", ("It is tall. [1, 2]",)),
        ("[1]", ("[1]",)),
        ("First.\n---\nSecond.", ("First.", "Second.")),
        (
            "This line was wrapped by its writer at some\ncolumn and goes on. Done.",
            ("This line was wrapped by its writer at some column and goes on.", "Done."),
        ),
        ("milk\neggs", ("milk", "eggs")),
        ("196. That is the number of steps.", ("196. That is the number of steps.",)),
        ("3. Oktober 1990 war der Tag.", ("3. Oktober 1990 war der Tag.",)),
        ("- 5 °C it is.\n> 5 km away.", ("- 5 °C it is.", "> 5 km away.")),
        ("Vitamin A\u00a0.", ("Vitamin A\u00a0.",)),
        ("A\u3000. B\u2003. C\u202f.", ("A\u3000. B\u2003. C\u202f.",)),
    ],
)
def test_examples(text, expected):
    assert sentences(text) == expected


def visible(text):
    return [c for c in text if c.isalpha()]


@given(st.text(alphabet=st.characters(exclude_categories=("Cs",)), max_size=300))
def test_no_letter_is_lost_or_moved(text):
    found = sentences(text)
    assert visible("".join(found)) == visible(text)
    for sentence in found:
        assert sentence == sentence.strip()
        assert any(c.isalnum() for c in sentence)


@given(st.text(alphabet=st.characters(), max_size=100))
def test_lone_surrogates_are_no_reason_to_fail(text):
    assert visible("".join(sentences(text + "\ud800 x."))) == visible(text + "\ud800 x.")


@pytest.mark.parametrize(
    "piece", ["今天天气很好。我们去公园。", "word ", "x", "1. ", "\n", "Dr. A. "]
)
def test_time_grows_with_length_not_with_its_square(piece):
    def seconds(size):
        started = time.process_time()
        sentences(piece * (size // len(piece)))
        return time.process_time() - started

    seconds(1000)
    assert seconds(400_000) < 20 * max(seconds(100_000), 0.02)


def test_a_stretch_without_an_end_is_cut_at_a_space():
    found = sentences("word " * 2000)
    assert len(found) > 1
    assert all(len(sentence) <= 2000 for sentence in found)
    assert "".join(found).replace(" ", "") == "word" * 2000
