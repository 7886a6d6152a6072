import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.metrics.judging import judged
from troth.metrics.answer_correctness import AnswerCorrectness
from troth.score import Status

ROW = {
    "question": "Who sings?",
    "answer": "Ana sings. Bo sings. Cy sings.",
    "references": ["Ana sings. Bo sings.", "Di sings."],
}
LABELS = st.sampled_from(["matched", "unmatched", "contradicted"])
IDS = ("r1.1", "r1.2", "r2.1", "a1", "a2", "a3")


@given(st.fixed_dictionaries(dict.fromkeys(IDS, LABELS)))
def test_f_measure_of_what_is_covered_and_what_is_right(labels):
    result, judge = judged(AnswerCorrectness(), labels, **ROW)
    assert [item.id for item in judge.asks[0].items] == list(IDS)
    assert len(judge.asks) == 1
    right = sum(labels[i] == "matched" for i in IDS[3:])
    wrong = sum(labels[i] == "contradicted" for i in IDS[3:])
    expected = []
    for reference in (IDS[:2], IDS[2:3]):
        covered = sum(labels[i] == "matched" for i in reference)
        # The F-measure from its counts, which is another way to write the harmonic mean.
        recall, precision = (covered, len(reference)), (right, right + wrong)
        if not precision[1]:
            expected.append(covered / len(reference))
        elif not covered or not right:
            expected.append(0.0)
        else:
            up, down = recall[0] * precision[0], (recall[1], precision[1])
            expected.append(2 * up / (recall[0] * down[1] + precision[0] * down[0]))
    assert result.value == pytest.approx(max(expected))
    assert 0.0 <= result.support <= 1.0


@pytest.mark.parametrize(
    ("labels", "value", "verdict"),
    [
        ({}, 1.0, "right"),
        ({"a2": "unmatched", "a3": "unmatched"}, 1.0, "right"),
        ({"a3": "contradicted"}, 0.8, "partly"),
        ({"r1.2": "unmatched", "r2.1": "unmatched"}, 2 / 3, "partly"),
        (dict.fromkeys(IDS[:3], "unmatched"), 0.0, "wrong"),
        (dict.fromkeys(IDS, "contradicted"), 0.0, "wrong"),
        (dict.fromkeys(IDS, "unmatched"), 0.0, "wrong"),
    ],
)
def test_right_partly_or_wrong(labels, value, verdict):
    result, _ = judged(AnswerCorrectness(), labels, **ROW)
    assert (result.value, result.details["verdict"]) == (pytest.approx(value), verdict)
    assert result.reason.startswith(verdict)


def test_the_details_and_the_reason_list_what_is_amiss_in_the_reference_that_counts():
    labels = {"r1.2": "unmatched", "r2.1": "contradicted", "a2": "contradicted", "a3": "unmatched"}
    result, _ = judged(AnswerCorrectness(), labels, **ROW)
    assert result.details == {
        "verdict": "partly",
        "covered": ["r1.1"],
        "missing": ["r1.2"],
        "contradicted": [],
        "correct": ["a1"],
        "extra": ["a3"],
        "wrong": ["a2"],
    }
    assert result.reason == (
        "partly; wrong: a2 “Bo sings.”; missing: r1.2 “Bo sings.”; extra: a3 “Cy sings.”"
    )
    assert {v.id: v.label for v in result.verdicts} == {
        "r1.1": "covered",
        "r1.2": "missing",
        "r2.1": "contradicted",
        "a1": "correct",
        "a2": "wrong",
        "a3": "extra",
    }


def test_extra_sentences_cost_nothing_and_wrong_ones_do():
    long = {"answer": "Ana sings. " * 9, "references": ["Ana sings."]}
    extra = {f"a{n}": "unmatched" for n in range(2, 10)}
    assert judged(AnswerCorrectness(), extra, **long)[0].value == 1.0
    wrong = {"a2": "contradicted"}
    one = judged(AnswerCorrectness(), {**extra, **wrong}, **long)[0]
    assert one.value == pytest.approx(2 / 3)
    assert one.support == pytest.approx(8 / 9)


@pytest.mark.parametrize("answer", ["", "  ", "—"])
def test_an_empty_answer_is_wrong_and_costs_nothing(answer):
    result, judge = judged(AnswerCorrectness(), answer=answer, references=["Ana. Bo."])
    assert (result.value, result.support, result.details["verdict"]) == (0.0, 0.0, "wrong")
    assert result.details["missing"] == ["r1.1", "r1.2"]
    assert judge.asks == []


@pytest.mark.parametrize("references", [[], [""], ["—", " "]])
def test_references_that_state_nothing_are_unscorable(references):
    result, judge = judged(AnswerCorrectness(), answer="Ana.", references=references)
    assert result.status is Status.UNSCORABLE
    assert judge.asks == []


def test_missing_sentences_are_asked_again_beside_all_others():
    from troth.engine.runner import run_rows
    from troth.engine.sync import run_sync
    from troth.judges.scripted import Scripted
    from troth.sample import Sample

    def script(ask):
        said = [{"id": i.id, "label": "matched", "reason": ""} for i in ask.items]
        return {"verdicts": said[:4]}

    judge = Scripted(script)
    [row] = run_sync(lambda: run_rows([Sample("x", **ROW)], [AnswerCorrectness()], judge))
    assert row.scores["answer_correctness"].value == 1.0
    assert [i.id for i in judge.asks[1].items] == ["a2", "a3"]
    assert [i.id for i in judge.asks[1].others] == ["r1.1", "r1.2", "r2.1", "a1"]
