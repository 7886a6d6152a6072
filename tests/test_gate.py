"""The gate: what passes, what does not, what cannot be told, and how each is reported."""

import json
import re
import xml.etree.ElementTree as ET

import pytest

from tests.two_runs import run_of
from troth.errors import InputError, UsageError
from troth.gate import EXIT_CODES, Result, gate
from troth.report.checks import check_lines, gate_json, low_lines, workflow_commands
from troth.report.junit import gate_junit
from troth.report.markdown import gate_markdown
from troth.stats.intervals import mean_interval
from troth.stats.paired import paired

GOOD = [1.0] * 180 + [0.0] * 20
HOSTILE = "x\n::error::owned ##[add-mask]x \x1b[2J <b>|@someone `"


def test_it_is_the_lower_bound_that_counts_not_the_mean():
    low = mean_interval(GOOD).low
    assert low < 0.9
    run = run_of(GOOD)
    assert gate(run, {"m": low - 1e-6}).result is Result.PASSED
    [check] = gate(run, {"m": 0.9}).checks
    assert check.result is Result.NOT_PASSED
    assert (check.found, check.estimate) == (low, 0.9)
    [check] = gate(run, {"m": 0.95}).checks
    assert "the mean itself is below 0.95" in check.reason


def test_how_many_more_rows_would_show_it_holds():
    [check] = gate(run_of(GOOD), {"m": 0.88}).checks
    assert check.result is Result.NOT_PASSED
    more = int(re.search(r"about ([\d,]+) more rows", check.reason)[1].replace(",", ""))
    total = len(GOOD) + more
    ones = round(total * 0.9)
    assert mean_interval([1.0] * ones + [0.0] * (total - ones)).low == pytest.approx(0.88, abs=0.01)


def test_a_drop_is_judged_by_the_paired_difference():
    before = [1.0] * 150 + [0.0] * 50
    after = [0.0] * 2 + [1.0] * 150 + [0.0] * 48
    low = paired(before, after).interval.low
    assert gate(run_of(after), baseline=run_of(before), max_drop={"m": -low + 1e-6}).result is (
        Result.PASSED
    )
    found = gate(run_of(after), baseline=run_of(before), max_drop={"m": 0.0})
    [check] = found.checks
    assert (check.result, check.found, check.estimate) == (Result.NOT_PASSED, low, 0.0)
    assert "not shown" in check.reason
    assert found.comparison["m"].paired.difference == 0
    worse = gate(run_of([0.0] * 200), baseline=run_of(before), max_drop={"m": 0.1})
    assert "worse by more than 0.1" in worse.checks[0].reason


def test_rows_without_a_score_in_one_run_are_named():
    before, after = run_of([1.0, 1.0, "none", "x"]), run_of([1.0, "!gone", 1.0, "y"])
    [check] = gate(after, baseline=before, max_drop={"m": 1.0}, accept_small=True).checks
    assert check.unscored == (
        "1 failed in this run only: gone (r1); 1 unscorable in the baseline only: none (r2); "
        "1 in neither run"
    )


def test_shares_of_failed_and_unscored_rows_hold_for_every_metric():
    run = run_of({"m": [1.0, 1.0, "!gone", "empty"], "k": [1.0] * 4})
    assert gate(run, max_failed=0.25).result is Result.PASSED
    found = gate(run, max_failed=0.2, max_unscored=0.5)
    assert [(c.metric, c.kind, c.found, c.result) for c in found.checks] == [
        ("m", "max-failed", 0.25, Result.NOT_PASSED),
        ("k", "max-failed", 0.0, Result.PASSED),
        ("m", "max-unscored", 0.5, Result.PASSED),
        ("k", "max-unscored", 0.0, Result.PASSED),
    ]
    assert "1 failed: gone (r2); 1 unscorable: empty (r3)" in found.checks[0].reason


def test_not_one_score_cannot_be_told():
    run = run_of(["!gone", "!gone"])
    [check] = gate(run, {"m": 0.0}).checks
    assert (check.result, check.unscored) == (Result.CANNOT_TELL, "2 failed: gone (r0, r1)")
    found = gate(run, baseline=run_of([1.0, 1.0]), max_drop={"m": 0.1})
    assert found.result is Result.CANNOT_TELL
    assert EXIT_CODES[found.result] == 2
    assert gate(run, {"m": 0.5}, max_failed=0.1).result is Result.NOT_PASSED  # that is certain


def test_too_few_rows_pass_only_where_they_are_accepted():
    run = run_of([0.9, 0.95, 0.99, 1.0])
    interval = mean_interval([0.9, 0.95, 0.99, 1.0])
    assert not interval.trusted
    [check] = gate(run, {"m": 0.0}).checks
    assert check.result is Result.NOT_PASSED
    assert "too few to trust" in check.reason
    assert gate(run, {"m": 0.0}, accept_small=True).result is Result.PASSED


def test_clusters_count():
    cells = [n // 10 % 4 / 4 for n in range(400)]
    meta = [{"doc": n // 10} for n in range(400)]
    [alone] = gate(run_of(cells, meta=meta), {"m": 0.1}).checks
    [grouped] = gate(run_of(cells, meta=meta), {"m": 0.1}, cluster="doc").checks
    assert grouped.found < alone.found
    with pytest.raises(UsageError, match="no row has the column 'page'; there are id"):
        gate(run_of(cells), {"m": 0.1}, cluster="page")


@pytest.mark.parametrize(
    ("limits", "says"),
    [
        ({}, "no limit was given"),
        ({"minimum": {"k": 0.5}}, "no metric 'k'; it has m"),
        ({"minimum": {"m": 80}}, "from 0 to 1, not 80"),
        ({"minimum": {"m": float("nan")}}, "from 0 to 1, not nan"),
        ({"max_failed": -0.1}, "max-failed: a limit is a number from 0 to 1"),
        ({"max_drop": {"m": 0.1}}, "go together"),
        ({"minimum": {"m": 0.5}, "baseline": run_of([1.0])}, "go together"),
    ],
)
def test_wrong_limits_say_what_is_expected(limits, says):
    with pytest.raises(UsageError, match=re.escape(says)):
        gate(run_of([1.0]), **limits)


def test_a_baseline_without_a_common_row_is_an_error():
    with pytest.raises(InputError, match="has the id of a row"):
        gate(run_of([1.0]), baseline=run_of([1.0], ids=["x"]), max_drop={"m": 0.1})


def hostile():
    run = run_of([0.0, f"!{HOSTILE}", HOSTILE], ids=[HOSTILE, HOSTILE + "2", "r"])
    return gate(run, {"m": 0.5}, max_failed=0.0)


def test_lines_name_all_and_give_a_build_no_commands():
    found = hostile()
    lines = [*check_lines(found), *low_lines(found, 3)]
    assert lines[0].startswith("NOT PASSED")
    assert any(line.startswith("low m in x") for line in lines)
    for line in lines:
        assert not line.lstrip().startswith("::")
        assert "##[" not in line
        assert "\x1b" not in line
        assert "\n" not in line


def test_annotations_are_one_line_each_and_escaped():
    lines = list(workflow_commands(hostile()))
    assert len(lines) == 2
    for line in lines:
        assert line.startswith("::error title=troth gate%3A m::m")
        assert len(line.splitlines()) == 1
    assert "%25" in next(iter(workflow_commands(gate(run_of(["!100% gone"]), {"m": 0.1}))))
    assert list(workflow_commands(gate(run_of(GOOD), {"m": 0.1}))) == []


def test_junit_is_well_formed_whatever_the_rows_hold():
    [suites] = [ET.fromstring("".join(gate_junit(hostile())))]
    [suite] = suites
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "2", "0")
    first = suite[0]
    assert first.get("classname") == "troth.m"
    assert first.find("failure") is not None
    [suites] = [ET.fromstring("".join(gate_junit(gate(run_of(["!x"]), {"m": 0.1}))))]
    assert suites[0][0].find("error").get("message").startswith("no row is scored")
    assert suites.get("errors") == "1"


def test_markdown_says_what_did_not_pass_and_renders_nothing_of_the_rows():
    text = gate_markdown(hostile())
    assert "### Scores: not passed" in text
    assert "**not passed**" in text
    assert "<b>" not in text
    assert "@someone" not in text
    assert len([line for line in text.splitlines() if line.startswith("| m")]) == 2


def test_json_holds_every_check():
    document = json.loads(gate_json(gate(run_of(GOOD), {"m": 0.5}, max_failed=0.1)))
    assert document["result"] == "passed"
    assert [c["kind"] for c in document["checks"]] == ["min", "max-failed"]
    assert document["checks"][0]["interval"]["confidence"] == 0.95
    assert document["baseline"] is None
