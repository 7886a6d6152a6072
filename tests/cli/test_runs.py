"""The runs of a store on the command line."""

import json
from pathlib import Path

import pytest

from tests.cli.test_cli import ROWS, troth
from troth.store import Store

LAST = ("run", "rows.jsonl", "--metrics", "exact_match,token_f1")


@pytest.fixture(autouse=True)
def two_runs(tmp_path):
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    assert troth("run", "rows.jsonl", "--metrics", "faithfulness").exit_code == 0
    assert troth(*LAST).exit_code == 0


def ids():
    return [run["id"] for run in json.loads(troth("runs", "--json").stdout)]


def test_the_list(two_runs):
    shown = troth("runs").stdout
    assert shown.index(ids()[0]) < shown.index(ids()[1])
    for said in ("rows.jsonl", "builtin", "none", "exact_match 0.000 (2/3)", "faithfulness"):
        assert said in shown
    newest, oldest = json.loads(troth("runs", "--json").stdout)
    assert newest["metrics"]["exact_match"] == {
        "mean": 0.0,
        "total": 3,
        "scored": 2,
        "unscorable": 1,
        "failed": 0,
    }
    assert (oldest["judge"], oldest["rows"], oldest["source"]) == ("builtin", 3, "rows.jsonl")


@pytest.mark.parametrize(
    "options", [[], ["--json"], ["--worst", "1", "--worst-by", "token_f1", "--cluster", "question"]]
)
def test_a_run_is_shown_as_it_was(options):
    again = troth(*LAST, *options).stdout
    shown = troth("show", *options).stdout
    assert troth("show", ids()[0], *options).stdout == shown
    if options == ["--json"]:
        assert shown == again
    else:
        ours, theirs = (text.rpartition("\nRun ")[0] for text in (shown, again))
        assert ours == theirs != ""
    assert troth("show", "latest~1", "--worst-by", "exact_match").exit_code == 0


def test_export_and_back():
    for name in ("a.jsonl", "a.parquet", "a.csv"):
        result = troth("export", "latest", "--to", name)
        assert result.exit_code == 0, result.output
        assert f"3 rows of run {ids()[0]} written to {name}" in result.stdout
        result = troth("run", name, "--metrics", "token_f1", "--json", "--store", "other.db")
        assert json.loads(result.stdout)["metrics"]["token_f1"]["scored"] == 2
    assert troth("export", "--to", "b.jsonl", "--no-scores").exit_code == 0
    with open("b.jsonl", encoding="utf-8") as file:
        assert "exact_match" not in json.loads(file.readline())


def test_deleting():
    newest, oldest = ids()
    assert troth("report").exit_code == 0
    [page] = Path(".troth/reports").iterdir()
    result = troth("runs", "--delete", "latest", "--delete", newest)
    assert not page.exists()
    assert result.stdout == f"deleted: {newest}, 3 rows of rows.jsonl\n"
    assert ids() == [oldest]
    assert troth("runs", "--delete", oldest, "--delete", "nope").exit_code == 2
    assert ids() == [oldest]
    assert troth("runs", "--delete", oldest).exit_code == 0
    assert troth("runs").stdout == ".troth/troth.db holds no finished run\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["runs", "--store", "absent.db"], "no store at absent.db"),
        (["show", "nope"], "holds no run 'nope'"),
        (["show", "2"], "write more"),
        (["show", "--cluster", "nope"], "no row has the column 'nope'"),
        (["show", "--worst-by", "recall"], "the run has exact_match, token_f1"),
        (["export", "--to", "a.xlsx"], ".jsonl, .parquet, .csv"),
        (["export", "--to", "rows.jsonl"], "is there already"),
        (["export", "nope", "--to", "a.csv"], "holds no run 'nope'"),
        (["export", "--to", "no/a.csv"], "cannot be written"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(arguments, says):
    result = troth(*arguments)
    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.output
    assert len(result.stderr.strip().splitlines()) == 1
    with Store(".troth/troth.db") as store:
        assert len(store.runs()) == 2
