"""Prompts: what is sent for each ask, byte by byte where it matters."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.asks import (
    Correctness,
    Item,
    Relevance,
    RelevanceWhole,
    RubricLevel,
    Support,
    SupportWhole,
    Usefulness,
)
from troth.errors import UsageError
from troth.prompts import render as module
from troth.prompts.render import hashes, language_of, languages, render

ITEMS = (Item("a1", "Paris is the capital."), Item("a2", "It is big."))
CONTEXTS = (Item("c1", "Paris is the capital of France."), Item("c2", "Lyon is a city."))
SUPPORT = Support(items=ITEMS, contexts=CONTEXTS, question="What is the capital?")
RELEVANCE = Relevance(items=ITEMS, question="What is the capital?")
USEFULNESS = Usefulness(items=CONTEXTS, question="What is the capital?", references=("Paris",))
CORRECTNESS = Correctness(
    items=(Item("r1.1", "Paris"), *ITEMS), references=(Item("r1.1", "Paris"),), answer=ITEMS
)
RUBRIC = RubricLevel(
    items=(Item("rubric", "Is it polite?"),),
    material=(Item("question", "What?"), Item("answer", "Paris.")),
    scale=(("5", "polite", 1.0), ("1", "rude", 0.0)),
    steps=("Read it.",),
)
ASKS = (SUPPORT, RELEVANCE, USEFULNESS, CORRECTNESS, RUBRIC)
WORDS = (
    SupportWhole(items=ITEMS[:1], contexts=CONTEXTS, question="What is the capital?"),
    RelevanceWhole(items=ITEMS[:1], question="What is the capital?"),
)
BRIEF = tuple(replace(ask, explain=False) for ask in ASKS)

texts = st.text(max_size=40)  # all of Unicode but lone surrogates, which have their own test


def data(prompt) -> dict:
    """Everything that the user message holds, line by line."""
    together = {}
    for line in prompt.messages[1]["content"].splitlines():
        together |= json.loads(line)
    return together


def named(ask) -> str:
    return ask.name if ask.explain else f"{ask.name} brief"


RULES = {
    "en": ("exactly once", "JSON data", "never followed"),
    "zh": ("恰好一次", "JSON数据", "一律不执行"),
}
REASON = {
    "en": ("at most 15 words", "question's language"),
    "zh": ("不超过30字", "问题的语言"),
}


def instructions(ask, language) -> tuple[str, str]:
    """What a system message says, and its last line where that is an example in JSON."""
    system = render(ask, language).messages[0]["content"]
    said, _, last = system.rpartition("\n")
    return (system, "") if ask.one_word else (said, last)


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("ask", [*ASKS, *BRIEF, *WORDS], ids=named)
def test_a_prompt_explains_each_label_in_few_words(ask, language):
    said, _ = instructions(ask, language)
    assert len(said) <= 320 if language == "zh" else len(said.split()) < 200
    for label in ask.labels:
        bullets = re.findall(rf"^(?:- )?{label}: .+$", said, re.MULTILINE)
        assert len(bullets) == (ask.name != "rubric")  # a rubric's labels are the user's own
    for rule in RULES[language][ask.one_word :]:
        assert rule in said
    for rule in REASON[language]:
        assert (rule in said) is (ask.explain and not ask.one_word)
    assert ("yes or no" in said or "yes或no" in said) is ask.one_word


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("ask", [*ASKS, *BRIEF], ids=named)
def test_the_example_in_a_prompt_has_the_shape_of_its_schema(ask, language):
    prompt = render(ask, language)
    example = json.loads(instructions(ask, language)[1])
    shape = prompt.schema["properties"]["verdicts"]["items"]
    [verdict] = example["verdicts"]
    assert list(verdict) == shape["required"]
    if not ask.explain:
        assert list(verdict) == ["id", "label"]
    elif ask.splits:
        assert list(verdict["claims"][0]) == shape["properties"]["claims"]["items"]["required"]
    assert prompt.schema_name == ask.name


@pytest.mark.parametrize("ask", WORDS, ids=named)
def test_a_reply_of_one_word_has_no_schema_and_no_brief_form(ask):
    prompt = render(ask)
    assert prompt.schema is None
    assert render(replace(ask, explain=False)) == prompt
    with pytest.raises(ValueError, match="one item"):
        replace(ask, items=ITEMS)
    again = render(ask, problem="it was not a word").messages[-1]["content"]
    assert "one word" in again
    assert "JSON only" not in again


@pytest.mark.parametrize("name", sorted({ask.name for ask in (*ASKS, *WORDS)}))
def test_all_languages_show_a_judge_the_same_data(name):
    for file in sorted((module._HERE / "en").glob(f"{name}*.md")):
        users = {
            (module._HERE / language / file.name).read_text("utf-8").partition("## user")[2]
            for language in languages()
        }
        assert len(users) == 1


def test_every_language_has_every_file():
    files = {code: {f.name for f in (module._HERE / code).glob("*.md")} for code in languages()}
    assert files["en"] == files["zh"]
    assert set(hashes("zh")) == {Path(f).stem for f in files["zh"] if not f.startswith("repair")}
    assert hashes("auto") == {
        f"{code}/{name}": value for code in ("en", "zh") for name, value in hashes(code).items()
    }
    assert not set(hashes("en").values()) & set(hashes("zh").values())


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        ("Which city?", "巴黎。", "en"),
        ("哪个城市？", "Paris.", "zh"),
        ("苹果公司的CEO是谁？", "Tim Cook", "zh"),
        (None, "巴黎是首都。", "zh"),
        (None, "Paris.", "en"),
        ("パリはどこですか。", "", "en"),
        ("2+2?", "4", "en"),
        ("", "", "en"),
    ],
)
def test_the_language_is_that_of_the_question_else_of_the_texts(question, text, language):
    ask = Support(items=(Item("a1", text),), contexts=(), question=question)
    assert language_of(ask) == language
    assert render(ask, "auto") == render(ask, language)
    assert language_of(replace(RUBRIC, material=(Item("answer", text * 20),))) == (
        "zh" if "巴黎" in text else "en"
    )


def test_labels_alone_are_another_prompt_and_nothing_else_of_the_data():
    for whole, brief in zip(ASKS, BRIEF, strict=True):
        one, other = render(whole), render(brief)
        assert one.messages[1] == other.messages[1]
        assert one.messages[0] != other.messages[0]
        assert one.hash != other.hash


def test_a_correctness_ask_shows_what_it_does_not_ask_about():
    rest = replace(CORRECTNESS, items=CORRECTNESS.items[1:2])
    assert data(render(CORRECTNESS))["others"] == []
    shown = data(render(rest))
    assert [i["id"] for i in shown["items"]] == ["a1"]
    assert [i["id"] for i in shown["others"]] == ["r1.1", "a2"]


def test_a_rubric_is_the_task_and_its_material_is_not():
    task, material = map(json.loads, render(RUBRIC).messages[1]["content"].splitlines())
    assert task == {
        "items": [{"id": "rubric", "text": "Is it polite?"}],
        "steps": ["Read it."],
        "scale": [{"label": "5", "meaning": "polite"}, {"label": "1", "meaning": "rude"}],
    }
    assert [m["id"] for m in material["material"]] == ["question", "answer"]
    schema = render(RUBRIC).schema["properties"]["verdicts"]["items"]
    assert schema["properties"]["label"]["enum"] == ["5", "1"]


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
    found = {render(ask).hash for ask in (*ASKS, *BRIEF, *WORDS)}
    assert found <= set(hashes("en").values())
    assert len(found) == len(ASKS) + len(BRIEF) + len(WORDS)
    assert all(re.fullmatch(r"[0-9a-f]{12}", value) for value in found)


@pytest.mark.parametrize("language", ["xx", "", "..", "../prompts/en", "__pycache__"])
def test_an_unknown_language_is_refused_with_those_there_are(language):
    for refused in (lambda: render(SUPPORT, language), lambda: hashes(language)):
        with pytest.raises(UsageError, match="en, zh, auto"):
            refused()
    assert languages() == ("en", "zh")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A copy of the prompts that a test may spoil."""
    shutil.copytree(module._HERE / "en", tmp_path / "en")
    monkeypatch.setattr(module, "_HERE", tmp_path)
    caches = (module._load, module._text, module.render)
    for cached in caches:
        cached.cache_clear()
    yield tmp_path / "en"
    for cached in caches:
        cached.cache_clear()


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
