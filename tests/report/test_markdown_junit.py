"""A run as Markdown and as JUnit XML."""

import xml.etree.ElementTree as ET

from tests.two_runs import run_of
from troth.report.junit import run_junit
from troth.report.markdown import escaped, run_markdown

HOSTILE = "a\x00\x1b<script>\ud800]]>&\ufffe\"'"


def test_junit_holds_every_row_as_it_ended():
    cells = {"m": [1.0, "!gone", "empty"], HOSTILE: [0.25, 0.5, 1.0]}
    root = ET.fromstring("".join(run_junit(run_of(cells, ids=[HOSTILE, "b", "c"]))))
    counts = [root.get(name) for name in ("tests", "failures", "errors", "skipped")]
    assert counts == ["6", "0", "1", "1"]
    cases = root.findall("testsuite/testcase")
    assert [c.get("name") for c in cases][2:] == ["b", "b", "c", "c"]
    assert [[part.tag for part in c] for c in cases[::2]] == [
        ["system-out"],
        ["error"],
        ["skipped"],
    ]
    assert cases[2].find("error").get("message") == "gone"
    assert cases[1].find("system-out").text == "0.25 it is 0.25"


def test_markdown_accounts_for_every_row():
    text = run_markdown(run_of([1.0, 0.5, "!gone", "empty"], answer=["x"] * 4), worst=1)
    line = next(line for line in text.splitlines() if line.startswith("| m |"))
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    assert cells[1] == "0.750"
    assert cells[-4:] == ["2", "1", "1", "4"]
    assert "- **r1** q of r1" in text
    assert "m 0.50 it is 0.5" in text


def test_markdown_of_a_run_without_a_score():
    text = run_markdown(run_of(["empty"]))
    assert "| m | – | – | 0 | 1 | 0 | 1 |" in text
    assert "Worst rows" not in text


def test_nothing_of_a_text_means_anything_to_markdown():
    text = "a|b *c* _d_ `e` [f](g) <h> &amp; @i #1 https://j www.k ~l~ $m$\nn\\"
    found = escaped(text, 200)
    assert "\n" not in found
    assert found == (
        "a\\|b \\*c\\* \\_d\\_ \\`e\\` \\[f\\](g) &lt;h&gt; &amp;amp; @\u200bi #\u200b1 "
        "https:/\u200b/j".replace(":/\u200b/", "://\u200b")
        + " www.\u200bk \\~l\\~ \\$m\\$ n\\\\"
    )
    assert escaped(None) == ""
