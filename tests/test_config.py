"""`troth.toml`: what it may hold, and that a given option wins."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from troth.cli import main
from troth.config import Config, defaults, load
from troth.errors import UsageError

WHOLE = """
metrics = ["exact_match"]
judge = "scripted:absent.json"
cluster = "doc"

[columns]
answer = "mine"

[gate]
min = { exact_match = 0.5 }
max_drop = { "exact_match" = 0 }
baseline = "latest~1"
max_failed = 0.1
max_unscored = 0.2
accept_small = true
"""


def write(text):
    Path("troth.toml").write_text(text, "utf-8")


def troth(*arguments):
    return CliRunner().invoke(main, arguments)


def test_without_a_file_nothing_is_set():
    assert load() == Config()
    assert defaults(load()) == {"run": {}, "compare": {}, "report": {}, "gate": {}}


def test_all_settings_are_read():
    write(WHOLE)
    config = load()
    assert config.metrics == ["exact_match"]
    assert config.columns == {"answer": "mine"}
    assert config.gate.max_drop == {"exact_match": 0.0}
    assert defaults(config)["gate"] == {
        "cluster": "doc",
        "minimum": ("exact_match=0.5",),
        "max_drop": ("exact_match=0.0",),
        "max_failed": 0.1,
        "max_unscored": 0.2,
        "baseline": "latest~1",
        "accept_small": True,
    }


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("metrics = ", "is not TOML"),
        ("metric = []", "unknown field `metric`"),
        ("metric = []", "it may hold metrics, judge, cluster, columns, gate; [gate] min, max_drop"),
        ("metrics = 'a'", "Expected `array`, got `str` - at `$.metrics`"),
        ("[gate]\nmin = { a = '1' }", "Expected `float`, got `str`"),
        ("[gate]\nmaximum = 1", "unknown field `maximum`"),
    ],
)
def test_what_is_wrong_is_one_clear_line(text, says):
    write(text)
    with pytest.raises(UsageError) as error:
        load()
    assert says in str(error.value)
    result = troth("metrics")
    assert result.exit_code == 2
    assert result.stderr.startswith("troth: troth.toml")
    assert len(result.stderr.splitlines()) == 1


def test_a_file_that_is_no_text_is_one_clear_line():
    Path("troth.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="is not TOML"):
        load()


def test_run_takes_its_settings_and_a_given_option_wins():
    Path("rows.jsonl").write_text('{"mine": "a", "answer": "b", "references": ["a"]}\n', "utf-8")
    write("metrics = ['exact_match']\n[columns]\nanswer = 'mine'\n")
    document = json.loads(troth("run", "rows.jsonl", "--json").stdout)
    assert list(document["metrics"]) == ["exact_match"]
    assert document["metrics"]["exact_match"]["mean"] == 1.0
    assert document["info"]["mapped"]["answer"] == "mine"
    result = troth("run", "rows.jsonl", "--json", "--metrics", "contains", "--map", "answer=answer")
    document = json.loads(result.stdout)
    assert list(document["metrics"]) == ["contains"]
    assert document["metrics"]["contains"]["mean"] == 0.0
