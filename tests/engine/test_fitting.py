"""Asks that exceed a judge's window are cut; nothing is left out, and the answer is one."""

import pytest

import troth
from troth.judges.scripted import Scripted
from troth.score import Status, Verdict


class Narrow(Scripted):
    """Takes what is true to be whatever stands, word for word, in the contexts it is shown."""

    name = "narrow"

    def __init__(self, window, false=()):
        super().__init__(self.judge)
        self.window = window
        self.false = false

    def sent(self, ask):
        texts = [*(i.text for i in ask.items), *(c.text for c in getattr(ask, "contexts", ()))]
        return " ".join(texts)

    def judge(self, ask):
        if getattr(ask, "contexts", None) is None:
            told = " ".join(getattr(ask, "references", ("sings",)))
            good, bad = ask.labels
            return tuple(
                Verdict(i.id, good if told in i.text else bad, float(told in i.text))
                for i in ask.items
            )
        context = " ".join(c.text for c in ask.contexts)
        return tuple(Verdict(i.id, *self.label(i.text, context)) for i in ask.items)

    def label(self, text, context):
        if text in context:
            return "supported", 1.0
        if any(f"not {name}" in context for name in text.split()):
            return "contradicted", 0.0
        return "unmentioned", 0.25


NAMES = [f"Singer{n}" for n in range(40)]
SUNG = [f"{name} sings." for name in NAMES]


def score(window, metric="faithfulness", **row):
    judge = Narrow(window)
    return troth.evaluate([row], [metric], judge)[0].scores[metric], judge


@pytest.mark.parametrize("window", [None, 2000, 400, 150, 90])
def test_the_answer_does_not_depend_on_the_window(window):
    row = {
        "answer": " ".join([*SUNG[:10], "Nobody1 sings.", "Nobody2 sings."]),
        "contexts": [" ".join(SUNG[:20]), "It rains, not Nobody2.", " ".join(SUNG[20:])],
    }
    result, judge = score(window, **row)
    assert result.value == pytest.approx(10 / 12)
    assert [v.label for v in result.verdicts][-2:] == ["unmentioned", "contradicted"]
    assert (len(judge.asks) == 1) == (window in (None, 2000))
    for ask in judge.asks if window else ():
        assert len(judge.sent(ask)) / 4 + 40 * len(ask.items) <= window + 1


@pytest.mark.parametrize("window", [None, 120])
def test_a_context_that_is_too_long_is_useful_if_a_part_of_it_is(window):
    contexts = [" ".join(SUNG), " ".join(f"{n} rests." for n in NAMES)]
    result, _ = score(
        window, "contextual_precision", contexts=contexts, references=["Singer33 sings"]
    )
    assert [v.label for v in result.verdicts] == ["useful", "useless"]


def test_what_cannot_be_cut_fails_its_row_and_says_why():
    row = {"answer": "x" * 1000, "contexts": ["y"]}
    result, judge = score(100, **row)
    assert result.status is Status.FAILED
    assert "window of 100 tokens" in result.reason
    assert judge.asks == []


def test_claims_that_different_contexts_support_are_all_supported():
    class Splitting(Narrow):
        def judge(self, ask):
            context = " ".join(c.text for c in ask.contexts)
            [item] = ask.items
            claims = item.text.removesuffix(".").split(" and ")
            said = [{"claim": c, "label": self.label(c, context)[0]} for c in claims]
            return {"verdicts": [{"id": item.id, "claims": said}]}

    row = {
        "answer": "Ana sings and Bo rests and Cy runs.",
        "contexts": ["Ana sings. " + "x " * 99, "Bo rests, not Cy. " + "x " * 99],
    }
    scores = [
        troth.evaluate([row], ["faithfulness"], Splitting(window))[0].scores["faithfulness"]
        for window in (None, 150)
    ]
    assert [score.value for score in scores] == [pytest.approx(2 / 3)] * 2
    assert [v.label for v in scores[1].verdicts] == ["supported", "supported", "contradicted"]
