"""The built-in table: what it says, where it says nothing, and that it says it everywhere alike."""

import math
import os
import random
import re
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import troth
from troth.encoders.static import START, Static, Table, fold

TABLE = Path(troth.__file__).parent / "encoders" / "table"
PIECES = (TABLE / "pieces.txt").read_text("utf-8").split("\n")
ROWS = (TABLE / "rows.bin").read_bytes()
SIZE = len(ROWS) // len(PIECES)

texts = st.one_of(
    st.text(max_size=40),
    st.lists(
        st.sampled_from(["the", "cat", "Berlin", "1972", "drei", "Häuser", "北京", "50 %", "C++"]),
        max_size=8,
    ).map(" ".join),
)


def similarity(a, b):
    [value] = Static().similarities([(a, b)])
    return value


def by_hand(*words):
    """The vector of words that are one piece each, read from the files themselves."""
    total = [0] * SIZE
    for word in words:
        place = PIECES.index(word)
        for k, byte in enumerate(ROWS[place * SIZE : (place + 1) * SIZE]):
            total[k] += byte - 256 if byte > 127 else byte
    return total


def test_a_score_is_the_cosine_of_the_sums_of_rows():
    a = by_hand(START + "cat", START + "sat")
    b = by_hand(START + "dog", START + "1972", "北京")
    cosine = math.fsum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(
        math.fsum(x * x for x in a) * math.fsum(y * y for y in b)
    )
    assert similarity("A cat sat"[2:], "Dog 1972: 北京!") == pytest.approx(cosine, abs=1e-12)


def test_runs_are_cut_greedily_and_what_is_unknown_is_counted():
    table = Table([" un", " unhappy", "ness", "ly", "北", "北京", "市", " 3", "+"], bytes(18))
    names = list(table.places)

    def cut(text):
        places, known, unknown = table.cut(text)
        return [names[place] for place in places], known, unknown

    assert cut("unhappyness") == ([" unhappy", "ness"], 11, 0)
    assert cut("unly, ly") == ([" un", "ly", "ly"], 6, 0)  # no " ly": the inner piece stands in
    assert cut("北京市 北市") == (["北京", "市", "北", "市"], 5, 0)
    assert cut("3++北q") == ([" 3", "+", "+", "北"], 2, 1)
    assert cut("?!") == ([], 0, 0)
    assert cut("") == ([], 0, 0)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Paris", "Paris"),
        ("Paris", "  PARIS\n"),
        ("Große Straße", "GROSSE STRASSE"),
        ("Ὀδυσσεύς", "ὀδυσσεύσ"),  # a sigma at the end of a word, and one that is none
        ("ǰ", "ǰ".upper()),  # which no single letter is the capital of
        ("Ｃａｆé №１", "café no1"),  # full-width, composed and decomposed, compatibility forms
        ("北京", "北京"),
        ("ज़ूज़ू", "ज़ूज़ू"),  # unknown, and yet the same
        ("?!", "?!"),
    ],
)
def test_texts_that_are_the_same_are_exactly_one(a, b):
    assert similarity(a, b) == 1.0


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("", ""),
        (" \n", "Paris"),
        ("?!", "Paris"),
        ("नमस्ते दुनिया", "Paris"),
        ("परीक्षा 5", "बिल्ली 5"),  # the 5 that both share says nothing about the rest
        ("שלום", "בית"),
        ("สวัสดีครับ", "ขอบคุณมาก"),
    ],
)
def test_no_number_where_nothing_can_be_compared(a, b):
    assert similarity(a, b) is None


@pytest.mark.parametrize(
    ("text", "near", "far"),
    [
        ("The cat is sleeping on the sofa.", "A kitten naps on the couch.", "Shares fell sharply."),
        ("Der Hund rennt im Park.", "Ein Hund läuft durch den Garten.", "Die Steuern steigen."),
        ("他在公园里跑步。", "一个男人在跑步。", "股票价格下跌了。"),
        ("The capital of Germany", "Die Hauptstadt von Deutschland", "Ein Rezept für Kuchen"),
        ("The capital of Germany", "德国的首都", "蛋糕的做法"),
        ("臺灣總統選舉", "台湾总统选举", "天气"),  # traditional letters are known, too
        ("東京は日本の首都です", "Tokyo is the capital of Japan", "Wir essen Kuchen"),
        ("twelve people", "12 persons", "a blue car"),
        ("the United States", "USA", "Portugal"),
    ],
)
def test_what_means_alike_is_nearer(text, near, far):
    assert similarity(text, near) > similarity(text, far) + 0.2


def test_words_that_the_table_does_not_have_are_made_of_pieces():
    assert similarity("Donaudampfschifffahrt", "Dampfschifffahrt auf der Donau") > 0.5
    assert similarity("Zvyagintsev", "zvyagintsev's") > 0.5


@given(st.lists(st.tuples(texts, texts), max_size=6))
@settings(max_examples=60, deadline=None)
def test_a_score_depends_on_its_pair_alone(pairs):
    together = Static().similarities(pairs)
    assert together == [similarity(a, b) for a, b in pairs]
    assert together == Static().similarities([(b, a) for a, b in pairs])
    assert all(value is None or -1.0 <= value <= 1.0 for value in together)


@given(texts)
@settings(max_examples=100, deadline=None)
def test_a_text_is_itself(text):
    assert similarity(text, text) == (1.0 if text.strip() else None)
    assert similarity(text, text + " ") == (1.0 if fold(text) else None)


@given(
    st.sets(st.text("ab京", min_size=1, max_size=6), min_size=1, max_size=9),
    st.text("ab京", max_size=40),
)
def test_the_longest_piece_is_taken_wherever_there_is_one(pieces, text):
    pieces = sorted(pieces | {START + piece for piece in pieces})
    expected = []
    for run in re.findall("京+|[ab]+", text):
        rest = run if run[0] == "京" else START + run
        while rest:
            fitting = [piece for piece in pieces if rest.startswith(piece)]
            expected += [max(fitting, key=len)] if fitting else []
            rest = rest[len(expected[-1]) if fitting else 1 :]
    places, *_ = Table(pieces, bytes(len(pieces))).cut(text)
    assert [pieces[place] for place in places] == expected


@pytest.mark.parametrize("times", [1, 84, 86, 500])
def test_a_long_text_is_the_sum_of_its_pieces_too(times):
    words = [START + "cat", START + "dog", START + "1972"]
    assert Static().vectors(["cat dog 1972 " * times]) == [by_hand(*words * times)]


@pytest.mark.parametrize(
    "text",
    [
        "x" * 200_000,
        "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz", k=200_000)),
        "\u0301\u0327" * 50_000,
        "a" + "\u0344\u0327" * 50_000,
        "东京" * 100_000,
        "?" * 200_000,
    ],
    ids=["one letter", "letters", "marks", "marks of two", "no spaces", "signs"],
)
def test_no_text_takes_long(text):
    encoder = Static()
    encoder.start()
    began = time.process_time()
    encoder.similarities([(text, "Paris")])
    assert time.process_time() - began < 2.4  # several times what it takes


def test_many_marks_are_no_less_a_difference():
    marks = "\u0301\u0327" * 40
    assert fold(f"a{marks}") != fold(f"a{marks}\u0301") != fold("a")
    assert fold(f"a{marks[:20]}") == unicodedata.normalize("NFKC", f"a{marks[:20]}")
    assert fold("？！" * 40) == fold("?!" * 40)


def test_long_texts_and_lone_surrogates_are_texts():
    long = "The tower stands in Paris. " * 20_000
    assert similarity(long, "The tower stands in Paris.") == 1.0
    assert similarity("Paris \ud800", "Paris") == 1.0


def test_the_same_to_the_last_bit_on_every_machine():
    pairs = [("The capital of Germany", "Die Hauptstadt von Deutschland"), ("12 persons", "十二人")]
    found = [value.hex() for value in Static().similarities(pairs)]
    assert found == ["0x1.1f5ea345f8c57p-1", "0x1.63b0b156d8f73p-1"]


def test_its_identity_is_the_hash_of_its_table():
    identity = Static().identity()
    assert identity["name"] == "builtin"
    assert int(identity["table"], 16)


def test_the_table_is_small_whole_and_licensed():
    assert sum(file.stat().st_size for file in TABLE.iterdir()) <= 12_000_000
    assert len(ROWS) == len(PIECES) * SIZE
    assert len(set(PIECES)) == len(PIECES)
    whole = [piece for piece in PIECES if piece[0] != START]
    assert [piece for piece in whole if piece != fold(piece)] == ["ß"]  # which is read as ss
    assert "Apache License" in (TABLE / "LICENSE").read_text("utf-8")
    assert "universal-sentence-encoder-multilingual" in (TABLE / "NOTICE").read_text("utf-8")


def test_it_needs_nothing_and_starts_at_once():
    code = (
        "import sys, time; began = time.process_time()\n"
        "from troth.encoders.static import Static\n"
        "print(Static().similarities([('a cat', 'a dog')])[0] > 0.2)\n"
        "heavy = {'numpy', 'torch', 'tokenizers', 'onnxruntime', 'socket', 'aiohttp', 'arro3'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert done.stdout == "True\n[]\n"


def test_a_short_text_costs_little():
    encoder = Static()
    encoder.start()
    answers = [(f"It was {n} people in Berlin", f"about {n + 1} persons") for n in range(500)]
    began = time.process_time()
    encoder.similarities(answers)
    assert (time.process_time() - began) / 1000 < 1e-3  # five times what is documented
