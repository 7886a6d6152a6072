"""Intervals beside the means: in the terminal and in JSON."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import troth
from troth.cli import main
from troth.errors import UsageError
from troth.report.document import to_json
from troth.stats.intervals import mean_interval

ROWS = [
    {
        "id": str(n),
        "question": f"q{n % 12}",
        "answer": "yes" if n % 4 else "no",
        "reference": "yes",
        "doc": f"d{n % 20}",
        "rare": "x" if n == 3 else None,
    }
    for n in range(40)
]
VALUES = [float(bool(n % 4)) for n in range(40)]


@pytest.fixture
def rows():
    Path("rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    return "rows.jsonl"


def run(*arguments):
    return CliRunner().invoke(main, ["run", *arguments])


def interval_in(output):
    return json.loads(output)["metrics"]["exact_match"]["interval"]


def test_a_table_shows_it_beside_the_mean(rows):
    result = run(rows, "--metrics", "exact_match")
    found = mean_interval(VALUES)
    assert (
        f"0.750  {found.low:.3f}–{found.high:.3f}".replace("  0.", "  .").replace("–0.", "–.")
        in result.output
    )
    assert "too few" not in result.output


def test_a_table_says_where_it_is_not_to_be_trusted():
    Path("few.jsonl").write_text("\n".join(map(json.dumps, ROWS[:4])))
    output = run("few.jsonl", "--metrics", "exact_match").output
    assert "? only 4 rows: too few to trust the interval" in output


def test_json_has_it(rows):
    found = mean_interval(VALUES)
    given = interval_in(run(rows, "--metrics", "exact_match", "--json").stdout)
    assert (given["low"], given["high"]) == (found.low, found.high)
    assert (given["method"], given["trusted"], given["note"]) == ("blaker", True, "")


@pytest.mark.parametrize(("column", "pieces"), [("doc", 20), ("question", 12), ("rare", 40)])
def test_rows_count_by_cluster(rows, column, pieces):
    result = run(rows, "--metrics", "exact_match", "--json", "--cluster", column)
    found = interval_in(result.stdout)
    assert found["n"] == pieces
    assert found["method"].startswith("cluster-") == (pieces < 40)


def test_an_unknown_column_is_refused_before_anything_is_asked(rows):
    result = run(rows, "--metrics", "faithfulness", "--cluster", "dok")
    assert result.exit_code == 2
    assert (
        "--cluster dok: there is no such column; choose id, question, answer, doc" in result.output
    )


def test_no_scored_row_has_no_interval():
    rows = [{"question": "q", "answer": "", "contexts": ["c"]}]
    finished = troth.evaluate(rows, metrics=["faithfulness"])
    document = json.loads(b"".join(to_json(finished)))
    assert document["metrics"]["faithfulness"]["interval"] is None


def test_a_run_without_the_column_says_which_there_are():
    finished = troth.evaluate(ROWS, metrics=["exact_match"])
    with pytest.raises(UsageError, match=r"no row has the column 'dok'; there are .*doc"):
        b"".join(to_json(finished, "dok"))
