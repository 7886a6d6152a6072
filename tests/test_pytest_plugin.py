"""The pytest plugin, in sessions of their own: it costs nothing where it is not used."""

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from troth import evaluate
from troth.pytest_plugin import assert_scores

ROWS = [
    {"question": "Who?", "answer": "Ana", "references": ["Ana"], "id": f"r{n}"} for n in range(60)
]
BAD = [dict(row, answer="Bo") for row in ROWS[:20]] + ROWS[20:]


def session(text):
    Path("test_it.py").write_text(text, "utf-8")
    environment = os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "troth.pytest_plugin",
         "-p", "no:cacheprovider", "test_it.py"],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip


def test_it_is_installed_with_the_package():
    pyproject = Path(__file__).parents[1] / "pyproject.toml"
    if not pyproject.is_file():
        pytest.skip("the tests run without the project's folder")
    points = tomllib.loads(pyproject.read_text("utf-8"))["project"]["entry-points"]
    assert points["pytest11"] == {"troth": "troth.pytest_plugin"}


def test_a_session_that_does_not_use_it_loads_no_room_of_it():
    result = session(
        "import sys\n"
        "def test_nothing():\n"
        "    loaded = {m for m in sys.modules if m.split('.')[0] == 'troth'}\n"
        "    assert loaded == {'troth', 'troth.pytest_plugin'}\n"
        "    assert 'numpy' not in sys.modules\n"
        "    assert 'msgspec' not in sys.modules\n"
    )
    assert result.returncode == 0, result.stdout


def test_the_fixture_fails_a_test_and_says_which_rows_are_bad():
    result = session(
        f"ROWS = {BAD!r}\n"
        "def test_scores(assert_scores):\n"
        "    assert_scores(ROWS, {'exact_match': 0.9})\n"
    )
    assert result.returncode == 1
    assert "scores: not passed" in result.stdout
    assert "exact_match at least 0.9" in result.stdout
    assert "low exact_match in r0: 0.00" in result.stdout
    assert "pytest_plugin.py" not in result.stdout  # the traceback ends in the user's test


def test_rows_that_are_good_enough_give_their_run():
    run = assert_scores(ROWS, {"exact_match": 0.9})
    assert run.metrics == ("exact_match",)
    assert assert_scores(run, {"exact_match": 0.9}) is run


def test_a_baseline_counts():
    before, after = (evaluate(rows, ["exact_match"]) for rows in (ROWS, BAD))
    with pytest.raises(AssertionError, match="worse than the baseline by more"):
        assert_scores(after, baseline=before, max_drop={"exact_match": 0.05})


def test_without_limits_those_of_the_project_count():
    Path("troth.toml").write_text("[gate]\nmin = { exact_match = 0.9 }\n", "utf-8")
    assert assert_scores(ROWS).metrics == ("exact_match",)
    with pytest.raises(AssertionError, match="exact_match at least"):
        assert_scores(BAD)


def test_options_of_an_evaluation_say_nothing_about_a_run():
    with pytest.raises(TypeError, match="judge"):
        assert_scores(evaluate(ROWS, ["exact_match"]), {"exact_match": 0.9}, judge="builtin")
