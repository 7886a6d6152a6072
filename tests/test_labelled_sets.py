"""What needs the human-labelled sets, which lie beside the project and are never part of it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import troth
from troth.cli import main

SETS = Path(__file__).parents[2] / "shared" / "data"
pytestmark = pytest.mark.skipif(
    not SETS.is_dir(), reason=f"the labelled sets are not at {SETS}: nothing to measure against"
)


def test_all_390_rows_of_ragtruth_qa_are_accounted_for():
    metrics = "faithfulness,answer_relevancy,contextual_relevancy"
    path = str(SETS / "ragtruth_qa" / "examples.jsonl")
    result = CliRunner().invoke(main, ["run", path, "--metrics", metrics, "--json"])
    assert result.exit_code == 0
    accounts = json.loads(result.stdout)["metrics"]
    for account in accounts.values():
        assert account["total"] == 390
        assert account["scored"] + account["unscorable"] + account["failed"] == 390
        assert account["failed"] == 0


def test_the_built_in_judge_ranks_above_chance_and_within_its_documented_interval():
    sklearn = pytest.importorskip("sklearn.metrics")
    run = troth.evaluate(SETS / "q2_wow" / "examples.jsonl", metrics=["faithfulness"])
    pairs = [
        (row.sample.meta["label"], score.support)
        for row, score in zip(run, run.scores("faithfulness"), strict=True)
        if score.support is not None and row.sample.meta["label"] is not None
    ]
    assert sklearn.roc_auc_score(*zip(*pairs, strict=True)) > 0.72
