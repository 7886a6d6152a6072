import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import troth
from troth.errors import JudgeSetupError, UsageError
from troth.judges.builtin import Builtin
from troth.judges.scripted import Scripted
from troth.metrics import parse
from troth.metrics.rubric import Rubric
from troth.score import Status

POLITE = Rubric("Is it polite?", scale={1: "rude", 3: "curt", 5: "polite"}, name="politeness")
ROW = {"question": "How are you?", "answer": "Fine, thank you.", "contexts": ["x", "y"]}


def said(label, **more):
    return {"verdicts": [{"id": "rubric", "label": label, **more}]}


def score(metric, reply, row=ROW):
    judge = Scripted(lambda ask: reply)
    [result] = troth.evaluate([row], metrics=metric, judge=judge)
    return result.scores[metric.label], judge


@pytest.mark.parametrize("form", [str, int, float])
@pytest.mark.parametrize(("level", "value"), [(1, 0.0), (3, 0.5), (5, 1.0)])
def test_the_level_is_mapped_linearly_and_kept(level, value, form):
    label = f"{level}" if form is str else form(level)
    result, judge = score(POLITE, said(label, reason="it thanks"))
    assert (result.value, result.support) == (value, value)
    meaning = {1: "rude", 3: "curt", 5: "polite"}[level]
    assert result.details == {
        "level": level,
        "label": str(level),
        "meaning": meaning,
        "range": [1, 5],
    }
    assert result.reason == f"{level}: {meaning} (it thanks)"
    assert len(judge.asks) == 1


@given(st.sets(st.floats(-100, 100).map(lambda x: round(x, 2) + 0.0), min_size=2, max_size=6))
def test_any_scale_runs_from_0_to_1_in_order(numbers):
    metric = Rubric("c", scale={n: f"level {n}" for n in numbers})
    values = [score(metric, said(f"{n:g}"))[0].value for n in sorted(numbers)]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("level", "label"),
    [(1000000, "1000000"), (1234567, "1234567"), (1e6, "1000000"), (0.1234567, "0.1234567"),
     (-1000001.5, "-1000001.5"), (-0.0, "0"), (10**30, f"{10**30}"), (2.0, "2")],
)  # fmt: skip
def test_a_level_is_called_what_it_is_written_like(level, label):
    metric = Rubric("c", scale={level: "here", 7: "other"})
    for said_so in (label, level, *([float(level)] if float(level) == level else [])):
        result, judge = score(metric, said(said_so))
        assert (result.details["label"], result.details["meaning"]) == (label, "here")
    assert judge.asks[0].scale[0 if level > 7 else 1][0] == label


def test_levels_that_differ_a_little_are_levels_too():
    metric = Rubric("c", scale={1000000: "a", 1000001: "b"})
    assert [score(metric, said(n))[0].value for n in (1000000, 1000001)] == [0.0, 1.0]
    assert score(metric, said(1000000.5))[0].status is Status.FAILED


def test_pass_or_fail():
    assert score(Rubric("c"), said("pass"))[0].value == 1.0
    result = score(Rubric("c"), said("Fail"))[0]
    assert (result.value, result.details["level"], result.details["range"]) == (0.0, 0, [0, 1])


@pytest.mark.parametrize(
    "reply",
    [
        said("2"),
        said(2),
        said("polite"),
        said("5/5"),
        said(None),
        said(True),
        said(""),
        "Score: 5",
        "5",
        {"verdicts": []},
        {"verdicts": [*said("5")["verdicts"], *said("1")["verdicts"]]},
        json.dumps(said("5")) + json.dumps(said("1")),
    ],
)
def test_what_is_no_level_of_the_scale_is_no_number(reply):
    result, judge = score(POLITE, reply)
    assert (result.value, result.status) == (None, Status.FAILED)
    assert len(judge.asks) == 3


def test_the_judge_is_shown_the_named_fields_and_no_others():
    metric = Rubric(steps=["Read.", "Count."], needs=["answer", "contexts"])
    _, judge = score(metric, said("pass"))
    [ask] = judge.asks
    shown = [(item.id, item.text) for item in ask.material]
    assert shown == [("answer", "Fine, thank you."), ("contexts.1", "x"), ("contexts.2", "y")]
    assert ask.steps == ("Read.", "Count.")
    assert ask.items[0].text == "Read. Count."
    row = {"answer": "x"}
    with pytest.raises(troth.TrothError, match="contexts"):
        score(metric, said("pass"), row)


def test_nothing_to_judge_is_unscorable():
    result, judge = score(POLITE, said("5"), {"question": "", "answer": " "})
    assert result.status is Status.UNSCORABLE
    assert judge.asks == []


def test_identity():
    assert POLITE.label == "rubric:politeness"
    assert Rubric("c").label == "rubric"
    assert eval(repr(POLITE), {"Rubric": Rubric}) == POLITE
    assert hash(POLITE) != hash(Rubric("c"))
    other = Rubric("Is it polite?", scale={1: "rude", 5: "polite"}, name="politeness")
    assert other != POLITE
    two = [POLITE, Rubric("Is it short?", name="brevity")]
    run = troth.evaluate([ROW], two, Scripted(lambda ask: said(next(iter(ask.labels)))))
    assert run.metrics == ("rubric:politeness", "rubric:brevity")


def test_it_runs_only_when_asked_for_and_says_how():
    assert not any(name.startswith("rubric") for name in troth.evaluate([ROW]).metrics)
    with pytest.raises(UsageError, match=r"Rubric\('Is the answer polite\?', scale="):
        parse("rubric")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"criterion": " "}, "criterion"),
        ({"criterion": 5}, "criterion"),
        ({"steps": "one"}, "steps"),
        ({"steps": [1]}, "steps"),
        ({"scale": "good/bad"}, "pass/fail"),
        ({"scale": {1: "alone"}}, "two levels"),
        ({"scale": {}}, "two levels"),
        ({"scale": {1: "", 2: "x"}}, "meaning"),
        ({"scale": {True: "x", 2: "y"}}, "number"),
        ({"scale": {float("nan"): "x", 2: "y"}}, "number"),
        ({"scale": {"1": "x", "2": "y"}}, "number"),
        ({"scale": [(1, "x"), (1.0, "y")]}, "1 and 1 are the same number"),
        ({"scale": [(0, "x"), (-0.0, "y")]}, "0 and 0 are the same number"),
        ({"scale": [(2**53, "x"), (2.0**53, "y")]}, "same number"),
        ({"scale": {1e308: "x", -1e308: "y"}}, "too far apart"),
        ({"scale": {10**400: "x", 1: "y"}}, "finite number"),
        ({"scale": {10**9000: "x", 1: "y"}}, "finite number"),
        ({"scale": [1, 2]}, "two levels"),
        ({"scale": None}, "two levels"),
        ({"name": "a b"}, "name"),
        ({"name": ""}, "name"),
        ({"name": "a,b"}, "name"),
        ({"needs": ["reference"]}, "references"),
        ({"needs": []}, "needs"),
        ({"needs": "answer"}, "needs"),
    ],
)
def test_what_no_judge_could_be_asked_is_refused(wrong, named):
    with pytest.raises(UsageError, match=named):
        Rubric(**{"criterion": "c", **wrong})


def test_the_built_in_judge_ends_the_run_with_one_clear_line():
    with pytest.raises(JudgeSetupError, match="name a language model") as caught:
        troth.evaluate([ROW], POLITE, Builtin())
    assert "\n" not in str(caught.value)
