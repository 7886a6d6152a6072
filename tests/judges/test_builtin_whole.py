"""The built-in judge on whole texts and on answers beside references."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from troth.asks import (
    Correctness,
    Item,
    Relevance,
    RelevanceWhole,
    RubricLevel,
    Support,
    SupportWhole,
)
from troth.errors import JudgeSetupError
from troth.judges.builtin import Builtin
from troth.text.sentences import sentences

PROSE = st.text(max_size=60) | st.lists(
    st.sampled_from(("the", "cat", "Paris", "not", "12", "ten", "東京。", "Bob's.", "3.5", "?"))
).map(" ".join)
BRIDGE = (Item("c1", "The bridge was opened in 1998 by the mayor of Bonn. It is open to all."),)


def items(prefix, texts):
    return tuple(Item(f"{prefix}{n}", text) for n, text in enumerate(texts, 1))


def verdicts(ask):
    return asyncio.run(Builtin().reply(ask)).content


def correctness(answer, *references, question=None):
    said, stated = items("a", sentences(answer)), items("r", references)
    ask = Correctness(items=stated + said, references=stated, answer=said, question=question)
    return {v.id: v for v in verdicts(ask)}


@pytest.mark.parametrize(
    ("answer", "reference", "label"),
    [
        ("The capital is Paris.", "Paris", "matched"),
        ("The capital is Lyon.", "Paris", "unmatched"),
        ("It has ten arches.", "10", "matched"),
        ("Beyonce sang it.", "Beyoncé", "matched"),
        ("首都是北京市。", "北京", "matched"),
        ("首都是上海。", "北京", "unmatched"),
        ("The bridge was opened in 1999 by the mayor.", "1998", "unmatched"),
        (
            "The old bridge of Bonn was opened in 1999 by the mayor.",
            "The old bridge of Bonn was opened in 1998 by the mayor.",
            "contradicted",
        ),
    ],
)
def test_a_reference_is_looked_for_in_the_answer(answer, reference, label):
    found = correctness(answer, reference)
    assert found["r1"].label == label
    assert found["r1"].reason


def test_what_the_question_says_does_not_count_as_said():
    question = "Which river runs through Paris, the capital of France?"
    reference = "The river Seine runs through Paris."
    parrot = correctness("A river runs through Paris.", reference, question=question)["r1"]
    right = correctness("The Seine.", reference, question=question)["r1"]
    assert right.support > parrot.support


def test_a_sentence_of_the_answer_is_right_by_any_reference():
    found = correctness("It opened in 1998. Penguins eat fish.", "1997", "It opened in 1998.")
    assert found["a1"].label == "matched"
    assert found["a2"].label == "unmatched"


@settings(max_examples=100, deadline=None)
@given(answer=st.lists(PROSE, max_size=3), references=st.lists(PROSE, max_size=3), question=PROSE)
def test_every_item_gets_one_verdict_that_depends_on_no_other_item(answer, references, question):
    said, stated = items("a", answer), items("r", references)
    ask = Correctness(items=stated + said, references=stated, answer=said, question=question)
    found = verdicts(ask)
    assert [v.id for v in found] == [i.id for i in ask.items]
    assert all(v.label in ask.labels and 0 <= v.support <= 1 and v.reason for v in found)
    assert found == tuple(v for item in ask.items for v in verdicts(replace(ask, items=(item,))))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("The bridge was opened in 1998. It is open to all.", "yes"),
        ("The bridge was opened in 1998. Penguins sell purple umbrellas.", "no"),
        ("Hello!", "yes"),
    ],
)
def test_the_least_supported_sentence_decides_about_the_whole(text, label):
    [verdict] = verdicts(SupportWhole(items=(Item("a", text),), contexts=BRIDGE))
    assert (verdict.id, verdict.label, verdict.text) == ("a", label, text)


@settings(max_examples=100, deadline=None)
@given(text=PROSE, question=PROSE, context=PROSE)
def test_a_whole_is_judged_by_its_sentences(text, question, context):
    contexts = (Item("c1", context),)
    parts = items("a", sentences(text))
    item = (Item("a", text),)
    [whole] = verdicts(SupportWhole(items=item, contexts=contexts))
    claims = [v for v in verdicts(Support(items=parts, contexts=contexts)) if v.label != "no_claim"]
    assert whole.support == min((v.support for v in claims), default=1.0)
    assert (whole.label == "yes") == (whole.support >= 0.6)
    [whole] = verdicts(RelevanceWhole(items=item, question=question))
    found = verdicts(Relevance(items=parts, question=question))
    assert whole.support == max((v.support for v in found), default=0.0)
    assert (whole.label == "yes") == any(v.label == "relevant" for v in found)


def test_a_criterion_of_the_users_is_refused_for_good():
    ask = RubricLevel(
        items=(Item("rubric", "Is it polite?"),),
        material=(Item("answer", "Thanks."),),
        scale=(("pass", "it is", 1.0), ("fail", "it is not", 0.0)),
    )
    with pytest.raises(JudgeSetupError, match="Is it polite"):
        verdicts(ask)
