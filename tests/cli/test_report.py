"""`troth report`, and the pages that `troth run` and `troth demo` write."""

import json
import stat
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner

from troth.cli import main

ROWS = [
    {"id": f"r{n}", "answer": a, "references": ["yes"], "topic": "ab"[n % 2]}
    for n, a in enumerate(["yes", "no", "yes", ""])
]


def troth(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


@pytest.fixture(autouse=True)
def ran():
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    assert troth("run", "rows.jsonl", "--metrics", "exact_match").exit_code == 0


def test_the_newest_run_becomes_a_page_beside_the_store_for_its_owner_alone():
    result = troth("report")
    page = Path(result.stdout.strip())
    assert result.exit_code == 0
    assert page.parent == Path(".troth/reports")
    assert page.read_bytes().startswith(b"<!doctype html>")
    assert stat.S_IMODE(page.stat().st_mode) == 0o600


def test_a_page_goes_where_it_is_wanted():
    assert troth("report", "latest", "--html", "here.html").stdout == "here.html\n"
    assert "4 scored" in Path("here.html").read_text("utf-8")
    result = troth("run", "rows.jsonl", "--metrics", "contains", "--html", "there.html")
    assert result.stdout.endswith("HTML report: there.html\n")
    assert "contains" in Path("there.html").read_text("utf-8")


def test_a_page_that_cannot_be_written_is_an_error():
    result = troth("report", "--html", "no/such/folder/x.html")
    assert result.exit_code == 2
    assert "cannot be written" in result.stderr


def test_the_demo_ends_with_the_path_of_its_page():
    result = troth("demo")
    last = result.stdout.splitlines()[-1]
    assert last.startswith("HTML report: ")
    assert Path(last.removeprefix("HTML report: ")).is_file()


def test_other_forms_go_to_standard_output_and_bring_no_page():
    assert json.loads(troth("report", "--json").stdout)["metrics"]["exact_match"]["total"] == 4
    assert "| exact_match |" in troth("report", "--markdown").stdout.replace("\\", "")
    suite = ElementTree.fromstring(troth("report", "--junit").stdout)
    assert suite.get("tests") == "4"
    assert not Path(".troth/reports").exists()
    both = troth("report", "--junit", "--html", "x.html")
    assert both.stdout.startswith("<?xml")
    assert both.stderr == "x.html\n"


def test_bad_requests_are_refused():
    assert "standard output" in troth("report", "--json", "--junit").stderr
    assert "holds no run" in troth("report", "nothing").stderr
    assert "no row has the column" in troth("report", "--cluster", "page").stderr
    assert "there is no store" in troth("report", "--store", "other.db").stderr
    for words in (["--json", "--junit"], ["nothing"], ["--cluster", "page"]):
        assert troth("report", *words).exit_code == 2


def test_a_page_counts_the_rows_as_the_run_did():
    troth("report", "--html", "a.html", "--cluster", "topic")
    troth("report", "--html", "b.html", "--cluster", "topic")
    assert Path("a.html").read_bytes() == Path("b.html").read_bytes()
    assert "0.500 (4 scored, 0 unscorable, 0 failed of 4)" in Path("a.html").read_text("utf-8")
