"""The command line as a person or a script meets it."""

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from troth.cli import main
from troth.store import Store

ROWS = [
    {
        "question": "Who sings?",
        "answer": "Ana sings.",
        "references": ["Ana"],
        "contexts": ["Ana sings."],
    },
    {
        "question": "Who dances?",
        "answer": "Bo dances.",
        "references": ["Bo"],
        "contexts": ["Cy dances."],
    },
    {"question": "Who rests?", "answer": None, "references": ["Cy"], "contexts": []},
]


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), "utf-8")
    return str(path)


def troth(*arguments):
    return CliRunner().invoke(main, arguments)


def test_json_is_one_document_and_nothing_else(rows):
    result = troth(
        "run", rows, "--json", "--metrics", "exact_match,faithfulness", "--metrics", "contains"
    )
    assert result.exit_code == 0, result.output
    document = json.loads(result.stdout)
    assert list(document["metrics"]) == ["exact_match", "faithfulness", "contains"]
    for account in document["metrics"].values():
        assert account["total"] == 3 == sum(account[k] for k in ("scored", "unscorable", "failed"))
    assert document["metrics"]["contains"]["mean"] == 1.0
    assert document["metrics"]["contains"]["scored"] == 2
    third = document["rows"][2]["scores"]["exact_match"]
    assert (third["value"], third["status"], third["reason"]) == (
        None,
        "unscorable",
        "the row has no answer",
    )
    for row in document["rows"]:
        for score in row["scores"].values():
            assert {"value", "status", "support", "reason"} <= set(score)
    assert "baseline" in result.stderr


def test_without_metrics_all_that_the_columns_permit(tmp_path):
    path = tmp_path / "qa.csv"
    path.write_text("question,answer,references\nWho?,Ana,Ana\n", "utf-8")
    document = json.loads(troth("run", str(path), "--json").stdout)
    assert list(document["metrics"]) == [
        "answer_correctness",
        "answer_relevancy",
        "contains",
        "exact_match",
        "token_f1",
    ]


def test_the_table_accounts_for_every_row_and_says_why(rows):
    result = troth("run", rows, "--metrics", "exact_match,faithfulness")
    assert result.exit_code == 0
    lines = {line.split()[0]: line.split() for line in result.stdout.splitlines() if line.strip()}
    assert lines["exact_match"][1] == "0.000"
    assert lines["exact_match"][-4:] == ["2", "1", "0", "3"]
    assert "1 unscorable: the row has no answer (3)" in result.stdout
    assert "Worst rows" in result.stdout
    assert "→ Bo dances." in result.stdout


def test_the_run_is_kept(rows):
    result = troth("run", rows, "--metrics", "exact_match", "--store", "mine.db")
    with Store("mine.db") as store:
        [entry] = store.runs()
        run = store.load(entry.id)
    assert entry.id in result.stdout
    assert [row.scores["exact_match"].value for row in run] == [0.0, 0.0, None]
    assert run.info["metrics"] == {"exact_match": "ExactMatch(normalize='none')"}
    assert len(run.info["data_sha256"]) == 64


def test_what_was_taken_for_what_is_said(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"input": "q", "actual_output": "a", "mine": "a"}\n', "utf-8")
    result = troth(
        "run", str(path), "--metrics", "exact_match", "--map", "references=mine", "--json"
    )
    assert result.exit_code == 0, result.output
    assert "answer ← actual_output" in result.stderr
    assert "references ← mine" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", "absent.jsonl"], "absent.jsonl"),
        (["run", "ROWS", "--metrics", "faithfulnes"], "did you mean 'faithfulness'?"),
        (["run", "ROWS", "--metrics", "mrr@5"], "did you mean 'reciprocal_rank'?"),
        (["run", "ROWS", "--metrics", "MAP"], "did you mean 'average_precision'?"),
        (["run", "ROWS", "--metrics", "mean-reciprocal-rank"], "did you mean 'reciprocal_rank'?"),
        (["run", "ROWS", "--metrics", "zzz"], "recall[:overlap|:span][@k]"),
        (["run", "ROWS", "--metrics", "zzz"], "semantic_similarity[:MODEL]"),
        (["run", "ROWS", "--metrics", "exact_match:squda"], "'none', 'squad'"),
        (["run", "ROWS", "--metrics", "exact_match,exact_match"], "asked for twice"),
        (["run", "ROWS", "--metrics", ","], "no metric was asked for"),
        (["run", "ROWS", "--judge", "gpt-4"], "no judge is called 'gpt-4'"),
        (["run", "ROWS", "--judge", "gpt-4"], "Did you mean openai/gpt-4?"),
        (["run", "ROWS", "--judge", "bultin"], "Did you mean builtin?"),
        (["run", "ROWS", "--judge", "http://127.0.0.1:1/v1"], "names no model"),
        (["run", "ROWS", "--judge", "openai/gpt-4o-mini"], "OPENAI_API_KEY"),
        (["run", "ROWS", "--judge", "scripted:absent.json"], "absent.json"),
        (["run", "ROWS", "--map", "answer"], "FIELD=COLUMN"),
        (["run", "ROWS", "--map", "answer=x", "--map", "answer=y"], "names 'answer' twice"),
        (["run", "ROWS", "--metrics", "exact_match:"], "exact_match"),
        (["run", "ROWS", "--worst", "-1"], "--worst"),
        (["run", "ROWS", "--map", "answr=x"], "answr"),
        (["run", "ROWS", "--map", "answer=absent"], "absent"),
        (["run", "ROWS", "--store", "/dev/null/x.db"], "/dev/null/x.db"),
    ],
)
def test_wrong_usage_is_one_clear_line_and_exit_code_2(rows, arguments, says):
    result = troth(*[rows if a == "ROWS" else a for a in arguments])
    assert result.exit_code == 2
    assert says in result.stderr
    assert "Traceback" not in result.output
    if result.stderr.startswith("troth: "):
        assert len(result.stderr.strip().splitlines()) == 1


def test_bad_rows_can_be_skipped_and_are_counted(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"answer": "a", "references": ["a"]}\n{oops\n', "utf-8")
    result = troth("run", str(path))
    assert result.exit_code == 2
    assert "row 2" in result.stderr
    result = troth("run", str(path), "--skip-bad-rows", "--json")
    assert result.exit_code == 0
    document = json.loads(result.stdout)
    assert len(document["rows"]) == 1
    assert "row 2" in document["skipped"][0]


def test_a_metric_that_only_failed_is_exit_code_1(rows, tmp_path):
    script = tmp_path / "script.json"
    script.write_text("[]")
    result = troth("run", rows, "--metrics", "faithfulness", "--judge", f"scripted:{script}")
    assert result.exit_code == 1
    assert "failed: the script is used up" in result.stdout


def test_what_is_evaluated_cannot_steer_the_terminal(tmp_path):
    path = tmp_path / "rows.jsonl"
    answer = "\u001b[2J\u001b]0;owned\u0007 [bold red]x[/] \u202e"
    path.write_text(json.dumps({"answer": answer, "references": ["a"]}) + "\n", "utf-8")
    result = troth("run", str(path))
    assert "\x1b" not in result.stdout
    assert "\x07" not in result.stdout
    assert "\u202e" not in result.stdout
    assert "[bold red]x[/]" in result.stdout


def test_the_demo_shows_a_table_a_person_understands():
    result = troth("demo")
    assert result.exit_code == 0
    for metric in ("exact_match", "faithfulness", "contextual_recall"):
        assert metric in result.stdout
    assert "Worst rows" in result.stdout


def test_metrics_are_listed():
    result = troth("metrics")
    assert result.exit_code == 0
    assert "faithfulness:counts" in result.stdout
    assert "answer, contexts" in result.stdout


def test_a_terminal_that_lacks_letters_still_gets_the_rest(rows):
    result = subprocess.run(
        [sys.executable, "-m", "troth", "run", rows, "--metrics", "exact_match"],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert b"exact_match" in result.stdout


def test_a_reader_that_leaves_early_is_no_error(rows):
    command = f"{sys.executable} -m troth run {rows} --json 2>/dev/null | head -c 10"
    result = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert result.returncode == 0
    assert b"Traceback" not in result.stderr


@pytest.mark.parametrize("redirection", [">&-", "> /dev/full", "--json >&-", "--json > /dev/full"])
def test_an_output_that_cannot_be_written_is_one_clear_line(rows, redirection):
    command = f"{sys.executable} -m troth run {rows} --metrics exact_match {redirection}"
    result = subprocess.run(["bash", "-c", command], capture_output=True, check=False)
    assert result.returncode == 2
    assert b"Traceback" not in result.stderr
    assert b"troth: " in result.stderr


def test_half_a_character_in_a_reply_costs_its_row_alone(rows, tmp_path):
    claims = [{"label": "supported", "reason": "\ud83d"}]
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"verdicts": [{"id": "a1", "claims": claims}]}]))
    result = troth(
        "run", rows, "--metrics", "faithfulness", "--judge", f"scripted:{script}", "--json"
    )
    assert result.exit_code == 1
    assert json.loads(result.stdout)["metrics"]["faithfulness"]["failed"] == 2


def test_an_endpoint_cannot_steer_the_terminal(rows, monkeypatch):
    from tests.endpoint import Endpoint

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with Endpoint(faults=lambda body: "status:401") as endpoint:
        judge = f"{endpoint.base_url}#m\x1b[2J"
        result = troth("run", rows, "--metrics", "faithfulness", "--judge", judge)
    assert result.exit_code == 2
    assert "\x1b" not in result.output
