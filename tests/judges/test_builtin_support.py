"""Support by the built-in judge: clauses, answers, citations, courtesies, and what reasons say."""

import json
import re
import unicodedata
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import troth
from troth.asks import Item, Support
from troth.judges.builtin import Builtin

DOGS = "Dogs are not admitted to the tower, but may wait in the yard on a lead."
LAMP = "The lamp burns."
DEMO = [json.loads(line) for line in (files("troth") / "demo" / "lighthouse.jsonl").open("rb")]
MUST_FAIL = ("contradiction", "wrong number", "invented detail")
# Rows that comparing words cannot judge rightly: id -> why. None at present.
KNOWN_MISSES: dict[str, str] = {}


def support(claim, *contexts):
    held = tuple(Item(f"c{n}", text) for n, text in enumerate(contexts, 1))
    [verdict] = Builtin().judge(Support(items=(Item("a1", claim),), contexts=held))
    return verdict


@pytest.mark.parametrize(
    ("claim", "context", "label"),
    [
        ("Yes, dogs are admitted to the tower.", DOGS, "contradicted"),
        ("Dogs are admitted to the tower.", DOGS, "contradicted"),
        ("No, dogs are not admitted to the tower.", DOGS, "supported"),
        ("Dogs may wait in the yard on a lead.", DOGS, "supported"),
        ("There is a shop here.", "There is no shop here and guests bring food.", "contradicted"),
        ("The ferry sails.", "The ferry does not sail when waves are above 2 m.", "supported"),
        ("Dogs are admitted.", "Dogs are not only admitted, but welcome.", "supported"),
        (
            "Ja, Hunde sind im Turm erlaubt.",
            "Hunde sind im Turm nicht erlaubt, dürfen aber im Hof warten.",
            "contradicted",
        ),
        ("狗可以进入灯塔。", "狗不得进入灯塔，但可以在院子里等候。", "contradicted"),
        ("狗可以在院子里等候。", "狗不得进入灯塔，但可以在院子里等候。", "supported"),
        ("6岁以下儿童可以登塔。", "6岁以下儿童不得登塔。", "contradicted"),
    ],
)
def test_a_negation_counts_in_its_clause(claim, context, label):
    verdict = support(claim, LAMP, context)
    assert verdict.label == label
    assert "c2" in verdict.sources


@pytest.mark.parametrize(
    ("claim", "context"),
    [
        ("No, smoking is prohibited.", "Smoking is prohibited."),
        ("No, the shop is closed on Sunday.", "The shop is closed on Sunday."),
        ("The shop is closed.", "No, the shop is closed."),
        ("Nein, der Laden ist geschlossen.", "Der Laden ist geschlossen."),
        ("是的，灯塔开放。", "灯塔开放。"),
        ("不，灯塔关闭。", "灯塔关闭。"),
        ("1983年", "1983年以前，四名守塔人住在岛上。"),
        ("The tower opened at 5 pm.", "The tower opened at 5 p.m. and closed."),
    ],
)
def test_what_a_context_states_is_supported(claim, context):
    assert support(claim, context).label == "supported"


@pytest.mark.parametrize("marker", ["[1]", "[1, 2]", "(source 3)", "(Passage 2)"])
@pytest.mark.parametrize("claim", ["The lamp burns", "It opened in 1876", "Nobody knows it"])
def test_citation_markers_cost_nothing(marker, claim):
    bare = support(f"{claim}.", LAMP, "It opened in 1875.")
    cited = support(f"{claim} {marker}.", LAMP, "It opened in 1875.")
    assert (cited.label, cited.support) == (bare.label, bare.support)


@pytest.mark.parametrize(
    "text",
    [
        "Happy to help!", "Enjoy your visit!", "Let me know if you need anything else.",
        "I'm sorry, but I could not find this in the provided documents.", "What a lovely plan!",
        "Please feel free to reach out if you have any further questions.", "Hello Anna!",
        "Based on the given passages, it is not possible to determine the year.",
        "The price of a ticket is not mentioned in the documents.",
        "The passages do not mention the price, the hours, or the address.",
        "Therefore, I am unable to answer the question.",
        "抱歉，资料中没有说明。", "很高兴为您服务！", "祝您旅途愉快！", "不客气！", "我不知道。",
        "根据提供的资料，无法确定灯塔的高度。", "如有其他问题，请随时告诉我。",
        "Das weiß ich nicht.", "Gern geschehen!", "Viel Spaß bei Ihrem Besuch!",
        "Die Unterlagen enthalten dazu keine Angaben.",
        "Je ne sais pas.", "Avec plaisir !", "Les documents ne mentionnent pas le prix.",
        "No lo sé.", "De nada.", "Lo siento, no encontré esa información en los documentos.",
    ],
)  # fmt: skip
def test_courtesies_and_refusals_claim_nothing(text):
    assert support(text, LAMP).label == "no_claim"


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but the tower opened in 1876.", "Sure, dogs bite.", "Of course dogs bite.",
        "I don't know, dogs are admitted to the tower.", "I cannot answer because dogs bite.",
        "The documents do not mention the price, which is 9 crowns.",
        "Unable to answer precisely, the tower opened in 1876.", "It does not include breakfast.",
        "The tower is red, the passages do not say why.", "Happy to help, dogs are admitted.",
        "Dogs are admitted and the age cannot be determined.", "Thanks to Ann the tower stands.",
        "抱歉，灯塔建于1876年。", "狗可以登塔，资料中没有说明原因。",
        "Das weiß ich nicht, aber der Turm ist rot.", "Lo siento, la torre es roja.",
        "Désolé, la tour est rouge.",
    ],
)  # fmt: skip
def test_no_claim_hides_behind_a_courtesy_or_a_refusal(text):
    assert support(text, LAMP).label != "no_claim"


def quoted_as_absent(reason):
    told = re.match(
        r"((?:“[^”]*”(?:, )?)+)(?: and \d+ more words?)? (?:is|are) in no context", reason
    )
    return re.findall(r"“([^”]*)”", told[1]) if told else []


def really_absent(word, contexts):
    """Neither the word nor, for a number, the same digits as a number of their own."""
    held = unicodedata.normalize("NFKC", "\n".join(contexts)).casefold()
    if re.match(r"\d", word):
        return word.replace(",", "") not in re.findall(r"\d+(?:[.:]\d+)*", held.replace(",", ""))
    return unicodedata.normalize("NFKC", word).casefold() not in held


PIECES = st.sampled_from(
    ("1983年", "1983", "灯塔", "年以前", "它在", "第一次", "点亮", "3万人", "Art", "party",
     "O'Brien", "brien", "not", "12", "2,300", "2300", "7:30", "30", "Wi-Fi", "fi", "ten", "often",
     "Straße", "5 p.m.", "ﬁne", "Fine", "東京", "京", ". ", "。", "，", "The", "cat's", "cats")
)  # fmt: skip
PROSE = st.lists(PIECES, min_size=1, max_size=8).flatmap(
    lambda pieces: st.sampled_from(("", " ")).map(lambda gap: gap.join(pieces))
)


@settings(max_examples=300, deadline=None)
@given(claim=PROSE, contexts=st.lists(PROSE, min_size=1, max_size=3))
def test_what_a_reason_calls_absent_is_in_no_context(claim, contexts):
    for word in quoted_as_absent(support(claim, *contexts).reason):
        assert really_absent(word, contexts)


@pytest.mark.parametrize(
    ("claim", "named"),
    [
        ("它在1876年第一次点亮。", ["1876", "第一"]),
        ("塔里有一家咖啡馆。", ["塔里有一家咖啡馆"]),
        ("它在1876年点亮。", ["1876"]),
    ],
)
def test_reasons_name_whole_runs_of_characters(claim, named):
    assert quoted_as_absent(support(claim, "1871年10月9日灯塔首次点亮。").reason) == named


@pytest.fixture(scope="module")
def demo():
    run = troth.evaluate(DEMO, metrics=["faithfulness"], judge="builtin", progress=False)
    return [(row, result.scores["faithfulness"]) for row, result in zip(DEMO, run, strict=True)]


def test_the_demo_is_judged_as_its_rows_are_marked(demo):
    for row, score in demo:
        if row["quality"] == "good":
            assert (score.value == 1.0) != (row["id"] in KNOWN_MISSES), row["id"]
        elif row["quality"] in MUST_FAIL:
            assert (score.value < 1.0) != (row["id"] in KNOWN_MISSES), row["id"]


def test_on_the_demo_no_reason_calls_absent_what_is_there(demo):
    for row, score in demo:
        for verdict in score.verdicts:
            words = quoted_as_absent(verdict.reason)
            assert all(really_absent(word, row["contexts"]) for word in words), verdict


def test_every_answer_of_the_demo_beside_contexts_of_another_row():
    rows = [{**row, "contexts": DEMO[n - 7]["contexts"]} for n, row in enumerate(DEMO)]
    run = troth.evaluate(rows, metrics=["faithfulness"], judge="builtin", progress=False)
    told = 0
    for row, result in zip(rows, run, strict=True):
        for verdict in result.scores["faithfulness"].verdicts:
            words = quoted_as_absent(verdict.reason)
            told += len(words)
            assert all(really_absent(word, row["contexts"]) for word in words), verdict
    assert told > 30
