"""`troth compare` as a person or a script meets it."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from troth.api import evaluate
from troth.cli import main

STORE = "runs.db"
NAMES = ["Ana", "Bo", "Cy", "Di"]
HOSTILE = (
    "x <img src=x onerror=alert(1)> | `a` [b](javascript:c) @someone \x1b[2J ![d](http://e) $1$"
)


def rows(wrong=(), absent=()):
    for n in range(40):
        name = NAMES[n % 4]
        answer = None if n in absent else "nobody" if n in wrong else name
        yield {
            "id": f"T-{n:03}",
            "question": f"Who is number {n}?",
            "answer": answer,
            "references": [name],
            "topic": ["sea", "land"][n % 2],
        }


def kept(given):
    return evaluate(list(given), ["exact_match", "contains"], store=STORE).id


@pytest.fixture
def pair():
    return kept(rows(wrong=range(20))), kept(rows(wrong=[0, 1, 30], absent=[2, 3]))


def troth(*arguments):
    return CliRunner().invoke(main, [*arguments, "--store", STORE])


def test_the_table_says_what_changed_how_sure_that_is_and_why(pair):
    result = troth("compare", *pair, "--slice", "topic", "--rows", "1")
    assert result.exit_code == 0, result.output
    assert "38" in result.stdout
    line = next(li for li in result.stdout.splitlines() if li.startswith("exact_match"))
    assert line.split()[1:5] == ["38", "0.526", "0.921", "+0.395"]
    assert "exact_match: 2 unscorable in B only: the row has no answer (T-002, T-003)" in (
        result.stdout
    )
    assert "By topic, p corrected for 4 tests" in result.stdout
    worse, better = result.stdout.split("Got worse")[1].split("Got better")
    assert re.search(r"T-030\s+Who is number 30\?", worse)
    assert re.search(r"→ Cy\s+→ nobody", worse)
    assert re.search(r"1.00 exact_match\s+equals reference 1\s+0.00 exact_match", worse)
    assert better.count("T-0") == 1
    assert "judged" not in result.stderr


def test_json_is_one_document_and_nothing_else(pair):
    result = troth("compare", *pair, "--json", "--slice", "topic", "--metrics", "exact_match")
    document = json.loads(result.stdout)
    assert document["a"]["run"] == pair[0]
    assert list(document["metrics"]) == ["exact_match"]
    one = document["metrics"]["exact_match"]
    assert one["paired"]["n"] == 38
    assert one["outcome"] in one["verdict"]
    assert one["unpaired"][0] == {
        "run": "B",
        "status": "unscorable",
        "reason": "the row has no answer",
        "count": 2,
        "ids": ["T-002", "T-003"],
    }
    assert [(s["value"], s["rows"]) for s in document["slices"]] == [("sea", 20), ("land", 20)]
    changed = {c["id"]: c for c in document["changed"]}
    assert changed["T-030"]["differences"] == {"exact_match": -1.0}
    assert changed["T-030"]["b"]["answer"] == "nobody"


def test_the_last_two_runs_have_names_and_a_page_of_their_own(pair):
    result = troth("compare", "latest~1", "latest", "--html", "page.html", "--json")
    document = json.loads(result.stdout)
    assert (document["a"]["run"], document["b"]["run"]) == pair
    page = Path("page.html").read_text("utf-8")
    assert page.startswith("<!doctype html>")
    assert "</html>" in page


def test_markdown_renders_nothing_of_the_rows():
    hostile = [
        {"id": HOSTILE + str(n), "question": HOSTILE, "answer": HOSTILE if n else "a",
         "references": ["a"], "topic": HOSTILE}
        for n in range(3)
    ]  # fmt: skip
    one = kept(hostile)
    other = kept([dict(row, answer="a") for row in hostile])
    result = troth("compare", one, other, "--markdown", "--slice", "topic")
    assert result.exit_code == 0, result.output
    for never in ("<img", "\x1b", "@someone"):
        assert never not in result.stdout
    assert not re.search(r"(?<!\\)\]\(|://\w", result.stdout)
    tables = [line for line in result.stdout.splitlines() if line.startswith("| ")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in tables} == {10, 11}
    assert result.stdout.count("<details>") == result.stdout.count("</details>") == 2


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["A", "absent"], "absent"),
        (["A", "A", "--metrics", "recall"], "'recall' is not a metric of both runs"),
        (["A", "A", "--slice", "page"], "no row of the two runs has a column 'page'"),
        (["A", "A", "--json", "--markdown"], "choose one"),
        (["A", "A", "--html", "no/such/page.html"], "no/such/page.html cannot be written"),
        (["A", "A", "--store", "none.db"], "there is no store at none.db"),
    ],
)
def test_wrong_usage_is_one_clear_line_and_exit_code_2(arguments, says):
    run = kept(rows())
    given = [run if a == "A" else a for a in arguments]
    result = CliRunner().invoke(main, ["compare", "--store", STORE, *given])
    assert result.exit_code == 2
    assert says in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_the_cluster_of_the_project_counts(tmp_path, pair):
    (tmp_path / "troth.toml").write_text("cluster = 'topic'\n", "utf-8")
    assert json.loads(troth("compare", *pair, "--json").stdout)["cluster"] == "topic"
    document = json.loads(troth("compare", *pair, "--json", "--cluster", "question").stdout)
    assert document["cluster"] == "question"
