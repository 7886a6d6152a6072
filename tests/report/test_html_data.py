"""What a page holds: the figures, the rows, and where in the texts the claims stand."""

import base64
import gzip
import hashlib
import json
import math
import re
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.report.pages import ATTACKS, comparison, demo_run, hostile_run
from troth.account import Row
from troth.errors import UsageError
from troth.report.html import comparison_page, run_page
from troth.report.html.collect import MOST_ROWS, SILENT
from troth.report.html.data import run_document
from troth.report.html.texts import LONGEST, Places, locate
from troth.run import Run
from troth.sample import Sample
from troth.score import Score, Verdict


def unpacked(page):
    [packed] = re.findall(r'id="data">([^<]*)<', page)
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def run_of(values, meta=lambda n: {}):
    rows = [
        Row(
            Sample(f"r{n}", f"question {n}", f"answer {n}", meta=meta(n)),
            {"m": Score.unscorable("empty") if v is None else Score(v)},
        )
        for n, v in enumerate(values)
    ]
    return Run(tuple(rows), ("m",), "none")


def test_the_figures_are_those_of_the_run():
    run = demo_run()
    document = unpacked(run_page(run, {"faithfulness": "what it says"}))
    assert document["total"] == len(document["rows"]) == 48
    for told, summary in zip(document["metrics"], run.summary().values(), strict=True):
        assert told["label"] == summary.metric
        assert told["mean"] == pytest.approx(summary.mean, abs=1e-4)
        assert told["total"] == told["scored"] + told["unscorable"] + told["failed"]
        assert sum(told["bins"]) == told["scored"] == summary.scored
        assert told["interval"]["low"] <= told["mean"] <= told["interval"]["high"]
    for told, row in zip(document["rows"], run, strict=True):
        assert document["texts"][told["q"]] == row.sample.question
        assert [document["texts"][n] for n in told["c"]] == list(row.sample.contexts)
        for (value, status, *_), score in zip(told["s"], row.scores.values(), strict=True):
            assert status == score.status[0]
            assert (value is None) == (score.value is None)
    assert document["metrics"][3]["about"] == "what it says"


def test_slices_hold_every_row_once_and_their_own_means():
    run = demo_run()
    document = run_document(run)
    assert {column["column"] for column in document["slices"]} == {"topic", "quality"}
    for column in document["slices"]:
        assert sum(value["rows"] for value in column["values"]) == 48
        for value in column["values"]:
            inside = [r for r in run if r.sample.meta[column["column"]] == value["value"]]
            scored = [s for r in inside if (s := r.scores["contextual_recall"].value) is not None]
            mean, n, interval = value["metrics"][6]
            assert (n, mean) == (len(scored), pytest.approx(statistics.mean(scored), abs=1e-4))
            assert interval["n"] == n


def test_only_columns_with_few_short_plain_values_make_slices():
    document = run_document(
        run_of(
            [0.5] * 40,
            lambda n: {
                "few": n % 3 or None, "flag": n % 2 == 0, "many": n, "same": "x",
                "long": "y" * (61 + n % 2), "list": [n % 2], "real": n % 2 / 2,
            },
        )
    )  # fmt: skip
    assert {c["column"]: c["of"] for c in document["slices"]} == {
        "few": ["(none)", "1", "2"],
        "flag": ["true", "false"],
    }


def test_a_column_that_appears_late_is_absent_in_the_rows_before():
    document = run_document(run_of([0.5] * 10, lambda n: {"late": "yes"} if n > 6 else {}))
    [column] = document["slices"]
    assert [(v["value"], v["rows"]) for v in column["values"]] == [("(none)", 7), ("yes", 3)]
    assert [row["k"] for row in document["rows"]] == [[0]] * 7 + [[1]] * 3


def test_of_very_many_rows_the_lowest_the_silent_and_a_sample_are_held():
    values = [None if n % 10 == 9 else (n * 7919 % 10_007) / 10_007 for n in range(8000)]
    run = run_of(values)
    document = run_document(run)
    held = {row["n"] - 1 for row in document["rows"]}
    assert len(held) == len(document["rows"]) == MOST_ROWS
    assert [row["n"] for row in document["rows"]] == sorted(row["n"] for row in document["rows"])
    lowest = sorted((v, n) for n, v in enumerate(values) if v is not None)[:3000]
    assert {n for _, n in lowest} <= held
    assert sum(values[n] is None for n in held) >= SILENT
    assert max(values[n] for n in held if values[n] is not None) > 0.9  # of the others, some
    assert document["metrics"][0]["scored"] == 7200  # all figures are over all rows
    assert document == run_document(run)


def test_values_beyond_0_and_1_have_a_scale_of_their_own():
    [metric] = run_document(run_of([1.0, 4.5, 3.0]))["metrics"]
    assert metric["range"] == [1.0, 5.0]
    assert metric["interval"]["high"] > 1


def test_a_run_without_a_single_score_says_so():
    document = run_document(run_of([None, None]))
    assert document["metrics"][0]["mean"] is None
    assert document["metrics"][0]["interval"] is None
    assert "No row of 2" in document["lead"]
    assert run_document(run_of([]))["rows"] == []


def test_groups_widen_the_interval_and_must_exist():
    run = run_of([float(n // 10 % 2) for n in range(200)], lambda n: {"doc": f"d{n // 10}"})
    alone, grouped = (run_document(run, None, by)["metrics"][0]["interval"] for by in (None, "doc"))
    assert grouped["high"] - grouped["low"] > alone["high"] - alone["low"]
    assert grouped["n"] == 20
    with pytest.raises(UsageError, match="'no'"):
        run_document(run, None, "no")


def test_the_file_names_no_address_and_its_policy_fits_its_script_and_style():
    for page in (run_page(demo_run()), comparison_page(comparison())):
        assert set(re.findall(r"https?://[^\s\"'<>]+", page)) == {"http://www.w3.org/2000/svg"}
        for tag in ("script", "style"):
            text = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[0]
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"{tag}-src 'sha256-{digest}'" in page
        assert "default-src 'none'" in page
        assert page == page.encode().decode()


def test_no_text_of_the_data_stands_in_the_file_as_it_is():
    page = run_page(hostile_run())
    outside = re.sub(r'id="data">[^<]*<', "", page)
    assert page.count("<script") == 2
    for attack in ATTACKS[:7]:
        assert attack not in outside
    assert outside.count("window.hacked") == outside.count("&lt;script&gt;window.hacked = 1")


def test_a_text_that_is_cut_says_so():
    texts = unpacked(run_page(hostile_run()))["texts"]
    cut = [text for text in texts if len(text) >= LONGEST]
    assert len(cut) == 2
    assert all(text.endswith("[cut here: the text has 1,000,000 characters]") for text in cut)


def test_equal_sentences_have_places_of_their_own():
    text = "It rains. It snows. It rains."
    verdicts = [Verdict(f"a{n}", "supported", 1.0, text=t) for n, t in
                enumerate(("It rains.", "It snows.", "It rains."), 1)]  # fmt: skip
    places = Places(Sample("x", None, text))
    assert [places.of(v) for v in verdicts] == [(0, 9), (10, 19), (20, 29)]


def test_claims_in_other_words_have_the_place_of_their_sentence():
    places = Places(Sample("x", None, "Hello! The tower, built in 1871, is red.\nBye now."))
    own = Verdict("a2", "supported", 1.0, text="The tower is red", weight=0.5)
    quoted = Verdict("a2", "contradicted", 0.0, text="built in 1871", weight=0.5)
    assert places.of(own) == (7, 40)
    assert places.of(quoted) == (18, 31)
    assert places.of(Verdict("a9", "supported", 1.0, text="nothing")) is None
    assert places.of(Verdict("zz", "supported", 1.0, text="Hello!")) is None


@given(st.text(), st.text(), st.text(min_size=1))
def test_a_place_is_where_a_script_finds_the_piece(before, after, piece):
    text = f"{before} {piece} {after}"
    sample = Sample("x", None, text)
    place = Places(sample).of(Verdict("a1", "supported", 1.0, text=piece))
    if place is not None:
        units = text.encode("utf-16-le", "surrogatepass")[2 * place[0] : 2 * place[1]]
        found = units.decode("utf-16-le", "surrogatepass")
        assert "".join(found.split()) == "".join(piece.split()) or found in text
    span = locate(text, piece)
    assert (span is None) == (not piece.strip())
    if span:
        assert "".join(text[slice(*span)].split()) == "".join(piece.split())


def test_a_comparison_holds_differences_and_both_answers():
    c = comparison()
    document = unpacked(comparison_page(c))
    assert document["paired"] == c.rows == 47
    for told, one in zip(document["metrics"], c.differences, strict=True):
        assert told["paired"]["difference"] == pytest.approx(one.paired.difference, abs=1e-4)
        assert told["paired"]["n"] == sum(told["paired"]["counts"])
        assert told["words"] == one.words
    assert [row["id"] for row in document["changed"]] == [each.id for each in c.changed]
    texts = document["texts"]
    for told, each in zip(document["changed"], c.changed, strict=True):
        assert texts[told["a"]["a"]] == each.a.sample.answer
        assert texts[told["b"]["a"]] == each.b.sample.answer
        assert math.isclose(told["change"], each.change, abs_tol=1e-4)
    assert document["warnings"] == list(c.warnings)
