"""Replies that cost little: labels alone, and one word."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.asks import Correctness, Item, Relevance, RelevanceWhole, Support, SupportWhole
from troth.engine.decode import Partial, decode
from troth.errors import BadReply
from troth.score import Verdict

ITEMS = (Item("a1", "Ana sings."), Item("a2", "Bo sings."))
SUPPORT = Support(items=ITEMS, contexts=(), explain=False)
BRIEF = (
    SUPPORT,
    Relevance(items=ITEMS, question="?", explain=False),
    Correctness(items=ITEMS, answer=ITEMS, references=(), explain=False),
)
WORDS = (
    SupportWhole(items=ITEMS[:1], contexts=()),
    RelevanceWhole(items=ITEMS[:1], question="?"),
)


def said(*verdicts):
    return json.dumps({"verdicts": list(verdicts)})


@pytest.mark.parametrize("ask", BRIEF, ids=lambda ask: ask.name)
def test_labels_alone_become_verdicts_with_the_items_text(ask):
    for label, support in ask.labels.items():
        answer = decode(ask, said(*({"id": item.id, "label": label} for item in ITEMS)))
        assert answer == tuple(Verdict(i.id, label, support, text=i.text) for i in ITEMS)


@pytest.mark.parametrize("ask", BRIEF, ids=lambda ask: ask.name)
def test_labels_alone_are_reconciled_as_ever(ask):
    good = next(iter(ask.labels))
    one, two = ({"id": item.id, "label": good} for item in ITEMS)
    with pytest.raises(Partial, match="a2"):
        decode(ask, said(one))
    for bad in (
        said(one, two, one),
        said(one, {"id": "z", "label": good}),
        said(one, {"id": "a2"}),
    ):
        with pytest.raises(BadReply):
            decode(ask, bad)
    with pytest.raises(BadReply, match="must be one of"):
        decode(ask, said(one, {**two, "label": "fine"}))


def test_an_item_is_not_split_where_labels_alone_were_asked_for():
    claims = [{"claim": "c", "label": "supported", "reason": "", "sources": []}]
    split = said(*({"id": item.id, "claims": claims} for item in ITEMS))
    with pytest.raises(BadReply, match="shape"):
        decode(SUPPORT, split)
    assert len(decode(replace(SUPPORT, explain=True), split)) == 2


SPOKEN = [
    "{}",
    " {}\n",
    '"{}"',
    "'{}'",
    "{}.",
    '"{}."',
    '"{}".',
    "“{}”",
    "「{}」",
    "{}。",
    "**{}**",
]


@pytest.mark.parametrize("ask", WORDS, ids=lambda ask: ask.name)
@pytest.mark.parametrize("form", [*SPOKEN, "<think>no, or yes?</think>\n\n{}"])
@pytest.mark.parametrize(("word", "support"), [("yes", 1.0), ("no", 0.0)])
def test_one_word_is_read_in_its_common_forms(ask, form, word, support):
    for cased in (word, word.upper(), word.capitalize()):
        [verdict] = decode(ask, form.format(cased))
        assert (verdict.id, verdict.label, verdict.support) == ("a1", word, support)
        assert verdict.text == "Ana sings."


NOTHING_ELSE = [
    "",
    "yes no",
    "yes, because",
    "Answer: yes",
    "yes!",
    "not",
    "y",
    "true",
    "1",
    "是",
    '"yes',
    "yes\nno",
    "<think>yes</think>",
    "<think>yes",
    '{"verdicts":[{"id":"a1","label":"yes"}]}',
    '["yes"]',
    "null",
]


@pytest.mark.parametrize("ask", WORDS, ids=lambda ask: ask.name)
@pytest.mark.parametrize("text", NOTHING_ELSE)
def test_nothing_but_the_word_is_an_answer(ask, text):
    with pytest.raises(BadReply):
        decode(ask, text)


@given(st.text(max_size=12))
def test_no_other_text_is_ever_a_word(text):
    bare = text.strip().strip("\"'`*“”‘’「」.。").strip().casefold()
    try:
        [verdict] = decode(WORDS[0], text)
    except BadReply:
        return
    assert verdict.label == bare


def test_a_judge_that_knows_more_hands_in_a_verdict():
    [verdict] = decode(WORDS[0], (Verdict("a1", "yes", 0.83),))
    assert (verdict.support, verdict.text) == (0.83, "Ana sings.")
    with pytest.raises(BadReply, match="must be one of yes, no"):
        decode(WORDS[0], (Verdict("a1", "supported", 0.83),))
