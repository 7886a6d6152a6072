"""FaithfulnessEvaluator and ContextRelevanceEvaluator, in our form of reply and in Haystack's."""

import json
import math

import pytest
from haystack.components.evaluators import ContextRelevanceEvaluator as TheirRelevance
from haystack.components.evaluators import FaithfulnessEvaluator as TheirFaithfulness
from haystack.components.generators.chat import MockChatGenerator

from troth.errors import InputError, UsageError
from troth.haystack import ContextRelevanceEvaluator, FaithfulnessEvaluator, RowFailed
from troth.judges.scripted import Scripted
from troth.score import Verdict

ROW = {
    "questions": ["Who created the Python language?"],
    "contexts": [["Python was created by Guido van Rossum. It is high-level. Bo dances."]],
}
ANSWER = {"predicted_answers": ["Python is high-level. It was created by George Lucas."]}
STATEMENTS = ["Python is high-level.", "Python was created by George Lucas."]


def rows(n):
    return {
        "questions": [f"Who is {i}?" for i in range(n)],
        "contexts": [[f"Ana is number {i}."] for i in range(n)],
        "predicted_answers": [f"Ana is number {i}." for i in range(n)],
    }


def faithful(said, kind=FaithfulnessEvaluator, **settings):
    given = {"response_fn": said} if callable(said) else {"responses": said}
    return kind(chat_generator=MockChatGenerator(**given), progress_bar=False, **settings)


def relevant(said, kind=ContextRelevanceEvaluator, **settings):
    return faithful(said, kind, **settings)


def theirs(statements, scores):
    return json.dumps({"statements": statements, "statement_scores": scores})


def data(messages):
    together = {}
    for line in messages[-1].text.partition("\n\n")[0].splitlines():
        together |= json.loads(line)
    return together


def supported(messages):
    """A reply in our form, in which everything is supported but George Lucas and number 3."""

    def label(text):
        return "contradicted" if "George" in text or "3" in text else "supported"

    return json.dumps(
        {
            "verdicts": [
                {"id": i["id"], "claims": [{"claim": i["text"], "label": label(i["text"])}]}
                for i in data(messages)["items"]
            ]
        }
    )


class TestFaithfulness:
    def test_statements_are_the_judged_claims(self):
        output = faithful(supported).run(**ROW, **ANSWER)
        assert output["results"] == [
            {
                "statements": ["Python is high-level.", "It was created by George Lucas."],
                "statement_scores": [1, 0],
                "score": 0.5,
                "status": "evaluated",
            }
        ]
        assert (output["score"], output["individual_scores"]) == (0.5, [0.5])
        assert {type(output["score"]), type(output["individual_scores"][0])} == {float}
        assert output["meta"][0]["model"] == "mock-model"

    @pytest.mark.parametrize("scores", [[1, 0], [1, 1], [0, 0], [1.0, 0.0]])
    @pytest.mark.parametrize("answers", [ANSWER["predicted_answers"], ["It is high-level."]])
    def test_a_reply_in_haystack_s_form_gives_haystack_s_results(self, scores, answers):
        said = theirs(STATEMENTS, scores)
        inputs = {**ROW, "predicted_answers": answers}
        ours = faithful(said).run(**inputs)
        original = faithful(said, TheirFaithfulness).run(**inputs)
        assert ours["results"] == original["results"]
        assert ours["score"] == original["score"]
        assert ours["individual_scores"] == original["individual_scores"]

    @pytest.mark.parametrize(
        "said",
        [
            theirs(STATEMENTS, [7, 0]),
            theirs(["One."], [7]),
            theirs(["One."], ["1"]),
            theirs(["One."], [True]),
            theirs(["One."], [0.5]),
            theirs(["One."], [None]),
            theirs(STATEMENTS, [1]),
            theirs(["One."], [1, 0]),
            theirs([], []),
            theirs("[]", "[]"),
            theirs(["One."], "[1]"),
            theirs(None, None),
            theirs([""], [1]),
            theirs([1], [1]),
            '{"statements": ["One."]}',
            theirs(["One."], [1]) + theirs(["One."], [0]),
            '{"statement_scores": [1',
            '{"verdicts": []}',
            "[]",
            "null",
            " ",
            "I cannot say.",
        ],
    )
    def test_replies_of_odd_shape_are_asked_for_again_or_fail_their_row(self, said):
        good = theirs(STATEMENTS, [1, 0])
        assert faithful([said, good]).run(**ROW, **ANSWER)["score"] == 0.5
        assert faithful([said, said, good]).run(**ROW, **ANSWER)["score"] == 0.5
        output = faithful(said, raise_on_failure=False).run(**ROW, **ANSWER)
        [result] = output["results"]
        assert (result["status"], result["score"]) == ("error", None)
        assert (result["statements"], result["statement_scores"]) == ([], [])
        assert "3 tries" in result["reason"]
        assert (output["score"], output["individual_scores"]) == (None, [None])
        with pytest.raises(RowFailed, match="FaithfulnessEvaluator, row 1"):
            faithful(said).run(**ROW, **ANSWER)

    def test_fences(self):
        fenced = f"```json\n{theirs(STATEMENTS, [1, 0])}\n```"
        assert faithful(fenced).run(**ROW, **ANSWER)["score"] == 0.5
        prose = f"<think>{theirs(['x'], [1])}</think>Here: {theirs(STATEMENTS, [0, 0])}."
        assert faithful(prose).run(**ROW, **ANSWER)["score"] == 0.0

    def test_a_judge_is_told_what_was_wrong(self):
        seen = []

        def said(messages):
            seen.append(messages[-1].text)
            return theirs(STATEMENTS, [1, 0] if len(seen) > 1 else [7, 0])

        faithful(said).run(**ROW, **ANSWER)
        assert "must be 0 or 1" in seen[1]

    def test_a_failed_row_is_not_in_the_mean(self):
        def said(messages):
            return "no" if "Who is 2?" in messages[-1].text else supported(messages)

        own = faithful(said, raise_on_failure=False)
        output = own.run(**rows(5))
        assert output["individual_scores"] == [1.0, 1.0, None, 0.0, 1.0]
        assert output["score"] == 0.75
        assert [r["status"] for r in output["results"]].count("error") == 1
        assert len(output["meta"]) == 5
        assert not any(isinstance(v, float) and math.isnan(v) for v in output["individual_scores"])

    def test_an_answer_that_claims_nothing_has_no_score_and_is_no_failure(self):
        def said(messages):
            claims = [{"claim": "Happy to help!", "label": "no_claim"}]
            return json.dumps({"verdicts": [{"id": "a1", "claims": claims}]})

        output = faithful(said).run(**ROW, predicted_answers=["Happy to help!"])
        assert output["results"][0]["status"] == "unscorable"
        assert output["individual_scores"] == [None]
        empty = faithful(said).run(**ROW, predicted_answers=[""])
        assert empty["results"][0]["reason"]
        assert empty["meta"] == [{}]

    def test_the_same_claim_of_two_sentences_is_one_statement(self):
        judge = Scripted(
            lambda ask: tuple(Verdict(i.id, "supported", 1.0, text="One.") for i in ask.items)
        )
        [result] = FaithfulnessEvaluator(judge=judge).run(**ROW, **ANSWER)["results"]
        assert (result["statements"], result["score"]) == (["One."], 1.0)


class TestContextRelevance:
    @pytest.mark.parametrize(
        ("statements", "quoted"),
        [
            (["Python was created by Guido van Rossum."], [0]),
            (["created by guido van rossum"], [0]),
            (["It is high-level. Bo dances."], [1, 2]),
            (["Bo dances.", "It is high-level."], [1, 2]),
            ([], []),
        ],
    )
    def test_a_reply_in_haystack_s_form(self, statements, quoted):
        said = json.dumps({"relevant_statements": statements})
        ours = relevant(said).run(**ROW)
        original = relevant(said, TheirRelevance).run(**ROW)
        assert ours["score"] == original["score"] == float(bool(statements))
        assert ours["individual_scores"] == original["individual_scores"]
        sentences = ["Python was created by Guido van Rossum.", "It is high-level.", "Bo dances."]
        [result] = ours["results"]
        assert result["relevant_statements"] == [sentences[place] for place in quoted]
        assert result.keys() == original["results"][0].keys()
        assert result["status"] == "evaluated"

    def test_a_reply_in_our_form(self):
        def said(messages):
            items = data(messages)["items"]
            label = {True: "relevant", False: "irrelevant"}
            return json.dumps(
                {"verdicts": [{"id": i["id"], "label": label["Guido" in i["text"]]} for i in items]}
            )

        output = relevant(said).run(**ROW)
        assert output["results"][0]["relevant_statements"] == [
            "Python was created by Guido van Rossum."
        ]
        assert type(output["score"]) is float

    @pytest.mark.parametrize(
        "said",
        [
            '{"relevant_statements": "[]"}',
            '{"relevant_statements": null}',
            '{"relevant_statements": [1]}',
            '{"relevant_statements": [""]}',
            '{"relevant_statements": ["Java was created by James Gosling."]}',
            '{"relevant_statements": ["..."]}',
            '{"relevant_statements": []} {"relevant_statements": ["Bo dances."]}',
            "[]",
            "null",
            '"[]"',
        ],
    )
    def test_replies_of_odd_shape(self, said):
        good = '{"relevant_statements": ["Bo dances."]}'
        assert relevant([said, good]).run(**ROW)["score"] == 1.0
        output = relevant(said, raise_on_failure=False).run(**ROW)
        assert output["results"][0]["status"] == "error"
        assert (output["score"], output["individual_scores"]) == (None, [None])
        with pytest.raises(RowFailed, match="row 1"):
            relevant(said).run(**ROW)

    def test_in_chinese(self):
        said = '{"relevant_statements": ["由吉多创造"]}'
        inputs = {"questions": ["谁创造了Python？"], "contexts": [["Python由吉多创造。天很蓝。"]]}
        [result] = relevant(said).run(**inputs)["results"]
        assert result["relevant_statements"] == ["Python由吉多创造。"]

    def test_contexts_without_a_sentence(self):
        output = relevant("never asked").run(questions=["?", "?"], contexts=[[], [" "]])
        assert [r["status"] for r in output["results"]] == ["unscorable"] * 2
        assert output["score"] is None


EXAMPLES = [
    {
        "inputs": {"questions": "Q?", "contexts": ["C."], "predicted_answers": "A."},
        "outputs": {"statements": ["A."], "statement_scores": [1]},
    }
]


class TestBoth:
    @pytest.mark.parametrize(
        ("kind", "inputs"),
        [(FaithfulnessEvaluator, {**ROW, **ANSWER}), (ContextRelevanceEvaluator, ROW)],
    )
    def test_examples_are_shown_as_data(self, kind, inputs):
        seen = []

        def said(messages):
            seen.append(messages)
            return "no"

        for examples in (None, [], EXAMPLES):
            faithful(said, kind, examples=examples, raise_on_failure=False).run(**inputs)
        without, empty, shown = seen[::3]
        assert [m.text for m in without] == [m.text for m in empty]
        first, rest = shown[1].text.split("\n", 1)
        assert json.loads(first) == {"examples": EXAMPLES}
        assert rest == without[1].text
        assert shown[0].text.startswith(without[0].text)

    @pytest.mark.parametrize("kind", [FaithfulnessEvaluator, ContextRelevanceEvaluator])
    def test_the_builtin_judge_needs_no_key_and_no_model(self, kind):
        inputs = ROW if kind is ContextRelevanceEvaluator else {**ROW, **ANSWER}
        output = kind(judge="builtin", progress_bar=False).run(**inputs)
        assert 0.0 <= output["score"] <= 1.0
        assert output["meta"] == [{}]

    @pytest.mark.parametrize("kind", [FaithfulnessEvaluator, ContextRelevanceEvaluator])
    @pytest.mark.parametrize(
        "wrong",
        [
            {"examples": [{}]},
            {"examples": "no"},
            {"judge": "builtin", "chat_generator": MockChatGenerator("x")},
            {"judge": "nobody"},
            {"chat_generator": "OpenAIChatGenerator"},
            {"max_concurrency": 0},
            {"journal": 7},
            {"progress_bar": "yes"},
            {"raise_on_failure": 2},
        ],
    )
    def test_settings_that_cannot_be(self, kind, wrong):
        with pytest.raises(UsageError):
            kind(**wrong)

    @pytest.mark.parametrize(
        "change",
        [{"questions": []}, {"contexts": ["C."]}, {"questions": [None]}, {"more": ["x"]}],
    )
    def test_inputs_that_cannot_be(self, change):
        with pytest.raises(InputError):
            faithful(supported).run(**{**ROW, **ANSWER, **change})
        with pytest.raises(InputError):
            relevant("x").run(**{**ROW, **change})

    def test_empty_lists(self):
        empty = {"results": [], "score": None, "individual_scores": [], "meta": None}
        assert faithful("x").run(questions=[], contexts=[], predicted_answers=[]) == empty
        assert relevant("x").run(questions=[], contexts=[]) == empty
