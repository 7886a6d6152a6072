"""Whatever a judge replies: a number that the reply carries, another ask, or a reasoned failure."""

import json
import time

import pytest

from troth.asks import Support
from troth.engine.runner import run_rows
from troth.engine.sync import run_sync
from troth.judges.scripted import Scripted
from troth.metrics.answer_relevancy import AnswerRelevancy
from troth.metrics.contextual_precision import ContextualPrecision
from troth.metrics.contextual_recall import ContextualRecall
from troth.metrics.contextual_relevancy import ContextualRelevancy
from troth.metrics.faithfulness import Faithfulness
from troth.sample import Sample
from troth.score import Status, Verdict

FIVE = "One is red. Two is red. Three is red. Four is red. Five is red."
SAMPLE = Sample(
    "x", question="Which are red?", answer=FIVE, references=(FIVE,), contexts=(FIVE, "Blue.")
)
METRICS = [
    Faithfulness(),
    AnswerRelevancy(),
    ContextualPrecision(),
    ContextualRecall(),
    ContextualRelevancy(),
]


def score(script, metric=METRICS[0], sample=SAMPLE):
    judge = script if isinstance(script, Scripted) else Scripted(script)
    [row] = run_sync(lambda: run_rows([sample], [metric], judge))
    return row.scores[metric.label], judge


def good_label(ask):
    return next(iter(ask.labels))


def verdict(ask, item_id, **changes):
    said = {"label": good_label(ask), "reason": "r", **changes}
    if ask.splits:
        return {"id": item_id, "claims": [{"claim": "", "sources": [], **said}]}
    return {"id": item_id, **said}


def right(ask, **changes):
    return {"verdicts": [verdict(ask, item.id, **changes) for item in ask.items]}


def doubled(ask):
    return {"verdicts": [*right(ask)["verdicts"], verdict(ask, ask.items[0].id)]}


def unknown(ask):
    return {"verdicts": [*right(ask)["verdicts"], verdict(ask, "z9")]}


def contradicting(ask):
    bad = list(ask.labels)[-1] if not ask.splits else "contradicted"
    return f"First {json.dumps(right(ask))} but then {json.dumps(right(ask, label=bad))}"


NUMBERLESS = {
    "empty list": lambda ask: {"verdicts": []},
    "bare empty list": lambda ask: "[]",
    "doubled ids": doubled,
    "unknown ids": unknown,
    "contradicting objects": contradicting,
    "NaN": lambda ask: "NaN",
    "NaN support": lambda ask: json.dumps(right(ask, support=float("nan"))),
    "infinite support": lambda ask: json.dumps(right(ask, support=float("inf"))),
    "support above 1": lambda ask: right(ask, support=7),
    "support below 0": lambda ask: right(ask, support=-0.1),
    "support as text": lambda ask: right(ask, support="0.9"),
    "null": lambda ask: None,
    "null label": lambda ask: right(ask, label=None),
    "number as label": lambda ask: right(ask, label=1),
    "label of another ask": lambda ask: right(ask, label="yes"),
    "empty text": lambda ask: "  ",
    "prose": lambda ask: "All five are supported. Score: 1.0",
    "number": lambda ask: "1.0",
    "cut off": lambda ask: json.dumps(right(ask))[:-9],
    "thinking only": lambda ask: f"<think>{json.dumps(right(ask))}</think>",
    "unclosed thinking": lambda ask: "<think>" + json.dumps(right(ask))[:-2],
    "doubled key": lambda ask: json.dumps(right(ask))[:-1] + ', "verdicts": []}',
    "deep nesting": lambda ask: "[" * 100_000,
    "many braces": lambda ask: "{ " * 100_000,
    "doubled label": lambda ask: json.dumps(right(ask)).replace(
        '"label"', '"label": "x", "label"', 1
    ),
    "doubled label, broken": lambda ask: (
        json.dumps(right(ask)).replace('"label"', '"label": "x", "label"', 1)[:-2] + ",]}"
    ),
    "unescaped quotes": lambda ask: json.dumps(right(ask, reason='says "x"')).replace('\\"', '"'),
    "elision": lambda ask: json.dumps(right(ask))[:-2] + ", ...]}",
    "a percentage": lambda ask: json.dumps(right(ask, support=0.5)).replace("0.5", "0.5%"),
    "a fraction": lambda ask: json.dumps(right(ask, support=0.5)).replace("0.5", "3/4"),
    "another far behind": lambda ask: json.dumps(right(ask)) + "x" * 260_000 + '{"verdicts": [',
    "brackets, then another": lambda ask: json.dumps(right(ask)) + " [x" * 201 + '"verdicts"',
    "a broken second answer": lambda ask: json.dumps(right(ask)) + ' final: {"verdicts": [],}',
    "a bare list beside": lambda ask: f'[{{"id": "a1", "label": "x"}}] or {json.dumps(right(ask))}',
    "unclosed thinking, answer": lambda ask: f"<think>Maybe {json.dumps(right(ask))}? No.",
    "much thinking": lambda ask: "<think>" * 20_000,
    "quotes without end": lambda ask: '{"verdicts":[' + "'\"`" * 8000 + "]}",
    "half a character": lambda ask: json.dumps(right(ask, reason="\ud83d")),
    "a huge id": lambda ask: {"verdicts": [{**verdict(ask, "a1"), "id": "z" * 1_000_000}]},
    "claims of no one": lambda ask: {"verdicts": [{"id": i.id, "claims": []} for i in ask.items]},
    "negative weights": lambda ask: tuple(
        Verdict(i.id, good_label(ask), s, weight=w) for i in ask.items for s, w in ((0, 2), (1, -1))
    ),
    "list of nulls": lambda ask: {"verdicts": [None] * len(ask.items)},
    "typed, adjacent doubles": lambda ask: tuple(
        Verdict(item.id, good_label(ask), 1.0) for item in ask.items for _ in range(2)
    ),
    "typed, out of range": lambda ask: tuple(
        Verdict(item.id, good_label(ask), 1.5) for item in ask.items
    ),
    "exception": lambda ask: RuntimeError("boom"),
}


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
@pytest.mark.parametrize("said", NUMBERLESS.values(), ids=NUMBERLESS)
def test_a_reply_without_the_asked_verdicts_is_never_a_number(metric, said):
    result, judge = score(said, metric)
    assert result.value is None
    assert result.support is None
    assert result.status is Status.FAILED
    assert 0 < len(result.reason) < 1000
    assert len(judge.asks) >= 1


@pytest.mark.parametrize("metric", METRICS, ids=lambda m: m.name)
@pytest.mark.parametrize("said", NUMBERLESS.values(), ids=NUMBERLESS)
def test_a_bad_reply_is_asked_again_and_other_rows_are_whole(metric, said):
    spoiled = []

    def script(ask):
        first = ask.items[0].id
        if not spoiled:
            spoiled.append(first)
            return said(ask)
        return right(ask)

    judge = Scripted(script)
    rows = run_sync(lambda: run_rows([SAMPLE] * 3, [metric], judge))
    scores = [row.scores[metric.label] for row in rows]
    assert [s.status for s in scores[1:]] == [Status.SCORED] * 2
    if said is NUMBERLESS["exception"]:  # a fault, not a reply: nothing to ask again
        assert scores[0].reason == "RuntimeError: boom"
    else:
        assert [s.value for s in scores] == [1.0] * 3
        assert judge.problems[1]  # the judge is told what was wrong
        assert scores[0].usage.calls == 2


WRAPPED = {
    "plain": json.dumps,
    "fenced": lambda value: f"```json\n{json.dumps(value)}\n```",
    "prose around": lambda value: f"Sure [as asked]: {json.dumps(value)} Hope {{that}} helps.",
    "thinking first": lambda value: f'<think>{{"verdicts": []}}</think>{json.dumps(value)}',
    "trailing comma": lambda value: json.dumps(value)[:-2] + ",]}",
    "single quotes": str,
    "list alone": lambda value: json.dumps(value["verdicts"]),
    "said twice alike": lambda value: f"{json.dumps(value)}\n{json.dumps(value)}",
    "labels in capitals": lambda value: json.dumps(value).replace("support", "SUPPORT"),
}


@pytest.mark.parametrize("wrap", WRAPPED.values(), ids=WRAPPED)
def test_a_whole_answer_in_an_odd_wrapping_is_read(wrap):
    def script(ask):
        verdicts = right(ask)["verdicts"]
        verdicts[1]["claims"][0]["label"] = "unmentioned"
        return wrap({"verdicts": verdicts})

    result, judge = score(script)
    assert result.value == pytest.approx(0.8)
    assert len(judge.asks) == 1


HUGE = {
    "nested and numbers": "[ " * 150 + "1," * 25_000,
    "loop of objects": '[{"a":[' * 100 + '{"id": "a1", "x": [1, 2]}, ' * 2000,
    "keys twice": 'x[{"a":1,"a":2},' * 10_000,
    "far too long": "x" + "[ " * 150 + "1," * 1_900_000,
    "empty thoughts": "<think></think>" * 250_000,
    "a fence of lines": "```" + "\n" * 300_000 + "x```x",
    "fences": "```\n" * 500_000,
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE)
def test_what_is_long_and_no_answer_is_refused_in_little_time(text):
    started = time.process_time()
    result, judge = score(lambda ask: text)
    assert result.status is Status.FAILED
    assert len(judge.asks) == 3
    assert time.process_time() - started < 6  # three times; it was minutes


def test_a_long_answer_behind_long_thoughts_is_read():
    thoughts = "<think></think>\n" * 10_000 + "<think>" + "[1, " * 200_000 + "</think>"
    result, _ = score(lambda ask: thoughts + json.dumps(right(ask, reason="r" * 300_000)))
    assert result.value == 1.0
    result, _ = score(lambda ask: "x [draft: [1, 2" * 20 + f"``` {json.dumps(right(ask))} ```")
    assert result.value == 1.0


@pytest.mark.parametrize("number", ["9" * 400, "-" + "9" * 4000, "9" * 5000, "1e999", "1e-400"])
def test_a_label_that_is_no_word_is_asked_again(number):
    def script(ask):
        asked.append(ask)
        said = json.dumps(right(ask, label="LABEL"))
        return said.replace('"LABEL"', number) if len(asked) == 1 else right(ask)

    asked = []
    result, judge = score(script, AnswerRelevancy())
    assert result.value == 1.0
    assert len(judge.asks) == 2
    assert judge.problems[1]


def test_missing_items_alone_are_asked_again():
    def script(ask):
        return {"verdicts": right(ask)["verdicts"][:1]}  # one verdict at a time, whoever is asked

    result, judge = score(script)
    assert result.status is Status.FAILED  # one verdict for five claims is not 1.0
    assert [len(ask.items) for ask in judge.asks] == [5, 4, 3]
    assert "a4, a5" in result.reason

    replies = iter([1, 4])
    result, judge = score(lambda ask: {"verdicts": right(ask)["verdicts"][: next(replies)]})
    assert result.value == 1.0
    assert [v.id for v in result.verdicts] == ["a1", "a2", "a3", "a4", "a5"]
    assert judge.problems == [None, None]


def test_an_item_split_into_claims_weighs_one_whatever_their_number():
    def script(ask):
        reply = right(ask)
        reply["verdicts"][0]["claims"] *= 9  # nine supported claims in one sentence
        reply["verdicts"][1]["claims"] = [
            {"label": "supported"},
            {"label": "contradicted", "reason": "no"},
        ]
        return reply

    result, _ = score(script)
    assert result.value == pytest.approx(4.5 / 5)
    assert sum(v.weight for v in result.verdicts) == pytest.approx(5)


def test_the_judges_order_does_not_matter():
    result, _ = score(lambda ask: {"verdicts": right(ask)["verdicts"][::-1]})
    assert [v.id for v in result.verdicts] == ["a1", "a2", "a3", "a4", "a5"]


def test_verdicts_from_an_object_are_reconciled_too():
    five = tuple(Verdict(f"a{n}", "supported", 0.9) for n in range(1, 6))
    result, _ = score(lambda ask: five)
    assert (result.value, result.support) == (1.0, pytest.approx(0.9**5**0.5))
    assert score(lambda ask: five[:1])[0].status is Status.FAILED


def test_an_ask_says_what_it_is():
    _, judge = score(right)
    [ask] = judge.asks
    assert isinstance(ask, Support)
    assert [c.id for c in ask.contexts] == ["c1", "c2"]
    assert ask.question == "Which are red?"


def test_an_ask_that_does_not_split_takes_one_verdict_an_item():
    def script(ask):
        half = [("useful", 1.0), ("useless", 0.0)]
        return tuple(Verdict(i.id, lab, s, weight=0.5) for i in ask.items for lab, s in half)

    result, _ = score(script, ContextualPrecision())
    assert result.status is Status.FAILED


def test_thoughts_are_no_answer_and_tags_in_texts_are_no_thoughts():
    def script(ask):
        verdicts = right(ask)["verdicts"]
        verdicts[0]["claims"] = [
            {"label": "supported", "reason": "<think>"},
            {"label": "contradicted", "reason": "</think>"},
        ]
        return json.dumps({"verdicts": verdicts})

    assert score(script)[0].value == pytest.approx(4.5 / 5)


def test_an_echo_of_the_prompts_example_answers_nothing():
    from troth.prompts.render import render

    for metric in METRICS:
        _, judge = score(right, metric)
        system = render(judge.asks[0]).messages[0]["content"]
        example = system[system.index("{") :]
        assert (
            score(lambda ask, e=example: f"I answer like {e} but cannot.", metric)[0].value is None
        )


def test_a_judge_cannot_shrink_a_sentence_by_finding_greetings_in_it():
    def script(ask):
        reply = right(ask)
        reply["verdicts"][1]["claims"] = [{"label": "contradicted"}, *[{"label": "no_claim"}] * 9]
        return reply

    assert score(script)[0].value == pytest.approx(4 / 5)
