"""From a reply's log-probabilities to the support of its verdicts."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from troth.asks import Item, Relevance, RubricLevel, Support, SupportWhole, Usefulness
from troth.engine.decode import decode
from troth.engine.likelihood import weighed
from troth.errors import JudgeSetupError

ITEMS = (Item("a1", "Paris is big."), Item("a2", "It is old."))
SUPPORT = Support(items=ITEMS, contexts=(Item("c1", "Paris."),))
RELEVANCE = Relevance(items=ITEMS, question="?")
USEFULNESS = Usefulness(items=ITEMS, question="?", references=("r",))
WHOLE = SupportWhole(items=ITEMS[:1], contexts=())
RUBRIC = RubricLevel(
    items=ITEMS[:1],
    material=(),
    scale=(("10", "best", 1.0), ("1", "poor", 0.5), ("0", "worst", 0.0)),
)
WORTH = {  # written out once more, by hand
    "support": {"supported": 1, "contradicted": 0, "unmentioned": 0},
    "relevance": {"relevant": 1, "irrelevant": 0},
    "usefulness": {"useful": 1, "useless": 0},
    "support_whole": {"yes": 1, "no": 0},
    "rubric": {"10": 1, "1": 0.5, "0": 0},
}


def certain(text):
    return (text, ((text, 0.0),))


def cut(text, places):
    """`text` cut at these bytes; half characters become lone surrogates."""
    raw = text.encode()
    edges = sorted({0, len(raw), *(p for p in places if p < len(raw))})
    return [raw[a:b].decode("utf-8", "surrogateescape") for a, b in pairwise(edges)]


def told(pieces, chances, starts):
    """Tokens with alternatives that follow from `chances`, given the labels that begin at bytes.

    A model that says each label with its chance says each continuation of what it has said so far
    with the sum of the chances of the labels that go on like that.
    """
    tokens, at = [], 0
    for piece in pieces:
        size = len(piece.encode("utf-8", "surrogateescape"))
        others = {piece: 1.0}
        for start, label in starts:
            if at < start + len(label) and start < at + size:
                lead = piece.encode("utf-8", "surrogateescape")[: max(0, start - at)]
                said = label[: max(0, at - start)]
                alive = {k: p for k, p in chances.items() if f'{k}"'.startswith(said)}
                room = size - len(lead)
                others = {}
                for k, p in alive.items():
                    rest = f'{k}"}}]}}'[len(said) :][:room]
                    text = lead.decode("utf-8", "surrogateescape") + rest
                    text = piece if k == label else text
                    others[text] = others.get(text, 0.0) + p / sum(alive.values())
        tokens.append((piece, tuple((t, math.log(p)) for t, p in others.items() if p)))
        at += size
    return tuple(tokens)


@given(data=st.data(), ask=st.sampled_from([SUPPORT, RELEVANCE, USEFULNESS]))
def test_however_tokens_split_the_text_the_support_is_the_expected_worth(data, ask):
    said = [data.draw(st.sampled_from([*ask.labels])) for _ in ITEMS]
    share = st.floats(0.01, 1)
    chances = {label: data.draw(share) for label in ask.labels}
    reason = data.draw(st.text('aé北😀"\\{:,label ', max_size=8))
    body = [
        {"id": i.id, "claims": [{"claim": reason, "label": label}]}
        if ask.splits
        else {"id": i.id, "reason": reason, "label": label}
        for i, label in zip(ITEMS, said, strict=True)
    ]
    text = json.dumps({"verdicts": body}, ensure_ascii=False)
    starts, at = [], 0
    for label in said:
        place = text.index(f'"label": "{label}"', at) + len('"label": "')
        starts.append((len(text[:place].encode()), label))
        at = place
    places = data.draw(st.sets(st.integers(1, len(text.encode()))))
    places |= {start + len(label) + 1 for start, label in starts}  # one label a token at most
    tokens = told(cut(text, places), chances, starts)
    total = sum(chances.values())
    answer = weighed(ask, text, decode(ask, text), tokens)
    worth = WORTH[ask.name]
    counted = {label: chances[label] / total for label in worth}
    wanted = sum(p * worth[label] for label, p in counted.items()) / sum(counted.values())
    for verdict in answer:
        if verdict.label == "no_claim":
            assert verdict.support == 1.0
        else:
            assert verdict.support == pytest.approx(wanted)
    assert [v.label for v in answer] == said


def one(ask, text, tokens, **options):
    [verdict, *_] = weighed(ask, text, decode(ask, text), tokens, **options)
    return verdict.support


def logs(**chances):
    return tuple((text, math.log(p)) for text, p in chances.items())


class TestOneWord:
    @pytest.mark.parametrize("text", ["yes", "Yes", '"yes"', "**Yes**", "YES."])
    def test_whatever_stands_around_it(self, text):
        word = text.strip('"*.')
        before, after = text.split(word)
        others = ((word, math.log(0.6)), (" yes", math.log(0.1)), ("No", math.log(0.2)))
        tokens = [certain(t) for t in (before, after)]
        tokens.insert(1, (word, others))
        assert one(WHOLE, text, tokens) == pytest.approx(0.7 / 0.9)

    def test_the_word_may_be_split_and_bound_to_a_space(self):
        tokens = ((" Y", ((" Y", math.log(0.25)), (" N", math.log(0.75)))), certain("es"))
        assert one(WHOLE, "Yes", tokens) == pytest.approx(0.25)

    def test_thoughts_come_before_it(self):
        text = "<think>no?</think>\nyes"
        tokens = (
            *map(certain, ("<think>", "no", "?</think>", "\n")),
            ("yes", logs(yes=0.8, no=0.2)),
        )
        assert one(WHOLE, text, tokens) == pytest.approx(0.8)
        assert one(WHOLE, "yes", tokens) == pytest.approx(0.8)  # they were cut from the text

    def test_what_is_no_label_does_not_count(self):
        tokens = (("no", (*logs(yes=0.2, no=0.2, maybe=0.5, none=0.1), ("", -0.1), ("n", -99.0))),)
        assert one(WHOLE, "no", tokens) == pytest.approx(0.5)

    @pytest.mark.parametrize(
        ("chosen", "other"), [(" no", "yes"), ("no", " yes"), ("\tno", " Yes")]
    )
    def test_white_space_before_a_word_makes_no_other_word(self, chosen, other):
        tokens = ((chosen, ((other, math.log(0.9)), (chosen, math.log(0.1)))),)
        assert one(WHOLE, "no", tokens) == pytest.approx(0.9)
        assert one(WHOLE, chosen, tokens) == pytest.approx(0.9)

    def test_equal_alternatives_add_up(self):
        others = [("no", 0.5), ("yes", 0.2), ("no", 0.1), (" no", 0.2)]
        tokens = (("no", tuple((text, math.log(p)) for text, p in others)),)
        assert one(WHOLE, "no", tokens) == pytest.approx(0.2)

    @pytest.mark.parametrize("logprob", [-math.inf, math.nan, -9999.0])
    def test_the_impossible_has_no_chance(self, logprob):
        tokens = (("no", (("no", -0.1), ("yes", logprob))),)
        assert one(WHOLE, "no", tokens) == 0.0


class TestLabelsThatBeginOthers:
    def test_the_token_behind_decides(self):
        text = '{"verdicts":[{"id":"a1","label":"1"}]}'
        tokens = (
            certain('{"verdicts":[{"id":"a1","label":"'),
            ("1", (("1", math.log(0.8)), ("0", math.log(0.2)))),
            ('"}', (('"}', math.log(0.5)), ('0"', math.log(0.5)))),
            certain("]}"),
        )
        assert one(RUBRIC, text, tokens) == pytest.approx(0.4 * 1 + 0.4 * 0.5)

    def test_a_level_may_be_a_number(self):
        text = '{"verdicts":[{"id":"a1","label": 10}]}'
        tokens = (
            certain('{"verdicts":[{"id":"a1","label":'),
            (" 10", ((" 10", math.log(0.8)), (" 0", math.log(0.2)))),
            certain("}]}"),
        )
        assert one(RUBRIC, text, tokens) == pytest.approx(0.8)


def level(said, *tokens):
    """A reply that says the level `said`, and its tokens: these, in the midst of certain ones."""
    before, after = '{"verdicts":[{"id":"a1","label":"', '"}]}'
    given = tuple((text, logs(**others)) for text, others in tokens)
    if not given[-1][0].startswith('"'):
        given = (*given, certain('"'))
    return before + said + after, (certain(before), *given, certain("}]}"))


TEN = RubricLevel(
    items=ITEMS[:1],
    material=(),
    scale=tuple((str(n), "m", (n - 1) / 9) for n in range(10, 0, -1)),
)


class TestAlternativesThatCannotBeTold:
    def test_none_is_left_out_in_silence(self):
        text, tokens = level("9", ("9", {"9": 0.5, "1": 0.45}))  # 1, or 10 in two tokens?
        answer = decode(TEN, text)
        assert weighed(TEN, text, answer, tokens) == answer
        with pytest.raises(JudgeSetupError, match="logprobs=True"):
            weighed(TEN, text, answer, tokens, insist=True)

    def test_a_hundredth_does_no_harm(self):
        text, tokens = level("9", ("9", {"9": 0.75, "5": 0.24, "1": 0.009}))
        assert one(TEN, text, tokens) == pytest.approx((0.75 * 8 + 0.24 * 4) / 9 / 0.99)

    def test_who_has_a_token_for_ten_does_not_spell_it(self):
        text, tokens = level("9", ("9", {"9": 0.5, "1": 0.4, "10": 0.1}))
        assert one(TEN, text, tokens) == pytest.approx((0.5 * 8 + 0.4 * 0 + 0.1 * 9) / 9)
        text, tokens = level("1", ("1", {"1": 0.6, "10": 0.4}), ('"', {'"': 0.9, '0"': 0.1}))
        assert one(TEN, text, tokens) == pytest.approx(0.4 + 0.06)

    def test_a_part_of_two_words_means_the_one_that_is_no_token(self):
        text = '{"verdicts":[{"id":"a1","label":"useful"}]}'
        before, after = text.split("useful")
        part = logs(useful=0.6, use=0.4)
        tokens = (certain(before), ("useful", part), certain(after))
        asked = Usefulness(items=ITEMS[:1], question="?", references=("r",))
        assert one(asked, text, tokens) == pytest.approx(0.6)
        tokens = (certain(before), ("useful", (*part, ("useless", -9.0))), certain(after))
        assert one(asked, text, tokens) == 1.0  # now it can be neither: not told

    def test_the_part_that_was_taken_goes_on_whatever_its_case(self):
        text = '{"verdicts":[{"id":"a1","label":"useful"}]}'
        before, after = text.split("useful")
        first = ("use", logs(use=0.5, Use=0.25, sup=0.25))
        tokens = (certain(before), first, ("ful", logs(ful=0.8, less=0.2)), certain(after))
        asked = Usefulness(items=ITEMS[:1], question="?", references=("r",))
        assert one(asked, text, tokens) == pytest.approx(0.8)

    def test_where_the_deciding_token_has_no_alternatives_nothing_is_decided(self):
        text, tokens = level("1", ("1", {"1": 0.8, "0": 0.2}), ('"', {'"': 1.0}))
        tokens = [(t, () if t == '"' else others) for t, others in tokens]
        assert one(RUBRIC, text, tokens) == 0.5


JSON = '{"verdicts":[{"id":"a1","label":"relevant"},{"id":"a2","label":"irrelevant"}]}'


def tokens_of(text, **chances):
    """The two labels are tokens of their own."""
    parts = text.replace('"relevant"', '"|relevant|"').replace('"irrelevant"', '"|irrelevant|"')
    return tuple(
        (t, logs(**chances)) if t in ("relevant", "irrelevant") else certain(t)
        for t in parts.split("|")
    )


class TestNoFit:
    """Verdicts keep the support of their label; whoever insists is told."""

    @pytest.mark.parametrize(
        ("text", "tokens"),
        [
            (JSON, ()),
            (JSON, (certain("something else"),)),
            (JSON, (certain(JSON),)),  # no alternatives at all
            (JSON.replace('"', "'"), tokens_of(JSON.replace('"', "'"), relevant=0.5)),
            (f"{JSON} {JSON}", tokens_of(f"{JSON} {JSON}", relevant=0.6, irrelevant=0.4)),
            ("".join(JSON), (*tokens_of(JSON, relevant=0.5), certain("\ud83d"))),
        ],
    )
    def test_what_does_not_fit_changes_nothing(self, text, tokens):
        answer = decode(RELEVANCE, text)
        assert weighed(RELEVANCE, text, answer, tokens) == answer
        with pytest.raises(JudgeSetupError, match=r"logprobs=True.*relevant, irrelevant.*'a1'"):
            weighed(RELEVANCE, text, answer, tokens, insist=True)

    def test_typed_verdicts_and_empty_answers_are_left_alone(self):
        answer = decode(RELEVANCE, JSON)
        assert weighed(RELEVANCE, answer, answer, (), insist=True) == answer
        assert weighed(RELEVANCE, JSON, (), (), insist=True) == ()


def test_ids_may_come_in_another_order_and_behind_thoughts():
    first, second = '{"id":"a1","label":"relevant"}', '{"id":"a2","label":"irrelevant"}'
    text = f'<think>{{"id":"a1","label":"x"}}</think>{{"verdicts":[{second},{first}]}}'
    answer = decode(RELEVANCE, text)
    tokens = [
        (t, logs(relevant=0.9, irrelevant=0.1) if t == "relevant" else o)
        for t, o in tokens_of(text, relevant=0.2, irrelevant=0.8)
    ]
    found = weighed(RELEVANCE, text, answer, tokens)
    assert [(v.id, round(v.support, 6)) for v in found] == [("a1", 0.9), ("a2", 0.2)]


def test_a_judges_own_number_gives_way():
    text = JSON.replace('"relevant"', '"relevant","support":0.123', 1)
    tokens = tokens_of(text, relevant=0.7, irrelevant=0.3)
    assert one(RELEVANCE, text, ()) == 0.123
    assert one(RELEVANCE, text, tokens) == pytest.approx(0.7)


def test_a_part_of_a_joint_reply():
    other = '{"verdicts":[{"id":"a1","label":"useful"},{"id":"a2","label":"useless"}]}'
    text = f'{{"t1":{other},"t2":{JSON}}}'
    tokens = tokens_of(text, relevant=0.7, irrelevant=0.3)
    found = weighed(RELEVANCE, text, decode(RELEVANCE, JSON), tokens, part="t2")
    assert [round(v.support, 6) for v in found] == [0.7, 0.7]
    alone = weighed(RELEVANCE, text, decode(RELEVANCE, JSON), tokens, part="t1")
    assert alone == decode(RELEVANCE, JSON)
