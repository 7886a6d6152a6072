import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

import pytest
from haystack import Pipeline
from haystack.components.evaluators import AnswerExactMatchEvaluator as OriginalExactMatch
from haystack.components.evaluators import SASEvaluator as Original
from haystack.core.errors import PipelineConnectError
from haystack.utils import ComponentDevice, Secret

import troth
from tests.encoders.real import PAIRS, cross, in_cache, minilm, needs_torch
from troth.errors import InputError, UsageError
from troth.haystack import AnswerExactMatchEvaluator, Column, SASEvaluator

TRUTHS = [
    "A construction budget of US $2.3 billion",
    "The Eiffel Tower, completed in 1889, symbolizes Paris's cultural magnificence.",
    "The lamp was first lit in 1871.",
]
ANSWERS = [
    "A construction budget of US $2.3 billion",
    "The Eiffel Tower stands for the culture of Paris.",
    "It was lit in the winter of 1871.",
]


def builtin(**options):
    return SASEvaluator(model="builtin", **options)


def test_outputs_are_plain_floats_and_identical_texts_are_one():
    result = builtin().run(ground_truth_answers=TRUTHS, predicted_answers=ANSWERS)
    assert list(result) == ["individual_scores", "score"]
    assert result["individual_scores"][0] == 1.0
    assert all(0.0 < score < 1.0 for score in result["individual_scores"][1:])
    assert {type(score) for score in [*result["individual_scores"], result["score"]]} == {float}
    assert result["score"] == pytest.approx(sum(result["individual_scores"]) / 3)


@pytest.mark.parametrize(
    ("truths", "answers", "named"),
    [
        ([], [], "empty"),
        (["a"], [], "row 1, field 'predicted_answers'"),
        (["a", None], ["a", "b"], "row 2, field 'ground_truth_answers'"),
        (["a", "b"], ["a", None], "row 2, field 'predicted_answers'"),
        ("a", ["a"], "field 'ground_truth_answers'"),
        ([["a"]], ["a"], "multiple_references=True"),
    ],
)
def test_odd_inputs_are_errors_that_say_where(truths, answers, named):
    with pytest.raises(ValueError, match="SASEvaluator") as found:
        builtin().run(truths, answers)
    assert named in str(found.value)
    assert isinstance(found.value, InputError)


def test_rows_without_a_score_have_none_are_not_in_the_mean_and_are_named(caplog):
    result = builtin().run(["a lamp", "a lamp", "☃☃"], ["a lamp", "", "☄"])
    assert result == {"individual_scores": [1.0, 0.0, None], "score": 0.5}
    assert "SASEvaluator: 1 of 3 rows (3) have no score" in caplog.text
    assert "the first one: the encoder builtin knows no word" in caplog.text
    caplog.clear()
    builtin().run(["☃☃"] * 7, ["☄"] * 7)
    assert "7 of 7 rows (1, 2, 3, 4, 5, …)" in caplog.text
    caplog.clear()
    builtin().run(["a lamp"], ["a lamp"])
    assert not caplog.records
    assert builtin().run(["☃☃"], ["☄"]) == {"individual_scores": [None], "score": None}


def test_several_references_per_row(caplog):
    several = builtin(multiple_references=True)
    result = several.run([[TRUTHS[2], TRUTHS[0]], [], [TRUTHS[1]]], [ANSWERS[0], "a", ANSWERS[1]])
    assert "rows (2) have no score and are not in the mean; the first one: there is no ground" in (
        caplog.text
    )
    one = builtin().run([TRUTHS[1]], [ANSWERS[1]])["score"]
    assert result["individual_scores"] == [1.0, None, one]
    assert result["score"] == pytest.approx((1.0 + one) / 2)


def test_a_row_is_the_same_alone_and_in_any_company():
    together = builtin().run(TRUTHS, ANSWERS)["individual_scores"]
    alone = [builtin().run([t], [a])["score"] for t, a in zip(TRUTHS, ANSWERS, strict=True)]
    assert together == alone


@pytest.mark.parametrize("kind", [tuple, Column])
def test_other_sequences_are_as_good_as_a_list(kind):
    assert builtin().run(kind(TRUTHS), kind(ANSWERS)) == builtin().run(TRUTHS, ANSWERS)


def test_the_metric_gives_the_same_scores():
    rows = [{"answer": a, "references": [t]} for t, a in zip(TRUTHS, ANSWERS, strict=True)]
    run = troth.evaluate(rows, metrics="semantic_similarity")
    found = [row.scores["semantic_similarity"].value for row in run]
    assert found == builtin().run(TRUTHS, ANSWERS)["individual_scores"]


def test_async_two_loops_two_threads_and_closing():
    evaluator = builtin()
    expected = evaluator.run(TRUTHS, ANSWERS)

    async def twice():
        one = evaluator.run_async(ground_truth_answers=TRUTHS, predicted_answers=ANSWERS)
        return await asyncio.gather(one, evaluator.run_async(TRUTHS, ANSWERS))

    assert asyncio.run(twice()) == asyncio.run(twice()) == [expected, expected]
    evaluator.close()
    evaluator.close()
    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(evaluator.run, [TRUTHS] * 4, [ANSWERS] * 4)) == [expected] * 4


def test_exact_match_and_sas_in_one_pipeline_sync_and_async():
    pipeline = Pipeline()
    pipeline.add_component("em", AnswerExactMatchEvaluator())
    pipeline.add_component("sas", builtin())
    pipeline.add_component("again", builtin(batch_size=2))
    given = {"ground_truth_answers": TRUTHS, "predicted_answers": ANSWERS}
    data = dict.fromkeys(("em", "sas", "again"), given)
    result = pipeline.run(data)
    assert result["em"] == OriginalExactMatch().run(**given)
    assert result["sas"] == result["again"] == builtin().run(**given)
    assert asyncio.run(pipeline.run_async(data)) == result


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"model": "builtin", "batch_size": 8, "backend": "onnx", "multiple_references": True},
        {"device": ComponentDevice.from_str("cuda:1"), "token": None},
        {"token": Secret.from_env_var("MY_TOKEN")},
    ],
)
def test_serialisation_is_a_round_trip(options):
    pipeline = Pipeline()
    pipeline.add_component("sas", SASEvaluator(**options))
    text = pipeline.dumps()
    assert Pipeline.loads(text).dumps() == text
    written = SASEvaluator(**options).to_dict()
    assert SASEvaluator.from_dict(written).to_dict() == written
    theirs = {k: v for k, v in options.items() if k not in ("backend", "multiple_references")}
    try:
        expected = Original(**theirs).to_dict()["init_parameters"]
    except ImportError:  # the original needs torch to be constructed
        return
    assert expected.items() <= written["init_parameters"].items()


def test_parameters_of_the_original_by_position_and_bad_ones():
    device = ComponentDevice.from_str("cpu")
    evaluator = SASEvaluator("builtin", 16, device, Secret.from_env_var("X", strict=False))
    assert evaluator.run(["a"], ["a"]) == {"individual_scores": [1.0], "score": 1.0}
    for options in ({"model": 7}, {"batch_size": 0}, {"backend": "jax"}, {"device": "cpu"}):
        with pytest.raises(UsageError):
            SASEvaluator(**options)
    with pytest.raises(UsageError, match="Secret"):
        SASEvaluator(token="hf_secret")


def test_a_secret_given_by_its_value_is_not_written_down():
    with pytest.raises(ValueError, match="token-based"):
        SASEvaluator(token=Secret.from_token("hf_secret")).to_dict()


def test_connections_are_checked():
    pipeline = Pipeline()
    pipeline.add_component("sas", builtin())
    pipeline.add_component("other", builtin())
    with pytest.raises(PipelineConnectError):
        pipeline.connect("sas.score", "other.predicted_answers")


def test_a_model_that_cannot_be_had_names_the_way_out(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    evaluator = SASEvaluator()
    with pytest.raises((UsageError, ImportError), match=r"model='builtin'"):
        evaluator.warm_up()
    with pytest.raises((UsageError, ImportError), match=r"model='builtin'"):
        evaluator.run(["a"], ["b"])
    pipeline = Pipeline()
    pipeline.add_component("sas", evaluator)
    with pytest.raises((UsageError, ImportError), match=r"model='builtin'"):  # at its warm_up
        pipeline.run({"sas": {"ground_truth_answers": ["a"], "predicted_answers": ["b"]}})


def original(model):
    return Original(str(model), device=ComponentDevice.from_str("cpu"))


@needs_torch
@pytest.mark.parametrize("backend", ["onnx", "torch"])
def test_bi_encoders_as_the_original(backend):
    truths, answers = [t for _, t in PAIRS], [a for a, _ in PAIRS]
    expected = original(minilm()).run(truths, answers)
    evaluator = SASEvaluator(str(minilm()), backend=backend)
    result = evaluator.run(truths, answers)
    assert result["individual_scores"] == pytest.approx(expected["individual_scores"], abs=1e-4)
    assert result["score"] == pytest.approx(float(expected["score"]), abs=1e-4)
    assert max(result["individual_scores"]) == 1.0
    assert {type(score) for score in [*result["individual_scores"], result["score"]]} == {float}


@needs_torch
@pytest.mark.parametrize("backend", ["onnx", "torch"])
@pytest.mark.parametrize("activation", [None, "Identity", "Sigmoid"])
def test_cross_encoders_as_the_original_where_that_takes_a_sigmoid_once(activation, backend):
    truths, answers = [t for _, t in PAIRS], [a for a, _ in PAIRS]
    expected = original(cross(activation)).run(truths, answers)["individual_scores"]
    evaluator = SASEvaluator(str(cross(activation)), backend=backend)
    found = evaluator.run(truths, answers)["individual_scores"]
    assert found == pytest.approx(expected, abs=1e-4)
    one_by_one = [evaluator.run([t], [a])["score"] for t, a in zip(truths, answers, strict=True)]
    assert one_by_one == pytest.approx(found, abs=1e-6)


@needs_torch
@pytest.mark.parametrize("backend", ["auto", "onnx", "torch"])
def test_without_arguments_the_model_of_the_original_from_the_local_cache(
    backend, tmp_path, monkeypatch
):
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    in_cache(minilm(), "sentence-transformers/paraphrase-multilingual-mpnet-base-v2", tmp_path)
    evaluator = SASEvaluator() if backend == "auto" else SASEvaluator(backend=backend)
    evaluator.warm_up()
    loaded = evaluator._warm()
    evaluator.warm_up()
    assert evaluator._warm() is loaded
    expected = SASEvaluator(str(minilm()), backend=backend).run(TRUTHS, ANSWERS)
    assert evaluator.run(TRUTHS, ANSWERS)["individual_scores"] == pytest.approx(
        expected["individual_scores"], abs=1e-6
    )
    assert os.listdir(tmp_path) == ["hub"]  # nothing was fetched


@needs_torch
def test_the_metric_with_a_real_model_gives_the_same_scores():
    rows = [{"answer": a, "references": [t]} for a, t in PAIRS]
    metric = f"semantic_similarity:{minilm()}"
    run = troth.evaluate(rows, metrics=metric)
    expected = SASEvaluator(str(minilm())).run([t for _, t in PAIRS], [a for a, _ in PAIRS])
    found = [row.scores[metric].value for row in run]
    assert found == pytest.approx(expected["individual_scores"], abs=1e-6)
