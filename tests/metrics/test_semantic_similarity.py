import asyncio

import pytest

import troth
from troth.api import estimate
from troth.asks import Verdict
from troth.encoders.base import Encoder
from troth.encoders.names import compared, load
from troth.engine import wave
from troth.engine.drive import drive
from troth.errors import UsageError
from troth.judges.scripted import Scripted
from troth.metrics import parse
from troth.metrics.semantic_similarity import SemanticSimilarity
from troth.score import Status

ROWS = [
    {
        "id": str(n),
        "question": "When was the lamp lit?",
        "answer": f"Lamp {n % 7} was lit in {1800 + n}.",
        "references": [f"It was lit in {1800 + n}", "nobody knows"][: 1 + n % 2],
        "contexts": ["The lamp was lit in 1871."],
    }
    for n in range(50)
]


def score(answer, references, **options):
    row = {"answer": answer, "references": references}
    [row] = troth.evaluate([row], metrics=[SemanticSimilarity(**options)])
    return next(iter(row.scores.values()))


def test_it_is_the_encoders_similarity():
    [expected] = load("builtin").similarities([("It was lit in 1871.", "lit in 1871")])
    found = score("It was lit in 1871.", ["lit in 1871"])
    assert found.value == expected
    assert 0.0 < found.value < 1.0
    assert found.support == found.value


def test_the_most_similar_reference_counts_and_all_are_told():
    found = score("lit in 1871", ["a cat sat on a mat", "Lit in 1871", "in 1871"])
    assert found.value == 1.0
    assert found.details["similarities"][1] == 1.0 == max(found.details["similarities"])
    assert len(found.details["similarities"]) == 3
    assert "Lit in 1871" in found.reason


@pytest.mark.parametrize(
    ("answer", "references", "value"),
    [
        ("", ["a lamp"], 0.0),
        ("", [""], 1.0),
        ("a lamp", [" "], 0.0),
        ("北京", ["北京"], 1.0),
        ("a lamp", ["☃☃", "A LAMP"], 1.0),
    ],
)
def test_edges(answer, references, value):
    assert score(answer, references).value == value


@pytest.mark.parametrize(("answer", "references"), [("a", []), ("☃☃", ["☄"])])
def test_nothing_to_compare_is_unscorable(answer, references):
    found = score(answer, references)
    assert (found.value, found.status) == (None, Status.UNSCORABLE)
    assert found.reason


def test_label_and_parsing():
    assert SemanticSimilarity().label == "semantic_similarity"
    named = parse("semantic_similarity:sentence-transformers/all-MiniLM-L6-v2")
    assert named == SemanticSimilarity(model="sentence-transformers/all-MiniLM-L6-v2")
    assert named.label == "semantic_similarity:sentence-transformers/all-MiniLM-L6-v2"
    for model in ("", " ", None):
        with pytest.raises(UsageError, match="semantic_similarity"):
            SemanticSimilarity(model=model)


def test_it_runs_only_when_named():
    run = troth.evaluate(ROWS[:2], judge=Scripted({}))
    assert not [label for label in run.metrics if label.startswith("semantic")]


def test_a_model_that_cannot_be_had_ends_the_run_before_a_judge_is_asked(monkeypatch, tmp_path):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    judge = judging()
    metrics = ["faithfulness", "semantic_similarity:somebody/no-model"]
    with pytest.raises((UsageError, ImportError), match="model='builtin'"):
        troth.evaluate(ROWS, metrics=metrics, judge=judge)
    assert judge.asked == []


class Counting(Encoder):
    """How many characters two texts share from the start; keeps what it was asked."""

    name = "counting"

    def __init__(self):
        self.waves = []

    def similarities(self, pairs):
        self.waves.append(len(pairs))
        if any("fault" in a for a, _ in pairs):
            raise OSError("the model's file is gone")
        return [float(a[:1] == b[:1]) for a, b in pairs]

    def close(self):
        self.waves.append("closed")


def judging():
    judge = Scripted(lambda ask: tuple(Verdict(i.id, "supported", 1.0) for i in ask.items))
    judge.asked = asked = []
    reply = judge.reply

    async def counted(ask, problem=None):
        asked.append(ask)
        return await reply(ask, problem)

    judge.reply = counted
    return judge


def test_all_rows_go_in_one_wave_and_judged_metrics_are_as_without(monkeypatch):
    encoder = Counting()
    monkeypatch.setattr(wave, "load", lambda name: encoder)
    both = troth.evaluate(ROWS, metrics=["semantic_similarity", "faithfulness"], judge=judging())
    pairs = sum(len(row["references"]) for row in ROWS)
    assert encoder.waves == [pairs, "closed"]
    without = troth.evaluate(ROWS, metrics=["faithfulness"], judge=judging())
    for row, alone in zip(both, without, strict=True):
        assert row.scores["faithfulness"] == alone.scores["faithfulness"]
        assert row.scores["semantic_similarity"].status is Status.SCORED
    assert both.judge == without.judge


def test_without_a_judged_metric_there_is_no_judge():
    run = troth.evaluate(ROWS, metrics=["semantic_similarity", "exact_match"])
    assert run.judge == "none"
    assert run.info["encoders"]["builtin"] == load("builtin").identity()
    pairs = [(row["answer"], row["references"]) for row in ROWS]
    encoder = load("builtin")
    for (answer, references), row in zip(pairs, run, strict=True):
        best = max(compared(encoder, [(answer, r) for r in references]))
        assert row.scores["semantic_similarity"].value == best


def test_a_fault_of_the_encoder_fails_its_wave_and_says_so(monkeypatch):
    monkeypatch.setattr(wave, "load", lambda name: Counting())
    rows = [ROWS[0], {**ROWS[1], "answer": "fault"}]
    for row in troth.evaluate(rows, metrics=["semantic_similarity"]):
        found = row.scores["semantic_similarity"]
        assert found.status is Status.FAILED
        assert "file is gone" in found.reason


def test_a_run_that_is_cancelled_leaves_nothing_behind(monkeypatch):
    encoder = Counting()
    monkeypatch.setattr(wave, "load", lambda name: encoder)

    async def app(question):
        await asyncio.sleep(60)

    async def cancelled():
        run = troth.aevaluate(ROWS, metrics=["semantic_similarity"], app=app)
        task = asyncio.create_task(run)
        await asyncio.sleep(0.05)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        return asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(cancelled()) == set()
    assert encoder.waves == ["closed"]


def test_an_encoder_answers_no_other_ask_and_an_estimate_asks_none():
    steps = parse("faithfulness").steps(troth.Sample(**ROWS[0] | {"id": "x"}))
    [ask] = next(steps)
    found = estimate(ROWS, metrics=["semantic_similarity"])
    assert [(one.asks, one.silent) for one in found] == [(0, len(ROWS))]

    async def asked():
        waves = wave.Wave(["builtin"])
        with pytest.raises(TypeError, match="support"):
            await wave.Comparing(None, waves)(ask)

    asyncio.run(asked())
    bare = SemanticSimilarity().steps(troth.Sample(answer="a", references=("b",)))
    answer = drive(bare, lambda ask: tuple(Verdict(i.id, "compared", 1.0) for i in ask.items))
    assert answer.status is Status.UNSCORABLE  # a verdict without a number is none
