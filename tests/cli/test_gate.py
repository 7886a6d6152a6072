"""`troth gate` as a build meets it."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from click.testing import CliRunner

from troth.api import evaluate
from troth.cli import main

STORE = "runs.db"


@pytest.fixture(autouse=True)
def _no_build(monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)


def kept(wrong):
    rows = [
        {"id": f"T-{n}", "answer": "Bo" if n < wrong else "Ana", "references": ["Ana"]}
        for n in range(100)
    ]
    return evaluate([*rows, {"id": "T-x", "answer": None, "references": ["Ana"]}],
                    ["exact_match"], store=STORE).id  # fmt: skip


def troth(*arguments):
    return CliRunner().invoke(main, [*arguments, "--store", STORE])


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        (["--min", "exact_match=0.8"], 0),
        (["--min", "exact_match=0.9"], 1),  # the mean itself
        (["--max-unscored", "0.01"], 0),
        (["--max-unscored", "0.005"], 1),
        (["--max-failed", "0"], 0),
        (["--max-drop", "exact_match=0.2", "--baseline", "OLD"], 0),
        (["--max-drop", "exact_match=0.0", "--baseline", "OLD"], 1),
    ],
)
def test_exit_codes(limits, code):
    old, new = kept(6), kept(10)
    result = troth("gate", new, *[old if a == "OLD" else a for a in limits])
    assert result.exit_code == code, result.output
    assert ("gate: passed" if code == 0 else "gate: not passed") in result.stdout
    assert result.stderr == ""


def test_rows_that_do_not_count_are_named():
    result = troth("gate", kept(0), "--min", "exact_match=0.5")
    assert "not counted: 1 unscorable: the row has no answer (T-x)" in result.stdout


def test_not_one_score_is_exit_code_2_and_reported():
    run = evaluate([{"answer": None, "references": ["a"]}], ["exact_match"], store=STORE).id
    result = troth("gate", run, "--min", "exact_match=0.5", "--junit", "out.xml")
    assert result.exit_code == 2
    assert result.stdout.startswith("CANNOT TELL")
    assert ET.parse("out.xml").getroot().get("errors") == "1"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["RUN"], "no limit was given"),
        (["RUN", "--min", "exact_match"], "METRIC=VALUE, such as faithfulness=0.8"),
        (["RUN", "--min", "exact_match=much"], "METRIC=VALUE"),
        (["RUN", "--min", "=0.5"], "METRIC=VALUE"),
        (["RUN", "--min", "exact_match=1", "--min", "exact_match=0"], "names 'exact_match' twice"),
        (["RUN", "--min", "recall=0.5"], "no metric 'recall'; it has exact_match"),
        (["RUN", "--min", "exact_match=80"], "from 0 to 1"),
        (["RUN", "--max-failed", "2"], "--max-failed"),
        (["RUN", "--max-drop", "exact_match=0.1"], "baseline"),
        (["absent", "--min", "exact_match=0.5"], "absent"),
        (["RUN", "--min", "exact_match=0", "--junit", "no/such/x.xml"], "x.xml cannot be written"),
    ],
)
def test_bad_input_is_exit_code_2_and_one_clear_line(arguments, says):
    run = kept(0)
    result = troth("gate", *[run if a == "RUN" else a for a in arguments])
    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.output


def test_github_gets_an_annotation_and_standard_output_stays_clean(monkeypatch):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    run = kept(50)
    result = troth("gate", run, "--min", "exact_match=0.9", "--json")
    assert json.loads(result.stdout)["result"] == "not passed"
    [line] = result.stderr.splitlines()
    assert line.startswith("::error title=troth gate%3A exact_match::exact_match at least 0.9")
    assert troth("gate", run, "--min", "exact_match=0.1", "--markdown").stderr == ""


def test_limits_of_the_project_count_where_none_are_given():
    run = kept(0)
    Path("troth.toml").write_text("[gate]\nmin = { exact_match = 0.99 }\nmax_failed = 0\n", "utf-8")
    result = troth("gate")
    assert result.exit_code == 1
    assert f"run {run}, 101 rows" in result.stdout
    assert "exact_match at least 0.99" in result.stdout
    assert "at most 0 of the rows failed" in result.stdout
    assert troth("gate", run, "--min", "exact_match=0.9").exit_code == 0


def test_junit_and_markdown():
    run = kept(50)
    result = troth("gate", run, "--min", "exact_match=0.9", "--markdown", "--junit", "out.xml")
    assert result.stdout.startswith("### Scores: not passed")
    root = ET.parse("out.xml").getroot()
    assert (root.get("tests"), root.get("failures")) == ("1", "1")
