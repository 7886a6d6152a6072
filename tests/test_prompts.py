"""Prompts: what is sent for each ask, byte by byte where it matters."""

from __future__ import annotations

import json
import re
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.asks import Item, Relevance, Support, Usefulness
from troth.errors import UsageError
from troth.prompts import render as module
from troth.prompts.render import languages, render

ITEMS = (Item("a1", "Paris is the capital."), Item("a2", "It is big."))
CONTEXTS = (Item("c1", "Paris is the capital of France."), Item("c2", "Lyon is a city."))
SUPPORT = Support(items=ITEMS, contexts=CONTEXTS, question="What is the capital?")
RELEVANCE = Relevance(items=ITEMS, question="What is the capital?")
USEFULNESS = Usefulness(items=CONTEXTS, question="What is the capital?", references=("Paris",))
ASKS = (SUPPORT, RELEVANCE, USEFULNESS)

texts = st.text(max_size=40)  # all of Unicode but lone surrogates, which have their own test


def data(prompt) -> dict:
    """Everything that the user message holds, line by line."""
    together = {}
    for line in prompt.messages[1]["content"].splitlines():
        together |= json.loads(line)
    return together


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.name)
def test_a_prompt_explains_each_label_in_few_words(ask):
    system = render(ask).messages[0]["content"]
    assert len(system.split()) < 200
    for label in ask.labels:
        assert len(re.findall(rf"^- {label}: .+$", system, re.MULTILINE)) == 1
    for rule in ("exactly once", "at most 15 words", "language of the question", "data"):
        assert rule in system


@pytest.mark.parametrize("ask", ASKS, ids=lambda ask: ask.name)
def test_the_example_in_a_prompt_has_the_shape_of_its_schema(ask):
    prompt = render(ask)
    example = json.loads(prompt.messages[0]["content"].splitlines()[-1])
    shape = prompt.schema["properties"]["verdicts"]["items"]
    [verdict] = example["verdicts"]
    assert list(verdict) == shape["required"]
    if ask.splits:
        assert list(verdict["claims"][0]) == shape["properties"]["claims"]["items"]["required"]
    assert prompt.schema_name == ask.name


def test_the_data_is_the_ask_as_json():
    assert data(render(SUPPORT)) == {
        "contexts": [{"id": item.id, "text": item.text} for item in CONTEXTS],
        "question": "What is the capital?",
        "subject": "answer",
        "items": [{"id": item.id, "text": item.text} for item in ITEMS],
    }
    assert data(render(USEFULNESS))["references"] == ["Paris"]
    assert data(render(Support(items=ITEMS, contexts=())))["question"] is None


def test_asks_that_share_contexts_share_all_bytes_up_to_what_changes():
    one = render(SUPPORT).messages
    other = render(
        Support(items=(Item("r1", "X"),), contexts=CONTEXTS, question="Y", subject="reference")
    ).messages
    assert one[0] == other[0]
    first, second = (messages[1]["content"].split("\n")[0] for messages in (one, other))
    assert first == second
    assert "Lyon" in first


@given(texts, texts, texts)
def test_no_text_can_leave_its_json_string(question, item, context):
    ask = Support(items=(Item("a1", item),), contexts=(Item("c1", context),), question=question)
    content = render(ask).messages[1]["content"]
    lines = content.split("\n")
    assert len(lines) == 2
    assert json.loads(lines[0])["contexts"][0]["text"] == context
    assert json.loads(lines[1])["question"] == question
    assert json.loads(lines[1])["items"] == [{"id": "a1", "text": item}]
    assert "<" not in content


def test_a_lone_surrogate_can_be_sent():
    ask = Relevance(items=(Item("a1", "half \ud83d a smiley"),), question="?")
    render(ask).messages[1]["content"].encode("utf-8")
    assert data(render(ask))["items"][0]["text"] == "half \ud83d a smiley"


def test_placeholders_in_texts_stay_as_they_are():
    ask = Relevance(items=(Item("a1", "{{items}} {{question}}"),), question="{{subject}}")
    assert data(render(ask)) == {
        "subject": "answer",
        "question": "{{subject}}",
        "items": [{"id": "a1", "text": "{{items}} {{question}}"}],
    }


def test_a_repair_adds_one_message_and_changes_no_other_byte():
    before, after = render(SUPPORT), render(SUPPORT, problem='id "a2"\nis <missing>')
    assert after.messages[:-1] == before.messages
    assert after.messages[-1]["role"] == "user"
    quoted = re.search(r'".*"', after.messages[-1]["content"])[0]
    assert json.loads(quoted) == 'id "a2"\nis <missing>'
    assert after.hash == before.hash


def test_equal_asks_give_equal_prompts_and_each_file_its_own_hash():
    again = Support(items=ITEMS, contexts=CONTEXTS, question="What is the capital?")
    assert render(SUPPORT) == render(again)
    hashes = {render(ask).hash for ask in ASKS}
    assert len(hashes) == 3
    assert all(re.fullmatch(r"[0-9a-f]{12}", value) for value in hashes)


@pytest.mark.parametrize("language", ["xx", "", "..", "../prompts/en", "__pycache__"])
def test_an_unknown_language_is_refused_with_those_there_are(language):
    with pytest.raises(UsageError, match=r"\ben\b"):
        render(SUPPORT, language)
    assert "en" in languages()


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the prompts that a test may spoil."""
    shutil.copytree(module._HERE / "en", tmp_path / "en")
    monkeypatch.setattr(module, "_HERE", tmp_path)
    module._load.cache_clear()
    module._text.cache_clear()
    yield tmp_path / "en"
    module._load.cache_clear()
    module._text.cache_clear()


@pytest.mark.parametrize(
    ("spoiled", "message"),
    [
        ("## system\nS\n## user\n{{itmes}}", "itmes"),
        ("## system\nS\n## user\n{{ items }}", "items"),
        ("## system\nS\n## user\n{{items}", "unclosed"),
        ("## system\nS {{items}}\n## user\n{{items}}", "system"),
        ("no sections", "section"),
    ],
)
def test_a_malformed_prompt_file_is_refused(folder, spoiled, message):
    (folder / "support.md").write_text(spoiled)
    with pytest.raises(ValueError, match=message):
        render(SUPPORT)


def test_an_ask_without_a_file_is_named(folder):
    (folder / "support.md").unlink()
    with pytest.raises(UsageError, match="support"):
        render(SUPPORT)
