import subprocess
import sys

import pandas as pd
import pytest
from haystack import Pipeline
from haystack.components.evaluators import AnswerExactMatchEvaluator as Original
from hypothesis import given
from hypothesis import strategies as st

from troth.errors import InputError
from troth.haystack import AnswerExactMatchEvaluator

EXAMPLE = {
    "ground_truth_answers": ["Berlin", "Paris"],
    "predicted_answers": ["Berlin", "Lyon"],
}
ANSWERS = st.sampled_from(["", " ", "Paris", "paris", "Paris ", "Zu\u0308rich", "Zürich", "北京"])


def test_the_example_of_the_original():
    evaluator = AnswerExactMatchEvaluator()
    result = evaluator.run(**EXAMPLE)
    assert result == {"individual_scores": [1, 0], "score": 0.5}
    assert [type(score) for score in result["individual_scores"]] == [int, int]
    assert type(result["score"]) is float


def test_in_a_pipeline():
    pipeline = Pipeline()
    pipeline.add_component("exact_match", AnswerExactMatchEvaluator())
    result = pipeline.run({"exact_match": EXAMPLE})
    assert result == {"exact_match": {"individual_scores": [1, 0], "score": 0.5}}


@given(st.lists(st.tuples(ANSWERS | st.text(), ANSWERS | st.text()), min_size=1))
def test_as_the_original(pairs):
    truths, answers = map(list, zip(*pairs, strict=True))
    assert AnswerExactMatchEvaluator().run(truths, answers) == Original().run(truths, answers)


@pytest.mark.parametrize("kind", [tuple, pd.Series])
def test_other_sequences_are_as_good_as_a_list(kind):
    result = AnswerExactMatchEvaluator().run(kind(["a", "b"]), kind(["a", "c"]))
    assert result == {"individual_scores": [1, 0], "score": 0.5}
    with pytest.raises(InputError, match="empty"):
        AnswerExactMatchEvaluator().run(kind([]), kind([]))


@pytest.mark.parametrize(
    ("truths", "answers", "words"),
    [
        ([], [], ["empty"]),
        (["a", "b"], ["a"], ["row 2", "'predicted_answers'", "ground_truth_answers 2"]),
        ("ab", ["a", "b"], ["'ground_truth_answers'", "a list", "str: 'ab'"]),
        (["a"], None, ["'predicted_answers'", "a list", "NoneType"]),
        (["a"], {"a": 1}, ["'predicted_answers'", "a list", "dict"]),
        (["a", "b"], ["a", None], ["row 2", "'predicted_answers'", "a string", "None"]),
        ([None], [None], ["row 1", "'ground_truth_answers'", "a string", "None"]),
        (["a", 1], ["a", "1"], ["row 2", "'ground_truth_answers'", "a string", "int: 1"]),
    ],
)
def test_wrong_input_is_named(truths, answers, words):
    with pytest.raises(ValueError, match="AnswerExactMatchEvaluator") as caught:
        AnswerExactMatchEvaluator().run(truths, answers)
    assert isinstance(caught.value, InputError)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_without_haystack_the_error_says_what_to_install():
    done = run(
        "import sys; sys.modules['haystack'] = None\n"
        "import troth.haystack\n"
        "from troth.errors import MissingExtra\n"
        "for name in troth.haystack.__all__:\n"
        "    try: getattr(troth.haystack, name)\n"
        "    except MissingExtra as error: print(error.library, error.extra, error)\n"
    )
    expected = "haystack-ai haystack haystack-ai is not installed: pip install 'troth[haystack]'"
    assert done.stdout.splitlines() == [expected] * 3, done.stderr


def test_the_room_alone_loads_no_haystack():
    done = run("import sys, troth.haystack; print('haystack' in sys.modules)")
    assert done.stdout.strip() == "False", done.stderr


def test_unknown_names_are_no_attributes():
    import troth.haystack

    assert not hasattr(troth.haystack, "SomethingElse")
    assert set(troth.haystack.__all__) <= set(dir(troth.haystack))


def test_telemetry_is_off_here():
    from haystack.telemetry import _telemetry

    assert _telemetry.telemetry is None
